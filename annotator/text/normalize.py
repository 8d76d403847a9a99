"""What makes two strings the same query, and the id that follows from it."""

import hashlib
import re
import unicodedata

_BLANKS = re.compile(r"\s+")
# Control and format characters other than blanks (NUL, zero-width space and joiner, BOM, bidi
# marks) and the variation selectors that choose how an emoji is drawn
_INVISIBLE = {
    code: None
    for codes in (
        range(0x09), range(0x0E, 0x1C), range(0x7F, 0x85), range(0x86, 0xA0), (0xAD, 0xFEFF),
        range(0x200B, 0x2010), range(0x202A, 0x202F), range(0x2060, 0x2065), range(0xFE00, 0xFE10),
    )
    for code in codes
}  # fmt: skip


def normalize(text: str) -> str:
    """Fold what typing varies without changing the meaning.

    NFKC (full-width forms become plain), casefold, invisible characters removed, blanks
    collapsed, punctuation and symbols trimmed at both ends. Returns "" for text that holds no
    letter or digit. Idempotent.
    """
    folded = _folded(text)
    if not folded.isascii():
        # Removing a joiner, or folding, can bring together what NFKC composes
        while (again := _folded(folded)) != folded:
            folded = again
    start, end = 0, len(folded)
    while start < end and not _is_core(folded[start]):
        start += 1
    while end > start and not _is_core(folded[end - 1]):
        end -= 1
    core = folded[start:end]
    return core if any(unicodedata.category(char)[0] in "LN" for char in core) else ""


def _folded(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    folded = text.casefold().translate(_INVISIBLE)
    if not folded.isascii():
        folded = unicodedata.normalize("NFKC", folded)
    return _BLANKS.sub(" ", folded).strip()


def query_id(normalized: str) -> str:
    """Return the stable id of a normalized text: `q-` and 16 hex digits of its BLAKE2b hash."""
    return "q-" + stable_hash(normalized)


def stable_hash(*parts: str, length: int = 16) -> str:
    """Return `length` hex digits of the BLAKE2b hash of the parts, each kept apart."""
    digest = hashlib.blake2b(digest_size=32)
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "big"))
        digest.update(raw)
    return digest.hexdigest()[:length]


def _is_core(char: str) -> bool:
    """Letters, marks, digits, and signs that carry meaning at a term's end (C++, C#, 5%)."""
    category = unicodedata.category(char)
    return category[0] in "LMN" or char in "+#%°$€£¥<>"
