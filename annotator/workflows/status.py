"""Where a workspace stands, and what to do next."""

from collections import Counter
from dataclasses import dataclass, replace

from annotator.domain.judgment import QueryState
from annotator.storage import corpus, facts, imports, judgments, mined, pools, releases, samples
from annotator.storage.engine import Store
from annotator.workflows.resolution import resolve_all


@dataclass(frozen=True, slots=True)
class Status:
    """Counts along the loop; `next_step` is the command that brings it on, "" where none is due."""

    log_files: int
    log_rows: int
    distinct_queries: int
    buckets: int
    intents: int
    sampled_queries: int
    documents: int
    chunks: int
    pool_pairs: int
    judged_pairs: int
    events: int
    states: dict[QueryState, int]
    hard_negatives: int
    split_answers: int
    versions: tuple[str, ...]
    scores: int
    next_step: str


def status(store: Store) -> Status:
    """Read one snapshot of the workspace and count."""
    with store.read() as tx:
        logs = imports.listed(tx, "log")
        curation = facts.get(tx, "curation")
        curated = curation if isinstance(curation, dict) else {}
        resolved = resolve_all(tx)
        pairs = pools.count(tx)
        unjudged = sum(len(entry.unjudged) for entry in resolved.values())
        documents, chunks = corpus.counts(tx)
        negatives, split_answers = mined.counts(tx)
        stored = releases.listed(tx)
        found = Status(
            log_files=len(logs),
            log_rows=sum(entry.counts["rows"] for entry in logs),
            distinct_queries=_count(curated.get("queries")),
            buckets=_count(curated.get("buckets")),
            intents=_count(curated.get("intents")),
            sampled_queries=samples.count(tx),
            documents=documents,
            chunks=chunks,
            pool_pairs=pairs,
            judged_pairs=pairs - unjudged,
            events=judgments.count_events(tx),
            states=dict(Counter(entry.state for entry in resolved.values())),
            hard_negatives=negatives,
            split_answers=split_answers,
            versions=tuple(f"{entry.name}@{entry.version}" for entry in stored),
            scores=releases.count_scores(tx),
            next_step="",
        )
    return replace(found, next_step=_next_step(found))


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0


def _next_step(found: Status) -> str:
    """Return the first command of the loop whose work is not done."""
    settled = found.states.get("answered", 0) + found.states.get("no_answer", 0)
    steps = (
        (not found.log_files, "annotator log import FILE"),
        (not found.distinct_queries, "annotator curate"),
        (not found.sampled_queries, "annotator sample --budget N"),
        (not found.chunks, "annotator corpus import PATH"),
        (not found.pool_pairs, "annotator pool"),
        (settled < found.sampled_queries, "annotator serve"),
        (not found.hard_negatives, "annotator mine"),
        (not found.versions, "annotator release NAME"),
    )
    return next((command for is_due, command in steps if is_due), "")
