"""Cut a document into chunks, keeping offsets, for those who bring no chunks of their own.

Every character of the document lies in a chunk but for blanks between chunks and the front
matter of a Markdown file. A chunk is exactly the document's text between its offsets.
"""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from annotator.corpus.identity import chunk_id
from annotator.domain.document import Chunk, Document
from annotator.domain.errors import InputError

# YAML begins with a key; a blank or a sentence behind '---' means that it is a rule, not YAML
_FRONT_MATTER = re.compile(
    r"\A---[ \t]*\r?\n(?=[\w\"'. -]+:\s|---).*?^---[ \t]*(?:\r?\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*\r?$", re.MULTILINE)
# CommonMark 4.5: a block ends at a fence at least as long; behind ``` no more backticks may stand
_FENCE = re.compile(
    r"^ {0,3}((`|~)\2{2,})(?:(?<=`)[^`\n]*|(?<=~)[^\n]*)\n(?:.*?\n)?? {0,3}\1\2*[ \t]*\r?$",
    re.DOTALL | re.MULTILINE,
)
_PARAGRAPH_END = re.compile(r"\n[ \t]*\r?\n\s*")
_LINE_END = re.compile(r"\n")
# a Latin sentence ends before a blank, a Chinese or Japanese one needs none
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？；])[”’」』）】]*\s*")
_WORD_END = re.compile(r"\s+")


def cut_fixed(document: Document, *, chunk_chars: int, overlap_chars: int) -> list[Chunk]:
    """Cut at fixed lengths: `chunk_chars` characters each, `overlap_chars` of them shared.

    Raises InputError unless 0 <= overlap_chars < chunk_chars.
    """
    _check_lengths(chunk_chars, overlap_chars)
    begin, step = _body_start(document.text), chunk_chars - overlap_chars
    bounds: list[_Section] = []
    for start in range(begin, len(document.text), step):
        end = min(start + chunk_chars, len(document.text))
        bounds.append(_Section(start, end, ""))
        if start + chunk_chars >= len(document.text):
            break
    return _chunks(document, bounds)


def cut_structure(document: Document, *, chunk_chars: int, overlap_chars: int) -> list[Chunk]:
    """Cut at headings first, then pack whole paragraphs, sentences or words.

    A chunk has at most `chunk_chars` characters; a new heading always begins a new chunk, and
    blocks of code are cut only where they are longer than a chunk without its overlap. With
    overlap, a chunk begins with the last whole sentences of the one before, up to `overlap_chars`
    characters, as far as the length allows.
    Raises InputError unless 0 <= overlap_chars < chunk_chars.
    """
    _check_lengths(chunk_chars, overlap_chars)
    text = document.text
    begin = _body_start(text)
    fences = [match.span() for match in _FENCE.finditer(text, begin)]
    bounds: list[_Section] = []
    for section in _sections(text, begin, fences):
        pieces = _pieces(text, section, fences, chunk_chars - overlap_chars)
        pieces = _with_headings(text, pieces, fences, chunk_chars)
        bounds.extend(
            _Section(start, end, section.heading)
            for start, end in _pack(text, pieces, chunk_chars, overlap_chars)
        )
    return _chunks(document, bounds)


def title_of(text: str, *, fallback: str) -> str:
    """Return the title of a Markdown document: front matter's, else the first heading."""
    front = _FRONT_MATTER.match(text)
    if front:
        named = re.search(r"^title:[ \t]*(.+?)[ \t]*\r?$", front.group(0), re.MULTILINE)
        if named and named.group(1).strip("\"'"):
            return named.group(1).strip("\"'")
    begin = front.end() if front else 0
    headings = _headings(text, begin, [match.span() for match in _FENCE.finditer(text, begin)])
    return headings[0].group(1) if headings else fallback


def _check_lengths(chunk_chars: int, overlap_chars: int) -> None:
    if not 0 <= overlap_chars < chunk_chars:
        raise InputError(
            f"overlap_chars is {overlap_chars} and chunk_chars {chunk_chars}: the overlap must be "
            "smaller than the chunk."
        )


def _body_start(text: str) -> int:
    front = _FRONT_MATTER.match(text)
    return front.end() if front else 0


@dataclass(frozen=True, slots=True)
class _Section:
    """A part of a document under one heading, the heading itself included."""

    start: int
    end: int
    heading: str


def _headings(text: str, begin: int, fences: Sequence[tuple[int, int]]) -> list[re.Match[str]]:
    """Return the headings; a '#' in a block of code is none."""
    return [
        match
        for match in _HEADING.finditer(text, begin)
        if not any(start <= match.start() < end for start, end in fences)
    ]


