import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotator.domain.errors import VerificationError
from annotator.formats.version_folder import (
    MANIFEST_FILE,
    SUMS_FILE,
    content_sha256,
    file_entries,
    read_version,
    verify_folder,
    write_json,
    write_sums,
)
from tests.a_version import CHUNKS, DOCUMENTS, RECORDS, write_version


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_version(tmp_path / "1.0.0")


def content(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def lines(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    assert text.endswith("\n") or not text
    return text.split("\n")[:-1]


def test_equal_content_gives_equal_bytes_in_any_order(folder: Path, tmp_path: Path) -> None:
    for number in range(3):
        parts = [list(RECORDS), list(DOCUMENTS), list(CHUNKS)]
        for part in parts:
            Random(number).shuffle(part)
        records, documents, chunks = parts
        other = write_version(
            tmp_path / str(number), records=records, documents=documents, chunks=chunks
        )
        assert content(other) == content(folder)


def test_the_files_are_those_of_the_contract(folder: Path) -> None:
    assert sorted(content(folder)) == [
        *("README.md", "SHA256SUMS", "config.snapshot.json", "corpus.jsonl", "diff.json"),
        *("documents.jsonl", "manifest.json", "open.jsonl"),
        *("qrels/test.jsonl", "qrels/test.tsv", "qrels/tuning.jsonl", "qrels/tuning.tsv"),
        *("queries.jsonl", "record.schema.json", "test.jsonl"),
        *("trec/qrels.test.txt", "trec/qrels.tuning.txt"),
        *("trec/topics.test.tsv", "trec/topics.tuning.tsv", "tuning.jsonl"),
    ]


def test_lines_end_with_lf_and_stand_by_id(folder: Path) -> None:
    for name, raw in content(folder).items():
        assert b"\r" not in raw, name
        assert raw.endswith(b"\n"), name
    for name, key in [("tuning.jsonl", "query_id"), ("corpus.jsonl", "_id")]:
        ids = [json.loads(line)[key] for line in lines(folder / name)]
        assert ids == sorted(ids)


def test_qrels_hold_every_judged_chunk_of_queries_with_an_answer(folder: Path) -> None:
    assert lines(folder / "qrels" / "tuning.tsv") == [
        "query-id\tcorpus-id\tscore",
        "q-how-long\t007\t1",
        "q-how-long\tc-en-1\t2",
        "q-how-long\tc-zh-1\t0",
        "q-zh\t007\t0",
        "q-zh\t1e5\t1",
        "q-zh\tc-zh-1\t1",
    ]
    assert lines(folder / "trec" / "qrels.test.txt") == ["q-test 0 1e5 2", "q-test 0 c-en-1 0"]


def test_a_topic_is_one_line_whatever_the_query_holds(folder: Path) -> None:
    assert lines(folder / "trec" / "topics.tuning.tsv") == [
        "q-how-long\tHow long is the warranty?",
        "q-none\tDoes it fly?",
        "q-zh\t注册后保修 多久？",
    ]


def test_a_chunk_is_the_text_of_its_document_at_its_place(folder: Path) -> None:
    texts = {document.doc_id: document.text for document in DOCUMENTS}
    for line in lines(folder / "corpus.jsonl"):
        row = json.loads(line)
        place = row["metadata"]
        assert texts[place["doc_id"]][place["start"] : place["end"]] == row["text"]
        assert place["text_sha256"] == hashlib.sha256(row["text"].encode()).hexdigest()


def test_what_was_written_is_read_back(folder: Path) -> None:
    version = read_version(folder)
    wanted = sorted(RECORDS, key=lambda record: record.query_id)
    assert version.records["tuning"] == [r for r in wanted if r.split == "tuning"]
    assert version.records["test"] == [r for r in wanted if r.split == "test"]
    assert version.chunk_ids == ("007", "1e5", "c-en-1", "c-zh-1")
    assert version.manifest["version"] == "1.0.0"


def test_the_manifest_counts_bytes_and_rows_of_every_other_file(folder: Path) -> None:
    files = content(folder)
    manifest = json.loads(files.pop(MANIFEST_FILE))
    files.pop(SUMS_FILE)
    assert {entry["path"]: entry["bytes"] for entry in manifest["files"]} == {
        name: len(raw) for name, raw in files.items()
    }
    rows = {entry["path"]: entry["rows"] for entry in manifest["files"]}
    assert (rows["tuning.jsonl"], rows["test.jsonl"], rows["corpus.jsonl"]) == (3, 2, 4)
    assert (rows["qrels/tuning.tsv"], rows["qrels/tuning.jsonl"]) == (6, 6)
    assert rows["README.md"] is None


def test_a_version_as_it_was_released_has_no_problems(folder: Path) -> None:
    assert verify_folder(folder) == []


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="needs the program sha256sum")
def test_sha256sum_accepts_the_sums(folder: Path) -> None:
    subprocess.run(["sha256sum", "--quiet", "-c", SUMS_FILE], cwd=folder, check=True)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_single_changed_byte_is_found(folder: Path, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(content(folder))))
    path = folder / name
    raw = path.read_bytes()
    place = data.draw(st.integers(0, len(raw) - 1))
    other = data.draw(st.integers(0, 255).filter(lambda byte: byte != raw[place]))
    path.write_bytes(raw[:place] + bytes([other]) + raw[place + 1 :])
    try:
        problems = verify_folder(folder)
        assert problems
        assert any(name in problem for problem in problems) or name == SUMS_FILE
        with pytest.raises(VerificationError, match="is not what was released"):
            read_version(folder)
    finally:
        path.write_bytes(raw)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_cut_or_growth_is_found(folder: Path, data: st.DataObject) -> None:
    path = folder / data.draw(st.sampled_from(sorted(content(folder))))
    raw = path.read_bytes()
    path.write_bytes(raw[: data.draw(st.integers(0, len(raw) - 1))])
    cut = verify_folder(folder)
    path.write_bytes(raw + data.draw(st.sampled_from([b"\n", b"x", b"\x00", b" "])))
    grown = verify_folder(folder)
    path.write_bytes(raw)
    assert cut
    assert grown


