"""The stages of the loop as the home screen tells them, worked out from the workspace's status."""

from dataclasses import dataclass

from annotator.workflows.status import Status


@dataclass(frozen=True, slots=True)
class Step:
    """A stage; `counts` fill its label, `command` is empty where it is done in the browser."""

    key: str
    is_done: bool
    command: str
    counts: dict[str, int]


def n_settled(now: Status) -> int:
    """Return how many sampled queries need no more work of this assessor."""
    return sum(now.states.get(state, 0) for state in ("answered", "no_answer", "cannot_judge"))


def is_empty(now: Status) -> bool:
    """Tell whether nothing was ever brought in."""
    return not (now.log_files or now.documents or now.sampled_queries)


def steps(now: Status, *, dataset: str) -> list[Step]:
    """Return the stages in their order; a sample that was drawn has all that it needed."""
    is_sampled = now.sampled_queries > 0
    judged = n_settled(now)
    return [
        Step("log", is_sampled or now.log_files > 0, "log import FILE", {"n": now.log_files}),
        Step(
            "curate",
            is_sampled or now.distinct_queries > 0,
            "curate",
            {"queries": now.distinct_queries, "buckets": now.buckets},
        ),
        Step("sample", is_sampled, "sample --budget 200", {"n": now.sampled_queries}),
        Step(
            "corpus",
            now.chunks > 0,
            "corpus import PATH",
            {"documents": now.documents, "chunks": now.chunks},
        ),
        Step("pool", now.pool_pairs > 0, "pool", {"n": now.pool_pairs}),
        Step(
            "judge",
            is_sampled and judged == now.sampled_queries,
            "",
            {"judged": judged, "sampled": now.sampled_queries},
        ),
        Step(
            "mine",
            now.hard_negatives + now.split_answers > 0,
            "mine",
            {"negatives": now.hard_negatives, "splits": now.split_answers},
        ),
        Step("release", bool(now.versions), f"release {dataset}", {"n": len(now.versions)}),
    ]
