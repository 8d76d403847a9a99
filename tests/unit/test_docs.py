"""The README describes every command, option, setting and field."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main
from pydantic import BaseModel

from annotator.cli.main import app
from annotator.formats.records import FIELDS
from annotator.settings import HttpRetriever, Settings

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
ALWAYS = {"--help", "--json"}


def commands() -> Iterator[tuple[str, object]]:
    """Yield every command with its full name."""
    root = typer.main.get_command(app)
    for name, command in root.commands.items():  # type: ignore[attr-defined]
        if hasattr(command, "commands"):
            for inner, sub in command.commands.items():
                yield f"{name} {inner}", sub
        else:
            yield name, command


COMMANDS = dict(commands())


def row_of(name: str) -> str:
    """Return the README's row about a command."""
    group, _, inner = name.partition(" ")
    for line in README.splitlines():
        if line.startswith(f"| `annotator {group}") and inner in line:
            return line
    return ""


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_stands_in_the_readme_with_its_options(name: str) -> None:
    row = row_of(name)
    assert row, f"the README has no row for annotator {name}"
    for parameter in COMMANDS[name].params:  # type: ignore[attr-defined]
        for option in parameter.opts:
            if option.startswith("--") and option not in ALWAYS and not name.startswith("jobs"):
                assert option in row, f"annotator {name}: {option} is not documented"


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_help_and_an_example(name: str) -> None:
    command = COMMANDS[name]
    assert command.help  # type: ignore[attr-defined]
    epilog = command.epilog or ""  # type: ignore[attr-defined]
    assert epilog.startswith("Example: annotator")
    assert f" {name.split()[-1]}" in epilog


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_speaks_json(name: str) -> None:
    options = [o for p in COMMANDS[name].params for o in p.opts]  # type: ignore[attr-defined]
    assert "--json" in options


def test_every_setting_stands_in_the_readme_with_its_default_and_meaning() -> None:
    for section, field in Settings.model_fields.items():
        kind = field.annotation
        if section == "retrievers":
            continue
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            for name, inner in kind.model_fields.items():
                assert f"| `{section}.{name}` |" in README
                assert str(inner.description) in README
        else:
            assert f"| `{section}` |" in README
    for name, inner in HttpRetriever.model_fields.items():
        if name != "type":
            assert f"| `{name}` |" in README
            assert str(inner.description) in README


def test_every_field_of_a_record_stands_in_the_readme() -> None:
    for name, (_, meaning) in FIELDS.items():
        assert f"| `{name}` | {meaning} |" in README


def test_every_file_that_the_readme_names_is_there() -> None:
    for path in re.findall(r"`((?:tests|scripts)/[\w/.]+)`", README):
        assert (ROOT / path).exists(), path
    for path in re.findall(r"\]\((\.github/[\w/.]+)\)", README):
        assert (ROOT / path).is_file(), path
