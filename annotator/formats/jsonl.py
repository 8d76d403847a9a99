"""JSON lines: one value per line, read by LF alone, written so that every reader agrees."""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from annotator.atomic import atomic_file
from annotator.domain.errors import InputError
from annotator.domain.json import Json, JsonObject

# str.splitlines and some readers break lines at these; JSON allows them raw, so escape them
_LINE_BREAKS = {"\u2028": "\\u2028", "\u2029": "\\u2029", "\u0085": "\\u0085"}
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


def to_line(value: Json) -> str:
    """Return one line without its LF; keys stay in the order in which they stand.

    Lone surrogates are escaped, so that the line is always valid UTF-8.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(", ", ": "))
    for char, escape in _LINE_BREAKS.items():
        text = text.replace(char, escape)
    return _HALF_CHARACTER.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def write_lines(path: Path, values: Iterable[Json]) -> int:
    """Write the values, whole or not at all; return their number."""
    count = 0
    with (
        atomic_file(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="\n") as file,
    ):
        for value in values:
            file.write(to_line(value) + "\n")
            count += 1
    return count


def read_objects(path: Path) -> Iterator[tuple[int, JsonObject]]:
    """Yield (line number from 1, object) for each line that is not blank.

    Raises InputError naming file and line where a line is no JSON object or not UTF-8.
    """
    for number, raw in _raw_lines(path):
        try:
            value = json.loads(raw.decode("utf-8-sig" if number == 1 else "utf-8"))
        except UnicodeDecodeError as error:
            raise InputError(
                f"{path}, line {number}: not UTF-8 (byte {error.start} is "
                f"0x{error.object[error.start]:02x}). Save the file as UTF-8."
            ) from error
        except json.JSONDecodeError as error:
            raise InputError(
                f"{path}, line {number}: not JSON ({error.msg} at column {error.colno}). "
                "Each line must hold one JSON object."
            ) from error
        except ValueError as error:
            raise InputError(f"{path}, line {number}: a number is too long to be read.") from error
        except RecursionError as error:
            raise InputError(f"{path}, line {number}: nested too deeply to be read.") from error
        if not isinstance(value, dict):
            raise InputError(
                f"{path}, line {number}: a JSON {_kind(value)} stands where an object "
                '({"field": "value"}) belongs.'
            )
        yield number, value


def text_field(
    row: JsonObject, name: str, *, path: Path, line: int, default: str | None = None
) -> str:
    """Return a field as a string: whole numbers keep their digits, as ids are strings always.

    Raises InputError naming file, line and field where it is missing, null or no text, and where
    it cannot be kept to the letter: a number such as 1.10, NUL or half a character.
    """
    value = row.get(name)
    if value is None:
        if default is not None:
            return default
        there = ", ".join(row) or "none"
        raise InputError(f"{path}, line {line}: no field {name!r}. The fields are: {there}.")
    where = f"{path}, line {line}: field {name!r}"
    if isinstance(value, float):
        raise InputError(
            f"{where} is the number {value!r}, which may have lost digits (1.10 is read as 1.1). "
            "Write it in quotes."
        )
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InputError(f"{where} is a {_kind(value)}, not a text.")
    if isinstance(value, int):
        return str(value)
    if "\x00" in value or _HALF_CHARACTER.search(value):
        raise InputError(
            f"{where} holds NUL or half a character (a lone surrogate), which no database stores: "
            f"{value[:60]!a}. Remove it."
        )
    return value


def _raw_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, start=1):
                if raw.strip(b"\xef\xbb\xbf \t\r\n"):
                    yield number, raw
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist.") from error
    except IsADirectoryError as error:
        raise InputError(f"{path} is a folder, not a file.") from error
    except PermissionError as error:
        raise InputError(f"{path} may not be read: {error.strerror}.") from error


def _kind(value: object) -> str:
    names = {
        list: "list",
        dict: "object",
        str: "text",
        bool: "truth value",
        int: "number",
        float: "number",
        type(None): "null",
    }
    return names.get(type(value), type(value).__name__)  # Parquet has more types than JSON
