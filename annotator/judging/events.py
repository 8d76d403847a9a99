"""What an event may say: from the wire to a checked value.

Takes the event as it came and what the corpus holds; returns an event or raises
JudgmentRejected with the reason. The assessor is never read from the wire.
"""

import reprlib
from collections.abc import Mapping, Sequence
from typing import TypeGuard

from annotator.domain.document import MAX_ID_CHARS, Chunk, Span, span_of
from annotator.domain.errors import JudgmentRejected
from annotator.domain.judgment import GRADES, Event, Grade, GradeEvent, QueryEvent

MAX_NOTE_CHARS = 4_000
MAX_SPANS = 50
MAX_GROUPS = 20


def parse_event(raw: object, *, assessor: str) -> Event:
    """Return the event that a JSON object describes; `assessor` is who sent it.

    Raises JudgmentRejected naming the field where something is missing or of the wrong type.
    """
    if not isinstance(raw, dict):
        raise JudgmentRejected("An event must be an object with event_id, type and query_id.")
    event_id = _text(raw, "event_id")
    kind = _text(raw, "type")
    query_id = _text(raw, "query_id")
    note = _text(raw, "note", default="", most=MAX_NOTE_CHARS)
    active_ms = _optional_count(raw, "active_ms")
    if kind == "grade":
        spans, quotes = _spans(raw)
        return GradeEvent(
            event_id=event_id,
            query_id=query_id,
            chunk_id=_text(raw, "chunk_id"),
            assessor=assessor,
            grade=_grade(raw),
            spans=spans,
            quotes=quotes,
            note=note,
            cannot_judge=_text(raw, "cannot_judge", default="", most=MAX_NOTE_CHARS),
            active_ms=active_ms,
        )
    if kind == "query":
        has_answer = raw.get("has_answer")
        if has_answer is not None and not isinstance(has_answer, bool):
            raise JudgmentRejected(
                f"has_answer must be true, false or null, not {_shown(has_answer)}."
            )
        return QueryEvent(
            event_id=event_id,
            query_id=query_id,
            assessor=assessor,
            has_answer=has_answer,
            answer_groups=_groups(raw),
            note=note,
            active_ms=active_ms,
        )
    raise JudgmentRejected(f"type must be 'grade' or 'query', not {_shown(kind)}.")


def check_grade(event: GradeEvent, *, chunk: Chunk | None, texts: Sequence[str | None]) -> None:
    """Check a grade against the corpus.

    `texts` holds, for each span, the document's text at that place, None where there is none.
    Raises JudgmentRejected where the chunk is unknown, a span lies outside the document or apart
    from the chunk, or a quote is not the document's text.
    """
    if chunk is None:
        raise JudgmentRejected(
            f"The corpus has no chunk {event.chunk_id!r}. It may have been imported anew: reload."
        )
    if event.cannot_judge and event.grade is not None:
        raise JudgmentRejected("cannot_judge goes with grade null: it says why there is none.")
    if event.spans and event.grade not in (1, 2):
        raise JudgmentRejected("Evidence spans go with grade 1 or 2, not with 0 or none.")
    for index, (span, text) in enumerate(zip(event.spans, texts, strict=True)):
        where = f"Span {span.doc_id}[{span.start}:{span.end}]"
        if text is None:
            raise JudgmentRejected(f"{where} lies outside the corpus.")
        if not span.overlaps(span_of(chunk)):
            raise JudgmentRejected(f"{where} does not touch chunk {chunk.chunk_id}.")
        if event.quotes and event.quotes[index] != text:
            raise JudgmentRejected(
                f"{where} reads {_short(text)!r}, but the quote sent with it is "
                f"{_short(event.quotes[index])!r}."
            )


