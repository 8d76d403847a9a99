"""Ids of documents and chunks, and the way from a place in a document to its chunks."""

import hashlib
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable

from annotator.domain.document import Chunk, Span
from annotator.text.normalize import stable_hash


def text_sha256(text: str) -> str:
    """Return the SHA-256 of the text in UTF-8, as hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def chunk_id(doc_id: str, start: int, end: int, text: str) -> str:
    """Return the id of a chunk that came without one: the same at every import.

    It hangs on document, place and text, so the same boilerplate in two documents has two ids.
    """
    return "c-" + stable_hash(doc_id, str(start), str(end), text)


def corpus_sha256(chunks: Iterable[Chunk], document_hashes: dict[str, str]) -> str:
    """Return a hash over every document and chunk, in an order of its own.

    It holds ids, places, texts and titles, since retrievers index titles too.
    """
    digest = hashlib.sha256()
    for doc_id, sha256 in sorted(document_hashes.items()):
        digest.update(f"d\x00{doc_id}\x00{sha256}\n".encode("utf-8", "surrogatepass"))
    for chunk in sorted(chunks, key=lambda chunk: chunk.chunk_id):
        parts = ("c", chunk.chunk_id, chunk.doc_id, str(chunk.start), str(chunk.end), chunk.title)
        digest.update(("\x00".join(parts) + "\n").encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


class OffsetMap:
    """The chunks of every document by place, overlapping ones included."""

    def __init__(self, chunks: Iterable[Chunk]) -> None:
        self._by_document: dict[str, list[Chunk]] = defaultdict(list)
        for chunk in chunks:
            self._by_document[chunk.doc_id].append(chunk)
        self._starts: dict[str, list[int]] = {}
        self._longest: dict[str, int] = {}
        for doc_id, members in self._by_document.items():
            members.sort(key=lambda chunk: (chunk.start, chunk.end, chunk.chunk_id))
            self._starts[doc_id] = [chunk.start for chunk in members]
            self._longest[doc_id] = max(chunk.end - chunk.start for chunk in members)

    def knows_document(self, doc_id: str) -> bool:
        """Tell whether the document has chunks."""
        return doc_id in self._by_document

    def chunks_at(self, span: Span) -> list[Chunk]:
        """Return the chunks that share a character with the span, in document order."""
        members = self._by_document.get(span.doc_id, [])
        starts = self._starts.get(span.doc_id, [])
        found: list[Chunk] = []
        # a chunk that starts further back than the longest chunk is long cannot reach the span
        position = bisect_right(starts, span.start - self._longest.get(span.doc_id, 0))
        while position < len(members) and starts[position] < span.end:
            if members[position].end > span.start:
                found.append(members[position])
            position += 1
        return found

    def holders(self, span: Span) -> list[Chunk]:
        """Return the chunks in which the whole span lies, in document order."""
        return [
            chunk
            for chunk in self.chunks_at(span)
            if chunk.start <= span.start and span.end <= chunk.end
        ]
