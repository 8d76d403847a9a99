"""Documents in, chunks out: import a corpus, or say why it cannot be."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from annotator.corpus.chunking import cut_fixed, cut_structure, title_of
from annotator.corpus.identity import corpus_sha256, text_sha256
from annotator.domain.document import MAX_ID_CHARS, Chunk, Document
from annotator.domain.errors import InputError
from annotator.domain.json import JsonObject
from annotator.domain.progress import Report, silent
from annotator.formats.chunks import read_chunks, write_chunks
from annotator.formats.documents import RawDocument, read_documents
from annotator.storage import corpus, facts, judgments, pools
from annotator.storage.engine import Store, Transaction
from annotator.text.language import guess_language
from annotator.workflows.own_chunks import place_chunks


@dataclass(frozen=True, slots=True)
class Chunking:
    """How documents are cut that come without chunks."""

    chunker: str
    chunk_chars: int
    overlap_chars: int


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an import changed; lengths are characters of all chunks of the corpus."""

    documents_new: int
    documents_changed: int
    documents_unchanged: int
    chunks_new: int
    chunks_removed: int
    chunks_total: int
    documents_without_chunks: tuple[str, ...]
    shortest: int
    median: int
    longest: int


def import_corpus(
    store: Store,
    paths: Sequence[Path],
    *,
    chunking: Chunking,
    languages: tuple[str, ...],
    chunks_file: Path | None = None,
    report: Report = silent,
) -> IngestReport:
    """Import documents and cut them, or take the user's own chunks as they are.

    The same files twice change nothing. Everything is stored in one transaction or nothing is.
    Raises InputError naming file and row, also where chunks would vanish that people judged.
    """
    fresh = _documents(paths, languages, report)
    own = list(read_chunks(chunks_file)) if chunks_file is not None else None
    if own == []:
        raise InputError(f"{chunks_file} holds no chunks. Export it again.")
    _refuse_long_ids([*fresh, *(row.chunk_id for row in own or ())])
    with store.read() as tx:
        before = corpus.document_hashes(tx)
        if own is None:
            _refuse_second_cut(tx, fresh)
        named = {row.doc_id for row in own or ()} - set(fresh)
        stored = [corpus.document(tx, doc_id) for doc_id in sorted(named)]
    known = {**fresh, **{document.doc_id: document for document in stored if document}}
    if own is not None:
        wanted, touched = place_chunks(own, known), {row.doc_id for row in own}
        source: JsonObject = {"source": "own"}
    else:
        wanted, touched = _cut(list(fresh.values()), chunking, report), set(fresh)
        source = {"source": "builtin", **asdict(chunking)}
    changed = [d for d in fresh.values() if before.get(d.doc_id, d.sha256) != d.sha256]
    without = [document.doc_id for document in changed if document.doc_id not in touched]
    if without:
        raise InputError(
            f"Document {without[0]!r} changed, but {chunks_file} holds no chunks of it. Give the "
            "chunks of every changed document."
        )
    with store.write() as tx:
        _refuse_moved_evidence(tx, changed)
        corpus.replace_documents(tx, list(fresh.values()))
        added, removed = _exchange(tx, wanted, touched)
        chunks, hashes = corpus.all_chunks(tx), corpus.document_hashes(tx)
        facts.put(tx, "corpus_sha256", corpus_sha256(chunks, hashes))
        facts.put(tx, "chunking", source)
    lengths = sorted(len(chunk.text) for chunk in chunks)
    return IngestReport(
        documents_new=len(set(fresh) - set(before)),
        documents_changed=len(changed),
        documents_unchanged=len(set(fresh) & set(before)) - len(changed),
        chunks_new=added,
        chunks_removed=removed,
        chunks_total=len(chunks),
        documents_without_chunks=tuple(sorted(set(hashes) - {chunk.doc_id for chunk in chunks})),
        shortest=lengths[0] if lengths else 0,
        median=lengths[len(lengths) // 2] if lengths else 0,
        longest=lengths[-1] if lengths else 0,
    )


def export_corpus(store: Store, path: Path) -> int:
    """Write the chunks as JSON lines; return their number."""
    with store.read() as tx:
        chunks = corpus.all_chunks(tx)
    return write_chunks(path, chunks)


def _documents(
    paths: Sequence[Path], languages: tuple[str, ...], report: Report
) -> dict[str, Document]:
    found: dict[str, Document] = {}
    origins: dict[str, str] = {}
    for number, raw in enumerate(read_documents(paths), start=1):
        document = _document(raw, languages)
        other = found.get(document.doc_id)
        if other is not None and other.text != document.text:
            raise InputError(
                f"The document id {document.doc_id!r} stands for two texts: {origins[raw.doc_id]} "
                f"and {raw.origin}. Give them different ids, or import their common folder."
            )
        found[document.doc_id] = document
        origins[document.doc_id] = raw.origin
        if number % 100 == 0:
            report("read documents", number, 0)
    return found


def _document(raw: RawDocument, languages: tuple[str, ...]) -> Document:
    if not raw.text.strip():
        raise InputError(f"{raw.origin} holds no text. Remove it or fill it.")
    name = raw.doc_id.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    return Document(
        doc_id=raw.doc_id,
        text=raw.text,
        title=raw.title or title_of(raw.text, fallback=name),
        uri=raw.uri,
        lang=raw.lang or guess_language(raw.text[:20_000], declared=languages),
        sha256=text_sha256(raw.text),
    )


def _cut(documents: Sequence[Document], chunking: Chunking, report: Report) -> list[Chunk]:
    cut = cut_fixed if chunking.chunker == "fixed" else cut_structure
    chunks: list[Chunk] = []
    for number, document in enumerate(documents, start=1):
        chunks.extend(
            cut(
                document,
                chunk_chars=chunking.chunk_chars,
                overlap_chars=chunking.overlap_chars,
            )
        )
        if number % 100 == 0 or number == len(documents):
            report("cut documents", number, len(documents))
    return chunks


def _refuse_second_cut(tx: Transaction, fresh: dict[str, Document]) -> None:
    """Keep the user's own chunks from being cut anew by accident."""
    chunking = facts.get(tx, "chunking")
    if isinstance(chunking, dict) and chunking.get("source") == "own" and fresh:
        raise InputError(
            "This corpus has chunks of your own, which are never cut anew. Import documents "
            "together with their chunks: annotator corpus import PATH --chunks FILE"
        )


def _refuse_long_ids(ids: Sequence[str]) -> None:
    too_long = next((name for name in ids if len(name) > MAX_ID_CHARS), None)
    if too_long is not None:
        raise InputError(
            f"The id {too_long[:60]!r}… has {len(too_long)} characters; at most {MAX_ID_CHARS} are "
            "kept. Use shorter ids."
        )


def _refuse_moved_evidence(tx: Transaction, changed: Sequence[Document]) -> None:
    """Keep evidence where it stands: a span would point at other text in the changed document."""
    bound = sorted({document.doc_id for document in changed} & judgments.evidence_doc_ids(tx))
    if bound:
        raise InputError(
            f"Document {bound[0]!r} changed, and holds evidence that people marked "
            f"({len(bound)} such documents). Nothing was imported; use a new workspace for the "
            "changed corpus."
        )


def _exchange(tx: Transaction, wanted: Sequence[Chunk], touched: set[str]) -> tuple[int, int]:
    """Put the wanted chunks in the place of the touched documents' old ones.

    Returns the numbers of added and removed chunks; those that are the same stay untouched.
    """
    old = {
        chunk.chunk_id: chunk
        for doc_id in sorted(touched)
        for chunk in corpus.chunks_of_document(tx, doc_id)
    }
    elsewhere = corpus.chunks_by_id(
        tx, [chunk.chunk_id for chunk in wanted if chunk.chunk_id not in old]
    )
    for chunk in wanted:
        other = elsewhere.get(chunk.chunk_id)
        if other is not None:
            raise InputError(
                f"The chunk id {chunk.chunk_id!r} belongs to document {other.doc_id!r} already, "
                f"not to {chunk.doc_id!r}. Chunk ids must be unique in the corpus."
            )
    places = {chunk_id: _place(chunk) for chunk_id, chunk in old.items()}
    added = [chunk for chunk in wanted if places.get(chunk.chunk_id) != _place(chunk)]
    new_ids = {chunk.chunk_id for chunk in added}
    kept = {chunk.chunk_id: chunk for chunk in wanted if chunk.chunk_id not in new_ids}
    gone = set(old) - set(kept)
    bound = gone & (pools.pooled_chunk_ids(tx) | judgments.judged_chunk_ids(tx))
    if bound:
        some = sorted(bound)[:3]
        documents = sorted({old[chunk_id].doc_id for chunk_id in some})
        raise InputError(
            f"This import would take away {len(bound)} chunks that are being judged (such as "
            f"{', '.join(some)} of {', '.join(documents)}), because their document changed, or "
            "is cut in another way than before (see [corpus] in annotator.toml). Nothing was "
            "imported; use a new workspace for the changed corpus."
        )
    corpus.remove_chunks(tx, sorted(gone))
    corpus.add_chunks(tx, added)
    corpus.rename_chunks(tx, [c for c in kept.values() if c != old[c.chunk_id]])
    return len(added), len(gone)


def _place(chunk: Chunk) -> tuple[str, int, int, str]:
    """Return what makes a chunk that chunk; its title and number may change."""
    return chunk.doc_id, chunk.start, chunk.end, chunk.text
