import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.text.normalize import normalize, query_id, stable_hash


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("  How do I\n pay? ", "how do i pay"),
        ("ＡＰＰＬＥ　ＰＡＹ", "apple pay"),
        ("“Straße”", "strasse"),
        ("\ufeffcard\u200b s\x00", "card s"),
        ("line\u2028two", "line two"),
        ("C++", "c++"),
        ("(5%)", "5%"),
        ("如何开通？", "如何开通"),
        ("ﬁne", "fine"),
        ("?!…", ""),
        ("😀", ""),
        ("", ""),
        ("<+>", ""),
        ("card ❤\ufe0f", "card"),
        ("e\u200b\u0301t\u00e9", "été"),
    ],
)
def test_typing_differences_are_folded(text: str, normal: str) -> None:
    assert normalize(text) == normal


@given(st.text(max_size=60))
def test_normalizing_twice_changes_nothing(text: str) -> None:
    assert normalize(normalize(text)) == normalize(text)


@given(st.text(max_size=60))
def test_a_normal_form_without_letter_or_digit_is_empty(text: str) -> None:
    normal = normalize(text)
    assert normal == "" or any(unicodedata.category(c)[0] in "LN" for c in normal)


def test_a_query_id_has_sixteen_hex_digits_and_stays_the_same() -> None:
    assert query_id("how do i pay") == query_id(normalize("How do I pay?"))
    assert len(query_id("x")) == len("q-") + 16


def test_the_hash_keeps_its_parts_apart() -> None:
    assert stable_hash("ab", "c") != stable_hash("a", "bc")
