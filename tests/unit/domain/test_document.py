from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.document import Span, span_of
from tests.builders import a_chunk

SPANS = st.builds(
    lambda doc, start, length: Span(doc, start, start + length),
    st.sampled_from(["a", "b"]),
    st.integers(0, 12),
    st.integers(1, 6),
)


def characters(span: Span) -> set[tuple[str, int]]:
    return {(span.doc_id, place) for place in range(span.start, span.end)}


@given(SPANS, SPANS)
def test_spans_overlap_where_they_share_a_character(left: Span, right: Span) -> None:
    assert left.overlaps(right) == bool(characters(left) & characters(right))


@given(SPANS, SPANS)
def test_a_span_is_within_another_that_has_all_its_characters(left: Span, right: Span) -> None:
    assert left.within(right) == (characters(left) <= characters(right))


def test_spans_that_only_touch_share_nothing() -> None:
    assert not Span("a", 0, 3).overlaps(Span("a", 3, 6))
    assert not Span("a", 0, 3).overlaps(Span("b", 0, 3))


def test_the_span_of_a_chunk_is_its_place() -> None:
    assert span_of(a_chunk(start=4, text="pump", doc_id="d9")) == Span("d9", 4, 8)
