import json
from pathlib import Path

import pytest

from annotator.formats.records import FIELDS
from tests.a_version import write_version

yaml = pytest.importorskip("yaml", reason="comes with the hub's client")


@pytest.fixture
def card(tmp_path: Path) -> str:
    return (write_version(tmp_path / "v") / "README.md").read_text(encoding="utf-8")


def test_the_header_is_yaml_with_every_field_of_a_record(card: str) -> None:
    header = yaml.safe_load(card.split("---\n")[1])
    features = header["dataset_info"]["features"]
    assert [feature["name"] for feature in features] == list(FIELDS)
    assert header["license"] == "CC0-1.0"
    assert header["language"] == ["en", "zh"]
    assert header["configs"][0]["data_files"] == [
        {"split": "tuning", "path": "tuning.jsonl"},
        {"split": "test", "path": "test.jsonl"},
    ]
    # MTEB reads a config of that name as qrels
    assert all(config["config_name"] != "default" for config in header["configs"])


def test_the_card_says_how_many_there_are_of_each_kind(card: str) -> None:
    assert '# Lamp 灯: a "set" 1.0.0' in card
    assert "| queries | 3 | 2 |" in card
    assert "| with an answer | 2 | 1 |" in card
    assert "| without an answer | 1 | 1 |" in card
    assert "| answered only by several chunks together | 1 | 0 |" in card
    assert "4 chunks of 2 documents" in card
    assert "1 sampled queries are not settled yet" in card


def test_the_card_names_the_keys_under_which_scores_may_be_compared(tmp_path: Path) -> None:
    folder = write_version(tmp_path / "v")
    keys = json.loads((folder / "manifest.json").read_text())["comparability_key"]
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert f"- tuning `{keys['tuning']}`" in card
    assert f"- test `{keys['test']}`" in card


@pytest.mark.parametrize("name", list(FIELDS))
def test_the_card_explains_every_field(card: str, name: str) -> None:
    assert f"| `{name}` | {FIELDS[name][1]} |" in card
