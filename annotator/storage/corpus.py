"""Documents and chunks."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from sqlalchemy import Row, delete, false, func, insert, select

from annotator.domain.document import Chunk, Document, Span
from annotator.storage.engine import Transaction
from annotator.storage.tables import chunks, documents

_T = TypeVar("_T")
_ROWS_PER_STATEMENT = 500
_CHUNK_ORDER = (chunks.c.doc_id, chunks.c.position, chunks.c.chunk_id)


def replace_documents(tx: Transaction, batch: Sequence[Document]) -> None:
    """Add documents; one with a known id takes the place of the old one."""
    for part in _parts(batch):
        ids = [document.doc_id for document in part]
        known = set(
            tx.execute(select(documents.c.doc_id).where(documents.c.doc_id.in_(ids))).scalars()
        )
        for document in part:
            values = {
                "title": document.title,
                "uri": document.uri,
                "lang": document.lang,
                "sha256": document.sha256,
                "chars": len(document.text),
                "text": document.text,
            }
            if document.doc_id in known:
                tx.execute(
                    documents.update().where(documents.c.doc_id == document.doc_id).values(values)
                )
            else:
                tx.execute(insert(documents).values(doc_id=document.doc_id, **values))


def add_chunks(tx: Transaction, batch: Sequence[Chunk]) -> None:
    """Add chunks whose ids are new."""
    for part in _parts(batch):
        tx.execute(
            insert(chunks),
            [
                {
                    "chunk_id": chunk.chunk_id,
                    "doc_id": chunk.doc_id,
                    "start_char": chunk.start,
                    "end_char": chunk.end,
                    "position": chunk.index,
                    "title": chunk.title,
                    "text": chunk.text,
                }
                for chunk in part
            ],
        )


def rename_chunks(tx: Transaction, batch: Sequence[Chunk]) -> None:
    """Give known chunks another title or number in their document."""
    for chunk in batch:
        tx.execute(
            chunks.update()
            .where(chunks.c.chunk_id == chunk.chunk_id)
            .values(title=chunk.title, position=chunk.index)
        )


def remove_chunks(tx: Transaction, chunk_ids: Sequence[str]) -> None:
    """Remove chunks that nothing refers to."""
    for part in _parts(chunk_ids):
        tx.execute(delete(chunks).where(chunks.c.chunk_id.in_(part)))


def document(tx: Transaction, doc_id: str) -> Document | None:
    """Return a document with its text."""
    row = tx.execute(select(documents).where(documents.c.doc_id == doc_id)).one_or_none()
    return None if row is None else _document(row)


def all_documents(tx: Transaction) -> Iterator[Document]:
    """Yield every document by id."""
    for row in tx.execute(select(documents).order_by(documents.c.doc_id)):
        yield _document(row)


def document_hashes(tx: Transaction) -> dict[str, str]:
    """Return doc_id -> SHA-256 of its text."""
    rows = tx.execute(select(documents.c.doc_id, documents.c.sha256))
    return {row.doc_id: row.sha256 for row in rows}


def languages_and_lengths(tx: Transaction, doc_ids: Sequence[str]) -> dict[str, tuple[str, int]]:
    """Return doc_id -> (language, number of characters) of the known ones among the ids."""
    columns = (documents.c.doc_id, documents.c.lang, documents.c.chars)
    return {
        row.doc_id: (row.lang, row.chars)
        for part in _parts(doc_ids)
        for row in tx.execute(select(*columns).where(documents.c.doc_id.in_(part)))
    }


def all_chunks(tx: Transaction) -> list[Chunk]:
    """Return every chunk, by document and position."""
    return [_chunk(row) for row in tx.execute(select(chunks).order_by(*_CHUNK_ORDER))]


def chunks_by_id(tx: Transaction, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
    """Return the known ones among the ids."""
    found: dict[str, Chunk] = {}
    for part in _parts(list(dict.fromkeys(chunk_ids))):
        for row in tx.execute(select(chunks).where(chunks.c.chunk_id.in_(part))):
            found[row.chunk_id] = _chunk(row)
    return found


def chunks_of_document(tx: Transaction, doc_id: str) -> list[Chunk]:
    """Return a document's chunks by position."""
    rows = tx.execute(select(chunks).where(chunks.c.doc_id == doc_id).order_by(*_CHUNK_ORDER))
    return [_chunk(row) for row in rows]


def slices(tx: Transaction, spans: Sequence[Span]) -> list[str | None]:
    """Return the text of each span, None where the document is unknown or too short."""
    found: list[str | None] = []
    for span in spans:
        piece = func.substr(documents.c.text, span.start + 1, span.end - span.start)
        is_inside = documents.c.chars >= span.end if 0 <= span.start < span.end else false()
        found.append(
            tx.execute(
                select(piece).where(documents.c.doc_id == span.doc_id, is_inside)
            ).scalar_one_or_none()
        )
    return found


def counts(tx: Transaction) -> tuple[int, int]:
    """Return the number of documents and of chunks."""
    n_documents = tx.execute(select(func.count()).select_from(documents)).scalar_one()
    n_chunks = tx.execute(select(func.count()).select_from(chunks)).scalar_one()
    return n_documents, n_chunks


def _parts(items: Sequence[_T]) -> Iterator[Sequence[_T]]:
    for start in range(0, len(items), _ROWS_PER_STATEMENT):
        yield items[start : start + _ROWS_PER_STATEMENT]


def _document(row: Row[tuple[object, ...]]) -> Document:
    return Document(row.doc_id, row.text, row.title, row.uri, row.lang, row.sha256)


def _chunk(row: Row[tuple[object, ...]]) -> Chunk:
    return Chunk(
        chunk_id=row.chunk_id,
        doc_id=row.doc_id,
        start=row.start_char,
        end=row.end_char,
        text=row.text,
        title=row.title,
        index=row.position,
    )
