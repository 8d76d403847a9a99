from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.document import Span
from annotator.domain.release import AnswerSpan, Record
from annotator.release.versioning import (
    Change,
    VersionKeys,
    change_between,
    next_version,
    version_keys,
    version_order,
)
from tests.builders import a_record

RECORDS = [
    a_record("q-1", grades={"c1": 2, "c2": 0}),
    a_record("q-2", grades={"c3": 1, "c4": 1}, groups=[("c3", "c4")]),
    a_record("q-3", grades={"c1": 2}, split="test"),
]


def keys(
    records: list[Record],
    *,
    corpus: str = "corpus",
    documents: dict[str, str] | None = None,
    gain: int = 3,
) -> VersionKeys:
    return version_keys(
        records,
        corpus_sha256=corpus,
        document_hashes=documents or {"d1": "1", "d2": "2"},
        gains={1: 1, 2: gain},
    )


def with_second(**changes: object) -> list[Record]:
    return [RECORDS[0], replace(RECORDS[1], **changes), RECORDS[2]]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "records",
    [
        with_second(query="another text"),
        with_second(frequency=11),
        with_second(inclusion_probability=0.25),
        with_second(inclusion_probability=None),
        with_second(answer_groups=()),
        with_second(has_answer=False),
        with_second(graded=RECORDS[0].graded),
        RECORDS[::2],
    ],
)
def test_a_change_of_a_tuning_label_changes_the_tuning_key_alone(records: list[Record]) -> None:
    before, after = keys(RECORDS).comparability, keys(records).comparability
    assert before["tuning"] != after["tuning"]
    assert before["test"] == after["test"]


@pytest.mark.parametrize(
    "records",
    [
        with_second(hard_negative_ids=("c9",)),
        with_second(tags=("long_tail",)),
        with_second(annotators=("a-9",)),
        with_second(reference_answer="two years"),
        RECORDS[::-1],
    ],
)
def test_what_decides_no_score_changes_no_key(records: list[Record]) -> None:
    assert keys(RECORDS) == keys(records)


def test_corpus_and_gains_change_both_keys() -> None:
    before = keys(RECORDS).comparability
    for after in (keys(RECORDS, corpus="other"), keys(RECORDS, gain=2)):
        assert before["tuning"] != after.comparability["tuning"]
        assert before["test"] != after.comparability["test"]


def test_the_evidence_key_hangs_on_documents_queries_and_spans_alone() -> None:
    span = AnswerSpan(Span("d1", 0, 3), "The")
    before = keys(RECORDS).evidence
    assert keys(with_second(answer_groups=(), graded=()), corpus="other").evidence == before
    for after in (
        keys(RECORDS, documents={"d1": "1", "d2": "3"}),
        keys(with_second(answer_spans=(span,))),
        keys(with_second(has_answer=False)),
    ):
        assert after.evidence["tuning"] != before["tuning"]


def test_a_key_does_not_hang_on_the_order_of_documents() -> None:
    assert keys(RECORDS, documents={"d2": "2", "d1": "1"}) == keys(RECORDS)


@pytest.mark.parametrize(
    ("tuning", "test", "same_content", "change"),
    [
        ("a", "y", False, "major"),
        ("b", "y", False, "major"),
        ("b", "x", False, "minor"),
        ("a", "x", False, "patch"),
        ("a", "x", True, "none"),
    ],
)
def test_the_keys_say_how_a_version_differs(
    tuning: str, test: str, same_content: bool, change: Change
) -> None:
    old, new = {"tuning": "a", "test": "x"}, {"tuning": tuning, "test": test}
    assert change_between(old, new, same_content=same_content) == change


@pytest.mark.parametrize(
    ("parent", "change", "version"),
    [
        (None, "major", "1.0.0"),
        (None, "patch", "1.0.0"),
        ("1.2.3", "major", "2.0.0"),
        ("1.2.3", "minor", "1.3.0"),
        ("1.2.3", "patch", "1.2.4"),
        ("1.9.9", "minor", "1.10.0"),
        ("9.9.9", "major", "10.0.0"),
    ],
)
def test_the_next_number_follows_from_the_change(
    parent: str | None, change: Change, version: str
) -> None:
    assert next_version(parent, change) == version


def test_versions_are_ordered_by_number() -> None:
    versions = ["1.10.0", "1.9.0", "2.0.0", "1.9.10", "1.9.9", "10.0.0"]
    assert sorted(versions, key=version_order) == [
        "1.9.0", "1.9.9", "1.9.10", "1.10.0", "2.0.0", "10.0.0",
    ]  # fmt: skip


@given(st.text(max_size=8) | st.sampled_from(["1.².0", "1.0.0-rc1", "", ".", "٣.0.0"]))
def test_any_name_of_a_folder_can_be_ordered(name: str) -> None:
    assert version_order(name) <= version_order("999999999.0.0")
