"""How far the loop from log to version has come, as the home screen tells it."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotator.storage import corpus, imports, mined, pools, releases, samples
from annotator.workflows import judge
from annotator.workspace import Workspace

_DONE_STATES = ("answered", "no_answer", "cannot_judge")


@dataclass(frozen=True, slots=True)
class Standing:
    """What the workspace holds; `judged`, `disputed` and `open` count sampled queries."""

    log_files: int
    is_curated: bool
    sampled: int
    budget: int
    documents: int
    chunks: int
    pairs: int
    judged: int
    disputed: int
    negatives: int
    splits: int
    versions: tuple[str, ...]

    @property
    def open(self) -> int:
        """Sampled queries that still need work."""
        return self.sampled - self.judged

    @property
    def is_empty(self) -> bool:
        """Whether nothing was ever brought in."""
        return not (self.log_files or self.documents or self.sampled)


@dataclass(frozen=True, slots=True)
class Step:
    """A stage of the loop; `counts` fill its label, `command` is empty where it is done here."""

    key: str
    is_done: bool
    command: str
    counts: dict[str, int]


def standing(workspace: Workspace, *, entries: Sequence[judge.QueueEntry]) -> Standing:
    """Count what the workspace holds."""
    with workspace.store.read() as tx:
        documents, chunks = corpus.counts(tx)
        negatives, splits = mined.counts(tx)
        plan = samples.current_plan(tx)
        log_files = len(imports.listed(tx, "log"))
        pairs = pools.count(tx)
        versions = tuple(entry.version for entry in releases.listed(tx))
    folder = workspace.curation_folder
    states = [entry.state for entry in entries]
    return Standing(
        log_files=log_files,
        is_curated=folder.is_dir() and any(folder.iterdir()),
        sampled=len(entries),
        budget=plan.budget if plan else 0,
        documents=documents,
        chunks=chunks,
        pairs=pairs,
        judged=sum(state in _DONE_STATES for state in states),
        disputed=states.count("disputed"),
        negatives=negatives,
        splits=splits,
        versions=versions,
    )


def steps(now: Standing, *, dataset: str) -> list[Step]:
    """Return the stages in their order; a sample that was drawn has all that it needed."""
    is_sampled = now.sampled > 0
    return [
        Step("log", is_sampled or now.log_files > 0, "log import FILE", {"n": now.log_files}),
        Step("curate", is_sampled or now.is_curated, "curate", {}),
        Step("sample", is_sampled, "sample --budget 200", {"n": now.sampled}),
        Step(
            "corpus",
            now.chunks > 0,
            "corpus import PATH",
            {"documents": now.documents, "chunks": now.chunks},
        ),
        Step("pool", now.pairs > 0, "pool", {"n": now.pairs}),
        Step(
            "judge",
            is_sampled and now.open == 0,
            "",
            {"judged": now.judged, "sampled": now.sampled},
        ),
        Step(
            "mine",
            now.negatives + now.splits > 0,
            "mine",
            {"negatives": now.negatives, "splits": now.splits},
        ),
        Step("release", bool(now.versions), f"release {dataset}", {"n": len(now.versions)}),
    ]
