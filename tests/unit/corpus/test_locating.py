from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.corpus.locating import locate
from annotator.domain.errors import InputError
from tests.builders import a_document


def test_chunks_are_found_one_behind_the_other() -> None:
    assert locate(a_document("one two three"), ["one", "two", "three"]) == [(0, 3), (4, 7), (8, 13)]


def test_repeated_text_goes_to_its_own_occurrence() -> None:
    text = "Note. First. Note. Second. Note."
    assert locate(a_document(text), ["Note.", "First.", "Note.", "Second.", "Note."]) == [
        (0, 5), (6, 12), (13, 18), (19, 26), (27, 32),
    ]  # fmt: skip


def test_text_that_stands_inside_the_chunk_before_goes_behind_it() -> None:
    assert locate(a_document("ab ab ab"), ["ab ab", "ab"]) == [(0, 5), (6, 8)]


def test_overlapping_windows_are_found() -> None:
    assert locate(a_document("abcdefghij"), ["abcdef", "defghi", "ghij"]) == [
        (0, 6), (3, 9), (6, 10),
    ]  # fmt: skip


def test_a_part_of_the_chunk_before_is_found_where_it_stands_nowhere_else() -> None:
    assert locate(a_document("alpha beta gamma"), ["alpha beta gamma", "beta"]) == [
        (0, 16), (6, 10),
    ]  # fmt: skip


def test_chunks_out_of_order_are_found_all_the_same() -> None:
    assert locate(a_document("one two three"), ["three", "one"]) == [(8, 13), (0, 3)]


def test_text_that_is_not_there_is_named_with_its_document() -> None:
    with pytest.raises(InputError, match=r"Chunk 2 of document 'd1' .* 'four'"):
        locate(a_document("one two three"), ["one", "four"])


def test_a_long_text_that_is_not_there_is_shortened() -> None:
    with pytest.raises(InputError) as caught:
        locate(a_document("short"), ["y" * 500])
    assert len(str(caught.value)) < 300


@given(st.lists(st.text("ab \n中", min_size=1, max_size=5), min_size=1, max_size=8))
def test_pieces_that_make_up_a_document_are_found_at_their_places(pieces: list[str]) -> None:
    ends = list(accumulate(len(piece) for piece in pieces))
    places = list(pairwise([0, *ends]))
    assert locate(a_document("".join(pieces)), pieces) == places


@given(st.permutations("abcdefghijklmnop"), st.integers(1, 8), st.integers(1, 8))
def test_windows_over_text_without_repeats_are_found_at_their_places(
    letters: list[str], size: int, step: int
) -> None:
    text = "".join(letters)
    places = [(start, min(start + size, 16)) for start in range(0, 16, step)]
    assert locate(a_document(text), [text[start:end] for start, end in places]) == places