def _sections(text: str, begin: int, fences: Sequence[tuple[int, int]]) -> list[_Section]:
    """Return the parts between headings; a heading without text of its own joins the next part."""
    headings = _headings(text, begin, fences)
    first = headings[0].start() if headings else len(text)
    sections = [_Section(begin, first, "")] if first > begin else []
    start = first
    for number, match in enumerate(headings):
        end = headings[number + 1].start() if number + 1 < len(headings) else len(text)
        if text[match.end() : end].strip() or number + 1 == len(headings):
            sections.append(_Section(start, end, match.group(1)))
            start = end
    return sections


def _pieces(
    text: str, section: _Section, fences: Sequence[tuple[int, int]], most: int
) -> list[tuple[int, int]]:
    """Return consecutive pieces of at most `most` characters, cut as high up as possible.

    A block of code that is short enough stays in one piece.
    """
    whole = [(start, end) for start, end in fences if end - start <= most]
    pieces = [(section.start, section.end)]
    for border in (_PARAGRAPH_END, _LINE_END, _SENTENCE_END, _WORD_END):
        pieces = [
            part
            for piece in pieces
            for part in (
                [piece] if piece[1] - piece[0] <= most else _cut(text, piece, border, whole)
            )
        ]
    return [(at, min(at + most, stop)) for begin, stop in pieces for at in range(begin, stop, most)]


def _with_headings(
    text: str,
    pieces: list[tuple[int, int]],
    fences: Sequence[tuple[int, int]],
    most: int,
) -> list[tuple[int, int]]:
    """Join headings that are pieces of their own with the beginning of the text below them.

    That text is cut at the highest border that lets its beginning fit; where even a word does not
    fit beside the headings, they stay alone.
    """
    below = next((i for i, piece in enumerate(pieces) if not _is_heading(text[slice(*piece)])), 0)
    if below == 0:
        return pieces
    start, body = pieces[0][0], pieces[below]
    for border in (_LINE_END, _SENTENCE_END, _WORD_END):
        first, *rest = [body] if body[1] - start <= most else _cut(text, body, border, fences)
        if first[1] - start <= most:
            return [(start, first[1]), *rest, *pieces[below + 1 :]]
    return pieces


def _is_heading(piece: str) -> bool:
    return not piece.strip() or _HEADING.fullmatch(piece.strip()) is not None


def _cut(
    text: str,
    piece: tuple[int, int],
    border: re.Pattern[str],
    whole: Sequence[tuple[int, int]],
) -> list[tuple[int, int]]:
    marks = [piece[0]]
    for match in border.finditer(text, *piece):
        at = match.end()
        if marks[-1] < at < piece[1] and not any(start < at < end for start, end in whole):
            marks.append(at)
    marks.append(piece[1])
    return list(itertools.pairwise(marks))


def _pack(
    text: str, pieces: Sequence[tuple[int, int]], most: int, overlap: int
) -> list[tuple[int, int]]:
    """Join consecutive pieces while the chunk stays within `most` characters."""
    packed: list[tuple[int, int]] = []
    for start, end in pieces:
        if packed and end - packed[-1][0] <= most:
            packed[-1] = (packed[-1][0], end)
        elif packed and overlap:
            packed.append((_overlap_start(text, packed[-1], max(start - overlap, end - most)), end))
        else:
            packed.append((start, end))
    return packed


def _overlap_start(text: str, previous: tuple[int, int], earliest: int) -> int:
    """Return where the first whole sentence begins that lies in reach of the next chunk."""
    earliest = max(earliest, previous[0] + 1)
    for border in (_SENTENCE_END, _WORD_END):
        for match in border.finditer(text, *previous):
            if earliest <= match.end() < previous[1]:
                return match.end()
    return min(earliest, previous[1])


def _chunks(document: Document, bounds: Sequence[_Section]) -> list[Chunk]:
    """Return chunks without outer blanks.

    Bounds that hold only blanks give none, nor does one that lies in its neighbour, as overlap
    and blanks can make it.
    """
    trimmed: list[_Section] = []
    for bound in bounds:
        piece = document.text[bound.start : bound.end]
        start = bound.start + len(piece) - len(piece.lstrip())
        end = bound.start + len(piece.rstrip())
        if start >= end or (trimmed and end <= trimmed[-1].end):
            continue
        if trimmed and start <= trimmed[-1].start:
            trimmed.pop()
        trimmed.append(_Section(start, end, bound.heading))
    return [_chunk(document, bound, index) for index, bound in enumerate(trimmed)]


def _chunk(document: Document, bound: _Section, index: int) -> Chunk:
    text = document.text[bound.start : bound.end]
    has_own_heading = bound.heading and bound.heading.replace("`", "") != document.title
    return Chunk(
        chunk_id=chunk_id(document.doc_id, bound.start, bound.end, text),
        doc_id=document.doc_id,
        start=bound.start,
        end=bound.end,
        text=text,
        title=f"{document.title} § {bound.heading}" if has_own_heading else document.title,
        index=index,
    )
