import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.curation.strata import assign_strata
from annotator.domain.errors import InputError


def test_the_first_half_of_traffic_is_head_and_the_next_three_tenths_torso() -> None:
    # carried before: a 0, b 40, c 60, d 80, e 90 of 100
    traffic = {"a": 40, "b": 20, "c": 20, "d": 10, "e": 10}
    assert assign_strata(traffic) == {
        "a": "head", "b": "head", "c": "torso", "d": "tail", "e": "tail",
    }  # fmt: skip


def test_ties_go_by_id() -> None:
    assert assign_strata({"b": 5, "a": 5}) == {"a": "head", "b": "torso"}


def test_the_borders_can_be_set() -> None:
    assert assign_strata({"a": 6, "b": 4}, head=0.7, torso=0.3) == {"a": "head", "b": "head"}


def test_no_intents_have_no_strata() -> None:
    assert assign_strata({}) == {}


def test_shares_beyond_the_whole_are_refused() -> None:
    with pytest.raises(InputError, match="at most 1"):
        assign_strata({"a": 1}, head=0.8, torso=0.3)


@given(st.dictionaries(st.text(max_size=3), st.integers(1, 50), min_size=1))
def test_no_intent_below_has_more_traffic_than_one_above(traffic: dict[str, int]) -> None:
    rank = {"head": 0, "torso": 1, "tail": 2}
    strata = assign_strata(traffic)
    ordered = sorted(traffic, key=lambda name: -traffic[name])
    ranks = sorted((-traffic[name], rank[strata[name]]) for name in ordered)
    assert [r for _, r in ranks] == sorted(r for _, r in ranks)
