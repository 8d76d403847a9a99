"""Build the application and serve it on this machine's loopback.

Nothing is fetched from outside: usage statistics are off, the server's address is set (Streamlit
otherwise asks a host on the internet for it), and the page icon is a local file.
"""

import contextlib
import errno
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import streamlit as st
import uvicorn
from starlette.middleware import Middleware
from streamlit.web import bootstrap

from annotator.app import routes, state
from annotator.app.gate import ANY_QUERY, ASSESSOR_KEY, SCOPE_KEY, Gate, issue_token
from annotator.domain.errors import InputError
from annotator.workspace import Workspace, open_workspace

_MAIN_SCRIPT = Path(__file__).with_name("main.py")
_LOOPBACK = {"127.0.0.1": socket.AF_INET, "localhost": socket.AF_INET, "::1": socket.AF_INET6}
_SCRIPT_TOKEN_LIFETIME_S = 30 * 86_400.0
_SHUTDOWN_S = 3

_LIGHT = {
    "primaryColor": "#2f5bd0",
    "backgroundColor": "#ffffff",
    "secondaryBackgroundColor": "#f4f6fa",
    "textColor": "#1c2430",
    "borderColor": "#dfe3eb",
    "linkColor": "#2f5bd0",
    "greenColor": "#0c8f62",
    "greenTextColor": "#08694a",
    "greenBackgroundColor": "#dcf4ea",
    "yellowColor": "#c98a04",
    "yellowTextColor": "#7a5200",
    "yellowBackgroundColor": "#fdf1cf",
    "redTextColor": "#a8202b",
    "redBackgroundColor": "#fde4e5",
    "grayColor": "#667085",
    "grayTextColor": "#566072",
    "grayBackgroundColor": "#eceff4",
    "blueTextColor": "#1f49b0",
    "blueBackgroundColor": "#e4ecfd",
}
_DARK = {
    "primaryColor": "#4a74e0",
    "backgroundColor": "#12161d",
    "secondaryBackgroundColor": "#1b212b",
    "textColor": "#e7ebf2",
    "borderColor": "#323a48",
    "linkColor": "#8fb0ff",
    "greenColor": "#3cc48d",
    "greenTextColor": "#7fe0b6",
    "greenBackgroundColor": "#12372a",
    "yellowColor": "#e0ae3a",
    "yellowTextColor": "#f1cf7e",
    "yellowBackgroundColor": "#3d3114",
    "redTextColor": "#ff9a9f",
    "redBackgroundColor": "#46191e",
    "grayColor": "#8d98aa",
    "grayTextColor": "#a9b3c4",
    "grayBackgroundColor": "#2a313d",
    "blueTextColor": "#a9c2ff",
    "blueBackgroundColor": "#1b2b50",
}


@dataclass(frozen=True, slots=True)
class Serving:
    """A server that accepts connections; `token` lets scripts write events of any query."""

    url: str
    events_url: str
    token: str
    pid: int


def build_app(workspace_path: Path, *, assessor: str) -> st.App:
    """Return the ASGI application of one workspace; one per process.

    Raises WorkspaceMissing where the folder holds no workspace.
    """
    return _app_of(open_workspace(workspace_path), assessor=assessor)


