"""Guess a text's language from its script, for tokenizing, facets and `lang` attributes."""

import re

_KANA = re.compile(r"[\u3040-\u30ff]")
_HANGUL = re.compile(r"[\uac00-\ud7af]")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")
_ARABIC = re.compile(r"[\u0600-\u06ff]")


def has_han(text: str) -> bool:
    """Tell whether the text holds a Chinese character (also one used in Japanese)."""
    return _HAN.search(text) is not None


def guess_language(text: str, *, declared: tuple[str, ...] = ()) -> str:
    """Return a BCP 47 tag: by script, and among languages of one script the first declared.

    A Latin text is the first declared language that is written in Latin, else "en"; text without
    letters is the first declared language, else "und". One Han character counts as six Latin
    letters, since a Chinese question often holds an English product name.
    """
    if _KANA.search(text):
        return "ja"
    if _HANGUL.search(text):
        return "ko"
    han, latin = len(_HAN.findall(text)), len(_LATIN.findall(text))
    cyrillic, arabic = len(_CYRILLIC.findall(text)), len(_ARABIC.findall(text))
    best = max(6 * han, latin, cyrillic, arabic)
    if best == 0:
        return declared[0] if declared else "und"
    if best == 6 * han:
        return _first(declared, ("zh",), "zh")
    if best == cyrillic:
        return _first(declared, ("ru", "uk", "bg", "sr"), "ru")
    if best == arabic:
        return _first(declared, ("ar", "fa", "ur"), "ar")
    other = ("zh", "ja", "ko", "ru", "uk", "bg", "sr", "ar", "fa", "ur", "he", "th", "hi", "el")
    return next((lang for lang in declared if lang.split("-")[0] not in other), "en")


def _first(declared: tuple[str, ...], family: tuple[str, ...], default: str) -> str:
    return next((lang for lang in declared if lang.split("-")[0] in family), default)
