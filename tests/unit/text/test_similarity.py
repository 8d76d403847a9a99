from hypothesis import given
from hypothesis import strategies as st

from annotator.text.similarity import character_ngrams, ngram_jaccard


def test_the_ngrams_of_a_latin_text_have_three_characters() -> None:
    assert character_ngrams("Card?") == {"car", "ard"}


def test_the_ngrams_of_a_chinese_text_have_two_characters() -> None:
    assert character_ngrams("开通卡") == {"开通", "通卡"}


def test_a_text_shorter_than_n_is_its_own_ngram() -> None:
    assert character_ngrams("a") == {"a"}


def test_two_of_four_ngrams_shared_give_one_half() -> None:
    assert ngram_jaccard("abcde", "abcd") == 2 / 3  # abc bcd | cde
    assert ngram_jaccard("abcdx", "abcdy") == 2 / 4  # abc bcd | cdx cdy


def test_a_full_width_twin_is_the_same() -> None:
    assert ngram_jaccard("ＣＡＲＤ", "card") == 1.0


def test_texts_without_letters_are_alike_and_share_nothing_with_others() -> None:
    assert ngram_jaccard("?", "!") == 1.0
    assert ngram_jaccard("?", "card") == 0.0


@given(st.text(max_size=30), st.text(max_size=30))
def test_the_index_is_symmetric_and_between_none_and_all(left: str, right: str) -> None:
    assert ngram_jaccard(left, right) == ngram_jaccard(right, left)
    assert 0.0 <= ngram_jaccard(left, right) <= 1.0


@given(st.text(max_size=30))
def test_a_text_is_wholly_like_itself(text: str) -> None:
    assert ngram_jaccard(text, text) == 1.0
