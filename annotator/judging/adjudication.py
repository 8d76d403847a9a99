"""What holds for a query, given what its assessors said.

A disagreement is never settled by taking the higher grade: it makes the query disputed until
people agree.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from annotator.domain.document import Span
from annotator.domain.judgment import (
    RELEVANCE_THRESHOLD,
    Grade,
    Judgment,
    QueryState,
    QueryVerdict,
)


@dataclass(frozen=True, slots=True)
class ResolvedQuery:
    """The state of one query and all that was agreed on.

    `grades` holds chunks on whose grade nobody disagrees; `unjudged` the chunks of the pool
    without any grade; `spans` the evidence of chunks of grade 1 and 2; each of `answer_groups`
    is one complete way to answer that needs all its chunks.
    """

    query_id: str
    state: QueryState
    grades: dict[str, Grade]
    disputed: tuple[str, ...]
    cannot_judge: tuple[str, ...]
    unjudged: tuple[str, ...]
    spans: tuple[Span, ...]
    answer_groups: tuple[tuple[str, ...], ...]
    assessors: tuple[str, ...]

    @property
    def direct(self) -> tuple[str, ...]:
        """The chunks that answer alone, by id."""
        return tuple(sorted(c for c, grade in self.grades.items() if grade >= RELEVANCE_THRESHOLD))

    @property
    def relevant(self) -> tuple[str, ...]:
        """The chunks that answer, alone or in a group, by id."""
        in_groups = {chunk_id for group in self.answer_groups for chunk_id in group}
        return tuple(sorted({*self.direct, *in_groups}))

    @property
    def is_split(self) -> bool:
        """Whether the query is answered, but by no single chunk."""
        alone = self.direct or any(len(group) == 1 for group in self.answer_groups)
        return self.state == "answered" and not alone


def resolve(
    *,
    query_id: str,
    pool: Sequence[str],
    added: Sequence[str] = (),
    judgments: Sequence[Judgment],
    verdicts: Sequence[QueryVerdict],
    cut_groups: Sequence[tuple[str, ...]] = (),
    was_pooled: bool = True,
    is_current: bool = True,
) -> ResolvedQuery:
    """Bring everything that was said about one query together.

    `cut_groups` are sets of chunks over whose borders a span of evidence runs; they count as
    answer groups where an assessor says that there is an answer, named no group, and no chunk
    answers alone. `added` are candidates that came after the pool: they wait to be judged, but
    take no statement back. `was_pooled` tells whether retrievers were asked at all, `is_current`
    whether that was on the present corpus.

    *answered*: a chunk of grade 2, or a group whose members all have an agreed grade of 1 or 2,
    once every candidate was looked at or an assessor finished the query. *no_answer*: an assessor
    said so, and every candidate has an agreed grade; *stale* where the corpus grew since.
    """
    by_chunk: dict[str, list[Judgment]] = defaultdict(list)
    for judgment in judgments:
        by_chunk[judgment.chunk_id].append(judgment)
    grades: dict[str, Grade] = {}
    disputed: list[str] = []
    cannot: list[str] = []
    for chunk_id, said in sorted(by_chunk.items()):
        given = {entry.grade for entry in said if entry.grade is not None}
        if len(given) > 1:
            disputed.append(chunk_id)
        elif given:
            grades[chunk_id] = next(iter(given))
        else:
            cannot.append(chunk_id)
    answers = {verdict.has_answer for verdict in verdicts if verdict.has_answer is not None}
    stated = {_as_sets(verdict.answer_groups) for verdict in verdicts if verdict.answer_groups}
    has_answer = next(iter(answers), None)
    direct = any(grade >= RELEVANCE_THRESHOLD for grade in grades.values())
    implied = _as_sets(cut_groups) if has_answer is True and not direct else ()
    if len(stated) > 1:
        groups: tuple[tuple[str, ...], ...] = ()  # nothing was agreed on
    else:
        groups = next(iter(stated), implied)
    said_of_pool = _PoolFacts(
        was_pooled=was_pooled,
        is_current=is_current,
        is_looked_at=all(chunk_id in by_chunk for chunk_id in pool),
        is_graded=all(chunk_id in grades for chunk_id in pool),
    )
    in_conflict = bool(disputed) or len(answers) > 1 or len(stated) > 1
    if in_conflict:
        state: QueryState = "disputed"
    elif not grades and has_answer is None:
        state = "cannot_judge" if cannot else "unjudged"
    else:
        state = _state(grades, groups, has_answer, direct or bool(groups), said_of_pool)
    return ResolvedQuery(
        query_id=query_id,
        state=state,
        grades=grades,
        disputed=tuple(disputed),
        cannot_judge=tuple(cannot),
        unjudged=tuple(chunk_id for chunk_id in [*pool, *added] if chunk_id not in by_chunk),
        spans=_spans(judgments, grades),
        answer_groups=groups,
        assessors=tuple(
            sorted({j.assessor for j in judgments} | {verdict.assessor for verdict in verdicts})
        ),
    )


@dataclass(frozen=True, slots=True)
class _PoolFacts:
    was_pooled: bool
    is_current: bool
    is_looked_at: bool
    is_graded: bool


def _state(
    grades: dict[str, Grade],
    groups: Sequence[tuple[str, ...]],
    has_answer: bool | None,
    relevant: bool,
    pool: _PoolFacts,
) -> QueryState:
    """Return the state of a query on which nobody disagrees and somebody said something."""
    members = [grades.get(chunk_id) for group in groups for chunk_id in group]
    if 0 in members:
        return "contradiction"  # a chunk of no use in a group that answers
    if None in members:
        return "partly_judged"
    if has_answer is not None and has_answer != relevant:
        return "contradiction"  # an answer that no chunk holds, or a denied one that some does
    if relevant:
        return "answered" if has_answer or pool.is_looked_at else "partly_judged"
    if not pool.is_looked_at or (has_answer is False and not pool.is_graded):
        return "partly_judged"
    if has_answer is None or not pool.was_pooled:
        return "unconfirmed"
    return "no_answer" if pool.is_current else "stale"


def _as_sets(groups: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Return the groups in one order, their members too: people name them in any."""
    return tuple(sorted({tuple(sorted(set(group))) for group in groups}))


def _spans(judgments: Sequence[Judgment], grades: dict[str, Grade]) -> tuple[Span, ...]:
    """Return the evidence of chunks whose grade holds and is not 0, in document order."""
    return tuple(
        sorted({span for j in judgments if grades.get(j.chunk_id, 0) > 0 for span in j.spans})
    )
