"""Ask a retriever for many queries and bring its answers to chunk ids."""

import time
from collections.abc import Sequence

from annotator.corpus.identity import OffsetMap
from annotator.domain.document import Chunk, Span
from annotator.domain.errors import RetrieverAnswerError
from annotator.domain.progress import Report, silent
from annotator.domain.run import Hit, RetrievedList, Run
from annotator.retrievers.base import RawHit, Retriever


def run_retriever(
    retriever: Retriever,
    queries: Sequence[tuple[str, str]],
    *,
    depth_k: int,
    chunks: Sequence[Chunk],
    report: Report = silent,
) -> Run:
    """Return the retriever's lists for (query_id, text) pairs, asked one after the other.

    Hits that name a place are taken apart into the chunks there; of a chunk that comes twice the
    best rank is kept. One query is asked before the clock starts, so that latency is that of a
    warm server. Raises RetrieverAnswerError naming query and id where a hit is no chunk of the
    corpus.
    """
    known = {chunk.chunk_id for chunk in chunks}
    places = OffsetMap(chunks)
    if queries:
        retriever.search(queries[0][1], k=depth_k)
    lists: list[RetrievedList] = []
    for number, (query_id, text) in enumerate(queries, start=1):
        started = time.perf_counter()
        answer = retriever.search(text, k=depth_k)
        latency_ms = 1000.0 * (time.perf_counter() - started)
        ranked: dict[str, float | None] = {}
        for raw in answer.hits:
            for chunk_id in _chunk_ids(raw, known, places, retriever.name, text):
                ranked.setdefault(chunk_id, raw.score)
        hits = tuple(
            Hit(chunk_id, rank, score)
            for rank, (chunk_id, score) in enumerate(list(ranked.items())[:depth_k], start=1)
        )
        lists.append(RetrievedList(query_id, hits, answer.confidence, round(latency_ms, 3)))
        report(f"ask {retriever.name}", number, len(queries))
    return Run(retriever.name, retriever.version, depth_k, tuple(lists))


def _chunk_ids(
    raw: RawHit, known: set[str], places: OffsetMap, retriever: str, query: str
) -> list[str]:
    asked = f"Retriever {retriever!r}, query {query[:60]!r}"
    if raw.chunk_id is not None:
        if raw.chunk_id not in known:
            raise RetrieverAnswerError(
                f"{asked}: it returned the chunk id {raw.chunk_id!r}, which is not in the corpus. "
                "Import the chunks that the retriever has indexed (annotator corpus import "
                "--chunks FILE), or index what annotator corpus export writes."
            )
        return [raw.chunk_id]
    doc_id = raw.doc_id or ""
    if not places.knows_document(doc_id):
        raise RetrieverAnswerError(
            f"{asked}: it returned the document id {doc_id!r}, which is not in the corpus."
        )
    if raw.start is None or raw.end is None or raw.start >= raw.end:
        raise RetrieverAnswerError(
            f"{asked}: a hit in document {doc_id!r} has no start and end offsets, so it cannot be "
            "mapped to chunks. Let the retriever return chunk ids or offsets."
        )
    found = places.chunks_at(Span(doc_id, raw.start, raw.end))
    if not found:
        raise RetrieverAnswerError(
            f"{asked}: no chunk lies at {doc_id!r}[{raw.start}:{raw.end}]. Offsets count code "
            "points from the start of the document."
        )
    return [chunk.chunk_id for chunk in found]
