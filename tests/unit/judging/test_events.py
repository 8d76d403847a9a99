import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.document import Span
from annotator.domain.errors import JudgmentRejected
from annotator.domain.judgment import GradeEvent, QueryEvent
from annotator.judging.events import (
    MAX_GROUPS,
    MAX_NOTE_CHARS,
    MAX_SPANS,
    check_grade,
    check_verdict,
    parse_event,
)
from tests.builders import a_chunk, a_grade_event, a_query_event

GRADE: dict[str, object] = {
    "event_id": "e-1",
    "type": "grade",
    "query_id": "q-1",
    "chunk_id": "c1",
    "grade": 2,
}
QUERY: dict[str, object] = {
    "event_id": "e-1",
    "type": "query",
    "query_id": "q-1",
    "has_answer": True,
}
SPAN = {"doc_id": "d1", "start": 0, "end": 3}
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 2**60)
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["grade", "query", "\ud800", "\x00", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    [
        *("event_id", "type", "query_id", "chunk_id", "grade", "spans", "note", "cannot_judge"),
        *("active_ms", "has_answer", "answer_groups", "assessor"),
    ]
)
SPANS = st.lists(
    st.dictionaries(st.sampled_from(["doc_id", "start", "end", "quote"]), ANYTHING) | ANYTHING
)


def parse(raw: object) -> GradeEvent | QueryEvent:
    return parse_event(raw, assessor="ann")


def refusal_of(raw: object) -> str:
    with pytest.raises(JudgmentRejected) as caught:
        parse(raw)
    return str(caught.value)


@given(ANYTHING)
def test_any_value_is_an_event_or_is_rejected(raw: object) -> None:
    refusal_of(raw)


@given(
    st.sampled_from([GRADE, QUERY]),
    st.dictionaries(FIELDS, ANYTHING),
    st.none() | SPANS,
    st.lists(FIELDS, max_size=2),
)
def test_any_change_of_a_good_event_is_an_event_or_is_rejected(
    good: dict[str, object], change: dict[str, object], spans: object, gone: list[str]
) -> None:
    raw = {k: v for k, v in {**good, **change, "spans": spans}.items() if k not in gone}
    reason = ""
    try:
        event = parse(raw)
    except JudgmentRejected as error:
        reason = str(error)
    if reason:
        assert len(reason) < 1_000
        return
    assert event.assessor == "ann"
    # what was accepted can be stored by every database
    repr(event).encode("utf-8")
    assert event.event_id
    assert event.query_id


def test_a_grade_is_read_with_its_evidence() -> None:
    raw = {
        **GRADE,
        "spans": [{**SPAN, "quote": "The"}],
        "note": "clear",
        "active_ms": 1500,
    }
    assert parse(raw) == GradeEvent(
        "e-1", "q-1", "c1", "ann", 2, (Span("d1", 0, 3),), ("The",), "clear", "", 1500
    )


def test_a_verdict_is_read_with_its_groups() -> None:
    raw = {**QUERY, "answer_groups": [["c1", "c2"], ["c3", "c4"]]}
    assert parse(raw) == QueryEvent("e-1", "q-1", "ann", True, (("c1", "c2"), ("c3", "c4")))


def test_who_sent_an_event_is_never_read_from_it() -> None:
    assert parse({**GRADE, "assessor": "someone else"}).assessor == "ann"


def test_a_group_is_a_set_whatever_its_order() -> None:
    one = parse({**QUERY, "answer_groups": [["c2", "c1", "c2"], ["c4", "c3"]]})
    two = parse({**QUERY, "answer_groups": [["c3", "c4"], ["c1", "c2"], ["c2", "c1"]]})
    assert one == two == a_query_event("e-1", ("c1", "c2"), ("c3", "c4"))


@pytest.mark.parametrize("grade", [True, False, 3, -1, 2.0, "2", [2], {}, float("nan")])
def test_a_grade_is_a_whole_number_of_the_scheme_or_null(grade: object) -> None:
    assert refusal_of({**GRADE, "grade": grade}).startswith("grade must be 2, 1, 0 or null")


def test_a_missing_grade_is_not_a_grade_taken_back() -> None:
    raw = {name: value for name, value in GRADE.items() if name != "grade"}
    assert refusal_of(raw) == "grade is missing; send 2, 1, 0 or null."
    event = parse({**GRADE, "grade": None})
    assert isinstance(event, GradeEvent)
    assert event.grade is None


@pytest.mark.parametrize("field", ["event_id", "type", "query_id", "chunk_id"])
@pytest.mark.parametrize("value", [None, "", 7, [], "x" * 5_000, "a\ud800", "a\x00"])
def test_an_id_is_a_text_that_every_database_can_hold(field: str, value: object) -> None:
    assert field in refusal_of({**GRADE, field: value})


@pytest.mark.parametrize("field", ["note", "cannot_judge"])
@pytest.mark.parametrize("value", ["x" * (MAX_NOTE_CHARS + 1), "half \udc00", "\x00", 5, ["x"]])
def test_a_note_is_a_text_that_every_database_can_hold(field: str, value: object) -> None:
    assert field in refusal_of({**GRADE, "grade": None, field: value})


@pytest.mark.parametrize("group", [["c1", "\ud800"], ["\x00"], [""], [], ["c1", 2], "c1", None])
def test_a_group_holds_ids(group: object) -> None:
    assert refusal_of({**QUERY, "answer_groups": [group]})


