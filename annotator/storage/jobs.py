"""Rows about long work that runs in a process of its own."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from sqlalchemy import Row, insert, select, update

from annotator.storage.engine import Transaction, now
from annotator.storage.tables import jobs

JobStatus: TypeAlias = Literal["starting", "running", "succeeded", "failed", "cancelled", "lost"]
ENDED: tuple[JobStatus, ...] = ("succeeded", "failed", "cancelled", "lost")


@dataclass(frozen=True, slots=True)
class Job:
    """One run of a command; `total` 0 means that the end of the step is not known."""

    job_id: str
    arguments: tuple[str, ...]
    status: JobStatus
    step: str
    done: int
    total: int
    pid: int | None
    exit_code: int | None
    created_at: str
    ended_at: str | None


def add(tx: Transaction, job_id: str, arguments: tuple[str, ...]) -> None:
    """Record a job that is about to start."""
    tx.execute(
        insert(jobs).values(
            job_id=job_id,
            arguments=list(arguments),
            status="starting",
            step="",
            done=0,
            total=0,
            created_at=now(),
        )
    )


def begin(tx: Transaction, job_id: str, pid: int) -> None:
    """Record the process of a job."""
    tx.execute(
        update(jobs)
        .where(jobs.c.job_id == job_id, jobs.c.status.not_in(ENDED))
        .values(status="running", pid=pid)
    )


def progress(tx: Transaction, job_id: str, step: str, done: int, total: int) -> None:
    """Record how far a job is."""
    tx.execute(
        update(jobs).where(jobs.c.job_id == job_id).values(step=step, done=done, total=total)
    )


def end(tx: Transaction, job_id: str, status: JobStatus, exit_code: int | None) -> bool:
    """Record the end of a job; False where it had ended before."""
    result = tx.execute(
        update(jobs)
        .where(jobs.c.job_id == job_id, jobs.c.status.not_in(ENDED))
        .values(status=status, exit_code=exit_code, ended_at=now())
    )
    return result.rowcount == 1


def get(tx: Transaction, job_id: str) -> Job | None:
    """Return a job."""
    row = tx.execute(select(jobs).where(jobs.c.job_id == job_id)).one_or_none()
    return None if row is None else _job(row)


def listed(tx: Transaction, *, limit: int = 20) -> list[Job]:
    """Return the latest jobs, newest first."""
    rows = tx.execute(select(jobs).order_by(jobs.c.created_at.desc()).limit(limit))
    return [_job(row) for row in rows]


def _job(row: Row[tuple[object, ...]]) -> Job:
    return Job(
        job_id=row.job_id,
        arguments=tuple(row.arguments),
        status=row.status,
        step=row.step,
        done=row.done,
        total=row.total,
        pid=row.pid,
        exit_code=row.exit_code,
        created_at=row.created_at,
        ended_at=row.ended_at,
    )
