"""Which chunks are put before an assessor for a query, in which order."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import ColumnElement, delete, func, insert, select

from annotator.storage.engine import Transaction
from annotator.storage.tables import pool_chunks


@dataclass(frozen=True, slots=True)
class Pool:
    """The candidates of a query in order: those pooled, then those that mining added."""

    pooled: list[str] = field(default_factory=list)
    mined: list[str] = field(default_factory=list)

    @property
    def chunk_ids(self) -> list[str]:
        """All of them."""
        return [*self.pooled, *self.mined]


def set_pool(tx: Transaction, query_id: str, chunk_ids: Sequence[str]) -> None:
    """Put a query's pool in this order; chunks that earlier stages added stay, behind it.

    A chunk never leaves a pool: it may have been judged.
    """
    fresh, earlier = set(chunk_ids), pool_of(tx, query_id)
    kept = [chunk_id for chunk_id in earlier.chunk_ids if chunk_id not in fresh]
    still_mined = set(earlier.mined) - fresh
    tx.execute(delete(pool_chunks).where(pool_chunks.c.query_id == query_id))
    rows = [
        {
            "query_id": query_id,
            "chunk_id": chunk_id,
            "position": position,
            "source": "mine" if chunk_id in still_mined else "pool",
        }
        for position, chunk_id in enumerate([*chunk_ids, *kept])
    ]
    if rows:
        tx.execute(insert(pool_chunks), rows)


def append_mined(tx: Transaction, query_id: str, chunk_ids: Sequence[str]) -> int:
    """Add chunks that mining found at the end of a pool; return how many were new."""
    known = pool_of(tx, query_id).chunk_ids
    new = [chunk_id for chunk_id in dict.fromkeys(chunk_ids) if chunk_id not in set(known)]
    if new:
        tx.execute(
            insert(pool_chunks),
            [
                {
                    "query_id": query_id,
                    "chunk_id": chunk_id,
                    "position": len(known) + offset,
                    "source": "mine",
                }
                for offset, chunk_id in enumerate(new)
            ],
        )
    return len(new)


def pool_of(tx: Transaction, query_id: str) -> Pool:
    """Return the pool of a query, empty where it has none."""
    return _pools(tx, pool_chunks.c.query_id == query_id).get(query_id, Pool())


def all_pools(tx: Transaction) -> dict[str, Pool]:
    """Return query_id -> pool, for queries with one."""
    return _pools(tx)


def pooled_chunk_ids(tx: Transaction) -> set[str]:
    """Return every chunk that lies in some pool."""
    return set(tx.execute(select(pool_chunks.c.chunk_id).distinct()).scalars())


def count(tx: Transaction) -> int:
    """Return the number of (query, chunk) pairs."""
    return tx.execute(select(func.count()).select_from(pool_chunks)).scalar_one()


def _pools(tx: Transaction, *conditions: ColumnElement[bool]) -> dict[str, Pool]:
    found: dict[str, Pool] = defaultdict(Pool)
    order = (pool_chunks.c.query_id, pool_chunks.c.position)
    for row in tx.execute(select(pool_chunks).where(*conditions).order_by(*order)):
        pool = found[row.query_id]
        (pool.mined if row.source == "mine" else pool.pooled).append(row.chunk_id)
    return dict(found)
