"""A killed process, a full disk, a busy workspace: nothing half-written, nothing lost."""

import contextlib
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.command_line import annotator, refuse, succeed


def start(workspace: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """Start a command and return at once."""
    return subprocess.Popen(
        [sys.executable, "-m", "annotator", "-w", str(workspace), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def many_chunks(workspace: Path, folder: Path) -> None:
    """Add documents that nobody judged, so that writing a version takes a while."""
    folder.mkdir()
    for number in range(300):
        words = " ".join(f"word{number}x{i}." for i in range(400))
        (folder / f"{number}.txt").write_text(words, encoding="utf-8")
    succeed("corpus", "import", folder, "--chunk-chars", 80, workspace=workspace)
    for command in ("pool", "mine"):
        succeed(command, "--retriever", "lexical", workspace=workspace)


@pytest.mark.slow
def test_a_release_that_is_killed_leaves_a_whole_version_or_none(
    judged: Path, tmp_path: Path
) -> None:
    many_chunks(judged, tmp_path / "more")
    home = judged / "datasets" / "lamps"
    killed_inside = 0
    for attempt in range(6):
        process = start(judged, "release", "lamps")
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            if home.is_dir() and any(p.name.startswith(".unfinished") for p in home.iterdir()):
                time.sleep(0.05 * attempt)
                process.send_signal(signal.SIGKILL)
                break
            time.sleep(0.001)
        killed_inside += process.wait() == -signal.SIGKILL
        for folder in home.iterdir() if home.is_dir() else []:
            if not folder.name.startswith(".unfinished"):
                succeed("verify", folder)
    assert killed_inside >= 2
    released = succeed("release", "lamps", workspace=judged)
    assert released["version"] == "1.0.0"
    assert [path.name for path in home.iterdir()] == ["1.0.0"]
    assert succeed("status", workspace=judged)["versions"] == ["lamps@1.0.0"]


def test_a_version_whose_row_was_lost_is_taken_in_again(judged: Path) -> None:
    """A kill between the rename and the commit leaves a folder that no row knows."""
    backup = judged.parent / "before.db"
    shutil.copy(judged / "annotator.db", backup)
    succeed("release", "lamps", workspace=judged)
    for name in ("annotator.db-wal", "annotator.db-shm"):
        (judged / name).unlink(missing_ok=True)
    shutil.copy(backup, judged / "annotator.db")
    assert succeed("status", workspace=judged)["versions"] == []
    again = succeed("release", "lamps", workspace=judged)
    assert (again["version"], again["is_new"]) == ("1.0.0", False)
    assert succeed("status", workspace=judged)["versions"] == ["lamps@1.0.0"]


def test_a_full_disk_is_said_and_leaves_no_version(judged: Path) -> None:
    """A limit on file size stands for the disk: the write fails in the middle of a file."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (16_000, 16_000))

    done = subprocess.run(
        [sys.executable, "-B", "-m", "annotator", "-w", str(judged), "release", "lamps"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        preexec_fn=limit,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert "could not be written" in done.stderr
    home = judged / "datasets" / "lamps"
    assert not home.exists() or list(home.iterdir()) == []
    assert succeed("status", workspace=judged)["versions"] == []
    assert succeed("release", "lamps", workspace=judged)["version"] == "1.0.0"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to mount a small disk")
def test_a_database_on_a_full_disk_keeps_what_it_acknowledged(judged: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(disk)], check=False
    )
    if mounted.returncode:
        pytest.skip("mounting is not allowed here")
    try:
        workspace = Path(shutil.copytree(judged, disk / "workspace"))
        before = succeed("status", workspace=workspace)["events"]
        filler = disk / "filler"
        with contextlib.suppress(OSError), filler.open("wb") as file:
            while True:
                file.write(b"x" * 4096)
        labels = tmp_path / "labels.jsonl"
        succeed("judgments", "export", labels, workspace=judged)
        said = refuse("judgments", "import", labels, "--assessor", "eve", workspace=workspace)
        assert "free some space" in said
        filler.unlink()
        assert succeed("status", workspace=workspace)["events"] == before
        assert succeed("judgments", "import", labels, workspace=workspace)["new"] == 0
    finally:
        subprocess.run(["umount", str(disk)], check=False)


def test_a_second_workflow_is_told_who_is_at_work(judged: Path) -> None:
    from annotator.workspace import open_workspace

    workspace = open_workspace(judged)
    with workspace.lock("pool"):
        said = refuse("release", "lamps", workspace=judged)
        assert "'pool'" in said
        assert str(os.getpid()) in said
        assert annotator("status", workspace=judged).code == 0
    workspace.close()
    succeed("release", "lamps", workspace=judged)


def wait_until_ended(workspace: Path, job_id: str) -> dict[str, object]:
    """Poll the list of jobs, as the screen does."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        for job in succeed("jobs", "list", workspace=workspace)["jobs"]:
            if job["job_id"] == job_id and job["ended_at"]:
                return dict(job)
        time.sleep(0.2)
    raise AssertionError(f"job {job_id} did not end")


def test_a_job_runs_in_the_background_and_says_how_it_ended(judged: Path) -> None:
    job = succeed("jobs", "start", "--json", "release", "lamps", workspace=judged)
    ended = wait_until_ended(judged, job["job_id"])
    assert (ended["status"], ended["exit_code"]) == ("succeeded", 0)
    log = succeed("jobs", "log", job["job_id"], workspace=judged)["log"]
    assert "Released lamps@1.0.0" in log
    assert "nothing to resume" in refuse("jobs", "resume", job["job_id"], workspace=judged)


def test_a_job_that_is_refused_has_failed_and_says_why(judged: Path) -> None:
    job = succeed("jobs", "start", "release", "no/name", workspace=judged)
    ended = wait_until_ended(judged, job["job_id"])
    assert (ended["status"], ended["exit_code"]) == ("failed", 1)
    log = succeed("jobs", "log", job["job_id"], workspace=judged)["log"]
    assert "cannot be a dataset's name" in log


@pytest.mark.slow
def test_a_cancelled_or_killed_job_can_be_resumed(judged: Path) -> None:
    job = succeed("jobs", "start", "pool", workspace=judged)
    cancelled = succeed("jobs", "cancel", job["job_id"], workspace=judged)
    assert cancelled["status"] == "cancelled"
    again = succeed("jobs", "resume", job["job_id"], workspace=judged)
    os.kill(int(again["pid"]), signal.SIGKILL)
    assert wait_until_ended(judged, again["job_id"])["status"] == "lost"
    third = succeed("jobs", "resume", again["job_id"], workspace=judged)
    assert wait_until_ended(judged, third["job_id"])["status"] == "succeeded"


@pytest.mark.slow
def test_every_stage_runs_as_a_job(judged: Path, tmp_path: Path) -> None:
    """A job's own progress row must not wait for the transaction of its work."""
    folder = tmp_path / "more"
    folder.mkdir()
    (folder / "new.txt").write_text("Lanterns glow.", encoding="utf-8")
    for command in (
        ("corpus", "import", str(folder)),
        ("pool", "--retriever", "lexical"),
        ("mine", "--retriever", "lexical"),
    ):
        job = succeed("jobs", "start", *command, workspace=judged)
        assert wait_until_ended(judged, job["job_id"])["status"] == "succeeded", command
