"""A real server process for tests.

It runs from the source tree; with ANNOTATOR_TEST_PYTHON it runs the package that is installed for
that interpreter, which is the way in which Streamlit serves the component's files itself.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PROGRAM = """
import sys
from pathlib import Path
from annotator.cli.serve import serve
from annotator.domain.errors import AnnotatorError
try:
    serve(Path(sys.argv[1]), port=int(sys.argv[2]), assessor=sys.argv[3], as_json=True)
except AnnotatorError as error:
    sys.exit(str(error))
"""
_PATIENCE_S = 60
_ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class RunningServer:
    """A server that accepts connections."""

    process: "subprocess.Popen[str]"
    workspace: Path
    url: str
    events_url: str
    token: str

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self.url.rsplit(":", 1)[1])

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        """End the server and return its exit code."""
        self.process.send_signal(how)
        return self.process.wait(_PATIENCE_S)


def start_server(workspace: Path, *, port: int = 0, assessor: str = "ana") -> RunningServer:
    """Start a server from a folder that has nothing to do with it, and wait for its address."""
    installed = os.environ.get("ANNOTATOR_TEST_PYTHON")
    environment = dict(os.environ) if installed else {**os.environ, "PYTHONPATH": str(_ROOT)}
    process = subprocess.Popen(
        [installed or sys.executable, "-c", _PROGRAM, str(workspace), str(port), assessor],
        stdout=subprocess.PIPE,
        stderr=None,
        text=True,
        cwd=workspace.anchor,
        env=environment,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise AssertionError(f"The server ended with exit code {process.wait(_PATIENCE_S)}.")
    about = json.loads(line)
    return RunningServer(process, workspace, about["url"], about["events_url"], about["token"])


@contextlib.contextmanager
def a_server(workspace: Path, *, port: int = 0) -> Iterator[RunningServer]:
    """Run a server while the block runs."""
    server = start_server(workspace, port=port)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait(_PATIENCE_S)
        if server.process.stdout is not None:
            server.process.stdout.close()
