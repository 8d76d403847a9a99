"""What holds for every sampled query now, derived from what stands in the database."""

from collections import defaultdict
from collections.abc import Sequence

from annotator.corpus.identity import OffsetMap
from annotator.domain.document import span_of
from annotator.domain.judgment import Judgment, QueryVerdict
from annotator.judging.adjudication import ResolvedQuery, resolve
from annotator.mining.split_answers import CutSpan, cut_spans
from annotator.storage import corpus, facts, judgments, pools, runs, samples
from annotator.storage.engine import Transaction


def resolve_all(tx: Transaction) -> dict[str, ResolvedQuery]:
    """Return what holds for every sampled query."""
    query_ids = [query.query_id for query in samples.all_queries(tx)]
    said: dict[str, list[Judgment]] = defaultdict(list)
    for judgment in judgments.all_judgments(tx):
        said[judgment.query_id].append(judgment)
    stated: dict[str, list[QueryVerdict]] = defaultdict(list)
    for verdict in judgments.all_verdicts(tx):
        stated[verdict.query_id].append(verdict)
    return _resolve(tx, query_ids, pools.all_pools(tx), said, stated)


def resolve_one(tx: Transaction, query_id: str) -> ResolvedQuery:
    """Return what holds for one query."""
    return _resolve(
        tx,
        [query_id],
        {query_id: pools.pool_of(tx, query_id)},
        {query_id: judgments.judgments_of(tx, query_id)},
        {query_id: judgments.verdicts_of(tx, query_id)},
    )[query_id]


def cut_answers(tx: Transaction, said: Sequence[Judgment]) -> list[CutSpan]:
    """Return the spans of one query's evidence that no single chunk holds."""
    spans = sorted({span for judgment in said if judgment.grade for span in judgment.spans})
    if not spans:
        return []
    doc_ids = sorted({span.doc_id for span in spans})
    places = OffsetMap(c for doc_id in doc_ids for c in corpus.chunks_of_document(tx, doc_id))
    touching = {span: places.chunks_at(span) for span in spans}
    whole = {s for s, chunks in touching.items() if any(s.within(span_of(c)) for c in chunks)}
    cut = {span: chunks for span, chunks in touching.items() if span not in whole}
    texts = dict(zip(cut, corpus.slices(tx, list(cut)), strict=True))
    return cut_spans(cut, texts=texts)


def _resolve(
    tx: Transaction,
    query_ids: Sequence[str],
    all_pools: dict[str, pools.Pool],
    said: dict[str, list[Judgment]],
    stated: dict[str, list[QueryVerdict]],
) -> dict[str, ResolvedQuery]:
    pooled_on = runs.pooled_on(tx)
    sha256 = facts.get(tx, "corpus_sha256")
    found: dict[str, ResolvedQuery] = {}
    for query_id in query_ids:
        pool = all_pools.get(query_id, pools.Pool())
        cut = [entry for entry in cut_answers(tx, said.get(query_id, ())) if entry.is_complete]
        found[query_id] = resolve(
            query_id=query_id,
            pool=pool.pooled,
            added=pool.mined,
            judgments=said.get(query_id, ()),
            verdicts=stated.get(query_id, ()),
            cut_groups=[entry.chunk_ids for entry in cut],
            was_pooled=query_id in pooled_on,
            is_current=pooled_on.get(query_id) == sha256,
        )
    return found
