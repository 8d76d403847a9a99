"""Judgments in and out of a workspace as files."""

import uuid
from pathlib import Path

from annotator.domain.document import Span
from annotator.domain.errors import InputError, JudgmentRejected
from annotator.domain.json import Json, JsonObject
from annotator.domain.judgment import GradeEvent, Judgment, QueryEvent, QueryVerdict
from annotator.formats.jsonl import read_objects, text_field, write_lines
from annotator.judging.events import parse_event
from annotator.storage import judgments
from annotator.storage.engine import Store
from annotator.workflows.judge import apply_event

_NO_GRADE: tuple[object, ...] = (None, (), "", "")
_NO_VERDICT: tuple[object, ...] = (None, (), "")


def import_judgments(store: Store, path: Path, *, assessor: str | None = None) -> tuple[int, int]:
    """Store the judgments of a JSONL file, all or none; return (new, already so).

    A line is {type: "grade", query_id, chunk_id, grade, assessor, spans, note} or {type: "query",
    query_id, assessor, has_answer, answer_groups}; `assessor` takes the place of what lines name.
    What the workspace says already is left alone, and of two lines about one thing the later one
    holds, so the same file twice changes nothing. Raises InputError naming file and line of the
    first that is not accepted.
    """
    new = known = 0
    with store.write() as tx:
        grades = {
            (j.query_id, j.chunk_id, j.assessor): _said_of_chunk(j)
            for j in judgments.all_judgments(tx)
        }
        verdicts = {(v.query_id, v.assessor): _said_of_query(v) for v in judgments.all_verdicts(tx)}
        for line, row in read_objects(path):
            name = assessor or text_field(row, "assessor", path=path, line=line)
            if not name.strip():
                raise InputError(f"{path}, line {line}: assessor is empty. Name who judged.")
            try:
                event = parse_event({**row, "event_id": f"f-{uuid.uuid4().hex}"}, assessor=name)
                if isinstance(event, GradeEvent):
                    grade_key = (event.query_id, event.chunk_id, name)
                    is_known = grades.get(grade_key, _NO_GRADE) == _said_of_chunk(event)
                    grades[grade_key] = _said_of_chunk(event)
                else:
                    verdict_key = (event.query_id, name)
                    is_known = verdicts.get(verdict_key, _NO_VERDICT) == _said_of_query(event)
                    verdicts[verdict_key] = _said_of_query(event)
                if is_known:
                    known += 1
                else:
                    apply_event(tx, event)
                    new += 1
            except JudgmentRejected as error:
                raise InputError(f"{path}, line {line}: {error} Nothing was imported.") from error
    return new, known


def rebuild_judgments(store: Store) -> int:
    """Make the current judgments anew from the events; return the number of events."""
    with store.write() as tx:
        return judgments.rebuild(tx)


def export_judgments(store: Store, path: Path) -> int:
    """Write every current judgment and verdict, by query, chunk and assessor; return the lines."""
    with store.read() as tx:
        grades = judgments.all_judgments(tx)
        verdicts = judgments.all_verdicts(tx)
    lines: list[JsonObject] = [
        {
            "type": "grade",
            "query_id": entry.query_id,
            "chunk_id": entry.chunk_id,
            "grade": entry.grade,
            "assessor": entry.assessor,
            "spans": [_span(span) for span in entry.spans],
            "note": entry.note,
            "cannot_judge": entry.cannot_judge,
        }
        for entry in grades
    ]
    lines += [
        {
            "type": "query",
            "query_id": verdict.query_id,
            "assessor": verdict.assessor,
            "has_answer": verdict.has_answer,
            "answer_groups": [[*group] for group in verdict.answer_groups],
            "note": verdict.note,
        }
        for verdict in verdicts
    ]
    return write_lines(path, lines)


def _said_of_chunk(entry: Judgment | GradeEvent) -> tuple[object, ...]:
    return entry.grade, entry.spans, entry.note, entry.cannot_judge


def _said_of_query(entry: QueryVerdict | QueryEvent) -> tuple[object, ...]:
    return entry.has_answer, entry.answer_groups, entry.note


def _span(span: Span) -> Json:
    return {"doc_id": span.doc_id, "start": span.start, "end": span.end}
