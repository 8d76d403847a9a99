"""Who may ask this server for anything: hosts, origins and signed tokens.

`Gate` wraps the whole application. It answers only to the loopback names with the server's own
port, so that a foreign page cannot reach it through a rebound DNS name; it refuses requests that
another site's page makes; and it lets nobody into `/api/` without a token. The routes behind it
find who was let in under `ASSESSOR_KEY` and `SCOPE_KEY` of the ASGI scope.
"""

import base64
import hashlib
import hmac
import json
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

ANY_QUERY = "*"
TOKEN_LIFETIME_S = 12 * 3600.0
ASSESSOR_KEY = "annotator.assessor"
SCOPE_KEY = "annotator.scope"
API_PREFIX = "/api/"

_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_PURPOSE = b"rag-annotator event token 1\n"


@dataclass(frozen=True, slots=True)
class Grant:
    """What a token allows: to write as `assessor`, for one query id or ANY_QUERY."""

    assessor: str
    scope: str


def issue_token(
    secret: bytes, *, assessor: str, scope: str, at: float, lifetime_s: float = TOKEN_LIFETIME_S
) -> str:
    """Return a bearer token for `scope`, a query id or ANY_QUERY; `at` in seconds since 1970."""
    claims = {"assessor": assessor, "scope": scope, "expires_at": int(at + lifetime_s)}
    body = json.dumps(claims, ensure_ascii=False, separators=(",", ":")).encode()
    return f"{_encode(body)}.{_encode(_sign(secret, body))}"


def check_token(secret: bytes, token: str, *, at: float) -> Grant | None:
    """Return what a token allows; None where it is forged, of another workspace or expired."""
    body_part, _, signature_part = token.partition(".")
    try:
        body, signature = _decode(body_part), _decode(signature_part)
    except ValueError:
        return None
    if not hmac.compare_digest(signature, _sign(secret, body)):
        return None
    claims = json.loads(body)
    if at >= claims["expires_at"]:
        return None
    return Grant(claims["assessor"], claims["scope"])


def is_own_host(host: str | None, *, port: int) -> bool:
    """Tell whether a Host header names this machine's loopback with the server's port."""
    try:
        parts = urlsplit(f"//{host or ''}")
        named_port = parts.port
    except ValueError:
        return False
    return (
        parts.hostname in _LOOPBACK_NAMES
        and (80 if named_port is None else named_port) == port
        and parts.username is None
        and not parts.path
    )


def is_same_origin(headers: Headers) -> bool:
    """Tell whether a request comes from this server's own pages, or from no page at all.

    A browser sends Origin with every POST and every websocket; a script sends neither Origin nor
    Sec-Fetch-Site.
    """
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    if origin is not None and origin.lower() != f"http://{headers.get('host', '').lower()}":
        return False
    return site is None or site in ("same-origin", "none")


class Gate:
    """ASGI middleware that turns away what does not belong here."""

    def __init__(self, app: ASGIApp, *, secret: bytes) -> None:
        self._app = app
        self._secret = secret

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer 401 or 403 with a sentence."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            await refusal(scope, receive, send)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        headers = Headers(scope=scope)
        _, port = scope.get("server") or ("", 0)
        if not is_own_host(headers.get("host"), port=port):
            return _refuse(
                403,
                f"This server answers at 127.0.0.1:{port} and localhost:{port} only. Open that "
                "address; when you forward a port, forward it to the same number.",
            )
        changes = scope["type"] == "websocket" or scope["method"] not in _SAFE_METHODS
        if changes and not is_same_origin(headers):
            return _refuse(403, "The request comes from another site's page and was refused.")
        if scope["path"].startswith(API_PREFIX):
            kind, _, token = headers.get("authorization", "").partition(" ")
            grant = None
            if kind.lower() == "bearer":
                grant = check_token(self._secret, token.strip(), at=time.time())
            if grant is None:
                return _refuse(
                    401,
                    "The token is missing, has expired or belongs to another workspace. Reload "
                    "the page, or read a fresh token from server.json in the workspace.",
                )
            scope[ASSESSOR_KEY], scope[SCOPE_KEY] = grant.assessor, grant.scope
        return None


def _refuse(status: int, sentence: str) -> JSONResponse:
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    return JSONResponse({"error": sentence}, status_code=status, headers=headers)


def _sign(secret: bytes, body: bytes) -> bytes:
    return hmac.new(secret, _PURPOSE + body, hashlib.sha256).digest()


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def _decode(text: str) -> bytes:
    padded = text.encode("ascii") + b"=" * (-len(text) % 4)
    return base64.b64decode(padded, altchars=b"-_", validate=True)
