"""`annotator serve`: the browser application of one workspace."""

import contextlib
import dataclasses
import getpass
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

from annotator.atomic import write_errors

if TYPE_CHECKING:
    from annotator.app.server import Serving

SERVER_FILE = "server.json"


def default_assessor() -> str:
    """Return who judges: ANNOTATOR_ASSESSOR, else the login name."""
    named = os.environ.get("ANNOTATOR_ASSESSOR", "").strip()
    if named:
        return named
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container's user need not have a name
        return "assessor"


def serve(workspace_path: Path, *, port: int, assessor: str, as_json: bool) -> None:
    """Serve the workspace until SIGTERM or Ctrl-C.

    When connections are accepted, the address goes to standard error, or as one JSON line
    {"url", "events_url", "token", "pid"} to standard output, and to `server.json` in the
    workspace, which only its owner can read and which is gone when the server ends.
    """
    from annotator.app import server

    file = workspace_path.resolve() / SERVER_FILE
    console = Console(stderr=True, highlight=False)
    written: list[str] = []

    def announce(serving: "Serving") -> None:
        line = json.dumps(dataclasses.asdict(serving))
        _write_private(file, line)
        written.append(line)
        if as_json:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
        else:
            console.print(f"annotator serves {escape(str(workspace_path))} at {serving.url}")
            console.print(f"You judge as {escape(assessor)}. End it with Ctrl-C.", style="dim")

    try:
        server.run(workspace_path, port=port, assessor=assessor, on_ready=announce)
    finally:
        with contextlib.suppress(OSError):
            if written and file.read_text("utf-8") == written[0]:
                file.unlink()


def _write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read; it appears whole."""
    temporary = path.with_name(f".{path.name}-{os.getpid()}")
    with write_errors(path):
        temporary.unlink(missing_ok=True)
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        temporary.replace(path)
