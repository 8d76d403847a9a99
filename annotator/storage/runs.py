"""What retrievers returned, kept so that nothing has to be asked twice."""

import uuid
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sqlalchemy import Row, insert, select

from annotator.domain.run import Hit, RetrievedList, Run
from annotator.storage.engine import Transaction, now
from annotator.storage.tables import run_hits, run_lists, runs

Purpose: TypeAlias = Literal["pool", "mine", "score"]


def add(tx: Transaction, run: Run, *, purpose: Purpose, corpus_sha256: str) -> str:
    """Store a run; return its id."""
    run_id = f"r-{uuid.uuid4().hex[:16]}"
    tx.execute(
        insert(runs).values(
            run_id=run_id,
            purpose=purpose,
            retriever=run.retriever,
            retriever_version=run.retriever_version,
            depth_k=run.depth_k,
            corpus_sha256=corpus_sha256,
            created_at=now(),
        )
    )
    lists = [
        {
            "run_id": run_id,
            "query_id": entry.query_id,
            "confidence": entry.confidence,
            "latency_ms": entry.latency_ms,
        }
        for entry in run.lists
    ]
    hits = [
        {
            "run_id": run_id,
            "query_id": entry.query_id,
            "rank": hit.rank,
            "chunk_id": hit.chunk_id,
            "score": hit.score,
        }
        for entry in run.lists
        for hit in entry.hits
    ]
    if lists:
        tx.execute(insert(run_lists), lists)
    if hits:
        tx.execute(insert(run_hits), hits)
    return run_id


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A stored run without its lists."""

    run_id: str
    retriever: str
    retriever_version: str
    depth_k: int
    corpus_sha256: str
    created_at: str


def latest(tx: Transaction, purpose: Purpose) -> list[RunSummary]:
    """Return the last run of each retriever for a purpose, by the retriever's name."""
    rows = tx.execute(select(runs).where(runs.c.purpose == purpose).order_by(runs.c.created_at))
    last = {row.retriever: _summary(row) for row in rows}
    return [last[name] for name in sorted(last)]


def pooled_on(tx: Transaction) -> dict[str, str]:
    """Return query_id -> hash of the corpus on which it was last pooled."""
    rows = tx.execute(
        select(run_lists.c.query_id, runs.c.corpus_sha256)
        .join(runs, runs.c.run_id == run_lists.c.run_id)
        .where(runs.c.purpose == "pool")
        .order_by(runs.c.created_at)
    )
    return {row.query_id: row.corpus_sha256 for row in rows}


def get(tx: Transaction, run_id: str) -> tuple[RunSummary, list[RetrievedList]]:
    """Return a stored run: what it was, and its lists by query. The run must be there."""
    row = tx.execute(select(runs).where(runs.c.run_id == run_id)).one()
    hits: dict[str, list[Hit]] = {}
    ordered = run_hits.select().where(run_hits.c.run_id == run_id)
    for hit in tx.execute(ordered.order_by(run_hits.c.query_id, run_hits.c.rank)):
        hits.setdefault(hit.query_id, []).append(Hit(hit.chunk_id, hit.rank, hit.score))
    lists = tx.execute(
        select(run_lists).where(run_lists.c.run_id == run_id).order_by(run_lists.c.query_id)
    )
    return _summary(row), [
        RetrievedList(
            entry.query_id,
            tuple(hits.get(entry.query_id, ())),
            entry.confidence,
            entry.latency_ms,
        )
        for entry in lists
    ]


def _summary(row: Row[tuple[object, ...]]) -> RunSummary:
    return RunSummary(
        row.run_id,
        row.retriever,
        row.retriever_version,
        row.depth_k,
        row.corpus_sha256,
        row.created_at,
    )
