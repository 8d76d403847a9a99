"""Decide whether two queries differ only in what does not matter, and say in what.

No similarity score can: "iPhone 14" and "iPhone 15" are as alike as a word and its misspelling.
So the guard looks at every token in which two queries differ. Each must be a filler, a
misspelling that is rare in the log, or a blank left out or put in. Numbers, signs, negations,
question words and every other word block, and so does another order of words ("dollars to euros"
is not "euros to dollars"). Chinese is compared character by character in the same way.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Literal, TypeAlias

from annotator.curation.fillers import BUILT_IN, Fillers, Tokens, is_marker, learn_fillers
from annotator.curation.typos import find_typos
from annotator.domain.query import DistinctQuery
from annotator.text.normalize import normalize
from annotator.text.tokens import guard_tokens

MOST_KEYS = 8
"""Blocking keys of one query; beyond three misspellings in one query a merge may be missed."""

MergeKind: TypeAlias = Literal["punctuation", "filler", "spacing", "typo"]

# Joining or parting these makes another word: "no where", "not able", "a part", "may be"
_NEVER_JOINED = frozenset(
    {
        "a",
        "i",
        "not",
        "no",
        "non",
        "un",
        "in",
        "im",
        "dis",
        "re",
        "all",
        "may",
        "some",
        "any",
        "every",
    }
)
_NAME = re.compile(r"(?<=[^\W\d_,;] )[A-Z][a-z]{4,}\b")


@dataclass(frozen=True, slots=True)
class Reason:
    """Why two queries are the same: the kind of difference and what it was."""

    kind: MergeKind
    detail: str


@dataclass(frozen=True, slots=True)
class Lexicon:
    """What a log teaches about its words."""

    fillers: Fillers
    typos: Mapping[str, Tokens]


def build_lexicon(
    queries: Sequence[DistinctQuery],
    tokens: Sequence[Tokens],
    *,
    known_words: Collection[str] = frozenset(),
) -> Lexicon:
    """Learn misspellings and fillers from the log; `tokens` run parallel to `queries`."""
    rows: Counter[str] = Counter()
    spread: Counter[str] = Counter()
    capitals: Counter[str] = Counter()
    for query, words in zip(queries, tokens, strict=True):
        for word in set(words):
            rows[word] += query.frequency
            spread[word] += 1
        if not query.text[1:].islower():
            capitals.update(_names_in(query.text))
    names = {word for word, n in capitals.items() if 2 * n >= spread[word]}
    typos = find_typos(rows, known_words=known_words, names=names)
    plain = Lexicon(BUILT_IN, typos)
    return Lexicon(learn_fillers(mended(words, plain) for words in tokens), typos)


def meaning_of(tokens: Tokens, lexicon: Lexicon) -> Tokens:
    """Return the tokens without fillers, misspelt ones included."""
    return lexicon.fillers.strip(mended(tokens, lexicon))


def mended(tokens: Tokens, lexicon: Lexicon) -> Tokens:
    """Correct misspelt polite words ("plaese"), so that they are seen as fillers."""
    if not any(token in lexicon.typos for token in tokens):
        return tokens
    return tuple(
        next((right for right in lexicon.typos.get(token, ()) if is_marker(right)), token)
        for token in tokens
    )


def blocking_keys(content: Tokens, lexicon: Lexicon) -> list[str]:
    """Return the keys of which two queries share one if the guard can accept them.

    The content without blanks, and the same with misspellings put right in every combination,
    at most `MOST_KEYS`.
    """
    options = [(token, *lexicon.typos.get(token, ())) for token in content]
    if all(len(option) == 1 for option in options):
        return [_joined(content)]
    return list(dict.fromkeys(map(_joined, islice(product(*options), MOST_KEYS))))


def same_meaning(
    left: Tokens, right: Tokens, lexicon: Lexicon, *, contents: tuple[Tokens, Tokens]
) -> Reason | None:
    """Return why the two texts ask the same, None if they may not.

    `left` and `right` are guard tokens, `contents` what `meaning_of` leaves of each.
    Symmetric, but not transitive.
    """
    if left == right:
        return Reason("punctuation", "")
    one, two = contents
    if one == two:
        return Reason("filler", _difference(left, right))
    if _joined(one) == _joined(two):
        parted = _only_in(one, two) + _only_in(two, one)
        if any(token in _NEVER_JOINED for token in parted):
            return None
        return Reason("spacing", _difference(one, two))
    if len(one) != len(two):
        return None
    slips: list[str] = []
    for a, b in zip(one, two, strict=True):
        if a == b:
            continue
        if b in lexicon.typos.get(a, ()):
            slips.append(f"{a} → {b}")
        elif a in lexicon.typos.get(b, ()):
            slips.append(f"{b} → {a}")
        else:
            return None
    return Reason("typo", ", ".join(slips))


def query_tokens(query: DistinctQuery) -> Tokens:
    """Return the guard tokens of a query's text."""
    return tuple(guard_tokens(normalize(query.text)))


def _names_in(text: str) -> set[str]:
    """Capitalized words inside a sentence; none in a text that capitalizes most words."""
    words = text.split()
    if 2 * sum(word[0].isupper() for word in words) > len(words):
        return set()
    return {name.casefold() for name in _NAME.findall(text)}


def _joined(tokens: Sequence[str]) -> str:
    """Join without blanks, but keep numbers apart: "1 5" is not "15"."""
    pieces: list[str] = []
    for token in tokens:
        if pieces and token[0].isdigit() and pieces[-1][-1].isdigit():
            pieces.append(" ")
        pieces.append(token)
    return "".join(pieces)


def _only_in(one: Sequence[str], other: Sequence[str]) -> list[str]:
    return list((Counter(one) - Counter(other)).elements())


def _difference(one: Sequence[str], other: Sequence[str]) -> str:
    sides = (" ".join(_only_in(one, other)), " ".join(_only_in(other, one)))
    return " / ".join(side for side in sides if side)
