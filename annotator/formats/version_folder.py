"""The folder of one version: write its files, check them byte by byte, read them back.

The layout is the export contract. Equal content gives equal bytes: UTF-8, LF, keys in fixed
order, lines sorted by id, no times in label files.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from annotator.domain.document import Chunk, Document
from annotator.domain.errors import VerificationError
from annotator.domain.json import Json, JsonObject
from annotator.domain.release import SPLITS, Record, Split
from annotator.formats.jsonl import read_objects, to_line
from annotator.formats.records import read_records, record_schema, record_to_json

SUMS_FILE = "SHA256SUMS"
MANIFEST_FILE = "manifest.json"
_DESCRIPTIVE = {MANIFEST_FILE, SUMS_FILE, "config.snapshot.json", "diff.json", "README.md"}
"""Files that may differ between two versions with the same content."""


@dataclass(frozen=True, slots=True)
class OpenQuery:
    """A sampled query that is not in the splits, and why."""

    query_id: str
    query: str
    state: str
    bucket: str
    stratum: str
    frequency: int
    unjudged: int


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file of a version; `rows` is None where lines have no meaning."""

    path: str
    bytes: int
    rows: int | None
    sha256: str


@dataclass(frozen=True, slots=True)
class Version:
    """A version as it was read back; `chunk_ids` are those of its corpus."""

    folder: Path
    manifest: JsonObject
    records: dict[Split, list[Record]]
    chunk_ids: tuple[str, ...]


def write_data_files(
    folder: Path,
    *,
    records: Sequence[Record],
    open_queries: Sequence[OpenQuery],
    documents: Sequence[Document],
    chunks: Sequence[Chunk],
    text_hashes: Mapping[str, str],
) -> None:
    """Write everything but what describes the version; `text_hashes` by chunk id, SHA-256."""
    ordered = sorted(records, key=lambda record: record.query_id)
    for split in SPLITS:
        mine = [record for record in ordered if record.split == split]
        _write(folder / f"{split}.jsonl", [to_line(record_to_json(record)) for record in mine])
        _write_qrels(folder, split, mine)
        _write(
            folder / "trec" / f"topics.{split}.tsv",
            [f"{record.query_id}\t{_one_line(record.query)}" for record in mine],
        )
    _write(
        folder / "open.jsonl",
        [
            to_line(
                {
                    "query_id": query.query_id,
                    "query": query.query,
                    "state": query.state,
                    "bucket": query.bucket,
                    "stratum": query.stratum,
                    "frequency": query.frequency,
                    "unjudged": query.unjudged,
                }
            )
            for query in sorted(open_queries, key=lambda query: query.query_id)
        ],
    )
    _write(
        folder / "corpus.jsonl",
        [
            to_line(
                {
                    "_id": chunk.chunk_id,
                    "title": chunk.title,
                    "text": chunk.text,
                    "metadata": {
                        "doc_id": chunk.doc_id,
                        "start": chunk.start,
                        "end": chunk.end,
                        "index": chunk.index,
                        "text_sha256": text_hashes[chunk.chunk_id],
                    },
                }
            )
            for chunk in sorted(chunks, key=lambda chunk: chunk.chunk_id)
        ],
    )
    _write(
        folder / "documents.jsonl",
        [
            to_line(
                {
                    "doc_id": document.doc_id,
                    "title": document.title,
                    "uri": document.uri,
                    "lang": document.lang,
                    "chars": len(document.text),
                    "sha256": document.sha256,
                }
            )
            for document in sorted(documents, key=lambda document: document.doc_id)
        ],
    )
    _write(
        folder / "queries.jsonl",
        [
            to_line(
                {
                    "_id": record.query_id,
                    "text": record.query,
                    "metadata": {
                        "split": record.split,
                        "has_answer": record.has_answer,
                        "bucket": record.bucket.id,
                    },
                }
            )
            for record in ordered
        ],
    )
    write_json(folder / "record.schema.json", record_schema())


def write_json(path: Path, value: Json) -> None:
    """Write one indented JSON value with a final LF."""
    text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def file_entries(folder: Path) -> list[FileEntry]:
    """Return every file of the folder by path."""
    entries = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            raw = path.read_bytes()
            name = path.relative_to(folder).as_posix()
            has_rows = path.suffix in (".jsonl", ".tsv", ".txt")
            rows = raw.count(b"\n") - (
                1 if name.startswith("qrels/") and path.suffix == ".tsv" else 0
            )
            digest = hashlib.sha256(raw).hexdigest()
            entries.append(FileEntry(name, len(raw), rows if has_rows else None, digest))
    return sorted(entries, key=lambda entry: entry.path)


