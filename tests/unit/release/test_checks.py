from dataclasses import replace

import pytest

from annotator.domain.release import Record
from annotator.release.checks import record_problems, straddling_needs
from tests.builders import a_record

GOOD = a_record("q-1", grades={"c1": 2, "c2": 0, "c3": 1}, negatives=["c2"])
CORPUS = {"c1", "c2", "c3"}


def test_good_records_have_no_problems() -> None:
    confirmed = a_record("q-2", grades={"c3": 1}, split="test")
    assert record_problems([GOOD, confirmed], chunk_ids=CORPUS) == []


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        (replace(GOOD, query=" \n"), "Query q-1 has an empty text."),
        (replace(GOOD, has_answer=False), "Query q-1 has has_answer False but 1 relevant chunks."),
        (
            replace(GOOD, relevant_chunk_ids=(), answer_groups=()),
            "Query q-1 has has_answer True but 0 relevant chunks.",
        ),
        (
            replace(GOOD, hard_negative_ids=("c3",)),
            "Query q-1 has the hard negative c3, not judged 0.",
        ),
        (
            replace(GOOD, answer_groups=()),
            "Query q-1 has relevant chunks that are not those of its groups.",
        ),
        (
            replace(GOOD, graded=GOOD.graded[1:]),
            "Query q-1 has a relevant chunk that nobody graded 1 or 2.",
        ),
    ],
)
def test_a_broken_rule_is_named_with_the_query(record: Record, problem: str) -> None:
    assert record_problems([record], chunk_ids=CORPUS) == [problem]


def test_a_chunk_is_not_relevant_and_a_hard_negative_at_once() -> None:
    record = replace(GOOD, relevant_chunk_ids=("c1", "c2"), answer_groups=(("c1",), ("c2",)))
    problems = record_problems([record], chunk_ids=CORPUS)
    assert "Query q-1 has c2 as relevant and as hard negative." in problems


def test_an_unjudged_negative_is_a_problem() -> None:
    record = replace(GOOD, hard_negative_ids=("c9",))
    problems = record_problems([record], chunk_ids={*CORPUS, "c9"})
    assert problems == ["Query q-1 has the hard negative c9, not judged 0."]


@pytest.mark.parametrize("gone", ["c1", "c2", "c3"])
def test_every_named_chunk_must_be_in_the_corpus(gone: str) -> None:
    assert record_problems([GOOD], chunk_ids=CORPUS - {gone}) == [
        f"Query q-1 names chunks that the corpus lacks: ['{gone}']."
    ]


def test_a_query_stands_in_one_split_once() -> None:
    problems = record_problems([GOOD, replace(GOOD, split="test")], chunk_ids=CORPUS)
    assert problems == ["Query q-1 stands in tuning and in test."]


def test_a_need_in_both_splits_is_named_with_its_queries() -> None:
    records = [a_record("q-1"), a_record("q-2", split="test"), a_record("q-3", split="test")]
    needs = {"q-1": "q-1", "q-2": "q-1", "q-3": "q-3"}
    assert straddling_needs(records, needs) == [
        "One information need stands in both splits: q-1 (tuning) and q-2 (test)."
    ]
    assert straddling_needs(records[1:], needs) == []
