"""Pool candidates: ask the live retrievers and put the union before the assessors."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from annotator.domain.errors import StageOrderError
from annotator.domain.progress import Report, silent
from annotator.domain.run import RetrievedList
from annotator.formats.jsonl import write_lines
from annotator.judging.pooling import pooled_chunk_ids
from annotator.retrievers.base import Retriever
from annotator.storage import corpus, facts, pools, runs, samples
from annotator.storage.engine import Store
from annotator.workflows.retrieve import run_retriever


@dataclass(frozen=True, slots=True)
class PoolReport:
    """`pairs` counts (query, chunk) pairs to judge; `per_retriever` what each contributed."""

    queries: int
    pairs: int
    new_pairs: int
    queries_without_candidates: int
    per_retriever: dict[str, int]


def pool(
    store: Store,
    retrievers: Sequence[Retriever],
    *,
    depth_k: int,
    seed: int,
    report: Report = silent,
) -> PoolReport:
    """Ask every retriever for every sampled query, and store runs and pools in one transaction.

    Raises StageOrderError where there is no sample or no corpus; a retriever's error leaves
    everything as it was.
    """
    with store.read() as tx:
        queries = samples.all_queries(tx)
        chunks = corpus.all_chunks(tx)
        sha256 = str(facts.get(tx, "corpus_sha256") or "")
        before = pools.count(tx)
    if not queries:
        raise StageOrderError("There is no sample yet. Draw one: annotator sample --budget N")
    if not chunks:
        raise StageOrderError("There is no corpus yet. Import it: annotator corpus import PATH")
    pairs = [(query.query_id, query.text) for query in queries]
    found = [
        run_retriever(retriever, pairs, depth_k=depth_k, chunks=chunks, report=report)
        for retriever in retrievers
    ]
    by_query: dict[str, list[RetrievedList]] = {query.query_id: [] for query in queries}
    for run in found:
        for entry in run.lists:
            by_query[entry.query_id].append(entry)
    with store.write() as tx:
        for run in found:
            runs.add(tx, run, purpose="pool", corpus_sha256=sha256)
        for query_id, lists in by_query.items():
            union = pooled_chunk_ids(lists, query_id=query_id, depth_k=depth_k, seed=seed)
            pools.set_pool(tx, query_id, union)
        after = pools.all_pools(tx)
    total = sum(len(entry.chunk_ids) for entry in after.values())
    return PoolReport(
        queries=len(queries),
        pairs=total,
        new_pairs=total - before,
        queries_without_candidates=sum(1 for query in queries if query.query_id not in after),
        per_retriever={run.retriever: sum(len(e.hits) for e in run.lists) for run in found},
    )


def export_pool(store: Store, path: Path) -> int:
    """Write {query_id, query, chunk_ids} per line; return the number of lines."""
    with store.read() as tx:
        queries = samples.all_queries(tx)
        all_pools = pools.all_pools(tx)
    return write_lines(
        path,
        (
            {
                "query_id": query.query_id,
                "query": query.text,
                "chunk_ids": list(all_pools.get(query.query_id, pools.Pool()).chunk_ids),
            }
            for query in queries
        ),
    )
