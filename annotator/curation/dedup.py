"""Group what a log asks more than once: equal texts, then near-duplicates.

Nothing is deleted: a group has a leader and lists every other query with the reason why it was
merged. Leaders are found in one pass by falling frequency; a query joins the first leader that
the guard accepts for this very pair. There is no chaining: closure over pairs makes monsters
(445 rows with a cosine of .49 between their ends, in one log).

Candidates are pairs that share a blocking key. Every difference that the guard lets pass is one
that the keys undo, so no accepted pair is missed, and a search by similarity (such as MinHash
over character n-grams) could only add pairs that the guard refuses.
"""

import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from annotator.curation.guard import (
    Reason,
    blocking_keys,
    build_lexicon,
    meaning_of,
    query_tokens,
    same_meaning,
)
from annotator.domain.progress import Report, silent
from annotator.domain.query import DistinctQuery, Variant
from annotator.text.normalize import normalize, query_id
from annotator.text.vocabulary import known_words

_STEP = "find near-duplicates"
_REPORT_EVERY = 5_000


@dataclass(frozen=True, slots=True)
class Merge:
    """A query that was merged into its group's leader, and why."""

    query: DistinctQuery
    reason: Reason


@dataclass(frozen=True, slots=True)
class NearDuplicateGroup:
    """A leader and the queries merged into it, most frequent first."""

    leader: DistinctQuery
    merges: tuple[Merge, ...]

    @property
    def frequency(self) -> int:
        """Number of log rows of the leader and all merged queries."""
        return self.leader.frequency + sum(merge.query.frequency for merge in self.merges)

    @property
    def members(self) -> tuple[DistinctQuery, ...]:
        """The leader and every merged query."""
        return (self.leader, *(merge.query for merge in self.merges))


def group_exact(counts: Mapping[str, int]) -> tuple[list[DistinctQuery], int]:
    """Group raw strings by normal form; return the queries by id, and the refused log rows.

    `counts` maps each raw string to its log rows. Refused are strings without letter or digit.
    Of equally frequent originals the tidiest is shown: plain widths and single blanks, and not in
    capitals throughout.
    """
    variants: dict[str, list[Variant]] = {}
    refused = 0
    for text, count in counts.items():
        normal = normalize(text)
        if normal:
            variants.setdefault(normal, []).append(Variant(text, count))
        else:
            refused += count
    queries: list[DistinctQuery] = []
    for normal, found in variants.items():
        found.sort(key=lambda variant: (-variant.count, *_untidiness(variant.text), variant.text))
        frequency = sum(variant.count for variant in found)
        queries.append(DistinctQuery(query_id(normal), found[0].text, frequency, tuple(found)))
    queries.sort(key=lambda query: query.query_id)
    return queries, refused


def near_duplicate_groups(
    queries: Sequence[DistinctQuery],
    *,
    vocabulary: Collection[str] | None = None,
    report: Report = silent,
) -> list[NearDuplicateGroup]:
    """Return groups that hold every query exactly once, singletons included.

    Groups come by falling frequency of their leader, which is the most frequent query of its
    group; of equally frequent ones that with the fewest unknown words, then the shortest, then
    that with the smaller query_id. No word of `vocabulary` (casefolded) counts as a misspelling of
    another; None takes the built-in one. The order of `queries` does not matter.
    """
    known = known_words() if vocabulary is None else vocabulary
    ordered = sorted(queries, key=lambda query: _leader_order(query, known))
    tokens = [query_tokens(query) for query in ordered]
    lexicon = build_lexicon(ordered, tokens, known_words=known)
    contents = [meaning_of(words, lexicon) for words in tokens]
    leaders_by_key: dict[str, list[int]] = {}
    merges: dict[int, list[Merge]] = {}
    for i, query in enumerate(ordered):
        keys = blocking_keys(contents[i], lexicon)
        near = {leader for key in keys for leader in leaders_by_key.get(key, ())}
        for leader in sorted(near):
            reason = same_meaning(
                tokens[leader], tokens[i], lexicon, contents=(contents[leader], contents[i])
            )
            if reason is not None:
                merges[leader].append(Merge(query, reason))
                break
        else:
            merges[i] = []
            for key in keys:
                leaders_by_key.setdefault(key, []).append(i)
        if (i + 1) % _REPORT_EVERY == 0:
            report(_STEP, i + 1, len(ordered))
    report(_STEP, len(ordered), len(ordered))
    return [NearDuplicateGroup(ordered[i], tuple(found)) for i, found in merges.items()]


def _untidiness(text: str) -> tuple[bool, bool, bool]:
    """Return what makes an original worse to read than another with the same normal form."""
    odd_blanks = "  " in text or text != text.strip()
    return unicodedata.normalize("NFKC", text) != text, odd_blanks, text.isupper()


def _leader_order(query: DistinctQuery, known: Collection[str]) -> tuple[int, int, int, str]:
    """Return the sort key of leaders: frequent, spelled right, short; words are Latin ones."""
    words = query.text.casefold().split()
    unknown = sum(w.isascii() and w.isalpha() and len(w) >= 4 and w not in known for w in words)
    return -query.frequency, unknown, len(query.text), query.query_id
