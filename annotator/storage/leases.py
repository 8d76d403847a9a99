"""Who works on which query, until when. A lease that has run out is anybody's."""

import uuid
from dataclasses import dataclass

from sqlalchemy import delete, insert, select, update

from annotator.storage.engine import Transaction
from annotator.storage.tables import leases

LEASE_S = 1_800.0


@dataclass(frozen=True, slots=True)
class Lease:
    """A right to judge a query; `expires_at` in seconds since the epoch."""

    lease_id: str
    query_id: str
    assessor: str
    expires_at: float


def take(tx: Transaction, query_id: str, assessor: str, *, at: float) -> Lease | None:
    """Take or renew the lease of a query; None while another assessor holds it."""
    held = tx.execute(select(leases).where(leases.c.query_id == query_id)).one_or_none()
    if held is not None and held.assessor != assessor and held.expires_at > at:
        return None
    if held is not None and held.assessor == assessor and held.expires_at > at:
        tx.execute(
            update(leases).where(leases.c.query_id == query_id).values(expires_at=at + LEASE_S)
        )
        return Lease(held.lease_id, query_id, assessor, at + LEASE_S)
    tx.execute(delete(leases).where(leases.c.query_id == query_id))
    lease = Lease(f"l-{uuid.uuid4().hex[:16]}", query_id, assessor, at + LEASE_S)
    tx.execute(
        insert(leases).values(
            query_id=query_id,
            assessor=assessor,
            lease_id=lease.lease_id,
            expires_at=lease.expires_at,
        )
    )
    return lease


def give_back(tx: Transaction, query_id: str, assessor: str) -> None:
    """End the assessor's lease of a query, if there is one."""
    tx.execute(delete(leases).where(leases.c.query_id == query_id, leases.c.assessor == assessor))


def taken_by_others(tx: Transaction, assessor: str, *, at: float) -> set[str]:
    """Return the queries that somebody else holds now."""
    rows = tx.execute(
        select(leases.c.query_id).where(leases.c.assessor != assessor, leases.c.expires_at > at)
    )
    return set(rows.scalars())
