import math
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.curation.sampling import (
    Candidate,
    SamplingPlan,
    draw_sample,
    inclusion_probabilities,
)
from annotator.domain.errors import InputError


def candidates(*buckets: list[int]) -> list[Candidate]:
    """One bucket per list of frequencies; ids b0-0, b0-1, b1-0, ..."""
    found: list[Candidate] = []
    for b, frequencies in enumerate(buckets):
        for i, frequency in enumerate(frequencies):
            found.append(Candidate(f"b{b}-{i}", frequency, f"b{b}", f"i{b // 3}", len(found)))
    return found


logs = st.lists(
    st.lists(st.integers(1, 1000), min_size=1, max_size=6), min_size=1, max_size=25
).map(lambda buckets: candidates(*buckets))
plans = st.tuples(st.integers(1, 10), st.integers(0, 10), st.integers(0, 10)).map(
    lambda w: SamplingPlan(w[0] / sum(w), w[1] / sum(w), w[2] / sum(w))
)


def test_the_probabilities_of_a_small_log_are_those_worked_out_by_hand() -> None:
    # budget 10: one-offs 2, and 3 : 5 of the other 8 is traffic 3, coverage 5.
    # 20 one-offs: 2/20 each. 5 buckets of 4 queries: 1/bucket, 1/4 a query.
    # Traffic: 20 · 1 + 5 · 4 · 4 = 100 rows; 3/100 a row.
    population = candidates(*[[1]] * 20, *[[4, 4, 4, 4]] * 5)
    found = inclusion_probabilities(population, budget=10)
    assert found["b0-0"] == pytest.approx(0.1 + 0.03, abs=1e-11)
    assert found["b20-0"] == pytest.approx(0.25 + 0.12, abs=1e-11)


def test_a_very_frequent_query_is_taken_for_certain_and_its_excess_goes_to_the_others() -> None:
    # budget 2 of 4 queries in multi-row buckets, traffic only: 97, 1, 1, 1 of 100 rows would be
    # 1.94, .02, .02, .02; capped: 1, 1/3, 1/3, 1/3
    population = candidates([97, 1, 1, 1])
    found = inclusion_probabilities(population, budget=2, plan=SamplingPlan(1, 0, 0))
    assert found["b0-0"] == 1
    assert found["b0-1"] == pytest.approx(1 / 3, abs=1e-11)


def test_without_one_offs_their_share_goes_to_the_others() -> None:
    sample = draw_sample(candidates(*[[2, 2]] * 10), budget=10, seed=1)
    assert len(sample.drawn) == 10
    assert sample.buckets_covered >= 6


def test_without_multi_row_buckets_all_are_one_offs() -> None:
    sample = draw_sample(candidates(*[[1]] * 30), budget=10, seed=1)
    assert [item.inclusion_probability for item in sample.drawn] == pytest.approx([1 / 3] * 10)


def test_a_budget_beyond_the_log_takes_everything_and_says_what_is_missing() -> None:
    sample = draw_sample(candidates([1], [3, 2]), budget=5, seed=1)
    assert [item.candidate.query_id for item in sample.drawn] == ["b0-0", "b1-0", "b1-1"]
    assert {item.inclusion_probability for item in sample.drawn} == {1.0}
    assert sample.shortfall == 2
    assert "3 distinct" in sample.shortfall_reason


def test_an_empty_log_gives_an_empty_sample() -> None:
    sample = draw_sample([], budget=5, seed=1)
    assert (sample.drawn, sample.shortfall) == ((), 5)


@settings(deadline=None)
@given(logs, plans, st.integers(1, 60), st.integers(0, 2**31))
def test_every_sample_has_the_exact_size_and_its_floor_of_one_offs(
    population: list[Candidate], plan: SamplingPlan, budget: int, seed: int
) -> None:
    sample = draw_sample(population, budget=budget, seed=seed, plan=plan)
    ids = [item.candidate.query_id for item in sample.drawn]
    assert len(ids) == len(set(ids)) == min(budget, len(population))
    assert sample.shortfall == budget - len(ids)
    rows = Counter[str]()
    for item in population:
        rows[item.bucket] += item.frequency
    one_offs = sum(n == 1 for n in rows.values())
    floor = math.floor(plan.one_offs * len(ids) + 0.5)
    most = len(ids) if one_offs == len(rows) else len(ids) - 1
    assert sum(item.is_one_off for item in sample.drawn) >= min(one_offs, floor, most)


