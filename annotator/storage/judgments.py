"""Append-only events and, in the same transaction, the projection of what holds now."""

from sqlalchemy import ColumnElement, Row, Table, delete, func, insert, select

from annotator.domain.document import Span
from annotator.domain.json import Json, JsonObject
from annotator.domain.judgment import (
    SCHEME_VERSION,
    Event,
    GradeEvent,
    Judgment,
    QueryEvent,
    QueryVerdict,
)
from annotator.storage.engine import Transaction, now
from annotator.storage.tables import events, judgments, verdicts


def payload_of(event: Event) -> JsonObject:
    """Return what an event says, without who and about what."""
    if isinstance(event, GradeEvent):
        return {
            "grade": event.grade,
            "spans": _spans_out(event),
            "note": event.note,
            "cannot_judge": event.cannot_judge,
            "active_ms": event.active_ms,
        }
    return {
        "has_answer": event.has_answer,
        "answer_groups": [list(group) for group in event.answer_groups],
        "note": event.note,
        "active_ms": event.active_ms,
    }


def stored_event(tx: Transaction, event_id: str) -> Event | None:
    """Return the event with this id, None where it is new."""
    row = tx.execute(select(events).where(events.c.event_id == event_id)).one_or_none()
    return None if row is None else _event(row)


def append(tx: Transaction, event: Event) -> None:
    """Store a new event and bring the projection up to date.

    Raises an integrity error where the id, the query or the chunk is not what the caller checked.
    """
    is_grade = isinstance(event, GradeEvent)
    seq = tx.execute(
        insert(events)
        .values(
            event_id=event.event_id,
            type="grade" if is_grade else "query",
            query_id=event.query_id,
            chunk_id=event.chunk_id if isinstance(event, GradeEvent) else None,
            assessor=event.assessor,
            scheme_version=SCHEME_VERSION,
            payload=payload_of(event),
            received_at=now(),
        )
        .returning(events.c.seq)
    ).scalar_one()
    _project(tx, event, seq, scheme_version=SCHEME_VERSION)


def rebuild(tx: Transaction) -> int:
    """Make the projection anew from the events, each under the scheme that it was given in.

    Returns the number of events.
    """
    tx.execute(delete(judgments))
    tx.execute(delete(verdicts))
    rows = tx.execute(select(events).order_by(events.c.seq)).all()
    for row in rows:
        _project(tx, _event(row), row.seq, scheme_version=row.scheme_version)
    return len(rows)


def all_judgments(tx: Transaction) -> list[Judgment]:
    """Return every current judgment, by query, chunk and assessor."""
    return _judgments(tx)


def judgments_of(tx: Transaction, query_id: str, *, assessor: str | None = None) -> list[Judgment]:
    """Return the current judgments of a query, of one assessor or of all."""
    conditions = [judgments.c.query_id == query_id]
    if assessor is not None:
        conditions.append(judgments.c.assessor == assessor)
    return _judgments(tx, *conditions)


def all_verdicts(tx: Transaction) -> list[QueryVerdict]:
    """Return every current verdict, by query and assessor."""
    return _verdicts(tx)


def verdicts_of(tx: Transaction, query_id: str) -> list[QueryVerdict]:
    """Return the current verdicts of a query."""
    return _verdicts(tx, verdicts.c.query_id == query_id)


def judged_chunk_ids(tx: Transaction) -> set[str]:
    """Return every chunk that anybody judged or named in an answer group."""
    found = set(tx.execute(select(judgments.c.chunk_id).distinct()).scalars())
    for groups in tx.execute(select(verdicts.c.answer_groups)).scalars():
        found.update(chunk_id for group in groups for chunk_id in group)
    return found


def evidence_doc_ids(tx: Transaction) -> set[str]:
    """Return every document in which anybody marked evidence that holds now."""
    return {
        span["doc_id"]
        for spans in tx.execute(select(judgments.c.spans)).scalars()
        for span in spans
    }


