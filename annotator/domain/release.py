"""A released version: one record per query, and what the version is."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from annotator.domain.document import Span
from annotator.domain.judgment import Grade
from annotator.domain.query import Label, QuerySource, Stratum

Split: TypeAlias = Literal["tuning", "test"]
SPLITS: tuple[Split, ...] = ("tuning", "test")


@dataclass(frozen=True, slots=True)
class GradedChunk:
    """A judged chunk with its grade, 0 included."""

    chunk_id: str
    grade: Grade


@dataclass(frozen=True, slots=True)
class AnswerSpan:
    """Evidence with its text: `text == document.text[start:end]`."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Record:
    """One line of tuning.jsonl or test.jsonl; record.schema.json of a version has the rules."""

    query_id: str
    query: str
    relevant_chunk_ids: tuple[str, ...]
    hard_negative_ids: tuple[str, ...]
    has_answer: bool
    graded: tuple[GradedChunk, ...]
    answer_spans: tuple[AnswerSpan, ...]
    answer_groups: tuple[tuple[str, ...], ...]
    split_answer: bool
    reference_answer: str | None
    bucket: Label
    intent: Label
    stratum: Stratum
    frequency: int
    inclusion_probability: float | None
    source: QuerySource
    annotators: tuple[str, ...]
    agreement: float | None
    split: Split
    lang: str
    tags: tuple[str, ...] = ()
