"""Take the user's own chunks as they are: check them, and find their places in the documents."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from annotator.corpus.locating import locate
from annotator.domain.document import Chunk, Document
from annotator.domain.errors import InputError
from annotator.formats.chunks import RawChunk


def place_chunks(rows: Sequence[RawChunk], documents: Mapping[str, Document]) -> list[Chunk]:
    """Return the user's chunks with their places in the documents.

    Raises InputError naming file and row where an id stands for two chunks, a document is
    missing, or a text does not stand where it should.
    """
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
        document = documents.get(doc_id)
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
    absent = next((row for row in unplaced if row.text not in document.text), None)
    if absent is not None:
        raise InputError(
            f"{absent.origin}: the text of chunk {absent.chunk_id!r} does not stand in document "
            f"{document.doc_id!r}: {absent.text[:60]!r}. Give start and end offsets, or import the "
            "text that was chunked."
        )
    found = locate(document, [row.text for row in unplaced])
    places = dict(zip((row.chunk_id for row in unplaced), found, strict=True))
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
