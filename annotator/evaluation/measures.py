"""Score one run against the records of one split.

Measures come from ir_measures (pytrec_eval), fed so that libraries cannot disagree: only queries
with an answer, ranks in place of scores (no ties), whole-number grades. A query that the run does
not hold counts 0. Unjudged chunks count as not relevant; judged@k is the judged share of the top
k, over queries with a result.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotator.domain.judgment import Grade
from annotator.domain.run import RetrievedList

GAINS: dict[int, int] = {1: 1, 2: 3}
"""nDCG gain 2^grade - 1 (Burges et al., ICML 2005), discount log2(rank + 1)."""

HIT_CUTOFFS = (1, 3, 5, 10)
CUTOFFS = (1, 3, 5, 10, 20)
NDCG_CUTOFFS = (3, 5, 10)
PERCENTILES = (50, 95, 99)


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """What scoring needs of a record; `relevant` is empty iff the query has no answer."""

    query_id: str
    has_answer: bool
    relevant: tuple[str, ...]
    grades: Mapping[str, Grade]


@dataclass(frozen=True, slots=True)
class MeasureValue:
    """A mean over `n_scored` of `n_total` queries of the split; None where there are none."""

    name: str
    value: float | None
    n_scored: int
    n_total: int


@dataclass(frozen=True, slots=True)
class Rejection:
    """How the retriever refuses, at a stated threshold of confidence.

    `accuracy` is the share of queries without an answer that were refused, `false_rejection` the
    share of queries with one. An empty answer is a refusal; a list without a confidence is none.
    """

    threshold: float
    accuracy: float | None
    n_without_answer: int
    false_rejection: float | None
    n_with_answer: int
    n_without_confidence: int


@dataclass(frozen=True, slots=True)
class Scores:
    """The table of one run on one split, and what it was made from."""

    measures: tuple[MeasureValue, ...]
    per_query: dict[str, dict[str, float]]
    rejection: Rejection
    latency_ms: dict[str, float]
    n_with_answer: int
    n_total: int
    n_missing: int


def score_run(
    queries: Sequence[JudgedQuery],
    lists: Sequence[RetrievedList],
    *,
    depth_k: int,
    threshold: float,
) -> Scores:
    """Return every measure with a cutoff of at most `depth_k`, rejection and latency."""
    by_query = {entry.query_id: entry for entry in lists}
    answerable = [query for query in queries if query.has_answer]
    per_query = _per_query(answerable, by_query, depth_k)
    names = [*_names(depth_k), *(f"judged@{k}" for k in CUTOFFS if k <= depth_k)]
    measures = []
    for name in names:
        values = [entry[name] for entry in per_query.values() if name in entry]
        measures.append(MeasureValue(name, _mean(values), len(values), len(queries)))
    times = sorted(entry.latency_ms for entry in lists)
    return Scores(
        measures=tuple(measures),
        per_query=per_query,
        rejection=_rejection(queries, by_query, threshold),
        latency_ms={f"P{p}": percentile(times, p) for p in PERCENTILES} if times else {},
        n_with_answer=len(answerable),
        n_total=len(queries),
        n_missing=sum(1 for query in queries if query.query_id not in by_query),
    )


def percentile(ordered: Sequence[float], p: int) -> float:
    """Return the nearest-rank percentile of a rising sequence that is not empty."""
    return ordered[max(0, -(-p * len(ordered) // 100) - 1)]  # ceil in whole numbers: exact


def _names(depth_k: int) -> list[str]:
    names = [f"Hit@{k}" for k in HIT_CUTOFFS if k <= depth_k]
    names += [f"Recall@{k}" for k in CUTOFFS if k <= depth_k]
    names += [f"Precision@{k}" for k in CUTOFFS if k <= depth_k]
    names += ["MRR"]
    names += [f"nDCG@{k}" for k in NDCG_CUTOFFS if k <= depth_k]
    return [*names, "MAP"]


def _per_query(
    answerable: Sequence[JudgedQuery], by_query: Mapping[str, RetrievedList], depth_k: int
) -> dict[str, dict[str, float]]:
    import ir_measures
    from ir_measures import AP, RR, P, R, Success, nDCG

    if not answerable:
        return {}
    binary = {f"Hit@{k}": Success @ k for k in HIT_CUTOFFS if k <= depth_k}
    binary |= {f"Recall@{k}": R @ k for k in CUTOFFS if k <= depth_k}
    binary |= {f"Precision@{k}": P @ k for k in CUTOFFS if k <= depth_k}
    binary |= {"MRR": RR, "MAP": AP}
    graded = {f"nDCG@{k}": nDCG(gains=GAINS) @ k for k in NDCG_CUTOFFS if k <= depth_k}
    run = [
        ir_measures.ScoredDoc(query.query_id, chunk_id, float(depth_k - rank))
        for query in answerable
        if query.query_id in by_query
        for chunk_id, rank in _best_ranks(by_query[query.query_id]).items()
        if rank <= depth_k
    ]
    found: dict[str, dict[str, float]] = {
        query.query_id: dict.fromkeys(_names(depth_k), 0.0) for query in answerable
    }
    for wanted, qrels in ((binary, _binary_qrels(answerable)), (graded, _graded_qrels(answerable))):
        names = {measure: name for name, measure in wanted.items()}
        rows = [ir_measures.Qrel(q, c, grade) for q, c, grade in qrels]
        for metric in ir_measures.pytrec_eval.iter_calc(list(names), rows, run):
            found[metric.query_id][names[metric.measure]] = float(metric.value)
    for query in answerable:
        hits = by_query[query.query_id].hits if query.query_id in by_query else ()
        for k in CUTOFFS:
            if k <= depth_k:
                top = [hit.chunk_id in query.grades for hit in hits if hit.rank <= k]
                if top:
                    found[query.query_id][f"judged@{k}"] = sum(top) / len(top)
    return found


def _best_ranks(entry: RetrievedList) -> dict[str, int]:
    """Return chunk_id -> its best rank, should a chunk stand in the list twice."""
    ordered = sorted(entry.hits, key=lambda hit: hit.rank, reverse=True)
    return {hit.chunk_id: hit.rank for hit in ordered}


def _binary_qrels(queries: Sequence[JudgedQuery]) -> list[tuple[str, str, int]]:
    return [
        (query.query_id, chunk_id, int(chunk_id in query.relevant))
        for query in queries
        for chunk_id in dict.fromkeys([*query.relevant, *query.grades])
    ]


def _graded_qrels(queries: Sequence[JudgedQuery]) -> list[tuple[str, str, int]]:
    return [
        (query.query_id, chunk_id, int(grade))
        for query in queries
        for chunk_id, grade in query.grades.items()
    ]


def _rejection(
    queries: Sequence[JudgedQuery], by_query: Mapping[str, RetrievedList], threshold: float
) -> Rejection:
    def is_refused(query: JudgedQuery) -> bool:
        entry = by_query.get(query.query_id)
        if entry is None or not entry.hits:
            return True
        return entry.confidence is not None and entry.confidence < threshold

    refused = {True: [0, 0], False: [0, 0]}
    for query in queries:
        refused[query.has_answer][0] += is_refused(query)
        refused[query.has_answer][1] += 1
    return Rejection(
        threshold=threshold,
        accuracy=refused[False][0] / refused[False][1] if refused[False][1] else None,
        n_without_answer=refused[False][1],
        false_rejection=refused[True][0] / refused[True][1] if refused[True][1] else None,
        n_with_answer=refused[True][1],
        n_without_confidence=sum(
            1 for entry in by_query.values() if entry.hits and entry.confidence is None
        ),
    )


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None