@pytest.mark.parametrize(
    "place", [(-1, 3), (3, 3), (4, 3), (0, 2**53), (0.0, 3), (True, 3), (None, 3), ("0", "3")]
)
def test_a_span_is_a_piece_of_text_from_0_on(place: tuple[object, object]) -> None:
    span = {"doc_id": "d1", "start": place[0], "end": place[1]}
    assert "0 <= start < end" in refusal_of({**GRADE, "spans": [span]})


@pytest.mark.parametrize("raw", [[1], "text", {"a": 1}, [SPAN] * (MAX_SPANS + 1)])
def test_spans_are_a_list_of_objects(raw: object) -> None:
    assert "span" in refusal_of({**GRADE, "spans": raw}).lower()


def test_quotes_go_with_every_span_or_with_none() -> None:
    spans = [{**SPAN, "quote": "The"}, {**SPAN, "start": 1}]
    assert refusal_of({**GRADE, "spans": spans}) == "Send a quote with every span or with none."


@pytest.mark.parametrize("has_answer", [0, 1, "true", [], 1.0])
def test_has_answer_is_a_truth_value_or_null(has_answer: object) -> None:
    assert refusal_of({**QUERY, "has_answer": has_answer}).startswith("has_answer must be")


def test_too_many_groups_are_refused() -> None:
    groups = [[f"c{n}", "x"] for n in range(MAX_GROUPS + 1)]
    assert f"at most {MAX_GROUPS} lists" in refusal_of({**QUERY, "answer_groups": groups})


def test_time_in_focus_is_cut_at_a_day() -> None:
    assert parse({**GRADE, "active_ms": 10**15}).active_ms == 86_400_000
    assert "active_ms" in refusal_of({**GRADE, "active_ms": -1})


def test_a_value_nested_without_end_is_rejected_not_a_crash() -> None:
    nested: object = "x"
    for _ in range(5_000):
        nested = [nested]
    for field in ("grade", "type", "chunk_id", "note", "active_ms", "spans"):
        assert refusal_of({**GRADE, field: nested})
    assert refusal_of({**QUERY, "has_answer": nested})


def test_a_long_value_is_not_repeated_whole() -> None:
    assert len(refusal_of({**GRADE, "grade": "x" * 100_000})) < 500
    assert len(refusal_of({**GRADE, "note": ["x"] * 100_000})) < 500


def test_a_grade_on_an_unknown_chunk_is_rejected() -> None:
    with pytest.raises(JudgmentRejected, match="no chunk 'c1'"):
        check_grade(a_grade_event(), chunk=None, texts=[])


def check(spans: tuple[Span, ...], texts: list[str | None], **event: object) -> None:
    chunk = a_chunk("c1", start=10, text="The pump runs.")
    check_grade(
        a_grade_event(spans=spans, **event),  # type: ignore[arg-type]
        chunk=chunk,
        texts=texts,
    )


def test_evidence_that_is_the_text_and_touches_the_chunk_is_accepted() -> None:
    check((Span("d1", 10, 13),), ["The"], quotes=("The",))
    check((Span("d1", 5, 11),), ["xxxx T"], grade=1)


@pytest.mark.parametrize(
    ("span", "text", "quotes", "reason"),
    [
        (Span("d1", 10, 13), None, (), "lies outside the corpus"),
        (Span("d1", 0, 10), "x" * 10, (), "does not touch chunk c1"),
        (Span("d1", 24, 25), "x", (), "does not touch chunk c1"),
        (Span("d2", 10, 13), "The", (), "does not touch chunk c1"),
        (Span("d1", 10, 13), "The", ("the",), "reads 'The', but the quote"),
    ],
)
def test_evidence_that_is_not_so_is_rejected(
    span: Span, text: str | None, quotes: tuple[str, ...], reason: str
) -> None:
    with pytest.raises(JudgmentRejected, match=reason):
        check((span,), [text], quotes=quotes)


@pytest.mark.parametrize("grade", [0, None])
def test_evidence_goes_with_a_grade_of_1_or_2(grade: object) -> None:
    with pytest.raises(JudgmentRejected, match="grade 1 or 2"):
        check((Span("d1", 10, 13),), ["The"], grade=grade)


def test_who_cannot_judge_gives_no_grade() -> None:
    with pytest.raises(JudgmentRejected, match="cannot_judge goes with grade null"):
        check((), [], grade=0, cannot_judge="not my field")
    check((), [], grade=None, cannot_judge="not my field")


def test_groups_name_known_chunks_and_go_with_an_answer() -> None:
    known = {"c1": a_chunk("c1"), "c2": a_chunk("c2")}
    check_verdict(a_query_event("e", ("c1", "c2")), known_chunk_ids=known)
    with pytest.raises(JudgmentRejected, match="no chunk 'c9'"):
        check_verdict(a_query_event("e", ("c1", "c9")), known_chunk_ids=known)
    for has_answer in (False, None):
        with pytest.raises(JudgmentRejected, match="has_answer true"):
            check_verdict(a_query_event("e", ("c1",), has_answer=has_answer), known_chunk_ids=known)


def test_an_event_survives_the_wire() -> None:
    raw = json.loads(json.dumps({**GRADE, "note": "保修\u2028\U0001f600"}))
    event = parse(raw)
    assert event.note == "保修\u2028\U0001f600"
