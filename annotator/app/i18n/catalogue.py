"""Look up a label by key and language.

Both languages hold the same keys with the same placeholders, which a test checks; the keys that
begin with `judge.page.` go to the judge component as they are.
"""

from typing import Literal, TypeAlias

from annotator.app.i18n import en, zh

Language: TypeAlias = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")
NAMES: dict[Language, str] = {"en": "English", "zh": "中文"}
TEXTS: dict[Language, dict[str, str]] = {"en": en.TEXTS, "zh": zh.TEXTS}


def translate(language: Language, key: str, **values: str | int) -> str:
    """Return the label with its placeholders filled.

    Where the language has another form for a single thing, it stands under `key` + ".one" and is
    taken for n = 1. Raises KeyError for a key that the catalogue does not hold: a mistake of ours.
    """
    texts = TEXTS[language]
    single = texts.get(f"{key}.one") if values.get("n") in (1, "1") else None
    return (single or texts[key]).format(**values)


def section(language: Language, prefix: str) -> dict[str, str]:
    """Return the labels whose keys begin with `prefix`, under what follows it, unfilled."""
    return {
        key.removeprefix(prefix): text
        for key, text in TEXTS[language].items()
        if key.startswith(prefix)
    }
