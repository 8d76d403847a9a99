"""Documents in, chunks out: import a corpus, or say why it cannot be."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from annotator.corpus.chunking import cut_fixed, cut_structure, title_of
from annotator.corpus.identity import corpus_sha256, text_sha256
from annotator.corpus.locating import locate
from annotator.domain.document import Chunk, Document
from annotator.domain.errors import InputError
from annotator.domain.progress import Report, silent
from annotator.formats.chunks import RawChunk, read_chunks, write_chunks
from annotator.formats.documents import RawDocument, read_documents
from annotator.storage import corpus, facts, judgments, pools
from annotator.storage.engine import Store, Transaction
from annotator.text.language import guess_language


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
    with store.write() as tx:
        hashes = corpus.document_hashes(tx)
        changed = [d for d in fresh.values() if hashes.get(d.doc_id, d.sha256) != d.sha256]
        new = [d for d in fresh.values() if d.doc_id not in hashes]
        corpus.replace_documents(tx, list(fresh.values()))
        if own is not None:
            wanted = _own_chunks(tx, own)
            # documents that the chunk file says nothing about keep what they have
            touched = {chunk.doc_id for chunk in wanted}
        else:
            _refuse_second_cut(tx, fresh)
            wanted = _cut(list(fresh.values()), chunking, report)
            touched = set(fresh)
        added, removed = _exchange(tx, wanted, touched)
        chunks = corpus.all_chunks(tx)
        hashes = corpus.document_hashes(tx)
        facts.put(tx, "corpus_sha256", corpus_sha256(chunks, hashes))
        facts.put(
            tx,
            "chunking",
            {"source": "own"}
            if own is not None
            else {
                "source": "builtin",
                "chunker": chunking.chunker,
                "chunk_chars": chunking.chunk_chars,
                "overlap_chars": chunking.overlap_chars,
            },
        )
    lengths = sorted(len(chunk.text) for chunk in chunks)
    return IngestReport(
        documents_new=len(new),
        documents_changed=len(changed),
        documents_unchanged=len(fresh) - len(new) - len(changed),
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


def _own_chunks(tx: Transaction, rows: Sequence[RawChunk]) -> list[Chunk]:
    """Return the user's chunks with their places in the documents."""
    first: dict[str, RawChunk] = {}
    by_document: dict[str, list[RawChunk]] = defaultdict(list)
    for row in rows:
        other = first.get(row.chunk_id)
        if other is None:
            first[row.chunk_id] = row
            by_document[row.doc_id].append(row)
        elif (other.doc_id, other.text, other.start) != (row.doc_id, row.text, row.start):
            raise InputError(
                f"The chunk id {row.chunk_id!r} stands for two chunks: {other.origin} and "
                f"{row.origin}. Chunk ids must be unique in the corpus."
            )
    chunks: list[Chunk] = []
    for doc_id, members in by_document.items():
        document = corpus.document(tx, doc_id)
        if document is None:
            raise InputError(
                f"{members[0].origin}: chunk {members[0].chunk_id!r} belongs to document "
                f"{doc_id!r}, which is not in the corpus. Import the document with it."
            )
        chunks.extend(_placed(document, members))
    return chunks


def _placed(document: Document, members: Sequence[RawChunk]) -> list[Chunk]:
    for row in members:
        if not row.text.strip():
            raise InputError(f"{row.origin}: chunk {row.chunk_id!r} holds no text.")
    unplaced = [row for row in members if row.start is None]
    places = dict(
        zip(
            (row.chunk_id for row in unplaced),
            locate(document, [row.text for row in unplaced]),
            strict=True,
        )
    )
    for row in members:
        if row.start is None or row.end is None:
            continue
        places[row.chunk_id] = (row.start, row.end)
        there = document.text[row.start : row.end]
        if there != row.text:
            raise InputError(
                f"{row.origin}: chunk {row.chunk_id!r} is said to be {document.doc_id!r}"
                f"[{row.start}:{row.end}], but there stands {there[:60]!r}. Offsets count code "
                "points from the start of the document, half open."
            )
    ordered = sorted(members, key=lambda row: (places[row.chunk_id], row.chunk_id))
    return [
        Chunk(
            chunk_id=row.chunk_id,
            doc_id=row.doc_id,
            start=places[row.chunk_id][0],
            end=places[row.chunk_id][1],
            text=row.text,
            title=row.title or document.title,
            index=index,
        )
        for index, row in enumerate(ordered)
    ]


def _refuse_second_cut(tx: Transaction, fresh: dict[str, Document]) -> None:
    """Keep the user's own chunks from being cut anew by accident."""
    chunking = facts.get(tx, "chunking")
    if isinstance(chunking, dict) and chunking.get("source") == "own" and fresh:
        raise InputError(
            "This corpus has chunks of your own, which are never cut anew. Import documents "
            "together with their chunks: annotator corpus import PATH --chunks FILE"
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
    added = [chunk for chunk in wanted if old.get(chunk.chunk_id) != chunk]
    gone = set(old) - ({chunk.chunk_id for chunk in wanted} - {chunk.chunk_id for chunk in added})
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
    return len(added), len(gone)
