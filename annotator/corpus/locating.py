"""Find the place of the user's own chunks in their documents.

Chunks come in the document's order. They are laid one behind the other where that works out, so
that repeated text goes to the right occurrence; else they are windows that overlap, and each
reaches further than the one before where it can.
"""

from annotator.domain.document import Document
from annotator.domain.errors import InputError


def locate(document: Document, texts: list[str]) -> list[tuple[int, int]]:
    """Return the (start, end) of each text in the document.

    Raises InputError naming the first text that does not stand in the document.
    """
    return _side_by_side(document.text, texts) or _overlapping(document, texts)


def _side_by_side(whole: str, texts: list[str]) -> list[tuple[int, int]]:
    """Return places that share no character, [] where there are none in this order."""
    found: list[tuple[int, int]] = []
    begin = 0
    for text in texts:
        start = whole.find(text, begin)
        if start < 0:
            return []
        begin = start + len(text)
        found.append((start, begin))
    return found


def _overlapping(document: Document, texts: list[str]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    last_start, last_end = -1, 0
    for number, text in enumerate(texts, start=1):
        # further than the last one, else inside it, else anywhere
        begins = (max(last_start + 1, last_end - len(text) + 1), last_start + 1, 0)
        start = next((at for at in (document.text.find(text, b) for b in begins) if at >= 0), -1)
        if start < 0:
            short = text if len(text) <= 60 else text[:57] + "…"
            raise InputError(
                f"Chunk {number} of document {document.doc_id!r} does not stand in the document: "
                f"{short!r}. Give start and end offsets, or import the text that was chunked."
            )
        last_start, last_end = start, start + len(text)
        found.append((last_start, last_end))
    return found
