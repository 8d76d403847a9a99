"""Hard negatives and split answers, as the last `mine` found them."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sqlalchemy import delete, func, insert, select

from annotator.domain.document import Span
from annotator.storage.engine import Transaction
from annotator.storage.tables import hard_negatives, split_answers

SplitKind: TypeAlias = Literal["span", "group"]


@dataclass(frozen=True, slots=True)
class StoredNegative:
    """A hard negative with where the live retriever put it."""

    query_id: str
    chunk_id: str
    run_id: str
    rank: int


@dataclass(frozen=True, slots=True)
class StoredSplit:
    """Chunks that only together answer; `span` is set where a span is cut by their borders."""

    query_id: str
    kind: SplitKind
    chunk_ids: tuple[str, ...]
    span: Span | None


def replace(tx: Transaction, negatives: list[StoredNegative], splits: list[StoredSplit]) -> None:
    """Put the findings of a new `mine` in the place of the old."""
    tx.execute(delete(hard_negatives))
    tx.execute(delete(split_answers))
    seen: dict[str, int] = defaultdict(int)
    rows: list[dict[str, object]] = []
    for entry in negatives:
        rows.append(
            {
                "query_id": entry.query_id,
                "chunk_id": entry.chunk_id,
                "position": seen[entry.query_id],
                "run_id": entry.run_id,
                "rank": entry.rank,
            }
        )
        seen[entry.query_id] += 1
    if rows:
        tx.execute(insert(hard_negatives), rows)
    seen = defaultdict(int)
    rows = []
    for split in splits:
        rows.append(
            {
                "query_id": split.query_id,
                "position": seen[split.query_id],
                "kind": split.kind,
                "chunk_ids": list(split.chunk_ids),
                "span": None
                if split.span is None
                else {
                    "doc_id": split.span.doc_id,
                    "start": split.span.start,
                    "end": split.span.end,
                },
            }
        )
        seen[split.query_id] += 1
    if rows:
        tx.execute(insert(split_answers), rows)


def negatives(tx: Transaction) -> dict[str, list[StoredNegative]]:
    """Return query_id -> hard negatives in order."""
    found: dict[str, list[StoredNegative]] = defaultdict(list)
    order = (hard_negatives.c.query_id, hard_negatives.c.position)
    for row in tx.execute(select(hard_negatives).order_by(*order)):
        found[row.query_id].append(StoredNegative(row.query_id, row.chunk_id, row.run_id, row.rank))
    return dict(found)


def splits(tx: Transaction) -> dict[str, list[StoredSplit]]:
    """Return query_id -> split answers in order."""
    found: dict[str, list[StoredSplit]] = defaultdict(list)
    order = (split_answers.c.query_id, split_answers.c.position)
    for row in tx.execute(select(split_answers).order_by(*order)):
        span = None
        if row.span is not None:
            span = Span(row.span["doc_id"], row.span["start"], row.span["end"])
        found[row.query_id].append(StoredSplit(row.query_id, row.kind, tuple(row.chunk_ids), span))
    return dict(found)


def counts(tx: Transaction) -> tuple[int, int]:
    """Return the number of hard negatives and of split answers."""
    return (
        tx.execute(select(func.count()).select_from(hard_negatives)).scalar_one(),
        tx.execute(select(func.count()).select_from(split_answers)).scalar_one(),
    )
