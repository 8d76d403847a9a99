from dataclasses import dataclass, replace

import pytest

from annotator.domain.document import Span
from annotator.domain.judgment import Judgment, QueryState, QueryVerdict
from annotator.judging.adjudication import ResolvedQuery, resolve
from tests.builders import a_judgment as said
from tests.builders import a_verdict as verdict

POOL = ("c1", "c2")
CUT = (("c1", "c2"),)
UNABLE = "not my field"


@dataclass(frozen=True)
class Case:
    """What was said about a pool of c1 and c2, and the state that follows."""

    name: str
    state: QueryState
    judgments: tuple[Judgment, ...] = ()
    verdicts: tuple[QueryVerdict, ...] = ()
    cut: tuple[tuple[str, ...], ...] = ()
    pool: tuple[str, ...] = POOL
    added: tuple[str, ...] = ()
    was_pooled: bool = True
    is_current: bool = True


NOTHING = (said("c1", grade=0), said("c2", grade=0))
CASES = [
    Case("nothing was said", "unjudged"),
    Case("one of two was graded 0", "partly_judged", (said("c1", grade=0),)),
    Case("one of two was graded 2", "partly_judged", (said("c1", grade=2),)),
    Case("all were graded 0 but nobody said no", "unconfirmed", NOTHING),
    Case(
        "a part helps but nobody said no",
        "unconfirmed",
        (said("c1", grade=1), said("c2", grade=0)),
    ),
    Case("all were graded, one answers", "answered", (said("c1", grade=2), said("c2", grade=0))),
    Case(
        "it was finished early with an answer",
        "answered",
        (said("c1", grade=2),),
        (verdict(True),),
    ),
    Case("all were graded 0 and it was said", "no_answer", NOTHING, (verdict(False),)),
    Case(
        "parts may stand where there is no answer",
        "no_answer",
        (said("c1", grade=1), said("c2", grade=0)),
        (verdict(False),),
    ),
    Case(
        "no answer was said before all were graded",
        "partly_judged",
        (said("c1", grade=0),),
        (verdict(False),),
    ),
    Case("no answer was said and nothing graded", "partly_judged", (), (verdict(False),)),
    Case(
        "cannot judge is no grade",
        "cannot_judge",
        (said("c1", grade=None, cannot_judge=UNABLE),),
    ),
    Case(
        "cannot judge beside a grade counts as looked at",
        "answered",
        (said("c1", grade=2), said("c2", grade=None, cannot_judge=UNABLE)),
    ),
    Case(
        "an answer that no chunk holds",
        "contradiction",
        NOTHING,
        (verdict(True),),
    ),
    Case(
        "an answer without any grade",
        "contradiction",
        (),
        (verdict(True),),
    ),
    Case(
        "a denied answer that a chunk holds",
        "contradiction",
        (said("c1", grade=2), said("c2", grade=0)),
        (verdict(False),),
    ),
    Case(
        "a group with a chunk of no use",
        "contradiction",
        (said("c1", grade=1), said("c2", grade=0)),
        (verdict(True, ("c1", "c2")),),
    ),
    Case(
        "a group of parts",
        "answered",
        (said("c1", grade=1), said("c2", grade=1)),
        (verdict(True, ("c1", "c2")),),
    ),
    Case(
        "a group with a chunk that nobody graded",
        "partly_judged",
        (said("c1", grade=1),),
        (verdict(True, ("c1", "c2")),),
    ),
    Case(
        "a group with a chunk that cannot be judged",
        "partly_judged",
        (said("c1", grade=1), said("c2", grade=None, cannot_judge=UNABLE)),
        (verdict(True, ("c1", "c2")),),
    ),
    Case(
        "a cut span makes a group where there is an answer",
        "answered",
        (said("c1", grade=1), said("c2", grade=1)),
        (verdict(True),),
        cut=CUT,
    ),
    Case(
        "a cut span alone says nothing",
        "unconfirmed",
        (said("c1", grade=1), said("c2", grade=1)),
        cut=CUT,
    ),
    Case(
        "a cut span that helps in part is no answer where there is none",
        "no_answer",
        (said("c1", grade=1), said("c2", grade=1)),
        (verdict(False),),
        cut=CUT,
    ),
    Case(
        "a cut span over a chunk of no use",
        "contradiction",
        (said("c1", grade=1), said("c2", grade=0)),
        (verdict(True),),
        cut=CUT,
    ),
    Case(
        "no answer beside a chunk that cannot be judged",
        "partly_judged",
        (said("c1", grade=0), said("c2", grade=None, cannot_judge=UNABLE)),
        (verdict(False),),
    ),
    Case(
        "no answer where no retriever was asked",
        "unconfirmed",
        (said("c1", grade=0),),
        (verdict(False),),
        pool=(),
        was_pooled=False,
    ),
    Case(
        "no answer where every retriever came back empty",
        "no_answer",
        (),
        (verdict(False),),
        pool=(),
    ),
    Case(
        "no answer in a corpus that grew since",
        "stale",
        NOTHING,
        (verdict(False),),
        is_current=False,
    ),
    Case(
        "an answer stays one when the corpus grows",
        "answered",
        (said("c1", grade=2), said("c2", grade=0)),
        is_current=False,
    ),
    Case(
        "two grades of two people",
        "disputed",
        (said("c1", grade=2), said("c1", grade=1, assessor="bo"), said("c2", grade=0)),
    ),
    Case(
        "two grades of two people where another chunk answers for sure",
        "disputed",
        (said("c1", grade=2), said("c2", grade=0), said("c2", grade=1, assessor="bo")),
        (verdict(True),),
    ),
    Case(
        "one has an answer, one has none",
        "disputed",
        NOTHING,
        (verdict(True), verdict(False, assessor="bo")),
    ),
    Case(
        "two different groups",
        "disputed",
        (said("c1", grade=1), said("c2", grade=1), said("c3", grade=1)),
        (verdict(True, ("c1", "c2")), verdict(True, ("c1", "c3"), assessor="bo")),
    ),
    Case(
        "the same group in another order",
        "answered",
        (said("c1", grade=1), said("c2", grade=1)),
        (verdict(True, ("c1", "c2")), verdict(True, ("c2", "c1"), assessor="bo")),
    ),
    Case(
        "the same two groups in another order",
        "answered",
        (said("c1", grade=1), said("c2", grade=1), said("c3", grade=1)),
        (
            verdict(True, ("c1", "c2"), ("c1", "c3")),
            verdict(True, ("c1", "c3"), ("c1", "c2"), assessor="bo"),
        ),
    ),
    Case(
        "one named a group, the other only said that there is an answer",
        "answered",
        (said("c1", grade=1), said("c2", grade=1)),
        (verdict(True, ("c1", "c2")), verdict(True, assessor="bo")),
    ),
    Case(
        "one cannot judge what the other graded",
        "answered",
        (
            said("c1", grade=2),
            said("c1", grade=None, cannot_judge=UNABLE, assessor="bo"),
            said("c2", grade=0),
        ),
    ),
    Case(
        "two people agree",
        "answered",
        (
            *(said("c1", grade=2), said("c1", grade=2, assessor="bo")),
            *(said("c2", grade=0), said("c2", grade=0, assessor="bo")),
        ),
        (verdict(True), verdict(True, assessor="bo")),
    ),
    Case(
        "a candidate that mining added takes no answer back",
        "answered",
        (said("c1", grade=2), said("c2", grade=0)),
        added=("c9",),
    ),
    Case(
        "a candidate that mining added takes no statement back",
        "no_answer",
        NOTHING,
        (verdict(False),),
        added=("c9",),
    ),
    Case(
        "an added candidate that answers contradicts the statement",
        "contradiction",
        (*NOTHING, said("c9", grade=2)),
        (verdict(False),),
        added=("c9",),
    ),
]


