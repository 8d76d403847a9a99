import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.text.normalize import normalize
from annotator.text.tokens import guard_tokens, search_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("How do I use C++ and C#?", ["how", "do", "i", "use", "c++", "and", "c#"]),
        ("C++11", ["c++", "11"]),
        ("a+b", ["a", "b"]),
        ("version 3.5.", ["version", "3.5"]),
        ("1,000 rows", ["1000", "rows"]),
        ("1,2,3", ["1", "2", "3"]),
        ("max_rows", ["max_rows", "max", "rows"]),
        ("résumé", ["résumé"]),
        ("ＡＢＣ　１２３", ["abc", "123"]),
        ("テスト", ["テス", "スト"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("", []),
        ("?! …", []),
    ],
)
def test_search_tokens_are_words_and_numbers(text: str, tokens: list[str]) -> None:
    assert search_tokens(text) == tokens


def test_search_tokens_of_a_mixed_text_hold_chinese_words_and_english_ones() -> None:
    assert search_tokens("如何开通Apple Pay手机支付") == [
        "如何", "开通", "apple", "pay", "手机", "支付",
    ]  # fmt: skip


def test_a_long_chinese_word_gives_the_words_inside_it_too() -> None:
    tokens = search_tokens("中华人民共和国")
    assert "中华人民共和国" in tokens
    assert "共和国" in tokens


@given(st.text(alphabet=st.characters(max_codepoint=0x2FFF), max_size=30))
def test_no_search_token_is_blank_or_holds_a_blank(text: str) -> None:
    assert all(token and not any(c.isspace() for c in token) for token in search_tokens(text))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("iphone15 pro", ["iphone", "15", "pro"]),
        ("i don't", ["i", "do", "not"]),
        ("i dont", ["i", "do", "not"]),
        ("i don\u2019t", ["i", "do", "not"]),
        ("can't", ["can", "not"]),
        ("cannot", ["can", "not"]),
        ("what's it's", ["what", "is", "it", "is"]),
        ("peter's card", ["peters", "card"]),
        ("below -5", ["below", "-", "5"]),
        ("2020-2021", ["2020", "2021"]),
        ("5% of 10,000.50", ["5", "%", "of", "10000.50"]),
        ("a != b", ["a", "!", "=", "b"]),
        ("c++", ["c", "+", "+"]),
        ("不能开通", ["不", "能", "开", "通"]),
        ("用apple pay吗", ["用", "apple", "pay", "吗"]),
    ],
)
def test_guard_tokens_keep_what_can_make_a_difference(text: str, tokens: list[str]) -> None:
    assert guard_tokens(text) == tokens


@given(st.text(max_size=40))
def test_guard_tokens_keep_every_digit(text: str) -> None:
    def digits(line: str) -> list[str]:
        return [c for c in line if unicodedata.category(c) == "Nd"]

    normalized = normalize(text)
    assert digits("".join(guard_tokens(normalized))) == digits(normalized)
