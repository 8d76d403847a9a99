"""Find answers that no single chunk holds.

Two signs: a span of evidence that runs over the border of chunks, and a group of chunks of which
an assessor said that only together they answer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotator.domain.document import Chunk, Span


@dataclass(frozen=True, slots=True)
class CutSpan:
    """A span that lies in no single chunk; `chunk_ids` hold all of it together, in order.

    `is_complete` is False where some of its characters lie in no chunk at all.
    """

    span: Span
    chunk_ids: tuple[str, ...]
    is_complete: bool


def cut_spans(
    touching: Mapping[Span, Sequence[Chunk]], *, texts: Mapping[Span, str | None]
) -> list[CutSpan]:
    """Return the spans that no single chunk holds, in document order.

    `touching` gives the chunks that touch each span, `texts` a span's text, None where it is not
    known. Of overlapping chunks the fewest are taken that cover the span (greedily by furthest
    end, which is optimal for intervals). Blanks, between chunks or at the ends of a selection,
    need no chunk.
    """
    found: list[CutSpan] = []
    for span in sorted(touching):
        text = texts[span]
        cover, is_complete = _cover(span, touching[span], text)
        if len(cover) > 1 or (cover and not is_complete):
            chunk_ids = tuple(chunk.chunk_id for chunk in cover)
            found.append(CutSpan(span, chunk_ids, is_complete and text is not None))
    return found


def _cover(span: Span, touching: Sequence[Chunk], text: str | None) -> tuple[list[Chunk], bool]:
    cover: list[Chunk] = []
    position, is_complete = span.start, True
    while position < span.end:
        if text is not None and text[position - span.start].isspace():
            position += 1
            continue
        reaching = [c for c in touching if c.start <= position < c.end]
        if reaching:
            best = max(reaching, key=lambda chunk: (chunk.end, chunk.chunk_id))
            cover.append(best)
            position = best.end
            continue
        is_complete = False
        position = min([*(c.start for c in touching if c.start > position), span.end])
    return cover, is_complete
