"""Mine hard negatives and split answers from the live retriever and the judgments."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotator.corpus.identity import OffsetMap
from annotator.domain.document import Chunk
from annotator.domain.errors import StageOrderError
from annotator.domain.progress import Report, silent
from annotator.domain.run import RetrievedList
from annotator.judging.adjudication import ResolvedQuery
from annotator.mining.hard_negatives import NegativeChoice, choose_hard_negatives
from annotator.mining.split_answers import cut_spans
from annotator.retrievers.base import Retriever
from annotator.storage import corpus, facts, judgments, mined, pools, runs, samples
from annotator.storage.engine import Store, Transaction
from annotator.workflows.judge import resolve_all
from annotator.workflows.retrieve import run_retriever


@dataclass(frozen=True, slots=True)
class MiningPlan:
    """How hard negatives are chosen; the fields of the settings' [mining]."""

    depth_k: int
    wanted_min: int
    wanted_max: int
    near_duplicate_similarity: float


@dataclass(frozen=True, slots=True)
class MineReport:
    """`enough`, `short` count settled queries with and without `wanted_min` negatives.

    `queued` counts unjudged chunks of the live top-k that were put into the pools;
    `cut_answers` spans over chunk borders, `group_answers` groups that assessors stated,
    `split_queries` the queries that no single chunk answers.
    """

    queries: int
    enough: int
    short: int
    negatives: int
    ruled_out: int
    queued: int
    cut_answers: int
    group_answers: int
    split_queries: int


def mine(
    store: Store, retriever: Retriever, *, plan: MiningPlan, report: Report = silent
) -> MineReport:
    """Ask the retriever for every judged query and store what the list gives.

    Raises StageOrderError where nothing was judged yet.
    """
    with store.read() as tx:
        queries = samples.all_queries(tx)
        chunks = corpus.all_chunks(tx)
        sha256 = str(facts.get(tx, "corpus_sha256") or "")
        touched = samples.judged_query_ids(tx)
    asked = [(query.query_id, query.text) for query in queries if query.query_id in touched]
    if not asked:
        raise StageOrderError(
            "Nothing was judged yet. Judge in the browser (annotator serve) or import judgments: "
            "annotator judgments import FILE"
        )
    run = run_retriever(retriever, asked, depth_k=plan.depth_k, chunks=chunks, report=report)
    by_id = {chunk.chunk_id: chunk for chunk in chunks}
    with store.write() as tx:
        splits = _split_answers(tx, chunks, asked)
        mined.replace(tx, [], splits)
        resolved = resolve_all(tx)  # now with the groups that cut spans give
        run_id = runs.add(tx, run, purpose="mine", corpus_sha256=sha256)
        choices = {
            entry.query_id: _choose(entry, resolved[entry.query_id], by_id, plan)
            for entry in run.lists
        }
        negatives = [
            mined.StoredNegative(query_id, hit.chunk_id, run_id, hit.rank)
            for query_id, choice in choices.items()
            for hit in choice.chosen
        ]
        mined.replace(tx, negatives, splits)
        queued = sum(
            pools.append_mined(tx, query_id, choice.unjudged)
            for query_id, choice in choices.items()
        )
    settled = [
        query_id for query_id in choices if resolved[query_id].state in ("answered", "no_answer")
    ]
    enough = sum(1 for query_id in settled if len(choices[query_id].chosen) >= plan.wanted_min)
    return MineReport(
        queries=len(settled),
        enough=enough,
        short=len(settled) - enough,
        negatives=len(negatives),
        ruled_out=sum(len(choice.ruled_out) for choice in choices.values()),
        queued=queued,
        cut_answers=sum(1 for split in splits if split.kind == "span"),
        group_answers=sum(1 for split in splits if split.kind == "group"),
        split_queries=sum(1 for entry in resolved.values() if entry.is_split),
    )


def _choose(
    entry: RetrievedList,
    resolved: ResolvedQuery,
    chunks: Mapping[str, Chunk],
    plan: MiningPlan,
) -> NegativeChoice:
    relevant = {*resolved.direct, *(c for group in resolved.answer_groups for c in group)}
    return choose_hard_negatives(
        entry.hits,
        grades={c: grade for c, grade in resolved.grades.items() if c not in relevant},
        skipped=frozenset({*resolved.disputed, *resolved.cannot_judge, *relevant}),
        relevant=[chunks[chunk_id] for chunk_id in sorted(relevant)],
        evidence=resolved.spans,
        chunks=chunks,
        wanted_max=plan.wanted_max,
        near_duplicate_similarity=plan.near_duplicate_similarity,
    )


def _split_answers(
    tx: Transaction, chunks: list[Chunk], asked: list[tuple[str, str]]
) -> list[mined.StoredSplit]:
    places = OffsetMap(chunks)
    found: list[mined.StoredSplit] = []
    for query_id, _ in asked:
        spans = [
            span
            for judgment in judgments.judgments_of(tx, query_id)
            if judgment.grade
            for span in judgment.spans
        ]
        texts = dict(zip(spans, corpus.slices(tx, spans), strict=True))
        for cut in cut_spans(spans, places.chunks_at, texts=texts):
            if cut.is_complete:
                found.append(mined.StoredSplit(query_id, "span", cut.chunk_ids, cut.span))
        groups = {
            group
            for verdict in judgments.verdicts_of(tx, query_id)
            for group in verdict.answer_groups
            if len(group) > 1
        }
        found.extend(mined.StoredSplit(query_id, "group", group, None) for group in sorted(groups))
    return found