def run(
    workspace_path: Path,
    *,
    host: str = "127.0.0.1",
    port: int,
    assessor: str,
    on_ready: Callable[[Serving], None],
) -> None:
    """Serve until SIGTERM or SIGINT; `port` 0 takes any free one.

    `on_ready` is called once, when connections are accepted. Raises InputError where the host is
    not this machine's loopback or the port is taken.
    """
    if host not in _LOOPBACK:
        raise InputError(
            f"The server has no sign-in and therefore listens on this machine alone, not on "
            f"{host!r}. Use 127.0.0.1; reach it from elsewhere with: ssh -L {port}:127.0.0.1:{port}"
        )
    workspace = open_workspace(workspace_path)
    with contextlib.closing(workspace), contextlib.closing(_bind(host, port)) as listener:
        port = listener.getsockname()[1]
        bootstrap.load_config_options(_config(host=host, port=port))
        app = _app_of(workspace, assessor=assessor)
        url = f"http://{'[::1]' if host == '::1' else host}:{port}"
        token = issue_token(
            workspace.secret,
            assessor=assessor,
            scope=ANY_QUERY,
            at=time.time(),
            lifetime_s=_SCRIPT_TOKEN_LIFETIME_S,
        )
        server = _Server(
            uvicorn.Config(
                app,
                ws="websockets-sansio",
                ws_ping_interval=30,
                ws_ping_timeout=30,
                log_level="warning",
                access_log=False,
                use_colors=False,
                timeout_graceful_shutdown=_SHUTDOWN_S,
            ),
            on_started=lambda: on_ready(
                Serving(url=url, events_url=f"{url}/api/events", token=token, pid=os.getpid())
            ),
        )
        with _quiet_signals():
            server.run(sockets=[listener])


class _Server(uvicorn.Server):
    """A uvicorn server that says when it accepts connections."""

    def __init__(self, config: uvicorn.Config, *, on_started: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_started = on_started

    async def startup(self, sockets: Sequence[socket.socket] | None = None) -> None:
        await super().startup(sockets=None if sockets is None else list(sockets))
        if not self.should_exit:
            self._on_started()


def _app_of(workspace: Workspace, *, assessor: str) -> st.App:
    state.serve(workspace, assessor=assessor)
    return st.App(
        _MAIN_SCRIPT,
        routes=routes.routes(workspace.store, assessor_key=ASSESSOR_KEY, scope_key=SCOPE_KEY),
        middleware=[Middleware(Gate, secret=workspace.secret)],
    )


def _config(*, host: str, port: int) -> dict[str, object]:
    """Return the Streamlit options that win over any config.toml on this machine."""
    options: dict[str, object] = {
        "server.address": host,
        "server.port": port,
        "server.headless": True,
        "server.fileWatcherType": "none",
        "server.runOnSave": False,
        "server.enableCORS": True,
        "server.enableXsrfProtection": True,
        "server.enableStaticServing": False,
        "server.allowedHosts": ["localhost", "127.0.0.1", "::1"],
        "server.maxUploadSize": 16,
        "server.disconnectedSessionTTL": 900,
        "browser.serverAddress": "localhost",
        "browser.gatherUsageStats": False,
        "client.toolbarMode": "minimal",
        "client.showErrorDetails": "none",
        "client.showErrorLinks": False,
        "global.developmentMode": False,
        "theme.baseRadius": "0.5rem",
        "theme.baseFontSize": 15,
        "theme.paddingTop": "0.5rem",
        "theme.paddingBottom": "1rem",
        "theme.headingFontSizes": ["1.75rem", "1.35rem", "1.1rem"],
    }
    options.update({f"theme.light.{name}": value for name, value in _LIGHT.items()})
    options.update({f"theme.dark.{name}": value for name, value in _DARK.items()})
    return options


def _bind(host: str, port: int) -> socket.socket:
    listener = socket.socket(_LOOPBACK[host])
    try:
        if os.name != "nt":  # there the option would share a port that is in use
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(128)
        listener.setblocking(False)
    except OverflowError as error:
        listener.close()
        raise InputError(f"There is no port {port}. Use one from 1024 to 65535.") from error
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise InputError(
                f"Port {port} is in use, perhaps by another annotator. Use that one, end it, or "
                f"take another port: annotator serve --port {port + 1}"
            ) from error
        raise InputError(
            f"Port {port} cannot be opened ({error.strerror}). Take another one: "
            "annotator serve --port 8600"
        ) from error
    return listener


@contextlib.contextmanager
def _quiet_signals() -> Iterator[None]:
    """Let the block end normally: uvicorn raises the signals again that ended it."""

    def ignore(_signal: int, _frame: FrameType | None) -> None:
        return None

    before = {number: signal.signal(number, ignore) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
