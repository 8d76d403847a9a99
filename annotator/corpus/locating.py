"""Find the place of the user's own chunks in their documents.

Chunks come in the document's order; each is looked for from the start of the one before, so
that repeated text goes to the right occurrence and overlapping windows are found.
"""

from annotator.domain.document import Document
from annotator.domain.errors import InputError


def locate(document: Document, texts: list[str]) -> list[tuple[int, int]]:
    """Return the (start, end) of each text in the document.

    Raises InputError naming the first text that does not stand in the document in this order.
    """
    found: list[tuple[int, int]] = []
    begin = 0
    for number, text in enumerate(texts, start=1):
        start = document.text.find(text, begin)
        if start < 0:
            start = document.text.find(text)
        if start < 0:
            short = text if len(text) <= 60 else text[:57] + "…"
            raise InputError(
                f"Chunk {number} of document {document.doc_id!r} does not stand in the document: "
                f"{short!r}. Give start and end offsets, or import the text that was chunked."
            )
        found.append((start, start + len(text)))
        begin = start + 1
    return found
