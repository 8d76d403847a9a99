import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.run import Hit, RetrievedList
from annotator.judging.pooling import pooled_chunk_ids, shuffled
from tests.builders import a_list

IDS = st.lists(st.text("abcdef", min_size=1, max_size=4), unique=True, max_size=12)


def pooled(*lists: RetrievedList, depth_k: int = 10, seed: int = 0) -> list[str]:
    return pooled_chunk_ids(lists, query_id="q-1", depth_k=depth_k, seed=seed)


def test_a_pool_is_the_union_of_the_tops_without_duplicates() -> None:
    found = pooled(a_list("q-1", "a", "b", "c"), a_list("q-1", "d", "a", "e"), depth_k=2)
    assert sorted(found) == ["a", "b", "d"]


def test_depth_is_told_by_rank_not_by_place_in_the_list() -> None:
    holes = RetrievedList("q-1", (Hit("a", 1, None), Hit("b", 5, None)), None, 1.0)
    assert pooled(holes, depth_k=4) == ["a"]
    assert sorted(pooled(holes, depth_k=5)) == ["a", "b"]


def test_no_lists_and_empty_lists_give_an_empty_pool() -> None:
    assert pooled() == []
    assert pooled(a_list("q-1")) == []


@given(IDS, st.data())
def test_the_order_tells_nothing_of_rank_or_source(ids: list[str], data: st.DataObject) -> None:
    other = data.draw(st.permutations(ids))
    cut = data.draw(st.integers(0, len(ids)))
    one_list = pooled(a_list("q-1", *ids), depth_k=20)
    assert one_list == pooled(a_list("q-1", *other), depth_k=20)
    assert one_list == pooled(a_list("q-1", *ids[cut:]), a_list("q-1", *ids[:cut]), depth_k=20)


@given(IDS, st.integers(), st.text(max_size=5))
def test_shuffling_loses_and_adds_nothing(ids: list[str], seed: int, query_id: str) -> None:
    assert sorted(shuffled(ids, query_id=query_id, seed=seed)) == sorted(ids)


def test_every_query_and_every_seed_has_an_order_of_its_own() -> None:
    ids = [f"c{n:02}" for n in range(20)]
    orders = {
        tuple(shuffled(ids, query_id=query_id, seed=seed))
        for query_id in ("q-1", "q-2")
        for seed in (0, 1)
    }
    assert len(orders) == 4
    assert tuple(ids) not in orders


@pytest.mark.parametrize("place", range(5))
def test_no_chunk_has_a_lasting_advantage(place: int) -> None:
    # 1,000 queries, 5 chunks: each place is taken by "a" 200 times on average, sd 12.6
    ids = ["a", "b", "c", "d", "e"]
    orders = [shuffled(ids, query_id=f"q-{n}", seed=3) for n in range(1_000)]
    assert 150 <= sum(order[place] == "a" for order in orders) <= 250