def content_sha256(entries: Sequence[FileEntry], *, about: Sequence[str]) -> str:
    """Return one hash over the data files and what the data card says of them in general.

    Equal for two versions that need not be told apart; `about` holds title, licence, languages.
    """
    lines = [f"{e.sha256}  {e.path}\n" for e in entries if e.path not in _DESCRIPTIVE]
    return hashlib.sha256("".join([*lines, *(f"{part}\n" for part in about)]).encode()).hexdigest()


def write_sums(folder: Path) -> None:
    """Write SHA256SUMS over every other file, in the format of `sha256sum -c`."""
    (folder / SUMS_FILE).write_text(_sums(file_entries(folder)), encoding="utf-8", newline="\n")


def verify_folder(folder: Path) -> list[str]:
    """Return one sentence per difference between the folder and what was released, [] if none.

    Any changed, missing or added byte is found: SHA256SUMS must be exactly what it would be now,
    and the manifest must list every other file with its size and hash.
    Raises VerificationError where the folder is no version at all.
    """
    if not (folder / SUMS_FILE).is_file() or not (folder / MANIFEST_FILE).is_file():
        raise VerificationError(
            f"{folder} is no version: it lacks {SUMS_FILE} or {MANIFEST_FILE}. Name the folder "
            "of one version, such as datasets/NAME/1.0.0."
        )
    problems = [
        f"{path.relative_to(folder).as_posix()} is a link or no regular file."
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or not (path.is_file() or path.is_dir())
    ]
    entries = {entry.path: entry for entry in file_entries(folder)}
    sums = (folder / SUMS_FILE).read_bytes().decode("utf-8", "replace")
    listed = {}
    for line in sums.splitlines():
        digest, _, name = line.partition("  ")
        listed[name] = digest
    for name, digest in listed.items():
        if name not in entries:
            problems.append(f"{name} is missing.")
        elif entries[name].sha256 != digest:
            problems.append(f"{name} was changed: its SHA-256 is not the released one.")
    problems.extend(
        f"{name} was added: {SUMS_FILE} does not list it."
        for name in entries
        if name not in listed and name != SUMS_FILE
    )
    if not problems and sums != _sums(list(entries.values())):
        problems.append(f"{SUMS_FILE} itself was changed.")
    problems.extend(_manifest_problems(folder, entries))
    return problems


def read_version(folder: Path) -> Version:
    """Read a version after checking every byte. Raises VerificationError where one differs."""
    problems = verify_folder(folder)
    if problems:
        raise VerificationError(
            f"{folder} is not what was released: {problems[0]} "
            f"({len(problems)} findings; see: annotator verify {folder})"
        )
    return Version(
        folder=folder,
        manifest=json.loads((folder / MANIFEST_FILE).read_text(encoding="utf-8")),
        records={split: read_records(folder / f"{split}.jsonl") for split in SPLITS},
        chunk_ids=tuple(str(row["_id"]) for _, row in read_objects(folder / "corpus.jsonl")),
    )


def _manifest_problems(folder: Path, entries: Mapping[str, FileEntry]) -> list[str]:
    try:
        manifest = json.loads((folder / MANIFEST_FILE).read_text(encoding="utf-8"))
        files = {file["path"]: (file["bytes"], file["sha256"]) for file in manifest["files"]}
    except (ValueError, KeyError, TypeError):
        return [f"{MANIFEST_FILE} cannot be read."]
    now = {
        entry.path: (entry.bytes, entry.sha256)
        for entry in entries.values()
        if entry.path not in (MANIFEST_FILE, SUMS_FILE)
    }
    different = sorted(n for n in {*files, *now} if files.get(n) != now.get(n))
    return [f"{MANIFEST_FILE} does not fit {name}." for name in different]


def _write_qrels(folder: Path, split: Split, records: Sequence[Record]) -> None:
    """Write judgments of queries with an answer; one without is averaged as 0 by every library."""
    rows = [
        (record.query_id, graded.chunk_id, int(graded.grade))
        for record in records
        if record.has_answer
        for graded in sorted(record.graded, key=lambda graded: graded.chunk_id)
    ]
    tsv = ["query-id\tcorpus-id\tscore", *(f"{q}\t{c}\t{grade}" for q, c, grade in rows)]
    _write(folder / "qrels" / f"{split}.tsv", tsv)
    _write(
        folder / "qrels" / f"{split}.jsonl",
        [to_line({"query-id": q, "corpus-id": c, "score": grade}) for q, c, grade in rows],
    )
    _write(folder / "trec" / f"qrels.{split}.txt", [f"{q} 0 {c} {grade}" for q, c, grade in rows])


def _write(path: Path, lines: Sequence[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(line + "\n" for line in lines)


def _sums(entries: Sequence[FileEntry]) -> str:
    return "".join(f"{e.sha256}  {e.path}\n" for e in entries if e.path != SUMS_FILE)


def _one_line(text: str) -> str:
    return " ".join(text.split())
