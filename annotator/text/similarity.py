"""How much two texts share, by their character n-grams.

Used to tell near-duplicate chunks and queries. A high value never proves that two queries ask
the same thing ("iPhone 14" and "iPhone 15" share nearly everything): merging queries needs the
guard of `curation`.
"""

from annotator.text.language import has_han
from annotator.text.normalize import normalize

LATIN_NGRAM = 3
HAN_NGRAM = 2
"""A Chinese word has two characters where an English one has five."""


def character_ngrams(text: str, *, n: int | None = None) -> frozenset[str]:
    """Return the set of runs of `n` characters of the normalized text, blanks counting as one.

    `n` None takes 2 for a text that holds Han and 3 for others. A text shorter than `n` is its
    own single n-gram; a text without letter or digit has none.
    """
    folded = normalize(text)
    size = n if n is not None else HAN_NGRAM if has_han(folded) else LATIN_NGRAM
    if not folded:
        return frozenset()
    return frozenset(folded[i : i + size] for i in range(max(1, len(folded) - size + 1)))


def ngram_jaccard(left: str, right: str, *, n: int | None = None) -> float:
    """Return the Jaccard index of the two texts' n-gram sets, in [0, 1] and symmetric.

    Shared n-grams over all n-grams (Broder 1997, "resemblance"). `n` None takes 2 where either
    text holds Han, else 3. 1.0 for texts with equal normal forms, two empty ones included.
    """
    size = n if n is not None else HAN_NGRAM if has_han(left + right) else LATIN_NGRAM
    return ngram_overlap(character_ngrams(left, n=size), character_ngrams(right, n=size))


def ngram_overlap(left: frozenset[str], right: frozenset[str]) -> float:
    """Return the Jaccard index of two n-gram sets, for callers that keep the sets."""
    if not left and not right:
        return 1.0
    shared = len(left & right)
    return shared / (len(left) + len(right) - shared)
