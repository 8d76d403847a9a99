"""Judgments: what people said, as events, and what holds now.

Grades: 2 answers the question, 1 helps in part, 0 no use. Events are append-only; the current
judgment of (query, chunk, assessor, scheme version) is the last event's.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from annotator.domain.document import Span

Grade: TypeAlias = Literal[0, 1, 2]
GRADES: tuple[Grade, ...] = (0, 1, 2)
RELEVANCE_THRESHOLD: Grade = 2
"""Grade from which a chunk counts as relevant in binary measures, as in TREC DL."""

SCHEME_VERSION = 1
"""Version of the meaning of the grades; changing it never reinterprets old labels."""

QueryState: TypeAlias = Literal[
    "unjudged",
    "partly_judged",
    "unconfirmed",
    "cannot_judge",
    "disputed",
    "contradiction",
    "stale",
    "answered",
    "no_answer",
]


@dataclass(frozen=True, slots=True)
class GradeEvent:
    """An assessor graded a chunk for a query; `grade` None takes the grade back.

    `cannot_judge` is a reason why no grade can be given; it goes with `grade` None.
    `quotes`, when given, runs parallel to `spans` and is checked against the document.
    `active_ms` is the time the chunk was in focus, when the client measured it.
    """

    event_id: str
    query_id: str
    chunk_id: str
    assessor: str
    grade: Grade | None
    spans: tuple[Span, ...] = ()
    quotes: tuple[str, ...] = ()
    note: str = ""
    cannot_judge: str = ""
    active_ms: int | None = None


@dataclass(frozen=True, slots=True)
class QueryEvent:
    """An assessor finished a query and said what no chunk grade can say.

    `has_answer` None takes the statement back. Each of `answer_groups` is a set of chunks that
    together answer completely.
    """

    event_id: str
    query_id: str
    assessor: str
    has_answer: bool | None
    answer_groups: tuple[tuple[str, ...], ...] = ()
    note: str = ""
    active_ms: int | None = None


Event: TypeAlias = GradeEvent | QueryEvent


@dataclass(frozen=True, slots=True)
class Judgment:
    """The current grade of one assessor for one chunk of one query."""

    query_id: str
    chunk_id: str
    assessor: str
    grade: Grade | None
    spans: tuple[Span, ...] = ()
    note: str = ""
    cannot_judge: str = ""


@dataclass(frozen=True, slots=True)
class QueryVerdict:
    """The current statement of one assessor about a query as a whole."""

    query_id: str
    assessor: str
    has_answer: bool | None
    answer_groups: tuple[tuple[str, ...], ...] = ()
    note: str = ""
