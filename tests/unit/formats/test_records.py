import json
from dataclasses import fields, replace

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.document import Span
from annotator.domain.query import Label
from annotator.domain.release import AnswerSpan, GradedChunk, Record
from annotator.formats.jsonl import write_lines
from annotator.formats.records import (
    FIELDS,
    changed_fields,
    read_records,
    record_schema,
    record_to_json,
)
from tests.builders import a_record

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
IDS = st.text(
    st.characters(exclude_categories=["Cs", "Z", "Cc"]) | st.sampled_from("01eE-"),
    min_size=1,
    max_size=8,
)
LABELS = st.builds(Label, TEXT, TEXT)
RECORDS = st.builds(
    Record,
    query_id=IDS.map(lambda text: f"q-{text}"),
    query=TEXT.map(lambda text: f"x{text}"),
    relevant_chunk_ids=st.lists(IDS, max_size=3).map(tuple),
    hard_negative_ids=st.lists(IDS, max_size=3).map(tuple),
    has_answer=st.booleans(),
    graded=st.lists(st.builds(GradedChunk, IDS, st.sampled_from([0, 1, 2])), max_size=3).map(tuple),
    answer_spans=st.lists(
        st.builds(AnswerSpan, st.builds(Span, IDS, st.integers(0, 9), st.integers(10, 99)), TEXT),
        max_size=2,
    ).map(tuple),
    answer_groups=st.lists(st.lists(IDS, min_size=1, max_size=3).map(tuple), max_size=2).map(tuple),
    split_answer=st.booleans(),
    reference_answer=st.none() | TEXT,
    bucket=LABELS,
    intent=LABELS,
    stratum=st.sampled_from(["head", "torso", "tail"]),
    frequency=st.integers(1, 10**9),
    inclusion_probability=st.none() | st.floats(0, 1, exclude_min=True),
    source=st.sampled_from(["log", "manual", "spot_check", "import"]),
    annotators=st.lists(TEXT, max_size=2).map(tuple),
    agreement=st.none() | st.floats(-1, 1),
    split=st.sampled_from(["tuning", "test"]),
    lang=st.sampled_from(["en", "zh"]),
    tags=st.lists(TEXT, max_size=2).map(tuple),
)
CHECKER = jsonschema.Draft202012Validator(record_schema())


@given(st.lists(RECORDS, max_size=3))
def test_records_survive_a_file_and_fit_their_schema(
    tmp_path_factory: pytest.TempPathFactory, records: list[Record]
) -> None:
    path = tmp_path_factory.mktemp("records") / "tuning.jsonl"
    lines = [record_to_json(record) for record in records]
    for line in lines:
        CHECKER.validate(line)
    write_lines(path, lines)
    assert read_records(path) == records


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(record_schema())


def test_every_field_is_written_in_the_order_of_the_contract_and_explained() -> None:
    names = [field.name for field in fields(Record)]
    assert list(record_to_json(a_record())) == names
    assert list(FIELDS) == names
    assert all(meaning.endswith(".") for _, meaning in FIELDS.values())


def test_the_five_fields_that_every_consumer_knows_come_first() -> None:
    assert list(record_to_json(a_record()))[:5] == [
        "query_id", "query", "relevant_chunk_ids", "hard_negative_ids", "has_answer",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {"query_id": "123"},
        {"query_id": "2024-01-01"},
        {"query_id": "q-a b"},
        {"query": ""},
        {"relevant_chunk_ids": ["a b"]},
        {"relevant_chunk_ids": None},
        {"graded": [{"chunk_id": "c1", "grade": 3}]},
        {"graded": [{"chunk_id": "c1"}]},
        {"answer_groups": [[]]},
        {"answer_spans": [{"doc_id": "d", "start": -1, "end": 2, "text": "x"}]},
        {"stratum": "middle"},
        {"frequency": 0},
        {"frequency": 1.5},
        {"inclusion_probability": 0},
        {"inclusion_probability": 1.1},
        {"agreement": 1.1},
        {"split": "dev"},
        {"source": "web"},
        {"has_answer": 1},
        {"tags": None},
        {"extra": 1},
    ],
)
def test_the_schema_refuses_what_the_contract_forbids(change: dict[str, object]) -> None:
    assert not CHECKER.is_valid({**record_to_json(a_record()), **change})


@pytest.mark.parametrize("name", list(FIELDS))
def test_the_schema_requires_every_field(name: str) -> None:
    line = record_to_json(a_record())
    del line[name]
    assert not CHECKER.is_valid(line)


def test_a_difference_names_added_removed_and_changed_queries() -> None:
    old = [a_record("q-1"), a_record("q-2"), a_record("q-3")]
    new = [a_record("q-4"), replace(old[1], frequency=11, tags=("x",)), old[0]]
    assert changed_fields(old, new) == {
        "added": ["q-4"],
        "removed": ["q-3"],
        "changed": {
            "q-2": {"frequency": {"old": 10, "new": 11}, "tags": {"old": [], "new": ["x"]}}
        },
    }


def test_equal_records_give_equal_lines() -> None:
    assert json.dumps(record_to_json(a_record())) == json.dumps(record_to_json(a_record()))
