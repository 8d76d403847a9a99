"""Rows of CSV and TSV files, each with the line on which it begins.

Uses the standard library's parser, which is exact about quoted line breaks, NUL and U+2028, in
strict mode: a quote that is not closed is an error, not the rest of the file in one field.
"""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from annotator.domain.errors import InputError
from annotator.formats.filetype import encoding_fault, require_text

if TYPE_CHECKING:
    from _csv import Reader


class LayoutError(InputError):
    """The rows do not fit the header under the way of quoting that was tried."""


def delimited_rows(path: Path, *, kind: str, quoted: bool) -> Iterator[tuple[int, list[str]]]:
    """Yield (line from 1, fields), first the header with its names stripped.

    `kind` is "CSV" or "TSV". A CSV whose header holds no comma but a semicolon or tab is taken to
    be separated by it, as Excel's exports are in many countries. `quoted` False takes double
    quotes as plain characters. Blank lines are left out; every row has as many fields as the
    header. Raises InputError, of the kind LayoutError where other quoting may help.
    """
    require_text(path, expected=kind)
    try:
        separator = "\t" if kind == "TSV" else _separator(path)
        with path.open(encoding="utf-8-sig", newline="") as text:
            quoting: Literal[0, 3] = 0 if quoted else 3  # csv.QUOTE_MINIMAL, csv.QUOTE_NONE
            rows = _parsed(
                path, csv.reader(text, delimiter=separator, quoting=quoting, strict=True)
            )
            header = [name.strip() for name in next(rows, (1, []))[1]]
            if not any(header):
                raise InputError(f"{path}, line 1: there is no header; name the columns there.")
            yield 1, header
            for line, fields in rows:
                if not fields:
                    continue
                if len(fields) != len(header):
                    raise LayoutError(
                        f"{path}, line {line}: {len(fields)} fields where the header has "
                        f"{len(header)}; put a text that holds the separator in double quotes."
                    )
                yield line, fields
    except UnicodeDecodeError as error:
        raise encoding_fault(path) from error


def _separator(path: Path) -> str:
    with path.open(encoding="utf-8-sig") as text:
        header = text.readline(1 << 16)
    return next((mark for mark in ",;\t" if mark in header), ",")


def _parsed(path: Path, reader: "Reader") -> Iterator[tuple[int, list[str]]]:
    while True:
        line = reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise LayoutError(
                f"{path}, line {line}: {error}; a double quote is not closed, or one inside a "
                "text is not doubled. Export the file again as CSV with quotes."
            ) from error
        yield line, fields
