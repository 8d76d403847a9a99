import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from annotator.domain.errors import InputError
from annotator.formats.chunks import RawChunk, read_chunks, write_chunks
from tests.builders import a_chunk

GOOD: dict[str, object] = {"chunk_id": "c1", "doc_id": "d1", "text": "The pump."}


def a_file(folder: Path, *rows: dict[str, object]) -> Path:
    path = folder / "chunks.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_ids_stay_strings_and_places_are_optional(tmp_path: Path) -> None:
    path = a_file(
        tmp_path,
        {**GOOD, "chunk_id": "007", "doc_id": "1e5", "start": 3, "end": 12, "title": "T"},
        {**GOOD, "chunk_id": 7, "start": None},
    )
    assert list(read_chunks(path)) == [
        RawChunk("007", "1e5", "The pump.", 3, 12, "T", f"{path}, line 1"),
        RawChunk("7", "d1", "The pump.", None, None, None, f"{path}, line 2"),
    ]


def test_a_parquet_file_gives_the_same_as_lines(tmp_path: Path) -> None:
    path = tmp_path / "chunks.parquet"
    pq.write_table(
        pa.table(
            {
                "chunk_id": ["007", "c2"],
                "doc_id": pa.array(["d1", "d1"]).dictionary_encode(),
                "text": ["保修", "x"],
                "start": [0, None],
                "end": [2, None],
            }
        ),
        path,
    )
    assert [(c.chunk_id, c.doc_id, c.text, c.start, c.end) for c in read_chunks(path)] == [
        ("007", "d1", "保修", 0, 2),
        ("c2", "d1", "x", None, None),
    ]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"chunk_id": "a b"}, "holds a blank"),
        ({"chunk_id": "a\u3000b"}, "holds a blank"),
        ({"chunk_id": ""}, "is empty"),
        ({"chunk_id": None}, "no field 'chunk_id'"),
        ({"chunk_id": 1.5}, "field 'chunk_id'"),
        ({"doc_id": None}, "names no document"),
        ({"text": None}, "no field 'text'"),
        ({"start": 1}, "only one of start and end"),
        ({"end": 1}, "only one of start and end"),
        ({"start": -1, "end": 4}, "start is -1"),
        ({"start": 0, "end": "9"}, "end is '9'"),
        ({"start": True, "end": 9}, "start is True"),
        ({"start": 0.0, "end": 9}, "start is 0.0"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, change: dict[str, object], reason: str) -> None:
    path = a_file(tmp_path, GOOD, {**GOOD, **change})
    with pytest.raises(InputError) as caught:
        list(read_chunks(path))
    assert f"{path}, line 2" in str(caught.value)
    assert reason in str(caught.value)


def test_a_file_that_is_no_parquet_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "chunks.parquet"
    path.write_bytes(b"not parquet at all")
    with pytest.raises(InputError, match="is not a Parquet file"):
        list(read_chunks(path))
    with pytest.raises(InputError, match="does not exist"):
        list(read_chunks(tmp_path / "none.parquet"))


def test_what_is_written_can_be_read_back(tmp_path: Path) -> None:
    chunks = [a_chunk("c1", text="a\u2028b"), a_chunk("c2", start=20, text="保修\r\n期")]
    path = tmp_path / "out.jsonl"
    assert write_chunks(path, chunks) == 2
    assert [(c.chunk_id, c.doc_id, c.text, c.start, c.end) for c in read_chunks(path)] == [
        (c.chunk_id, c.doc_id, c.text, c.start, c.end) for c in chunks
    ]
