"""Records of a version as JSON: one line of tuning.jsonl or test.jsonl, and back."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from annotator.domain.document import Span
from annotator.domain.json import Json, JsonObject
from annotator.domain.query import Label
from annotator.domain.release import AnswerSpan, GradedChunk, Record
from annotator.formats.jsonl import read_objects


def record_to_json(record: Record) -> JsonObject:
    """Return the record with its fields in the order of the contract; lists are never null."""
    return {
        "query_id": record.query_id,
        "query": record.query,
        "relevant_chunk_ids": list(record.relevant_chunk_ids),
        "hard_negative_ids": list(record.hard_negative_ids),
        "has_answer": record.has_answer,
        "graded": [{"chunk_id": g.chunk_id, "grade": int(g.grade)} for g in record.graded],
        "answer_spans": [
            {
                "doc_id": answer.span.doc_id,
                "start": answer.span.start,
                "end": answer.span.end,
                "text": answer.text,
            }
            for answer in record.answer_spans
        ],
        "answer_groups": [list(group) for group in record.answer_groups],
        "split_answer": record.split_answer,
        "reference_answer": record.reference_answer,
        "bucket": {"id": record.bucket.id, "name": record.bucket.name},
        "intent": {"id": record.intent.id, "name": record.intent.name},
        "stratum": record.stratum,
        "frequency": record.frequency,
        "inclusion_probability": record.inclusion_probability,
        "source": record.source,
        "annotators": list(record.annotators),
        "agreement": record.agreement,
        "split": record.split,
        "lang": record.lang,
        "tags": list(record.tags),
    }


def read_records(path: Path) -> list[Record]:
    """Read a split's file, whose bytes were checked against the version's sums before."""
    return [_record(row) for _, row in read_objects(path)]


def _record(row: dict[str, Any]) -> Record:
    return Record(
        query_id=row["query_id"],
        query=row["query"],
        relevant_chunk_ids=tuple(row["relevant_chunk_ids"]),
        hard_negative_ids=tuple(row["hard_negative_ids"]),
        has_answer=row["has_answer"],
        graded=tuple(GradedChunk(entry["chunk_id"], entry["grade"]) for entry in row["graded"]),
        answer_spans=tuple(
            AnswerSpan(Span(entry["doc_id"], entry["start"], entry["end"]), entry["text"])
            for entry in row["answer_spans"]
        ),
        answer_groups=tuple(tuple(group) for group in row["answer_groups"]),
        split_answer=row["split_answer"],
        reference_answer=row["reference_answer"],
        bucket=Label(**row["bucket"]),
        intent=Label(**row["intent"]),
        stratum=row["stratum"],
        frequency=row["frequency"],
        inclusion_probability=row["inclusion_probability"],
        source=row["source"],
        annotators=tuple(row["annotators"]),
        agreement=row["agreement"],
        split=row["split"],
        lang=row["lang"],
        tags=tuple(row["tags"]),
    )


def changed_fields(old: Sequence[Record], new: Sequence[Record]) -> JsonObject:
    """Return the row-level difference of two versions: added, removed and changed query ids.

    A changed query lists each field with its old and its new value.
    """
    before = {record.query_id: record_to_json(record) for record in old}
    after = {record.query_id: record_to_json(record) for record in new}
    added: list[Json] = [*sorted(set(after) - set(before))]
    removed: list[Json] = [*sorted(set(before) - set(after))]
    return {
        "added": added,
        "removed": removed,
        "changed": {
            query_id: {
                field: {"old": before[query_id][field], "new": value}
                for field, value in after[query_id].items()
                if before[query_id][field] != value
            }
            for query_id in sorted(set(before) & set(after))
            if before[query_id] != after[query_id]
        },
    }


_ID = {"type": "string", "pattern": "^\\S+$"}
_IDS = {"type": "array", "items": _ID}
_NAMED: dict[str, Any] = {
    "type": "object",
    "properties": {"id": {"type": "string"}, "name": {"type": "string"}},
    "required": ["id", "name"],
    "additionalProperties": False,
}

FIELDS: dict[str, tuple[dict[str, Any], str]] = {
    "query_id": (
        {"type": "string", "pattern": "^[A-Za-z]+-\\S+$"},
        "Id of the query, unique over both splits; the same text has the same id in every version.",
    ),
    "query": ({"type": "string", "minLength": 1}, "The query as a user typed it."),
    "relevant_chunk_ids": (
        _IDS,
        "Chunks that answer: grade 2, or members of a complete answer group. Empty iff has_answer "
        "is false.",
    ),
    "hard_negative_ids": (
        _IDS,
        "Chunks that the live retriever ranks high and a person judged 0, best rank first.",
    ),
    "has_answer": (
        {"type": "boolean"},
        "False only where a person confirmed that the corpus holds no answer.",
    ),
    "graded": (
        {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"chunk_id": _ID, "grade": {"enum": [0, 1, 2]}},
                "required": ["chunk_id", "grade"],
                "additionalProperties": False,
            },
        },
        "Every judged chunk with its grade: 2 answers, 1 helps in part, 0 no use.",
    ),
    "answer_spans": (
        {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "doc_id": {"type": "string"},
                    "start": {"type": "integer", "minimum": 0},
                    "end": {"type": "integer", "minimum": 1},
                    "text": {"type": "string"},
                },
                "required": ["doc_id", "start", "end", "text"],
                "additionalProperties": False,
            },
        },
        "Evidence in documents: code points, half open; document[start:end] is text.",
    ),
    "answer_groups": (
        {"type": "array", "items": {**_IDS, "minItems": 1}},
        "Each inner list is one complete way to answer; one of several chunks needs them all.",
    ),
    "split_answer": ({"type": "boolean"}, "True where no single chunk answers alone."),
    "reference_answer": (
        {"type": ["string", "null"]},
        "An answer in words, where one was written.",
    ),
    "bucket": (_NAMED, "The fine bucket of queries with one meaning."),
    "intent": (_NAMED, "The coarse intent above the bucket, for reporting."),
    "stratum": (
        {"enum": ["head", "torso", "tail"]},
        "Whether the intent belongs to the first 50, the next 30 or the last 20 % of traffic.",
    ),
    "frequency": (
        {"type": "integer", "minimum": 1},
        "Log rows merged into this query: repeats, variants and near-duplicates.",
    ),
    "inclusion_probability": (
        {"type": ["number", "null"], "exclusiveMinimum": 0, "maximum": 1},
        "Probability with which the sampling plan draws this query; null for manual ones. The "
        "traffic mean of y is sum(f*y/p) / sum(f/p), with f the frequency.",
    ),
    "source": (
        {"enum": ["log", "manual", "spot_check", "import"]},
        "Where the query comes from.",
    ),
    "annotators": (
        {"type": "array", "items": {"type": "string"}},
        "Pseudonyms of those who judged it.",
    ),
    "agreement": (
        {"type": ["number", "null"], "minimum": -1, "maximum": 1},
        "Agreement of its annotators; null where it was not measured.",
    ),
    "split": ({"enum": ["tuning", "test"]}, "The split, equal to the file's name."),
    "lang": ({"type": "string"}, "Language of the query, BCP 47."),
    "tags": ({"type": "array", "items": {"type": "string"}}, "Marks such as long_tail."),
}
"""Every field of a record: its JSON Schema and what it means. README and schema come from here."""


def record_schema() -> JsonObject:
    """Return the JSON Schema (2020-12) of one line."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A query of a retrieval test set with its judgments",
        "type": "object",
        "properties": {
            name: {**schema, "description": meaning} for name, (schema, meaning) in FIELDS.items()
        },
        "required": list(FIELDS),
        "additionalProperties": False,
    }
