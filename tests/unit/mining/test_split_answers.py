import itertools

from hypothesis import given
from hypothesis import strategies as st

from annotator.corpus.identity import OffsetMap
from annotator.domain.document import Chunk, Span
from annotator.mining.split_answers import CutSpan, cut_spans
from tests.builders import a_document, chunks_between

TEXT = "One two three. Four five six. Seven."
#       0123456789012345678901234567890123456
FIRST, SECOND, THIRD = (0, 14), (15, 29), (30, 36)


def cuts(text: str, bounds: list[tuple[int, int]], *places: tuple[int, int]) -> list[CutSpan]:
    chunks = chunks_between(a_document(text), *bounds)
    spans = [Span("d1", start, end) for start, end in places]
    known = OffsetMap(chunks)
    return cut_spans(
        {span: known.chunks_at(span) for span in spans},
        texts={span: text[span.start : span.end] for span in spans},
    )


def test_a_span_in_one_chunk_is_not_cut() -> None:
    assert cuts(TEXT, [FIRST, SECOND, THIRD], (4, 7), (0, 14), (15, 29)) == []


def test_a_span_over_a_border_needs_both_chunks() -> None:
    found = cuts(TEXT, [FIRST, SECOND, THIRD], (8, 19))
    assert found == [CutSpan(Span("d1", 8, 19), ("c1", "c2"), True)]


def test_a_span_over_three_chunks_needs_all_three() -> None:
    found = cuts(TEXT, [FIRST, SECOND, THIRD], (8, 36))
    assert [cut.chunk_ids for cut in found] == [("c1", "c2", "c3")]


def test_a_span_that_an_overlapping_chunk_holds_is_not_cut() -> None:
    assert cuts(TEXT, [FIRST, (8, 22), SECOND], (9, 20)) == []


def test_of_overlapping_chunks_the_fewest_are_taken() -> None:
    found = cuts(TEXT, [(0, 13), (4, 20), (8, 29), (15, 36)], (2, 33))
    assert [cut.chunk_ids for cut in found] == [("c1", "c3", "c4")]


def test_characters_in_no_chunk_make_a_cut_incomplete() -> None:
    assert cuts(TEXT, [FIRST, THIRD], (8, 33)) == [CutSpan(Span("d1", 8, 33), ("c1", "c2"), False)]
    assert cuts(TEXT, [FIRST], (8, 33)) == [CutSpan(Span("d1", 8, 33), ("c1",), False)]


def test_a_span_in_no_chunk_is_no_cut() -> None:
    assert cuts(TEXT, [FIRST], (15, 20)) == []


def test_blanks_at_the_ends_of_a_selection_cut_nothing() -> None:
    # a double click takes the blank behind a word, a triple click the line end
    assert cuts(TEXT, [FIRST, SECOND, THIRD], (14, 29), (15, 30), (8, 15), (14, 30)) == []


def test_blanks_at_the_ends_need_no_chunk() -> None:
    # c1 takes a blank with it, which is all that it has of the span
    found = cuts(TEXT, [(0, 15), SECOND, THIRD], (14, 36))
    assert found == [CutSpan(Span("d1", 14, 36), ("c2", "c3"), True)]


def test_a_chunk_that_adds_only_blanks_is_not_taken() -> None:
    found = cuts(TEXT, [FIRST, (10, 15), SECOND], (8, 20))
    assert [cut.chunk_ids for cut in found] == [("c1", "c3")]


def test_a_span_whose_text_is_unknown_is_never_complete() -> None:
    chunks = chunks_between(a_document(TEXT), FIRST, THIRD)
    span = Span("d1", 8, 33)
    found = cut_spans({span: OffsetMap(chunks).chunks_at(span)}, texts={span: None})
    assert [cut.is_complete for cut in found] == [False]


def test_cuts_come_once_and_in_document_order() -> None:
    found = cuts(TEXT, [FIRST, SECOND, THIRD], (20, 33), (8, 19), (20, 33))
    assert [cut.span.start for cut in found] == [8, 20]


def covers(chunks: tuple[Chunk, ...], text: str, span: Span) -> bool:
    held = {place for chunk in chunks for place in range(chunk.start, chunk.end)}
    return all(p in held or text[p].isspace() for p in range(span.start, span.end))


@given(
    st.text("ab ", min_size=1, max_size=24),
    st.lists(st.tuples(st.integers(0, 23), st.integers(1, 12)), max_size=6),
    st.integers(0, 23),
    st.integers(1, 24),
)
def test_a_complete_cut_is_a_smallest_cover(
    text: str, places: list[tuple[int, int]], start: int, length: int
) -> None:
    bounds = [(s, min(s + n, len(text))) for s, n in places if s < len(text)]
    chunks = chunks_between(a_document(text), *bounds)
    span = Span("d1", min(start, len(text) - 1), min(start + length, len(text)))
    if span.start >= span.end:
        return
    found = cuts(text, bounds, (span.start, span.end))
    needed = next(
        (
            size
            for size in range(len(chunks) + 1)
            if any(covers(some, text, span) for some in itertools.combinations(chunks, size))
        ),
        None,
    )
    if needed is None:
        assert not any(cut.is_complete for cut in found)
    elif needed <= 1:
        assert found == []
    else:
        assert [(len(cut.chunk_ids), cut.is_complete) for cut in found] == [(needed, True)]
        by_id = {chunk.chunk_id: chunk for chunk in chunks}
        assert covers(tuple(by_id[c] for c in found[0].chunk_ids), text, span)
