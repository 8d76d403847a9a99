"""Find which words of a log are misspellings of which others.

A word counts as a misspelling only if it is rare in the log, one edit away from a frequent word,
and the edit is one that slips make and inflection does not. Where a vocabulary of known words is
handed in, a known word is never a misspelling, and of unknown ones more kinds of edit are
believed. Source of the edit kinds: Damerau 1964 (one insertion, omission, substitution or
transposition makes 80 % of misspellings); slips rarely touch the first letter.
"""

from collections.abc import Collection, Mapping

RARE_ROWS = 2
RARE_SHARE = 0.02
SHORTEST = 5

_KEYBOARD = ("qwertyuiop", "asdfghjkl", "zxcvbnm")

# Known in every log: words one edit from another word, and words that turn the meaning.
_REAL_TEXT = """
    never neither without cannot nothing nobody none which where while whose whether before after
    above below under enable enabled disable disabled unable allow deny include exclude increase
    decrease inbound outbound import export receive credit debit country county contact contract
    trial trail angel angle casual causal quiet quite quit desert dessert loose lose advice advise
    device devise personal personnel moral morale human humane later latter price prince carrier
    career through though thorough thought marital martial diary dairy united untied field filed
    there three these those form from being begin scared sacred board broad tried tired playing
    paying signing singing staring starting starring hoping hopping rating ranting landing lending
    loading word world words worlds sever server severe beast breast heart heat chart chat cart
    fright freight bride bridge brake break point pint paint plant plan click clock stock stick
    track trick shirt short hours houses count court round month mouth order older spend spent
    speed grant grand sales scales statue statute stationary stationery complement compliment
    adapt adopt adept access assess accept except expect expert insured insurer insure insurance
    payer payee employer employee lender charge charger change user
"""
_REAL = frozenset(_REAL_TEXT.split())


def find_typos(
    rows: Mapping[str, int],
    *,
    known_words: Collection[str] = frozenset(),
    names: Collection[str] = frozenset(),
) -> dict[str, tuple[str, ...]]:
    """Return for each misspelling the words it may stand for, the most frequent first.

    `rows` counts the log rows of every token. A word of `names` is never one, nor stands for
    one: rare names differ from frequent ones by one letter. A misspelling occurs in at most
    `RARE_ROWS` rows or `RARE_SHARE` of the right word's, and in fewer than it.
    """
    words = [word for word in rows if len(word) >= 4 and word.isalpha() and word not in names]
    by_deletion: dict[str, list[str]] = {}
    for word in words:
        for key in _deletions(word):
            by_deletion.setdefault(key, []).append(word)
    found: dict[str, tuple[str, ...]] = {}
    for word in words:
        if word in known_words or word in _REAL:
            continue
        near = {other for key in _deletions(word) for other in by_deletion[key] if other != word}
        right = [
            other
            for other in near
            if rows[word] < rows[other]
            and rows[word] <= max(RARE_ROWS, RARE_SHARE * rows[other])
            and is_slip(word, other, trusted=other in known_words)
        ]
        if right:
            found[word] = tuple(sorted(right, key=lambda other: (-rows[other], other)))
    return found


def is_slip(word: str, right: str, *, trusted: bool) -> bool:
    """Tell whether a slip of the fingers makes `word` of `right`.

    `trusted` means that a vocabulary holds `right` but not `word`. Both have at least `SHORTEST`
    letters (trusted: one of them). One edit behind the first letter: two neighbours swapped, a
    letter too many or too few, a key beside the right one. Any other letter would take "nitrite"
    for "nitrate" and "propene" for "propane". At the end of a word, where inflection lies
    ("charge", "charger", "payer", "payee"), only a swap, a doubled letter, or (trusted) a lost
    letter.
    """
    if word[0] != right[0] or min(len(word), len(right)) < (SHORTEST - 1 if trusted else SHORTEST):
        return False
    if max(len(word), len(right)) < SHORTEST:
        return False
    if len(word) == len(right):
        differ = [i for i in range(len(word)) if word[i] != right[i]]
        if len(differ) == 2:
            i, j = differ
            return j == i + 1 and word[i] == right[j] and word[j] == right[i]
        if len(differ) != 1 or differ[0] == len(word) - 1:
            return False
        return _are_neighbours(word[differ[0]], right[differ[0]])
    longer, shorter = (word, right) if len(word) > len(right) else (right, word)
    if len(longer) != len(shorter) + 1:
        return False
    i = next((i for i in range(len(shorter)) if longer[i] != shorter[i]), len(shorter))
    if longer[:i] + longer[i + 1 :] != shorter:
        return False
    if i < len(shorter):
        return True
    return longer[-1] == longer[-2] if longer is word else trusted


def _deletions(word: str) -> set[str]:
    """The word and it with one letter left out; two words one edit apart share one of these."""
    return {word, *(word[:i] + word[i + 1 :] for i in range(len(word)))}


def _are_neighbours(one: str, other: str) -> bool:
    """Tell whether two keys lie side by side in one row of a QWERTY keyboard."""
    return any(one + other in row or other + one in row for row in _KEYBOARD)