def resolved(case: Case) -> ResolvedQuery:
    return resolve(
        query_id="q-1",
        pool=case.pool,
        added=case.added,
        judgments=case.judgments,
        verdicts=case.verdicts,
        cut_groups=case.cut,
        was_pooled=case.was_pooled,
        is_current=case.is_current,
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_state_follows_from_what_was_said(case: Case) -> None:
    assert resolved(case).state == case.state


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_state_does_not_hang_on_the_order_in_which_things_were_said(case: Case) -> None:
    turned = replace(case, judgments=case.judgments[::-1], verdicts=case.verdicts[::-1])
    assert resolved(turned) == resolved(case)


def test_a_disputed_chunk_has_no_grade_and_never_the_higher_one() -> None:
    found = resolve(
        query_id="q-1",
        pool=POOL,
        judgments=[
            said("c1", grade=2, spans=(Span("d1", 0, 3),)),
            said("c1", grade=0, assessor="bo"),
            said("c2", grade=0),
        ],
        verdicts=[],
    )
    assert found.grades == {"c2": 0}
    assert found.disputed == ("c1",)
    assert found.direct == ()
    assert found.spans == ()
    assert found.assessors == ("ann", "bo")


def test_unjudged_judged_0_and_cannot_judge_are_kept_apart() -> None:
    found = resolve(
        query_id="q-1",
        pool=("c1", "c2", "c3"),
        added=("c4",),
        judgments=[said("c1", grade=0), said("c2", grade=None, cannot_judge=UNABLE)],
        verdicts=[],
    )
    assert found.grades == {"c1": 0}
    assert found.cannot_judge == ("c2",)
    assert found.unjudged == ("c3", "c4")


def test_evidence_of_grades_1_and_2_is_kept_once_and_in_order() -> None:
    early, late = Span("d1", 0, 3), Span("d1", 9, 12)
    found = resolve(
        query_id="q-1",
        pool=POOL,
        judgments=[
            said("c1", grade=2, spans=(late, early)),
            said("c2", grade=1, spans=(late,)),
            said("c2", grade=1, spans=(early,), assessor="bo"),
        ],
        verdicts=[],
    )
    assert found.spans == (early, late)


def test_cut_groups_count_only_where_an_answer_was_said_and_no_other_way_to_it() -> None:
    def groups(first: Judgment, *verdicts: QueryVerdict) -> tuple[tuple[str, ...], ...]:
        return resolve(
            query_id="q-1",
            pool=POOL,
            judgments=[first, said("c2", grade=1), said("c3", grade=1)],
            verdicts=verdicts,
            cut_groups=CUT,
        ).answer_groups

    assert groups(said("c1", grade=1), verdict(True)) == CUT
    assert groups(said("c1", grade=1)) == ()
    assert groups(said("c1", grade=2), verdict(True)) == ()
    assert groups(said("c1", grade=1), verdict(True, ("c2", "c3"))) == (("c2", "c3"),)


def test_a_query_is_split_where_only_several_chunks_together_answer() -> None:
    parts = (said("c1", grade=1), said("c2", grade=1))
    together = verdict(True, ("c1", "c2"))
    assert resolved(Case("", "answered", parts, (together,))).is_split
    whole = (said("c1", grade=2), said("c2", grade=1))
    assert not resolved(Case("", "answered", whole, (together,))).is_split
    assert not resolved(Case("", "no_answer", NOTHING, (verdict(False),))).is_split


def test_a_group_of_one_chunk_is_no_split_answer() -> None:
    parts = (said("c1", grade=1), said("c2", grade=0))
    found = resolved(Case("", "answered", parts, (verdict(True, ("c1",)),)))
    assert found.state == "answered"
    assert not found.is_split


def test_relevant_are_those_that_answer_alone_or_in_a_group() -> None:
    grades = (said("c1", grade=2), said("c3", grade=1), said("c2", grade=1), said("c4", grade=1))
    found = resolve(
        query_id="q-1",
        pool=("c1", "c2", "c3", "c4"),
        judgments=grades,
        verdicts=[verdict(True, ("c3", "c2"))],
    )
    assert found.direct == ("c1",)
    assert found.relevant == ("c1", "c2", "c3")


def test_groups_on_which_people_disagree_count_for_nothing() -> None:
    grades = (said("c1", grade=1), said("c2", grade=1), said("c3", grade=1))
    both = (verdict(True, ("c1", "c2")), verdict(True, ("c1", "c3"), assessor="bo"))
    found = resolved(Case("", "disputed", grades, both))
    assert found.answer_groups == ()
    assert found.relevant == ()
