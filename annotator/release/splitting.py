"""Part queries into tuning and test so that no information need straddles the split.

Takes who belongs together, the strata and what earlier versions decided; returns the split of
every query. Deterministic by salt.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotator.domain.release import Split
from annotator.text.normalize import stable_hash


@dataclass(frozen=True, slots=True)
class SplitPlan:
    """`splits` by query id; `needs` maps a query to its information need (the smallest id of it).

    `moved` are queries that a new tie to a test query moved from tuning to test; the other way
    round never happens.
    """

    splits: dict[str, Split]
    needs: dict[str, str]
    moved: tuple[str, ...]


def information_needs(query_ids: Iterable[str], ties: Iterable[Sequence[str]]) -> dict[str, str]:
    """Return query_id -> the smallest id among all queries it is tied to, directly or not.

    Each of `ties` is a set of queries that ask for one thing: near-duplicates, variants, queries
    with an identical span of evidence. Ids in ties that are not in `query_ids` are ignored.
    """
    parent = {query_id: query_id for query_id in query_ids}

    def root(query_id: str) -> str:
        while parent[query_id] != query_id:
            parent[query_id] = parent[parent[query_id]]
            query_id = parent[query_id]
        return query_id

    for tie in ties:
        members = [query_id for query_id in tie if query_id in parent]
        for other in members[1:]:
            left, right = sorted((root(members[0]), root(other)))
            parent[right] = left
    return {query_id: root(query_id) for query_id in parent}


def split_queries(
    strata: Mapping[str, str],
    *,
    needs: Mapping[str, str],
    earlier: Mapping[str, Split],
    test_share: float,
    salt: str,
) -> SplitPlan:
    """Assign each query of `strata`, which maps ids to the class whose shares should be even.

    `needs` and `earlier` may hold more queries: one that is open now still ties its need.

    A need that holds a test query of an earlier version is test; one that holds only tuning
    queries stays tuning. New needs are taken stratum by stratum, in an order that the salt fixes,
    and go to test whenever that brings its share nearer to `test_share` (systematic sampling with
    a random start, so that a small stratum has its fair chance). With two or more needs, neither
    split is empty.
    """
    members: dict[str, list[str]] = {}
    for query_id in sorted(strata):
        members.setdefault(needs[query_id], []).append(query_id)
    decided: dict[str, set[Split]] = {}
    for query_id, known in earlier.items():
        if query_id in needs:
            decided.setdefault(needs[query_id], set()).add(known)
    splits: dict[str, Split] = {}
    moved: list[str] = []
    fresh: list[str] = []
    for need, queries in members.items():
        before = decided.get(need, set())
        if not before:
            fresh.append(need)
            continue
        split: Split = "test" if "test" in before else "tuning"
        splits.update(dict.fromkeys(queries, split))
        moved.extend(q for q in queries if split == "test" and earlier.get(q) == "tuning")
    fresh.sort(key=lambda need: (_stratum(members[need], strata), stable_hash(salt, need)))
    credit = int(stable_hash("start", salt), 16) / 16**16 - 0.5
    # what earlier versions decided counts, or many small releases would drift from the share
    seen = sum(1 for query_id in earlier if query_id not in strata) + len(splits)
    in_test = sum(1 for q, known in earlier.items() if known == "test" and q not in strata)
    in_test += sum(1 for split in splits.values() if split == "test")
    for need in fresh:
        size = len(members[need])
        seen += size
        to_test = in_test + size / 2 <= test_share * seen + credit
        in_test += size if to_test else 0
        splits.update(dict.fromkeys(members[need], "test" if to_test else "tuning"))
    _fill_empty(splits, fresh, members, salt)
    return SplitPlan(splits, dict(needs), tuple(sorted(moved)))


def _stratum(queries: Sequence[str], strata: Mapping[str, str]) -> str:
    """Return the most frequent class of a need's queries, the smallest of equals."""
    classes = [strata[query_id] for query_id in queries]
    return min(set(classes), key=lambda name: (-classes.count(name), name))


def _fill_empty(
    splits: dict[str, Split],
    fresh: Sequence[str],
    members: Mapping[str, Sequence[str]],
    salt: str,
) -> None:
    """Give an empty split one new need, where there are two or more to share."""
    if len(members) < 2 or not fresh:
        return
    for split in ("test", "tuning"):
        if split not in splits.values():
            need = min(fresh, key=lambda need: (len(members[need]), stable_hash(salt, need)))
            splits.update(dict.fromkeys(members[need], split))
