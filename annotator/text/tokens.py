"""Cut text into tokens: for lexical search, and for telling two queries apart.

`search_tokens` serves BM25 over English, Chinese and text that mixes both; `guard_tokens`
serves the comparison of two queries, where a lost sign or digit would be a lost difference.
"""

import functools
import logging
import re
import unicodedata
import warnings
from collections.abc import Callable, Iterable

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f\u3005\u3007"
# Written without blanks between words, and not known to jieba: kana, Thai, Lao, Burmese, Khmer
_UNSPACED = "\u3040-\u30ff\u31f0-\u31ff\u0e01-\u0eff\u1000-\u109f\u1780-\u17d3"
# Combining marks of Latin, Cyrillic, Hebrew, Arabic and the Indic scripts: inside a word, though
# `\w` does not match them. U+0964 and U+0965 are full stops.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u0610-\u061a\u064b-\u065f\u0670"
    "\u0900-\u0963\u0966-\u0dff\u0f18-\u0fbc"
)
_LETTER = rf"(?:(?![{_HAN}{_UNSPACED}])(?:[^\W_]|[{_MARKS}]))"
_LETTER_NO_DIGIT = rf"(?:(?!\d){_LETTER})"

_SEARCH = re.compile(
    rf"(?P<han>[{_HAN}]+)"
    rf"|(?P<unspaced>[{_UNSPACED}]+)"
    r"|(?P<number>\d+(?:[.,]\d+)+)(?!\w)"
    rf"|(?P<word>{_LETTER}+(?:_+{_LETTER}+)*(?:(?:\+\+|\#)(?!{_LETTER_NO_DIGIT}))?)"
)
_GUARD = re.compile(
    rf"(?P<cjk>[{_HAN}{_UNSPACED}])"
    r"|(?P<number>\d+(?:[.,]\d+)*)"
    rf"|(?P<word>{_LETTER_NO_DIGIT}+(?:'{_LETTER_NO_DIGIT}+)*)"
    r"|(?P<sign>(?<![^\s(])-(?=\d)|!(?==)|[#%°+<>=|~$€£¥±×÷√∞≠≤≥])"
)
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")

_CONTRACTIONS = {
    "can't": ("can", "not"),
    "cant": ("can", "not"),
    "cannot": ("can", "not"),
    "won't": ("will", "not"),
    "shan't": ("shall", "not"),
    "whats": ("what", "is"),
    "wheres": ("where", "is"),
    "hows": ("how", "is"),
    "im": ("i", "am"),
    "ive": ("i", "have"),
}
_CONTRACTIONS |= {
    f"{verb}n{mark}t": (verb, "not")
    for verb in [
        "do",
        "does",
        "did",
        "is",
        "are",
        "was",
        "were",
        "has",
        "have",
        "had",
        "should",
        "would",
        "could",
    ]
    for mark in ("'", "")
}
_CLITICS = {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would"}
_IS_AFTER = frozenset(
    ["what", "where", "how", "who", "when", "why", "it", "that", "there", "here", "he", "she"]
)


def search_tokens(text: str) -> list[str]:
    """Return the tokens of the text for lexical search, in reading order.

    NFKC and casefold first. Runs of Han are cut by jieba in search mode (long words are followed
    by the words inside them, so their order is jieba's); kana, Thai, Lao, Burmese and Khmer become
    character bigrams. Elsewhere a token is a run of letters and digits: "C++" and "C#" keep their
    signs, "3.5" stays whole, "1,000" becomes "1000", and an identifier such as `max_rows` gives
    itself and its parts.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    tokens: list[str] = []
    for match in _SEARCH.finditer(folded):
        piece = match.group()
        if match.lastgroup == "han":
            tokens.extend(_cutter()(piece))
        elif match.lastgroup == "unspaced":
            tokens.extend(_bigrams(piece))
        elif match.lastgroup == "number":
            tokens.extend(_numbers(piece))
        elif "_" in piece:
            tokens.append(piece)
            tokens.extend(part for part in piece.split("_") if part)
        else:
            tokens.append(piece)
    return tokens


def guard_tokens(normalized: str) -> list[str]:
    """Return everything in a normalized text that can make a difference, in reading order.

    `normalized` is what `normalize` returned. Han, kana and other unspaced characters stand one
    by one; letters and digits are parted ("iphone15" is "iphone", "15"), so that both spellings
    agree; numbers keep their decimal point and lose their thousands comma; signs that change a
    meaning (C++, 5 %, -5, $, <, !=) are tokens; other punctuation and emoji are left out.
    English contractions are written out ("don't" and "dont" are "do", "not"), so that a negation
    is always seen as one.
    """
    tokens: list[str] = []
    for match in _GUARD.finditer(normalized.replace("\u2019", "'")):
        piece = match.group()
        if match.lastgroup == "number":
            tokens.extend(_numbers(piece))
        elif match.lastgroup == "word":
            tokens.extend(_written_out(piece))
        else:
            tokens.append(piece)
    return tokens


def _numbers(piece: str) -> list[str]:
    """One number without its thousands commas, or the parts of a list such as "1,2,3"."""
    if _THOUSANDS.fullmatch(piece):
        return [piece.replace(",", "")]
    return piece.split(",")


def _written_out(word: str) -> tuple[str, ...]:
    known = _CONTRACTIONS.get(word)
    if known is not None:
        return known
    head, mark, tail = word.rpartition("'")
    if not mark:
        return (word,)
    if tail == "s":
        return (head, "is") if head in _IS_AFTER else (word.replace("'", ""),)
    clitic = _CLITICS.get(mark + tail)
    return (head, clitic) if clitic else (word.replace("'", ""),)


def _bigrams(run: str) -> list[str]:
    return [run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]


@functools.cache
def _cutter() -> Callable[[str], Iterable[str]]:
    """jieba in search mode, loaded at first use.

    The dictionary is read from jieba's own file each time (about a second), not from the cache
    that jieba would keep in the shared temporary folder, where anybody could have put it.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jieba
    jieba.setLogLevel(logging.ERROR)
    tokenizer = jieba.Tokenizer()
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    cut: Callable[[str], Iterable[str]] = tokenizer.cut_for_search
    return cut
