import re
import string
from pathlib import Path
from typing import get_args

import annotator.app
from annotator.app.i18n.catalogue import TEXTS, section, translate
from annotator.domain.judgment import QueryState

APP = Path(annotator.app.__file__).parent


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_both_languages_hold_the_same_keys() -> None:
    assert TEXTS["en"].keys() == TEXTS["zh"].keys()


def test_every_label_has_the_same_placeholders_in_both_languages() -> None:
    differing = [
        key
        for key, text in TEXTS["en"].items()
        if placeholders(text) != placeholders(TEXTS["zh"][key])
    ]
    assert differing == []


def test_no_label_is_empty() -> None:
    assert [
        key for texts in TEXTS.values() for key, text in texts.items() if not text.strip()
    ] == []


def test_every_key_that_a_screen_names_exists() -> None:
    named = {
        key
        for file in APP.rglob("*.py")
        for key in re.findall(r"""\bt\(\s*"([^"]+)\"""", file.read_text("utf-8"))
    }
    assert named
    assert sorted(named - TEXTS["en"].keys()) == []


def test_every_label_that_the_component_asks_for_exists() -> None:
    given = section("en", "judge.page.").keys() | {"keys", "all_keys"}
    asked = {
        key
        for file in (APP / "components").rglob("*.js")
        for key in re.findall(r"\bstrings\.(\w+)", file.read_text("utf-8"))
    }
    assert asked
    assert sorted(asked - given) == []


def test_every_state_of_a_query_has_a_name() -> None:
    assert [s for s in get_args(QueryState) if f"state.{s}" not in TEXTS["en"]] == []


def test_a_single_thing_takes_the_form_for_one() -> None:
    assert translate("en", "step.sample_done", n=1) == "1 query"
    assert translate("en", "step.sample_done", n=3) == "3 queries"
