import pytest

from annotator.text.language import guess_language, has_han


@pytest.mark.parametrize(
    ("text", "declared", "lang"),
    [
        ("how do i pay", (), "en"),
        ("wie zahle ich", ("de",), "de"),
        ("how do i pay", ("zh", "en"), "en"),
        ("如何开通 Apple Pay", ("en", "zh-Hant"), "zh-Hant"),
        ("如何开通", ("en",), "zh"),
        ("日本語のテスト", (), "ja"),
        ("한국어", (), "ko"),
        ("как оплатить", ("uk",), "uk"),
        ("كيف أدفع", (), "ar"),
        ("123", ("zh",), "zh"),
        ("123", (), "und"),
    ],
)
def test_the_language_follows_the_script_and_what_was_declared(
    text: str, declared: tuple[str, ...], lang: str
) -> None:
    assert guess_language(text, declared=declared) == lang


def test_kana_is_not_han() -> None:
    assert not has_han("テスト")
    assert has_han("日")
