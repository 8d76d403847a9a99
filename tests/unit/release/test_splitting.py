from collections import Counter
from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.release import Split
from annotator.release.splitting import SplitPlan, information_needs, split_queries

IDS = st.integers(0, 30).map(lambda n: f"q-{n:02}")


@dataclass(frozen=True)
class World:
    """Queries with their strata, who belongs together, and what earlier versions decided."""

    strata: dict[str, str]
    ties: list[list[str]]
    earlier: dict[str, Split] = field(default_factory=dict)
    salt: str = "salt"

    @property
    def needs(self) -> dict[str, str]:
        return information_needs(self.strata, self.ties)


WORLDS = st.builds(
    World,
    st.dictionaries(IDS, st.sampled_from(["head", "torso", "tail"]), min_size=1),
    st.lists(st.lists(IDS, max_size=4), max_size=6),
    st.dictionaries(IDS, st.sampled_from(["tuning", "test"]), max_size=8),
    st.text(max_size=4),
)


def split(world: World, *, test_share: float = 0.25) -> SplitPlan:
    return split_queries(
        world.strata,
        needs=world.needs,
        earlier=world.earlier,
        test_share=test_share,
        salt=world.salt,
    )


@given(WORLDS)
def test_no_information_need_straddles_the_splits(world: World) -> None:
    plan = split(world)
    assert set(plan.splits) == set(world.strata)
    for tie in world.ties:
        assert len({plan.splits[query_id] for query_id in tie if query_id in plan.splits}) <= 1


@given(WORLDS, st.randoms())
def test_the_same_queries_are_split_the_same_in_any_order(world: World, chance: Random) -> None:
    items, ties = list(world.strata.items()), [list(tie) for tie in world.ties]
    for part in (items, ties, *ties):
        chance.shuffle(part)
    turned = World(dict(items), ties, world.earlier, world.salt)
    assert split(turned) == split(world)


@given(WORLDS)
def test_a_test_query_never_moves_to_tuning(world: World) -> None:
    plan = split(world)
    for query_id, before in world.earlier.items():
        if query_id in world.strata and before == "test":
            assert plan.splits[query_id] == "test"


@given(WORLDS)
def test_a_tuning_query_moves_only_with_a_test_query_of_its_need(world: World) -> None:
    plan = split(world)
    needs = world.needs
    drawn = {needs[q] for q, s in world.earlier.items() if q in needs and s == "test"}
    moved = {
        query_id
        for query_id, before in world.earlier.items()
        if query_id in needs and before == "tuning" and plan.splits[query_id] == "test"
    }
    assert set(plan.moved) == moved
    assert all(needs[query_id] in drawn for query_id in moved)


@given(WORLDS)
def test_two_new_needs_give_two_splits(world: World) -> None:
    needs = world.needs
    fresh = {needs[q] for q in world.strata} - {needs[q] for q in world.earlier if q in needs}
    if fresh and len(set(needs.values())) >= 2:
        assert set(split(world).splits.values()) == {"tuning", "test"}


@given(WORLDS)
def test_splitting_again_with_what_was_decided_changes_nothing(world: World) -> None:
    first = split(world)
    again = split(World(world.strata, world.ties, first.splits, world.salt))
    assert again.splits == first.splits
    assert again.moved == ()


@given(st.integers(2, 400), st.sampled_from([0.1, 0.25, 0.5]), st.text(max_size=5))
def test_the_share_of_single_queries_is_within_one_query(n: int, share: float, salt: str) -> None:
    world = World({f"q-{i:03}": "head" for i in range(n)}, [], salt=salt)
    in_test = Counter(split(world, test_share=share).splits.values())["test"]
    assert abs(in_test - share * n) <= 1


@given(
    st.dictionaries(IDS, st.sampled_from(["head", "torso", "tail"]), min_size=12),
    st.text(max_size=5),
)
def test_every_stratum_has_its_share_within_two_queries(strata: dict[str, str], salt: str) -> None:
    plan = split(World(strata, [], salt=salt))
    for stratum, total in Counter(strata.values()).items():
        in_test = sum(plan.splits[q] == "test" for q, own in strata.items() if own == stratum)
        assert abs(in_test - 0.25 * total) <= 2


@given(WORLDS)
def test_the_share_of_tied_queries_is_off_by_less_than_the_largest_need(world: World) -> None:
    alone = World(world.strata, world.ties, {}, world.salt)
    largest = max(Counter(alone.needs.values()).values())
    in_test = Counter(split(alone).splits.values())["test"]
    assert abs(in_test - 0.25 * len(alone.strata)) <= largest + 1


def test_over_many_salts_each_query_is_as_likely_to_be_test() -> None:
    # 8 queries in strata of one: 400 salts, expected 100 each, sd 8.7
    strata = {f"q-{n}": f"stratum {n}" for n in range(8)}
    plans = [split(World(strata, [], salt=str(salt))) for salt in range(400)]
    for query_id in strata:
        assert 60 <= sum(plan.splits[query_id] == "test" for plan in plans) <= 140


def test_a_tie_is_carried_on_from_query_to_query() -> None:
    needs = information_needs("abcdef", [("b", "c"), ("d", "c"), ("e", "f"), ("x", "f")])
    assert needs == {"a": "a", "b": "b", "c": "b", "d": "b", "e": "e", "f": "e"}


@given(WORLDS)
def test_needs_are_the_connected_parts_of_the_ties(world: World) -> None:
    parts = [{query_id} for query_id in world.strata]
    for tie in world.ties:
        joined = {query_id for query_id in tie if query_id in world.strata}
        touching = [part for part in parts if part & joined]
        if touching:
            parts = [p for p in parts if not p & joined] + [set().union(*touching)]
    assert world.needs == {query_id: min(part) for part in parts for query_id in part}


@pytest.mark.parametrize("salt", ["", "a", "b", "c"])
def test_one_need_alone_is_not_cut_in_two(salt: str) -> None:
    world = World({"q-1": "head", "q-2": "tail"}, [["q-1", "q-2"]], salt=salt)
    assert len(set(split(world).splits.values())) == 1


def test_a_new_tie_to_a_test_query_moves_a_tuning_query_to_test() -> None:
    world = World(
        dict.fromkeys(["q-1", "q-2", "q-3"], "head"),
        [["q-1", "q-2"]],
        {"q-1": "tuning", "q-2": "test", "q-3": "tuning"},
    )
    plan = split(world)
    assert plan.splits == {"q-1": "test", "q-2": "test", "q-3": "tuning"}
    assert plan.moved == ("q-1",)


def test_a_query_that_joins_a_tuning_need_is_tuning() -> None:
    world = World(
        dict.fromkeys(["q-1", "q-2", "q-3"], "head"),
        [["q-1", "q-2"]],
        {"q-1": "tuning", "q-3": "test"},
    )
    assert split(world).splits["q-2"] == "tuning"


def test_a_query_that_is_open_now_still_ties_its_need() -> None:
    # q-2 was test in an earlier version and is open in this one
    needs = information_needs(["q-1", "q-2", "q-3"], [["q-1", "q-2"]])
    plan = split_queries(
        {"q-1": "head", "q-3": "head"},
        needs=needs,
        earlier={"q-2": "test", "q-3": "tuning"},
        test_share=0.25,
        salt="salt",
    )
    assert plan.splits == {"q-1": "test", "q-3": "tuning"}
    assert plan.moved == ()
