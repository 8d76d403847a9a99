"""Documents, their chunks, and spans of evidence in them.

All offsets are code points from the start of the document's text, half open.
"""

from dataclasses import dataclass

MAX_ID_CHARS = 1_000
"""Most characters of a document's or chunk's id; addresses serve as ids in many corpora."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document: the coordinate system in which evidence is anchored."""

    doc_id: str
    text: str
    title: str
    uri: str
    lang: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A retriever's unit: `text == document.text[start:end]`.

    `index` counts from 0 in the document.
    """

    chunk_id: str
    doc_id: str
    start: int
    end: int
    text: str
    title: str
    index: int


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A piece of a document, half open, in code points."""

    doc_id: str
    start: int
    end: int

    def overlaps(self, other: "Span") -> bool:
        """Tell whether the two share at least one character."""
        return self.doc_id == other.doc_id and self.start < other.end and other.start < self.end

    def within(self, other: "Span") -> bool:
        """Tell whether every character of this span lies in the other."""
        return self.doc_id == other.doc_id and other.start <= self.start and self.end <= other.end


def span_of(chunk: Chunk) -> Span:
    """Return where the chunk lies in its document."""
    return Span(chunk.doc_id, chunk.start, chunk.end)