def check_verdict(event: QueryEvent, *, known_chunk_ids: Mapping[str, Chunk]) -> None:
    """Check a verdict against the corpus.

    Raises JudgmentRejected where a group names an unknown chunk or goes with "no answer".
    """
    if event.answer_groups and event.has_answer is not True:
        raise JudgmentRejected("answer_groups go with has_answer true.")
    for group in event.answer_groups:
        for chunk_id in group:
            if chunk_id not in known_chunk_ids:
                raise JudgmentRejected(f"The corpus has no chunk {chunk_id!r}, named in a group.")


def _grade(raw: dict[str, object]) -> Grade | None:
    if "grade" not in raw:
        raise JudgmentRejected("grade is missing; send 2, 1, 0 or null.")
    value = raw["grade"]
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value not in GRADES:
        raise JudgmentRejected(f"grade must be 2, 1, 0 or null, not {_shown(value)}.")
    return value


def _spans(raw: dict[str, object]) -> tuple[tuple[Span, ...], tuple[str, ...]]:
    entries = raw.get("spans")
    if entries is None:
        return (), ()
    if not _is_list(entries) or len(entries) > MAX_SPANS:
        raise JudgmentRejected(f"spans must be a list of at most {MAX_SPANS} objects.")
    spans: list[Span] = []
    quotes: list[str] = []
    for entry in entries:
        if not isinstance(entry, dict):
            raise JudgmentRejected("A span must be an object with doc_id, start and end.")
        start, end = entry.get("start"), entry.get("end")
        if not _is_count(start) or not _is_count(end) or start >= end:
            raise JudgmentRejected(
                "A span needs whole numbers 0 <= start < end, not "
                f"{_shown(start)} and {_shown(end)}."
            )
        spans.append(Span(_text(entry, "doc_id"), start, end))
        if "quote" in entry:
            quotes.append(_text(entry, "quote", most=None))
    if quotes and len(quotes) != len(spans):
        raise JudgmentRejected("Send a quote with every span or with none.")
    return tuple(spans), tuple(quotes)


def _groups(raw: dict[str, object]) -> tuple[tuple[str, ...], ...]:
    entries = raw.get("answer_groups")
    if entries is None:
        return ()
    if not _is_list(entries) or len(entries) > MAX_GROUPS:
        raise JudgmentRejected(f"answer_groups must be a list of at most {MAX_GROUPS} lists.")
    groups: set[tuple[str, ...]] = set()  # of sets: two people name them in different orders
    for entry in entries:
        if not _is_list(entry) or not entry:
            raise JudgmentRejected("Each answer group must be a list of chunk ids, not empty.")
        ids = {_checked(part, "A chunk id in answer_groups", most=MAX_ID_CHARS) for part in entry}
        groups.add(tuple(sorted(ids)))
    return tuple(sorted(groups))


def _text(
    raw: dict[str, object],
    name: str,
    *,
    default: str | None = None,
    most: int | None = MAX_ID_CHARS,
) -> str:
    value = raw.get(name, default)
    if default is not None and (value is None or value == ""):
        return default
    return _checked(value, name, most=most)


def _checked(value: object, name: str, *, most: int | None) -> str:
    """Return a text that is not empty and that every database can hold."""
    if not isinstance(value, str) or not value:
        raise JudgmentRejected(f"{name} must be a text, not {_shown(value)}.")
    if most is not None and len(value) > most:
        raise JudgmentRejected(f"{name} has {len(value)} characters; at most {most} are kept.")
    if "\x00" in value or any("\ud800" <= char <= "\udfff" for char in value):
        raise JudgmentRejected(
            f"{name} holds a NUL or half a character, which cannot be stored: {_shown(value)}."
        )
    return value


def _optional_count(raw: dict[str, object], name: str) -> int | None:
    value = raw.get(name)
    if value is None:
        return None
    if not _is_count(value):
        raise JudgmentRejected(f"{name} must be a whole number, not {_shown(value)}.")
    return min(value, 86_400_000)


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def _is_list(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list)


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "…"


def _shown(value: object) -> str:
    """Return a value for a message, cut short: it may be long, or nested without end."""
    return reprlib.repr(value)
