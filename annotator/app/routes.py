"""The HTTP routes beside the pages: judging events come in, and health is told.

The gate has let the request in before; who it is and what they may write stand in the scope
under the two keys that the caller names. An answer other than 200 means that nothing was stored
for good reason or ill, and that the client keeps its events.
"""

import contextlib
import json
from collections.abc import Iterable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from annotator import __version__
from annotator.domain.errors import StorageError
from annotator.storage import facts
from annotator.storage.engine import Store
from annotator.workflows import judge

MAX_BODY_BYTES = 1024 * 1024
_ANY_QUERY = "*"


def routes(store: Store, *, assessor_key: str, scope_key: str) -> list[Route]:
    """Return the routes `POST /api/events` and `GET /healthz` of one workspace."""

    async def post_events(request: Request) -> JSONResponse:
        assessor: str = request.scope[assessor_key]
        allowed: str = request.scope[scope_key]
        return await _post_events(store, request, assessor=assessor, allowed=allowed)

    async def healthz(_request: Request) -> JSONResponse:
        try:
            await run_in_threadpool(_read_something, store)
        except StorageError as error:
            return _sentence(503, str(error))
        return JSONResponse({"status": "ok", "version": __version__})

    return [
        Route("/api/events", post_events, methods=["POST"]),
        Route("/healthz", healthz, methods=["GET"]),
    ]


async def _post_events(
    store: Store, request: Request, *, assessor: str, allowed: str
) -> JSONResponse:
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        return _sentence(415, "Send events as JSON, with Content-Type: application/json.")
    body = await _body(request)
    if body is None:
        return _sentence(413, "The batch is larger than 1 MiB. Send fewer events at a time.")
    events = _events(body)
    if events is None:
        return _sentence(400, 'The body must be JSON of the form {"events": [ … ]}.')
    if len(events) > judge.MAX_EVENTS:
        return _sentence(
            413, f"A batch holds at most {judge.MAX_EVENTS} events, not {len(events)}."
        )
    foreign = sorted(set(_query_ids(events)) - {allowed})
    if allowed != _ANY_QUERY and foreign:
        return _sentence(403, f"This token is for query {allowed!r} alone, not for {foreign[0]!r}.")
    whole = [event for event in events if _is_text(event)]
    try:
        applied = await run_in_threadpool(_apply, store, assessor, whole)
    except StorageError as error:
        return _sentence(503, str(error))
    broken = [
        {
            "event_id": _event_id(event).encode(errors="replace").decode(),
            "reason": "The event holds half a character (a lone surrogate).",
        }
        for event in events
        if not _is_text(event)
    ]
    rejected = [{"event_id": r.event_id, "reason": r.reason} for r in applied.rejected]
    return JSONResponse(
        {"acknowledged": list(applied.acknowledged), "rejected": [*rejected, *broken]}
    )


def _apply(store: Store, assessor: str, events: list[object]) -> judge.Applied:
    """Store the events, and renew the leases of the queries that they speak of."""
    applied = judge.apply_events(store, assessor=assessor, events=events)
    stored = set(applied.acknowledged)
    known = [event for event in events if _event_id(event) in stored]
    with contextlib.suppress(StorageError):  # the labels are safe; the lease may wait
        for query_id in dict.fromkeys(_query_ids(known)):
            judge.take(store, query_id, assessor=assessor)
    return applied


def _read_something(store: Store) -> None:
    with store.read() as tx:
        facts.get(tx, "corpus_sha256")


async def _body(request: Request) -> bytes | None:
    """Return the whole body, None where it is too large."""
    parts = bytearray()
    async for part in request.stream():
        parts += part
        if len(parts) > MAX_BODY_BYTES:
            return None
    return bytes(parts)


def _events(body: bytes) -> list[object] | None:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    events = value.get("events") if isinstance(value, dict) else None
    return events if isinstance(events, list) else None


def _query_ids(events: Iterable[object]) -> list[str]:
    named = (event.get("query_id") for event in events if isinstance(event, dict))
    return [query_id for query_id in named if isinstance(query_id, str)]


def _event_id(event: object) -> str:
    event_id = event.get("event_id") if isinstance(event, dict) else None
    return event_id if isinstance(event_id, str) else ""


def _is_text(event: object) -> bool:
    """Tell whether every string can be stored: JSON can spell half a surrogate pair."""
    try:
        json.dumps(event, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        return False
    return True


def _sentence(status: int, sentence: str) -> JSONResponse:
    headers = {"Retry-After": "2"} if status == 503 else None
    return JSONResponse({"error": sentence}, status_code=status, headers=headers)
