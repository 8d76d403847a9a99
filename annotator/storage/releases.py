"""Which versions exist, and which query belongs to which split of a dataset for good."""

from dataclasses import dataclass

from sqlalchemy import func, insert, select

from annotator.domain.json import JsonObject
from annotator.domain.release import Split
from annotator.storage.engine import Transaction, now
from annotator.storage.tables import releases, scores, split_assignments


@dataclass(frozen=True, slots=True)
class StoredRelease:
    """A version as it was recorded when it was made."""

    name: str
    version: str
    parent: str | None
    content_sha256: str
    manifest: JsonObject
    created_at: str


@dataclass(frozen=True, slots=True)
class StoredScore:
    """A score with what it may be compared with; `reason` says why the test split was opened."""

    score_id: str
    name: str
    version: str
    split: Split
    comparability_key: str
    run_id: str
    report: JsonObject
    reason: str
    created_at: str


def add(
    tx: Transaction,
    *,
    name: str,
    version: str,
    parent: str | None,
    content_sha256: str,
    manifest: JsonObject,
) -> None:
    """Record a version whose folder is about to be put in place."""
    tx.execute(
        insert(releases).values(
            name=name,
            version=version,
            parent=parent,
            content_sha256=content_sha256,
            manifest=manifest,
            created_at=now(),
        )
    )


def listed(tx: Transaction, name: str | None = None) -> list[StoredRelease]:
    """Return the versions of one dataset or of all, oldest first."""
    statement = select(releases).order_by(releases.c.created_at, releases.c.version)
    if name is not None:
        statement = statement.where(releases.c.name == name)
    return [
        StoredRelease(
            row.name,
            row.version,
            row.parent,
            row.content_sha256,
            row.manifest,
            row.created_at,
        )
        for row in tx.execute(statement)
    ]


def assignments(tx: Transaction, name: str) -> dict[str, Split]:
    """Return query_id -> split, for every query that a version of the dataset ever held."""
    rows = tx.execute(select(split_assignments).where(split_assignments.c.name == name))
    return {row.query_id: row.split for row in rows}


def assign(tx: Transaction, name: str, version: str, splits: dict[str, Split]) -> None:
    """Record the split of queries that are new, and of those that moved to test."""
    known = assignments(tx, name)
    for query_id, split in splits.items():
        if known.get(query_id) == "tuning" and split == "test":
            tx.execute(
                split_assignments.update()
                .where(split_assignments.c.name == name, split_assignments.c.query_id == query_id)
                .values(split=split, since_version=version)
            )
    rows = [
        {"name": name, "query_id": query_id, "split": split, "since_version": version}
        for query_id, split in sorted(splits.items())
        if query_id not in known
    ]
    if rows:
        tx.execute(insert(split_assignments), rows)


def add_score(tx: Transaction, score: StoredScore) -> None:
    """Archive a score."""
    tx.execute(
        insert(scores).values(
            score_id=score.score_id,
            name=score.name,
            version=score.version,
            split=score.split,
            comparability_key=score.comparability_key,
            run_id=score.run_id,
            report=score.report,
            reason=score.reason,
            created_at=score.created_at,
        )
    )


def count_scores(tx: Transaction) -> int:
    """Return the number of archived scores."""
    return tx.execute(select(func.count()).select_from(scores)).scalar_one()
