"""Read the user's own chunks, and write the corpus: JSON lines and Parquet."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from annotator.domain.document import Chunk
from annotator.domain.errors import InputError
from annotator.domain.json import JsonObject
from annotator.formats.jsonl import read_objects, text_field, write_lines

_BLANK = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class RawChunk:
    """A chunk as it was read; `start` and `end` are both set or both None."""

    chunk_id: str
    doc_id: str
    text: str
    start: int | None
    end: int | None
    title: str | None
    origin: str


def read_chunks(path: Path) -> Iterator[RawChunk]:
    """Yield the chunks of a JSONL or Parquet file with chunk_id, doc_id and text.

    Raises InputError naming file and row where a field is missing, an id holds a blank (TREC
    files would break), or only one offset is given.
    """
    for line, row in _rows(path):
        origin = f"{path}, line {line}"
        chunk_id = text_field(row, "chunk_id", path=path, line=line)
        if not chunk_id or _BLANK.search(chunk_id):
            raise InputError(
                f"{origin}: chunk_id {chunk_id!r} is empty or holds a blank, which breaks the "
                "qrels files of every TREC tool. Use ids without blanks."
            )
        if row.get("doc_id") is None:
            raise InputError(
                f"{origin}: chunk {chunk_id!r} names no document (field doc_id). Labels are "
                "anchored to documents; add the id of the document it was cut from."
            )
        start, end = row.get("start"), row.get("end")
        if (start is None) != (end is None):
            raise InputError(f"{origin}: chunk {chunk_id!r} has only one of start and end.")
        title = text_field(row, "title", path=path, line=line, default="")
        yield RawChunk(
            chunk_id=chunk_id,
            doc_id=text_field(row, "doc_id", path=path, line=line),
            text=text_field(row, "text", path=path, line=line),
            start=_offset(start, "start", origin),
            end=_offset(end, "end", origin),
            title=title or None,
            origin=origin,
        )


def write_chunks(path: Path, chunks: Iterable[Chunk]) -> int:
    """Write {chunk_id, doc_id, start, end, text, title} per line; return the number of lines."""
    return write_lines(
        path,
        (
            {
                "chunk_id": chunk.chunk_id,
                "doc_id": chunk.doc_id,
                "start": chunk.start,
                "end": chunk.end,
                "text": chunk.text,
                "title": chunk.title,
            }
            for chunk in chunks
        ),
    )


def _rows(path: Path) -> Iterator[tuple[int, JsonObject]]:
    if path.suffix.lower() != ".parquet":
        yield from read_objects(path)
        return
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist.") from error
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} is not a Parquet file: {error}") from error
    line = 0
    for batch in file.iter_batches():
        for row in batch.to_pylist():
            line += 1
            yield line, row


def _offset(value: object, name: str, origin: str) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InputError(f"{origin}: {name} is {value!r}, not a whole number from 0.")
    return value