@settings(deadline=None)
@given(logs, plans, st.integers(1, 60))
def test_the_probabilities_add_up_to_the_size_and_lie_between_nothing_and_one(
    population: list[Candidate], plan: SamplingPlan, budget: int
) -> None:
    found = inclusion_probabilities(population, budget=budget, plan=plan)
    assert math.fsum(found.values()) == min(budget, len(population))
    assert all(0 < p <= 1 for p in found.values())


@settings(deadline=None)
@given(logs, st.integers(1, 60), st.integers(0, 2**31), st.randoms(use_true_random=False))
def test_the_order_of_the_input_does_not_matter(
    population: list[Candidate], budget: int, seed: int, shuffler: random.Random
) -> None:
    shuffled = list(population)
    shuffler.shuffle(shuffled)
    assert draw_sample(population, budget=budget, seed=seed) == draw_sample(
        shuffled, budget=budget, seed=seed
    )


@settings(deadline=None)
@given(logs, plans, st.integers(1, 60), st.integers(0, 2**31))
def test_a_bucket_whose_probabilities_reach_one_is_never_left_out(
    population: list[Candidate], plan: SamplingPlan, budget: int, seed: int
) -> None:
    found = inclusion_probabilities(population, budget=budget, plan=plan)
    mass = Counter[str]()
    for item in population:
        mass[item.bucket] += found[item.query_id]  # type: ignore[assignment]
    sample = draw_sample(population, budget=budget, seed=seed, plan=plan)
    covered = {item.candidate.bucket for item in sample.drawn}
    assert {bucket for bucket, total in mass.items() if total >= 1 + 1e-9} <= covered


MIXED = candidates(*[[1]] * 12, [900, 30, 1], [5, 5, 5, 5], [2], [40, 1], [3, 1, 1], [7, 7])


def test_inclusion_frequencies_over_many_seeds_match_the_probabilities() -> None:
    draws = 4000
    expected = inclusion_probabilities(MIXED, budget=10)
    drawn = Counter(
        item.candidate.query_id
        for seed in range(draws)
        for item in draw_sample(MIXED, budget=10, seed=seed).drawn
    )
    # 4.5 standard deviations of a binomial share: one in 147,000 per query by chance
    off = {
        query_id: (drawn[query_id] / draws, p)
        for query_id, p in expected.items()
        if abs(drawn[query_id] / draws - p) > 4.5 * math.sqrt(p * (1 - p) / draws) + 1e-9
    }
    assert off == {}


def test_the_horvitz_thompson_total_of_frequencies_is_unbiased() -> None:
    truth = sum(item.frequency for item in MIXED)
    totals = [
        sum(item.candidate.frequency / item.inclusion_probability for item in sample.drawn)
        for sample in (draw_sample(MIXED, budget=10, seed=seed) for seed in range(3000))
    ]
    mean = math.fsum(totals) / len(totals)
    spread = math.sqrt(math.fsum((t - mean) ** 2 for t in totals) / len(totals))
    assert abs(mean - truth) < 4.5 * spread / math.sqrt(len(totals))


def test_another_seed_gives_another_sample() -> None:
    population = candidates(*[[1]] * 100, *[[2, 3]] * 50)
    samples = {draw_sample(population, budget=20, seed=seed).drawn for seed in range(10)}
    assert len(samples) == 10


@pytest.mark.parametrize("shares", [(0.5, 0.5, 0.5), (0, 0.5, 0.5), (1.2, -0.2, 0)])
def test_a_plan_that_does_not_add_up_is_refused(shares: tuple[float, float, float]) -> None:
    with pytest.raises(InputError, match="add up to 1"):
        SamplingPlan(*shares)


def test_a_budget_of_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="at least 1"):
        draw_sample(MIXED, budget=0, seed=1)


def test_a_repeated_id_is_refused() -> None:
    with pytest.raises(ValueError, match="twice"):
        draw_sample([MIXED[0], MIXED[0]], budget=1, seed=1)
