"""Which chunks are put before an assessor for a query, in which order."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Literal, TypeAlias

from sqlalchemy import delete, func, insert, select

from annotator.storage.engine import Transaction
from annotator.storage.tables import pool_chunks

PoolSource: TypeAlias = Literal["pool", "mine"]


def set_pool(tx: Transaction, query_id: str, chunk_ids: Sequence[str]) -> None:
    """Put a query's pool in this order; chunks that earlier stages added stay, behind it.

    A chunk never leaves a pool: it may have been judged.
    """
    earlier = [chunk_id for chunk_id in pool_of(tx, query_id) if chunk_id not in set(chunk_ids)]
    sources = {
        row.chunk_id: row.source
        for row in tx.execute(select(pool_chunks).where(pool_chunks.c.query_id == query_id))
    }
    tx.execute(delete(pool_chunks).where(pool_chunks.c.query_id == query_id))
    rows = [
        {
            "query_id": query_id,
            "chunk_id": chunk_id,
            "position": position,
            "source": sources.get(chunk_id, "pool"),
        }
        for position, chunk_id in enumerate([*chunk_ids, *earlier])
    ]
    if rows:
        tx.execute(insert(pool_chunks), rows)


def append(tx: Transaction, query_id: str, chunk_ids: Sequence[str], source: PoolSource) -> int:
    """Add chunks at the end of a pool; return how many were new."""
    known = pool_of(tx, query_id)
    new = [chunk_id for chunk_id in dict.fromkeys(chunk_ids) if chunk_id not in set(known)]
    if new:
        tx.execute(
            insert(pool_chunks),
            [
                {
                    "query_id": query_id,
                    "chunk_id": chunk_id,
                    "position": len(known) + offset,
                    "source": source,
                }
                for offset, chunk_id in enumerate(new)
            ],
        )
    return len(new)


def pool_of(tx: Transaction, query_id: str) -> list[str]:
    """Return the chunk ids of a query's pool in order."""
    return list(
        tx.execute(
            select(pool_chunks.c.chunk_id)
            .where(pool_chunks.c.query_id == query_id)
            .order_by(pool_chunks.c.position)
        ).scalars()
    )


def all_pools(tx: Transaction) -> dict[str, list[str]]:
    """Return query_id -> chunk ids in order, for queries with a pool."""
    pools: dict[str, list[str]] = defaultdict(list)
    order = (pool_chunks.c.query_id, pool_chunks.c.position)
    for row in tx.execute(select(pool_chunks).order_by(*order)):
        pools[row.query_id].append(row.chunk_id)
    return dict(pools)


def pooled_chunk_ids(tx: Transaction) -> set[str]:
    """Return every chunk that lies in some pool."""
    return set(tx.execute(select(pool_chunks.c.chunk_id).distinct()).scalars())


def count(tx: Transaction) -> int:
    """Return the number of (query, chunk) pairs."""
    return tx.execute(select(func.count()).select_from(pool_chunks)).scalar_one()
