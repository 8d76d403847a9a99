"""Read a query log: CSV, TSV, JSON Lines or Parquet into distinct strings with counts.

The file is streamed; what stays in memory is one entry per distinct string. Text formats are
read with the standard library's parsers: they are exact about quoted line breaks, NUL, U+2028
and leading zeros, and know the line of a fault. Reading a million rows costs about two hundredths
of what encoding their 100,000 distinct queries costs, so a faster parser would change nothing.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Literal, TypeAlias

from annotator.domain.errors import InputError
from annotator.domain.progress import Report, silent
from annotator.formats.delimited import LayoutError, delimited_rows
from annotator.formats.filetype import encoding_fault, require_file, require_parquet, require_text
from annotator.formats.jsonl import read_objects

QUERY_COLUMNS = ("query", "text", "question", "user_query", "q", "查询", "问题")
"""Names under which the query is looked for when none is given, in this order."""

MAX_CHARACTERS = 2000
"""A longer "query" is a pasted document; no retriever is tested by it."""

MAX_COUNT = 10**12

Refusal: TypeAlias = Literal["empty", "too_long", "not_text"]

_WHOLE = re.compile(r"\s*0*([1-9][0-9]{0,12})(?:\.0+)?\s*")
_STEP = "read log"
_REPORT_EVERY = 20_000

_Row: TypeAlias = tuple[object, object, int]
"""Query, count (1 without a count column), and line or row number for messages."""


@dataclass(frozen=True, slots=True)
class QueryLogFile:
    """What a log file held. `rows == kept_rows + sum(refused.values())`, all in log rows.

    `counts` maps each distinct raw string to its number of log rows; with a count column a line
    of the file stands for that many rows. `refused` counts rows by reason.
    """

    path: Path
    columns: tuple[str, ...]
    query_column: str
    counts: Mapping[str, int]
    refused: Mapping[Refusal, int]
    rows: int

    @property
    def kept_rows(self) -> int:
        """Number of log rows whose query was taken."""
        return self.rows - sum(self.refused.values())


def read_query_log(
    path: Path,
    *,
    query_column: str | None = None,
    count_column: str | None = None,
    report: Report = silent,
) -> QueryLogFile:
    """Read the log; the format follows the file's suffix, in any case.

    Queries are taken as they stand: "007" and "1e5" stay strings, nothing is trimmed. Refused
    are blank queries, those of more than `MAX_CHARACTERS` characters, and JSON values that are
    no string or hold half a surrogate pair. `report` counts bytes.

    Raises InputError for a file that is missing, empty, not what its name says, not UTF-8 or
    broken at some line; for a missing column; for a count that is no positive whole number; and
    if no row holds a usable query.
    """
    require_file(path)
    suffix = path.suffix.lower()
    if suffix in (".csv", ".tsv"):
        kind = suffix[1:].upper()
        try:
            return _read_table(path, kind, query_column, count_column, report, quoted=True)
        except LayoutError:
            # IANA's TSV knows no quotes, spreadsheets write them: whichever fits every line
            if kind != "TSV":
                raise
        return _read_table(path, kind, query_column, count_column, report, quoted=False)
    if suffix in (".jsonl", ".ndjson"):
        return _read_jsonl(path, query_column, count_column, report)
    if suffix in (".parquet", ".pq"):
        require_parquet(path)
        return _read_parquet(path, query_column, count_column, report)
    raise InputError(
        f"{path}: '{path.suffix or path.name}' is no known log format; "
        "use .csv, .tsv, .jsonl or .parquet."
    )


def _read_table(
    path: Path,
    kind: str,
    query_column: str | None,
    count_column: str | None,
    report: Report,
    *,
    quoted: bool,
) -> QueryLogFile:
    lines = delimited_rows(path, kind=kind, quoted=quoted)
    columns = tuple(next(lines)[1])
    query_at, count_at = _columns(path, columns, query_column, count_column)
    rows = (
        (fields[query_at], 1 if count_at is None else fields[count_at], line)
        for line, fields in lines
    )
    return _collect(path, columns, query_at, rows, report)


def _read_jsonl(
    path: Path, query_column: str | None, count_column: str | None, report: Report
) -> QueryLogFile:
    require_text(path, expected="JSON Lines")
    objects = read_objects(path)
    try:
        first = next(objects, None)
        if first is None:
            raise InputError(f"{path} holds no rows; export it again.")
        columns = tuple(first[1])
        query_at, count_at = _columns(path, columns, query_column, count_column)
        query, count = columns[query_at], None if count_at is None else columns[count_at]
        rows = (
            (item.get(query, ""), 1 if count is None else item.get(count), line)
            for line, item in chain((first,), objects)
        )
        return _collect(path, columns, query_at, rows, report)
    except InputError as error:
        if isinstance(error.__cause__, UnicodeDecodeError):
            raise encoding_fault(path) from error
        raise


def _read_parquet(
    path: Path, query_column: str | None, count_column: str | None, report: Report
) -> QueryLogFile:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            columns = tuple(file.schema_arrow.names)
            query_at, count_at = _columns(path, columns, query_column, count_column)
            wanted = [columns[query_at]] + ([columns[count_at]] if count_at is not None else [])
            kind = file.schema_arrow.field(columns[query_at]).type
            if pa.types.is_dictionary(kind):
                kind = kind.value_type
            if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
                raise InputError(
                    f"{path}: column '{columns[query_at]}' holds {kind}, not text; "
                    "name another column or write it as text."
                )

            def rows() -> Iterator[_Row]:
                row = 0
                for batch in file.iter_batches(batch_size=65_536, columns=wanted):
                    queries = batch.column(wanted[0]).to_pylist()
                    counts = (
                        [1] * len(queries)
                        if count_at is None
                        else batch.column(wanted[1]).to_pylist()
                    )
                    for query, count in zip(queries, counts, strict=True):
                        row += 1
                        yield "" if query is None else query, count, row

            return _collect(path, columns, query_at, rows(), report, place="row")
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise InputError(
            f"{path} cannot be read as Parquet ({str(error).splitlines()[0]}); export it again."
        ) from error


def _columns(
    path: Path, columns: Sequence[str], query: str | None, count: str | None
) -> tuple[int, int | None]:
    """Return the positions of the query and count columns."""
    there = ", ".join(f"'{name}'" for name in columns)
    if query is None:
        folded = [name.casefold() for name in columns]
        found = next((name for name in QUERY_COLUMNS if name in folded), None)
        if found is None:
            raise InputError(
                f"{path} has no column called {', '.join(QUERY_COLUMNS)}; it has {there}. "
                "Say which one holds the query."
            )
        query_at = folded.index(found)
        query = columns[query_at]
    for name in (query, count):
        if name is not None and name not in columns:
            raise InputError(f"{path} has no column '{name}'; it has {there}.")
        if name is not None and list(columns).count(name) > 1:
            raise InputError(f"{path} has two columns called '{name}'; rename one.")
    return list(columns).index(query), None if count is None else list(columns).index(count)


def _collect(
    path: Path,
    columns: tuple[str, ...],
    query_at: int,
    rows: Iterable[_Row],
    report: Report,
    *,
    place: str = "line",
) -> QueryLogFile:
    counts: dict[str, int] = {}
    refused: dict[Refusal, int] = {}
    total = 0
    for done, (query, raw_count, number) in enumerate(rows, 1):
        count = _whole(raw_count)
        if count is None:
            raise InputError(
                f"{path}, {place} {number}: the count {str(raw_count)!r:.40} is not a positive "
                "whole number; correct it or import without a count column."
            )
        total += count
        reason = _refusal(query)
        if reason is not None:
            refused[reason] = refused.get(reason, 0) + count
        elif isinstance(query, str):
            counts[query] = counts.get(query, 0) + count
        if done % _REPORT_EVERY == 0:
            report(_STEP, done, 0)
    if total == 0:
        raise InputError(f"{path} has a header but no rows; export it again.")
    if not counts:
        why = ", ".join(f"{reason.replace('_', ' ')}: {n}" for reason, n in refused.items())
        raise InputError(
            f"{path}: column '{columns[query_at]}' holds no usable query in {total} rows ({why}); "
            "name the column that holds the query."
        )
    report(_STEP, total, total)
    return QueryLogFile(path, columns, columns[query_at], counts, refused, total)


def _refusal(query: object) -> Refusal | None:
    if not isinstance(query, str):
        return "not_text"
    if len(query) > MAX_CHARACTERS:
        return "too_long"
    if not query or query.isspace():
        return "empty"
    if "\x00" in query:
        return "not_text"
    if not query.isascii() and any("\ud800" <= char <= "\udfff" for char in query):
        return "not_text"
    return None


def _whole(raw: object) -> int | None:
    """Return the count, or None if it is no whole number from 1 to `MAX_COUNT`."""
    if isinstance(raw, bool):
        return None
    if isinstance(raw, float):
        raw = int(raw) if raw.is_integer() else -1
    if isinstance(raw, str):
        match = _WHOLE.fullmatch(raw)
        raw = int(match[1]) if match else -1
    return raw if isinstance(raw, int) and 1 <= raw <= MAX_COUNT else None