def count_events(tx: Transaction) -> int:
    """Return the number of events."""
    return tx.execute(select(func.count()).select_from(events)).scalar_one()


def _project(tx: Transaction, event: Event, seq: int, *, scheme_version: int) -> None:
    key: dict[str, str | int] = {
        "query_id": event.query_id,
        "assessor": event.assessor,
        "scheme_version": scheme_version,
    }
    if isinstance(event, GradeEvent):
        key["chunk_id"] = event.chunk_id
        _replace(
            tx,
            judgments,
            key,
            {
                "grade": event.grade,
                "cannot_judge": event.cannot_judge,
                "spans": _spans_out(event),
                "note": event.note,
                "seq": seq,
            },
        )
    else:
        _replace(
            tx,
            verdicts,
            key,
            {
                "has_answer": event.has_answer,
                "answer_groups": [list(group) for group in event.answer_groups],
                "note": event.note,
                "seq": seq,
            },
        )


def _replace(tx: Transaction, table: Table, key: dict[str, str | int], values: JsonObject) -> None:
    where = [table.c[name] == value for name, value in key.items()]
    if tx.execute(table.update().where(*where).values(values)).rowcount == 0:
        tx.execute(insert(table).values(**key, **values))


def _event(row: Row[tuple[object, ...]]) -> Event:
    payload = row.payload
    if row.type == "grade":
        return GradeEvent(
            event_id=row.event_id,
            query_id=row.query_id,
            chunk_id=row.chunk_id,
            assessor=row.assessor,
            grade=payload["grade"],
            spans=_spans_in(payload["spans"]),
            note=payload["note"],
            cannot_judge=payload["cannot_judge"],
            active_ms=payload["active_ms"],
        )
    return QueryEvent(
        event_id=row.event_id,
        query_id=row.query_id,
        assessor=row.assessor,
        has_answer=payload["has_answer"],
        answer_groups=tuple(tuple(group) for group in payload["answer_groups"]),
        note=payload["note"],
        active_ms=payload["active_ms"],
    )


def _judgments(tx: Transaction, *conditions: ColumnElement[bool]) -> list[Judgment]:
    statement = (
        select(judgments)
        .where(judgments.c.scheme_version == SCHEME_VERSION, *conditions)
        .order_by(judgments.c.query_id, judgments.c.chunk_id, judgments.c.assessor)
    )
    return [
        Judgment(
            query_id=row.query_id,
            chunk_id=row.chunk_id,
            assessor=row.assessor,
            grade=row.grade,
            spans=_spans_in(row.spans),
            note=row.note,
            cannot_judge=row.cannot_judge,
        )
        for row in tx.execute(statement)
        if row.grade is not None or row.cannot_judge
    ]


def _verdicts(tx: Transaction, *conditions: ColumnElement[bool]) -> list[QueryVerdict]:
    statement = (
        select(verdicts)
        .where(verdicts.c.scheme_version == SCHEME_VERSION, *conditions)
        .order_by(verdicts.c.query_id, verdicts.c.assessor)
    )
    return [
        QueryVerdict(
            query_id=row.query_id,
            assessor=row.assessor,
            has_answer=row.has_answer,
            answer_groups=tuple(tuple(group) for group in row.answer_groups),
            note=row.note,
        )
        for row in tx.execute(statement)
        if row.has_answer is not None or row.answer_groups or row.note
    ]


def _spans_out(event: GradeEvent) -> list[Json]:
    """Return the spans with the text that stood there, so that evidence can be found again."""
    quotes = event.quotes or (None,) * len(event.spans)
    return [
        {"doc_id": span.doc_id, "start": span.start, "end": span.end, "quote": quote}
        for span, quote in zip(event.spans, quotes, strict=True)
    ]


def _spans_in(spans: list[dict[str, object]]) -> tuple[Span, ...]:
    return tuple(
        Span(str(span["doc_id"]), int(str(span["start"])), int(str(span["end"]))) for span in spans
    )
