"""Long work outside the server: the same command as a subprocess, with a row about its progress.

The row is written by the command itself (see `JobRow`), the log is what it prints. A job whose
process is gone without a word is marked lost; starting it again resumes, since stages keep what
they have done.
"""

import contextlib
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import psutil

from annotator.domain.errors import JobError
from annotator.domain.progress import Report
from annotator.storage import jobs
from annotator.storage.engine import Store

JOB_VARIABLE = "ANNOTATOR_JOB_ID"
_REPORT_EVERY_S = 0.5
_GRACE_S = 5.0
_START_S = 60.0  # a process that began later than this after its row is another one


def start(store: Store, path: Path, arguments: Sequence[str]) -> jobs.Job:
    """Start `annotator -w PATH ARGUMENTS` in the background; `path` is the workspace's folder."""
    job_id = f"j-{uuid.uuid4().hex[:12]}"
    with store.write() as tx:
        jobs.add(tx, job_id, tuple(arguments))
    log = log_path(path, job_id)
    log.parent.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "annotator", "-w", str(path), *arguments]
    try:
        with log.open("wb") as output:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, JOB_VARIABLE: job_id, "NO_COLOR": "1"},
                start_new_session=True,  # a signal to the server's terminal does not end the job
            )
    except OSError as error:
        with store.write() as tx:
            jobs.end(tx, job_id, "failed", None)
        raise JobError(f"The job could not be started: {error}.") from error
    with store.write() as tx:
        jobs.begin(tx, job_id, process.pid)
    return get(store, job_id)


def get(store: Store, job_id: str) -> jobs.Job:
    """Return a job as it stands now. Raises JobError where there is none."""
    _notice_lost(store)
    with store.read() as tx:
        job = jobs.get(tx, job_id)
    if job is None:
        raise JobError(f"There is no job {job_id!r}. See: annotator jobs list")
    return job


def listed(store: Store) -> list[jobs.Job]:
    """Return the latest jobs, newest first, as they stand now."""
    _notice_lost(store)
    with store.read() as tx:
        return jobs.listed(tx)


def cancel(store: Store, job_id: str) -> jobs.Job:
    """End a job's process and mark it cancelled; what it had finished stays.

    Raises JobError where the job is unknown or has ended.
    """
    job = get(store, job_id)
    if job.status in jobs.ENDED:
        raise JobError(f"Job {job_id} has ended already: {job.status}.")
    with store.write() as tx:
        jobs.end(tx, job_id, "cancelled", None)
    if job.pid is not None and _is_alive(job):
        with contextlib.suppress(psutil.NoSuchProcess):
            process = psutil.Process(job.pid)
            process.terminate()
            with contextlib.suppress(psutil.TimeoutExpired):
                process.wait(_GRACE_S)
            if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                process.kill()
    return get(store, job_id)


def resume(store: Store, path: Path, job_id: str) -> jobs.Job:
    """Start an ended job's command anew; encoded texts and imported files are not done twice.

    Raises JobError where the job still runs or has succeeded.
    """
    job = get(store, job_id)
    if job.status not in ("failed", "cancelled", "lost"):
        raise JobError(f"Job {job_id} is {job.status}: there is nothing to resume.")
    return start(store, path, job.arguments)


def log_path(path: Path, job_id: str) -> Path:
    """Return where a job's output goes."""
    return path / "logs" / f"{job_id}.log"


def read_log(store: Store, path: Path, job_id: str) -> str:
    """Return what a job printed so far. Raises JobError where there is no such job."""
    get(store, job_id)
    path = log_path(path, job_id)
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


class JobRow:
    """The row of the job as which this process runs; made by the command line alone."""

    def __init__(self, store: Store, job_id: str) -> None:
        self._store = store
        self._job_id = job_id
        self._last = ("", 0.0)
        with store.write() as tx:
            jobs.begin(tx, job_id, os.getpid())

    def report(self, step: str, done: int, total: int) -> None:
        """Write progress, at most twice a second within a step."""
        last_step, last_time = self._last
        now = time.monotonic()
        if step == last_step and now - last_time < _REPORT_EVERY_S and done < total:
            return
        self._last = (step, now)
        with self._store.write() as tx:
            jobs.progress(tx, self._job_id, step, done, total)

    def end(self, exit_code: int) -> None:
        """Write how it ended."""
        with self._store.write() as tx:
            jobs.end(tx, self._job_id, "succeeded" if exit_code == 0 else "failed", exit_code)


def job_of_this_process(store: Store) -> JobRow | None:
    """Return the row of this process, None where it is no job."""
    job_id = os.environ.get(JOB_VARIABLE)
    return JobRow(store, job_id) if job_id else None


def both(first: Report, second: Report) -> Report:
    """Return a report that tells both."""

    def report(step: str, done: int, total: int) -> None:
        first(step, done, total)
        second(step, done, total)

    return report


def _notice_lost(store: Store) -> None:
    with store.read() as tx:
        running = [job for job in jobs.listed(tx) if job.status == "running"]
    gone = [job for job in running if not _is_alive(job)]
    if gone:
        with store.write() as tx:
            for job in gone:
                jobs.end(tx, job.job_id, "lost", None)


def _is_alive(job: jobs.Job) -> bool:
    """Tell whether the process is there and is this job, not a later one with its number."""
    if job.pid is None:
        return False
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(job.pid)
        age_s = process.create_time() - datetime.fromisoformat(job.created_at).timestamp()
        return process.status() != psutil.STATUS_ZOMBIE and age_s < _START_S
    return False
