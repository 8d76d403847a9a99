"""Mine hard negatives and split answers from the live retriever and the judgments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotator.domain.document import Chunk
from annotator.domain.errors import StageOrderError
from annotator.domain.progress import Report, silent
from annotator.domain.run import Hit, RetrievedList
from annotator.judging.adjudication import ResolvedQuery
from annotator.mining.hard_negatives import NegativeChoice, choose_hard_negatives
from annotator.retrievers.base import Retriever
from annotator.storage import corpus, facts, judgments, mined, pools, runs, samples
from annotator.storage.engine import Store, Transaction
from annotator.workflows.resolution import cut_answers, resolve_all
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

    `queued` counts unjudged chunks of the live list that were put into the pools: those above
    the deepest negative, or all where negatives are missing;
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
    with store.read() as tx:  # what people said meanwhile counts; nothing is held up by counting
        resolved = resolve_all(tx)
        splits = [entry for query_id, _ in asked for entry in _split_answers(tx, query_id)]
    choices = {
        entry.query_id: choose_for(resolved[entry.query_id], entry.hits, by_id, plan)
        for entry in run.lists
        if entry.query_id in resolved
    }
    with store.write() as tx:
        run_id = runs.add(tx, run, purpose="mine", corpus_sha256=sha256)
        facts.put(tx, "mine_run", run_id)
        still_there = {query.query_id for query in samples.all_queries(tx)}
        negatives = [
            mined.StoredNegative(query_id, hit.chunk_id, run_id, hit.rank)
            for query_id, choice in choices.items()
            if query_id in still_there
            for hit in choice.chosen
        ]
        mined.replace(tx, negatives, [s for s in splits if s.query_id in still_there])
        queued = sum(
            pools.append_mined(tx, entry.query_id, _to_judge(choices[entry.query_id], entry, plan))
            for entry in run.lists
            if entry.query_id in choices and entry.query_id in still_there
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


def _to_judge(choice: NegativeChoice, entry: RetrievedList, plan: MiningPlan) -> list[str]:
    """Return the unjudged chunks that are worth a look.

    Those above the deepest negative, since a missed answer there spoils the choice; all where
    negatives are missing.
    """
    is_short = len(choice.chosen) < plan.wanted_min
    deepest = plan.depth_k if is_short or not choice.chosen else choice.chosen[-1].rank
    unjudged = set(choice.unjudged)
    return [hit.chunk_id for hit in entry.hits if hit.chunk_id in unjudged and hit.rank <= deepest]


def choose_for(
    resolved: ResolvedQuery, hits: Sequence[Hit], chunks: Mapping[str, Chunk], plan: MiningPlan
) -> NegativeChoice:
    """Choose the hard negatives of one query from a live list, by what holds for it now."""
    relevant = set(resolved.relevant)
    return choose_hard_negatives(
        hits,
        grades={c: grade for c, grade in resolved.grades.items() if c not in relevant},
        skipped=frozenset({*resolved.disputed, *resolved.cannot_judge, *relevant}),
        relevant=[chunks[chunk_id] for chunk_id in resolved.relevant],
        evidence=resolved.spans,
        chunks=chunks,
        wanted_max=plan.wanted_max,
        near_duplicate_similarity=plan.near_duplicate_similarity,
    )


def _split_answers(tx: Transaction, query_id: str) -> list[mined.StoredSplit]:
    found = [
        mined.StoredSplit(query_id, "span", cut.chunk_ids, cut.span)
        for cut in cut_answers(tx, judgments.judgments_of(tx, query_id))
    ]
    groups = {
        group
        for verdict in judgments.verdicts_of(tx, query_id)
        for group in verdict.answer_groups
        if len(group) > 1
    }
    return [*found, *(mined.StoredSplit(query_id, "group", g, None) for g in sorted(groups))]
