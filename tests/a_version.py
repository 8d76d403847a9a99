"""A small version in English and Chinese, written by the product's own writer."""

from collections.abc import Sequence
from pathlib import Path

from annotator.corpus.identity import corpus_sha256, text_sha256
from annotator.domain.document import Chunk, Document, Span
from annotator.domain.query import Label
from annotator.domain.release import AnswerSpan, Record
from annotator.formats.datacard import data_card
from annotator.formats.version_folder import (
    MANIFEST_FILE,
    OpenQuery,
    content_sha256,
    file_entries,
    write_data_files,
    write_json,
    write_sums,
)
from annotator.release.manifest import VersionFacts, count_version, make_manifest
from annotator.release.versioning import version_keys
from tests.builders import a_document, a_record, chunks_between

GAINS = {1: 1, 2: 3}
PUMP = a_document(
    "The warranty lasts two years. Register online\u2028and it lasts three.", doc_id="pump"
)
PUMP_ZH = a_document("保修期为两年。网上注册后延长至三年。\u0085完", doc_id="泵/保修.md")
DOCUMENTS = [PUMP, PUMP_ZH]
EN, ZH = chunks_between(PUMP, (0, 29), (30, 67)), chunks_between(PUMP_ZH, (0, 7), (7, 20))
CHUNKS = [
    Chunk(chunk_id, c.doc_id, c.start, c.end, c.text, c.title, c.index)
    for chunk_id, c in zip(["c-en-1", "007", "c-zh-1", "1e5"], [*EN, *ZH], strict=True)
]
RECORDS = [
    a_record(
        "q-how-long",
        query="How long is the\u2028warranty?",
        grades={"c-en-1": 2, "007": 1, "c-zh-1": 0},
        negatives=["c-zh-1"],
        spans=[AnswerSpan(Span("pump", 19, 28), "two years")],
        reference_answer="Two years.",
    ),
    a_record(
        "q-zh",
        query="注册后保修\t多久？",
        grades={"c-zh-1": 1, "1e5": 1, "007": 0},
        groups=[("c-zh-1", "1e5")],
        negatives=["007"],
        lang="zh",
        inclusion_probability=None,
        bucket=Label("b-2", "保修"),
    ),
    a_record("q-none", query="Does it fly?", grades={"c-en-1": 0, "c-zh-1": 0}, stratum="tail"),
    a_record("q-test", query="网上注册", grades={"1e5": 2, "c-en-1": 0}, split="test", lang="zh"),
    a_record("q-none-test", query="Is it blue?", grades={"007": 0}, split="test"),
]
OPEN = [OpenQuery("q-open", "And then?", "disputed", "b-1", "head", 3, 1)]


def write_version(
    folder: Path,
    *,
    records: Sequence[Record] = RECORDS,
    documents: Sequence[Document] = DOCUMENTS,
    chunks: Sequence[Chunk] = CHUNKS,
    open_queries: Sequence[OpenQuery] = OPEN,
) -> Path:
    """Write a whole version as a release does; return the folder."""
    hashes = {document.doc_id: document.sha256 for document in documents}
    corpus = corpus_sha256(chunks, hashes)
    folder.mkdir(parents=True)
    write_data_files(
        folder,
        records=records,
        open_queries=open_queries,
        documents=documents,
        chunks=chunks,
        text_hashes={chunk.chunk_id: text_sha256(chunk.text) for chunk in chunks},
    )
    manifest = make_manifest(
        VersionFacts(
            name="lamp",
            title='Lamp 灯: a "set"',
            version="1.0.0",
            parent=None,
            created_at="2026-01-01T00:00:00.000+00:00",
            tool_version="0.1.0",
            licence="CC0-1.0",
            languages=("en", "zh"),
            test_share=0.25,
            corpus_sha256=corpus,
            content_sha256=content_sha256(file_entries(folder), about=("Lamp",)),
            gains=GAINS,
        ),
        count_version(
            records,
            open_states=[query.state for query in open_queries],
            documents=len(documents),
            chunks=len(chunks),
        ),
        version_keys(records, corpus_sha256=corpus, document_hashes=hashes, gains=GAINS),
    )
    write_json(folder / "diff.json", {"parent": None, "added": [], "removed": [], "changed": {}})
    write_json(folder / "config.snapshot.json", {"chunking": {"source": "own"}})
    (folder / "README.md").write_text(data_card(manifest), encoding="utf-8", newline="\n")
    manifest["files"] = [
        {"path": e.path, "bytes": e.bytes, "rows": e.rows, "sha256": e.sha256}
        for e in file_entries(folder)
    ]
    write_json(folder / MANIFEST_FILE, manifest)
    write_sums(folder)
    return folder
