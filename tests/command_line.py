"""Run the real command line and the real server, as a user's shell does."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

START_S = 120.0


@dataclass(frozen=True)
class Answer:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def annotator(
    *arguments: object, workspace: Path | None = None, env: dict[str, str] | None = None
) -> Answer:
    """Run `annotator [-w WORKSPACE] ARGUMENTS`."""
    chosen = ["-w", str(workspace)] if workspace is not None else []
    done = subprocess.run(
        [sys.executable, "-m", "annotator", *chosen, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONUTF8": "1", **(env or {})},
        check=False,
    )
    return Answer(done.returncode, done.stdout, done.stderr)


def succeed(*arguments: object, workspace: Path | None = None) -> Any:
    """Run a command with --json that must end with 0; return what it printed."""
    answer = annotator(*arguments, "--json", workspace=workspace)
    assert answer.code == 0, f"{arguments}: {answer.out}\n{answer.err}"
    return answer.json


def refuse(*arguments: object, workspace: Path | None = None) -> str:
    """Run a command that must end with 1 and one sentence, without a traceback; return it."""
    answer = annotator(*arguments, workspace=workspace)
    assert answer.code == 1, f"{arguments}: {answer.code} {answer.out}\n{answer.err}"
    assert "Traceback" not in answer.err
    return answer.err


def free_port() -> int:
    """Return a port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def served(workspace: Path, *, assessor: str = "oracle") -> Iterator[dict[str, Any]]:
    """Serve the workspace in a process of its own; yield what `serve --json` prints."""
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "annotator", "-w", str(workspace)),
            *("serve", "--port", str(free_port()), "--assessor", assessor, "--json"),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            _, said = process.communicate(timeout=10)
            raise AssertionError(f"the server did not start: {said}")
        yield json.loads(line)
    finally:
        process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=15)
        if process.poll() is None:
            process.kill()
            process.communicate()


def wait_for(url: str) -> None:
    """Wait until a server answers."""
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        with contextlib.suppress(httpx.HTTPError):
            httpx.get(url, timeout=2)
            return
        time.sleep(0.1)
    raise AssertionError(f"{url} did not answer within {START_S} s")


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a JSONL file, with lines ended by LF alone."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
