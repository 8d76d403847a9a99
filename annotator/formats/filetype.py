"""Tell what a file really is by its bytes, and say what to do about it.

Readers call this before parsing, so that a picture called log.csv or a table saved as GBK is
refused in one sentence instead of giving garbage.
"""

from pathlib import Path

from annotator.domain.errors import InputError

_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF", "a PDF"),
    (b"PK\x03\x04", "a zip archive or an Excel workbook (.xlsx)"),
    (b"\xd0\xcf\x11\xe0", "an old Office file (.xls, .doc)"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"SQLite format 3", "a SQLite database"),
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "an Arrow file"),
    (b"\x7fELF", "a program"),
)
# In this order: GB18030 decodes nearly anything, so the stricter ones come first
_ENCODINGS = (("big5", "Big5"), ("gb18030", "GB18030 (GBK)"), ("shift_jis", "Shift JIS"))


def require_file(path: Path) -> None:
    """Raise InputError unless the path is a file that can be read and holds something."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file in it.")
    if not path.exists():
        raise InputError(f"{path} does not exist; check the path.")
    try:
        with path.open("rb") as file:
            empty = not file.read(1)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    if empty:
        raise InputError(f"{path} is empty (0 bytes); export it again.")


def require_text(path: Path, *, expected: str) -> None:
    """Raise InputError if the file's first bytes show that it is no UTF-8 text.

    `expected` names what the file should be ("CSV"). Faults further on are met while reading:
    see `encoding_fault`.
    """
    with path.open("rb") as file:
        start = file.read(4096)
    for signature, kind in _SIGNATURES:
        if start.startswith(signature):
            raise InputError(
                f"{path} is not {expected}: its content is {kind}. Export it as UTF-8 {expected}."
            )
    if start.startswith((b"\xff\xfe", b"\xfe\xff")) or _looks_like_utf16(start):
        raise InputError(_encoding_message(path, 1, "UTF-16"))


def require_parquet(path: Path) -> None:
    """Raise InputError unless the file begins and ends as Parquet does."""
    with path.open("rb") as file:
        start = file.read(4)
        file.seek(0, 2)
        size = file.tell()
        file.seek(max(0, size - 4))
        end = file.read(4)
    if start != b"PAR1":
        raise InputError(f"{path} is not a Parquet file, whatever its name says; export it again.")
    if end != b"PAR1" or size < 12:
        raise InputError(f"{path} is a Parquet file that was cut off; copy or export it again.")


def encoding_fault(path: Path) -> InputError:
    """Return the error for a file that is not UTF-8: its first bad line and likely encoding."""
    number, sample = 0, b""
    with path.open("rb") as file:
        for line in file:
            number += 1
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                sample = line + file.read(1 << 16).rpartition(b"\n")[0]
                break
    return InputError(_encoding_message(path, number, _likely_encoding(sample)))


def _encoding_message(path: Path, line: int, encoding: str) -> str:
    return (
        f"{path}, line {line}: the text is not UTF-8; it looks like {encoding}. "
        "Save the file as UTF-8 and import it again."
    )


def _looks_like_utf16(start: bytes) -> bool:
    """Every other byte of UTF-16 text in Latin letters is zero."""
    even, odd = start[0::2], start[1::2]
    return len(start) >= 8 and (even.count(0) > 0.6 * len(even) or odd.count(0) > 0.6 * len(odd))


def _likely_encoding(sample: bytes) -> str:
    """Judge by common characters: real Chinese text is mostly made of frequent ones."""
    best, best_share = "Windows-1252 (Latin-1)", 0.5
    for codec, name in _ENCODINGS:
        try:
            text = sample.decode(codec)
        except UnicodeDecodeError:
            continue
        foreign = [char for char in text if not char.isascii()]
        common = sum(_is_common(char) for char in foreign)
        # Latin-1 letters stand alone among ASCII; Chinese ones stand in runs
        share = common / max(1, len(foreign))
        if len(foreign) >= 2 and share > best_share:
            best, best_share = name, share
    return best


def _is_common(char: str) -> bool:
    """GB2312's first level: the 3,755 most used characters; kana; East Asian punctuation."""
    if "\u3041" <= char <= "\u30fe" or "\u3000" <= char <= "\u3011" or "\uff01" <= char <= "\uff5e":
        return True
    try:
        code = char.encode("gb2312")
    except UnicodeEncodeError:
        try:
            big5 = char.encode("big5")
        except UnicodeEncodeError:
            return False
        return 0xA4 <= big5[0] <= 0xC6
    return len(code) == 2 and 0xB0 <= code[0] <= 0xD7
