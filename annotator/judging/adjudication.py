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
) -> ResolvedQuery:
    """Bring everything that was said about one query together.

    `cut_groups` are sets of chunks over whose borders a span of evidence runs; they count as
    answer groups where no chunk answers alone and the assessor named none. A query is *answered*
    by a grade 2 or a complete group, once its pool is judged or an assessor finished it;
    *no_answer* only where an assessor said so and the whole pool was judged. `added` are
    candidates that came after the pool: they wait to be judged, but take no statement back.
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
    unjudged = tuple(chunk_id for chunk_id in [*pool, *added] if chunk_id not in by_chunk)
    answers = {verdict.has_answer for verdict in verdicts if verdict.has_answer is not None}
    stated = {_as_sets(verdict.answer_groups) for verdict in verdicts if verdict.answer_groups}
    direct = any(grade >= RELEVANCE_THRESHOLD for grade in grades.values())
    groups = next(iter(stated), () if direct else _as_sets(cut_groups))
    return ResolvedQuery(
        query_id=query_id,
        state=_state(
            in_conflict=bool(disputed) or len(answers) > 1 or len(stated) > 1,
            has_answer=next(iter(answers), None),
            useless_member=any(grades.get(c) == 0 for group in groups for c in group),
            relevant=direct or bool(groups),
            any_grade=bool(grades),
            any_refusal=bool(cannot),
            complete=all(chunk_id in by_chunk for chunk_id in pool),
        ),
        grades=grades,
        disputed=tuple(disputed),
        cannot_judge=tuple(cannot),
        unjudged=unjudged,
        spans=_spans(judgments, grades),
        answer_groups=groups,
        assessors=tuple(
            sorted({j.assessor for j in judgments} | {verdict.assessor for verdict in verdicts})
        ),
    )


def _state(
    *,
    in_conflict: bool,
    has_answer: bool | None,
    useless_member: bool,
    relevant: bool,
    any_grade: bool,
    any_refusal: bool,
    complete: bool,
) -> QueryState:
    if in_conflict:
        return "disputed"
    if not any_grade and has_answer is None:
        return "cannot_judge" if any_refusal else "unjudged"
    if useless_member or (has_answer is not None and has_answer != relevant):
        # a group with a chunk of no use, an answer that no chunk holds, a denied one that some does
        return "contradiction"
    if not complete and has_answer is not True:
        return "partly_judged"
    if relevant:
        return "answered"
    return "no_answer" if has_answer is False else "unconfirmed"


def _as_sets(groups: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Return the groups in one order, their members too: people name them in any."""
    return tuple(sorted({tuple(sorted(set(group))) for group in groups}))


def _spans(judgments: Sequence[Judgment], grades: dict[str, Grade]) -> tuple[Span, ...]:
    """Return the evidence of chunks whose grade holds and is not 0, in document order."""
    return tuple(
        sorted({span for j in judgments if grades.get(j.chunk_id, 0) > 0 for span in j.spans})
    )