@pytest.mark.parametrize("name", ["tuning.jsonl", "qrels/test.tsv", "README.md"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    assert f"{name} is missing." in verify_folder(folder)


@pytest.mark.parametrize("name", ["extra.txt", "qrels/extra.tsv", ".hidden", "deep/er/file"])
def test_an_added_file_is_named(folder: Path, name: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("x")
    assert any(problem.startswith(f"{name} was added") for problem in verify_folder(folder))


def test_a_link_to_the_same_content_is_no_file_of_the_version(folder: Path, tmp_path: Path) -> None:
    shutil.move(folder / "test.jsonl", tmp_path / "test.jsonl")
    (folder / "test.jsonl").symlink_to(tmp_path / "test.jsonl")
    assert "test.jsonl is a link or no regular file." in verify_folder(folder)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
def test_a_pipe_is_no_file_of_the_version(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    assert "pipe is a link or no regular file." in verify_folder(folder)


def test_a_link_to_a_folder_is_found(folder: Path, tmp_path: Path) -> None:
    (folder / "linked").symlink_to(tmp_path)
    assert "linked is a link or no regular file." in verify_folder(folder)


def test_sums_made_anew_do_not_hide_a_change(folder: Path) -> None:
    raw = (folder / "test.jsonl").read_bytes()
    (folder / "test.jsonl").write_bytes(raw.replace(b"head", b"tail"))
    write_sums(folder)
    assert verify_folder(folder) == ["manifest.json does not fit test.jsonl."]


@pytest.mark.parametrize(
    "sums",
    [
        lambda text: "\n".join(reversed(text.splitlines())) + "\n",
        lambda text: text + "\n",
        lambda text: text + text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.upper(),
    ],
)
def test_sums_in_another_form_are_not_the_released_ones(folder: Path, sums: object) -> None:
    path = folder / SUMS_FILE
    path.write_text(sums(path.read_text()), newline="")  # type: ignore[operator]
    assert verify_folder(folder)


@pytest.mark.parametrize(
    "manifest", [b"", b"[]", b"{}", b"\xff", b'{"files": 5}', b'{"files": [1]}', b'{"files": null}']
)
def test_a_manifest_that_cannot_be_read_is_a_problem(folder: Path, manifest: bytes) -> None:
    (folder / MANIFEST_FILE).write_bytes(manifest)
    write_sums(folder)
    assert "manifest.json cannot be read." in verify_folder(folder)


@pytest.mark.parametrize("name", [SUMS_FILE, MANIFEST_FILE])
def test_a_folder_without_sums_or_manifest_is_no_version(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(VerificationError, match="is no version"):
        verify_folder(folder)


def test_the_content_hash_hangs_on_the_data_and_what_is_said_of_it(folder: Path) -> None:
    def now(*about: str) -> str:
        return content_sha256(file_entries(folder), about=about)

    before = now("Lamp", "CC0-1.0")
    write_json(folder / "config.snapshot.json", {"other": 1})
    (folder / "README.md").write_text("other")
    assert now("Lamp", "CC0-1.0") == before
    assert now("Lamp", "MIT") != before
    (folder / "open.jsonl").write_text("")
    assert now("Lamp", "CC0-1.0") != before
