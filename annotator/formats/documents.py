"""Read documents: folders and files of Markdown and plain text, and JSON lines.

A document's text is kept to the letter, line ends included, since evidence is anchored to it.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from annotator.domain.errors import InputError
from annotator.formats.jsonl import read_objects, text_field

TEXT_SUFFIXES = (".md", ".markdown", ".txt")
LINES_SUFFIXES = (".jsonl", ".ndjson")
_BOMS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


@dataclass(frozen=True, slots=True)
class RawDocument:
    """A document as it was read; `title` and `lang` are None where the file does not say."""

    doc_id: str
    text: str
    title: str | None
    uri: str
    lang: str | None
    origin: str


def read_documents(paths: Sequence[Path]) -> Iterator[RawDocument]:
    """Yield the documents of files and folders, files of a folder by path.

    The id of a text file is its path below the folder that was named, or its name. Raises
    InputError naming the file where one cannot be read, is not text, or has an unknown ending.
    """
    for path in paths:
        if path.is_dir():
            files = [
                file
                for file in sorted(path.rglob("*"))
                if file.suffix.lower() in TEXT_SUFFIXES + LINES_SUFFIXES and file.is_file()
            ]
            if not files:
                raise InputError(
                    f"{path} holds no documents. Files that are read end in "
                    f"{', '.join(TEXT_SUFFIXES + LINES_SUFFIXES)}."
                )
            for file in files:
                yield from _read_file(file, file.relative_to(path).as_posix())
        else:
            yield from _read_file(path, path.name)


def _read_file(path: Path, doc_id: str) -> Iterator[RawDocument]:
    suffix = path.suffix.lower()
    if suffix in LINES_SUFFIXES:
        yield from _read_lines(path)
    elif suffix in TEXT_SUFFIXES:
        yield RawDocument(
            doc_id=unicodedata.normalize("NFC", doc_id),
            text=read_text(path),
            title=None,
            uri=doc_id,
            lang=None,
            origin=str(path),
        )
    elif not path.exists():
        raise InputError(f"{path} does not exist.")
    else:
        raise InputError(
            f"{path}: documents of the kind {suffix or 'without an ending'!r} are not read. "
            f"Convert it to one of {', '.join(TEXT_SUFFIXES + LINES_SUFFIXES)}."
        )


def read_text(path: Path) -> str:
    """Return a text file's content, without a byte order mark.

    Raises InputError where the file is no UTF-8 or UTF-16/32 with a mark, or holds NUL characters.
    """
    try:
        raw = path.read_bytes()
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist.") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    encoding = next((name for mark, name in _BOMS if raw.startswith(mark)), "utf-8")
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not {encoding.removesuffix('-sig').upper()}: byte {error.start} is "
            f"0x{error.object[error.start]:02x}. "
            "If it is a text file, save it as UTF-8."
        ) from error
    if "\x00" in text:
        raise InputError(f"{path} is no text file: it holds NUL characters.")
    return text


def _read_lines(path: Path) -> Iterator[RawDocument]:
    for line, row in read_objects(path):
        doc_id = text_field(row, "doc_id", path=path, line=line)
        if not doc_id.strip():
            raise InputError(f"{path}, line {line}: doc_id is empty.")
        title = text_field(row, "title", path=path, line=line, default="")
        lang = text_field(row, "lang", path=path, line=line, default="")
        yield RawDocument(
            doc_id=doc_id,
            text=text_field(row, "text", path=path, line=line),
            title=title or None,
            uri=text_field(row, "uri", path=path, line=line, default=""),
            lang=lang or None,
            origin=f"{path}, line {line}",
        )
