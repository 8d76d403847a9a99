import codecs
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.errors import InputError
from annotator.formats.jsonl import read_objects, text_field, to_line, write_lines

ANY_TEXT = st.text(
    st.characters(categories=None)  # every code point, lone surrogates included
    | st.sampled_from(["\u2028", "\u2029", "\u0085", "\x00", "\x0b", "\x1c", "\ud800", "\udfff"])
).filter(lambda text: not re.search("[\ud800-\udbff][\udc00-\udfff]", text))  # JSON joins those
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=6,
)


def a_file(folder: Path, content: str | bytes) -> Path:
    path = folder / "some.jsonl"
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


def refusal_of(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        list(read_objects(path))
    message = str(caught.value)
    assert str(path) in message
    return message


@given(VALUES)
def test_a_line_is_one_line_for_every_reader_and_gives_the_value_back(value: object) -> None:
    line = to_line(value)  # type: ignore[arg-type]
    assert len(line.splitlines()) <= 1
    assert json.loads(line.encode("utf-8")) == value


@given(st.lists(st.dictionaries(ANY_TEXT, VALUES, max_size=3), max_size=4))
def test_objects_survive_a_file(
    tmp_path_factory: pytest.TempPathFactory, values: list[dict[str, object]]
) -> None:
    path = tmp_path_factory.mktemp("lines") / "some.jsonl"
    assert write_lines(path, values) == len(values)  # type: ignore[arg-type]
    assert path.read_bytes().count(b"\n") == len(values)
    assert [row for _, row in read_objects(path)] == values


def test_text_is_written_as_it_is_read() -> None:
    assert to_line({"b": "保修", "a": [1, None]}) == '{"b": "保修", "a": [1, null]}'


def test_a_number_that_json_does_not_have_is_never_written() -> None:
    with pytest.raises(ValueError):
        to_line({"a": float("nan")})


def test_blank_lines_and_a_byte_order_mark_are_passed_over(tmp_path: Path) -> None:
    path = a_file(tmp_path, codecs.BOM_UTF8 + b'\n {"a": 1}\r\n\t\n\n{"b": 2}')
    assert list(read_objects(path)) == [(2, {"a": 1}), (5, {"b": 2})]
    path = a_file(tmp_path, codecs.BOM_UTF8 + b'{"a": 1}\n')
    assert list(read_objects(path)) == [(1, {"a": 1})]


def test_lines_end_at_lf_alone(tmp_path: Path) -> None:
    path = a_file(tmp_path, '{"a": "x\u2028y\u0085z"}\r\n{"a": 2}\n')
    assert list(read_objects(path)) == [(1, {"a": "x\u2028y\u0085z"}), (2, {"a": 2})]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"a": }', "line 2: not JSON"),
        ('{"a": 1', "line 2: not JSON"),
        ("plain text", "line 2: not JSON"),
        ("[1]", "line 2: a JSON list"),
        ('"text"', "line 2: a JSON text"),
        ("null", "line 2: a JSON null"),
        ("true", "line 2: a JSON truth value"),
        ("12", "line 2: a JSON number"),
        (b'{"a": "\xb0\xe6"}', "line 2: not UTF-8 (byte 7 is 0xb0)"),
        ('{"a": ' + "9" * 5_000 + "}", "line 2: "),
        ('{"a": ' + "[" * 100_000, "line 2: "),
    ],
)
def test_a_broken_line_is_named_with_its_file(
    tmp_path: Path, line: str | bytes, reason: str
) -> None:
    raw = line if isinstance(line, bytes) else line.encode()
    assert reason in refusal_of(a_file(tmp_path, b'{"good": 1}\n' + raw + b"\n"))


def test_the_bad_byte_behind_a_byte_order_mark_is_named(tmp_path: Path) -> None:
    assert "0xb0" in refusal_of(a_file(tmp_path, codecs.BOM_UTF8 + b'{"a": "\xb0"}'))


def test_a_file_that_is_not_there_or_is_a_folder_is_named(tmp_path: Path) -> None:
    assert "does not exist" in refusal_of(tmp_path / "none.jsonl")
    assert "is a folder" in refusal_of(tmp_path)


def field(value: object, **options: str) -> str:
    row = {"id": value, "other": 1}
    return text_field(row, "id", path=Path("f.jsonl"), line=3, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "value", ["007", "1e5", "1E400", "2024-01-01", "", " a ", "null", "NaN", "保修", "a\u2028b"]
)
def test_a_text_stays_as_it_is(value: str) -> None:
    assert field(value) == value


@pytest.mark.parametrize("value", [7, 0, -1, 12345678901234567890123])
def test_a_whole_number_keeps_its_digits(value: int) -> None:
    assert field(value) == str(value)


@pytest.mark.parametrize("raw", ["1.10", "1e5", "12345678901234567.0", "NaN"])
def test_a_number_that_may_have_lost_digits_is_refused(raw: str) -> None:
    # 1.10 and 1.1 are two sections of a manual, and one number
    with pytest.raises(InputError, match=r"f\.jsonl, line 3: field 'id' .* quotes"):
        field(json.loads(raw))


@pytest.mark.parametrize(
    ("value", "kind"),
    [([], "list"), ({}, "object"), (True, "truth value"), (b"x", "bytes")],
)
def test_what_is_no_text_is_named_with_its_line(value: object, kind: str) -> None:
    with pytest.raises(InputError, match=f"f.jsonl, line 3: field 'id' is a {kind}, not a text"):
        field(value)


@pytest.mark.parametrize("value", ["half \ud800", "\udfff", "nul \x00"])
def test_a_text_that_no_database_can_store_is_refused(value: str) -> None:
    with pytest.raises(InputError, match=r"f\.jsonl, line 3: field 'id' holds") as caught:
        field(value)
    str(caught.value).encode("utf-8")


def test_a_missing_field_names_those_that_there_are() -> None:
    with pytest.raises(InputError, match=r"no field 'id'. The fields are: id, other"):
        field(None)
    assert field(None, default="x") == "x"


def test_a_failed_write_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = a_file(tmp_path, "before\n")
    with pytest.raises(ValueError):
        write_lines(path, [{"a": 1}, {"a": float("inf")}])
    assert path.read_text() == "before\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["some.jsonl"]
