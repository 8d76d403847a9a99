"""Draw exactly the queries that the budget allows, each with a known inclusion probability.

The plan is turned into one target probability per distinct query; the probabilities add up to
the budget. One draw by systematic sampling with unequal probabilities (Madow 1949, Annals of
Mathematical Statistics 20:333) then includes every query with exactly its probability, in any
order of the list. The order is chosen for spread: one-offs first, then the multi-row buckets in
leaf order of the cluster tree, the members of a bucket side by side. So every contiguous part
of the list gets its expected number of queries, rounded down or up: a bucket whose probabilities
add up to one or more is never left out.

Probabilities are whole multiples of 2**-40 and the draw works in integers, so that "adds up to
the budget" holds to the last digit.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotator.domain.errors import InputError
from annotator.text.normalize import stable_hash

_UNIT = 2**40
_Floats = npt.NDArray[np.float64]
_Ints = npt.NDArray[np.int64]
_Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A distinct query that may be drawn.

    `frequency` counts the log rows of the query and its near-duplicates, at least 1; `order` is
    the place of the query in the leaf order of the cluster tree.
    """

    query_id: str
    frequency: int
    bucket: str
    intent: str
    order: int


@dataclass(frozen=True, slots=True)
class SamplingPlan:
    """How the budget is shared out; the shares add up to 1.

    `traffic` follows the log's frequencies over all queries, `coverage` goes in equal parts to
    the buckets with two or more log rows, `one_offs` to the buckets of a single row. Without
    traffic some queries could never be drawn, and no estimate over the log would hold.
    """

    traffic: float = 0.3
    coverage: float = 0.5
    one_offs: float = 0.2

    def __post_init__(self) -> None:
        shares = (self.traffic, self.coverage, self.one_offs)
        if not (self.traffic > 0 and min(shares) >= 0 and abs(sum(shares) - 1) < 1e-9):
            raise InputError(
                f"The sampling plan {shares} is not usable: the shares of traffic, coverage and "
                "one-offs must add up to 1, none below 0 and traffic above 0."
            )


DEFAULT_PLAN = SamplingPlan()
"""Tail coverage 2.8 times that of sampling rows at 1.35 times its traffic-weighted error."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A drawn query with its inclusion probability in (0, 1] under the plan."""

    candidate: Candidate
    inclusion_probability: float
    is_one_off: bool


@dataclass(frozen=True, slots=True)
class Sample:
    """The drawn queries, by query_id; `shortfall` is what the log lacks of the budget."""

    drawn: tuple[Drawn, ...]
    budget: int
    seed: int
    plan: SamplingPlan
    shortfall: int
    shortfall_reason: str
    multi_row_buckets: int

    @property
    def buckets_covered(self) -> int:
        """Number of multi-row buckets with at least one drawn query."""
        return len({item.candidate.bucket for item in self.drawn if not item.is_one_off})

    @property
    def intents_covered(self) -> int:
        """Number of intents with at least one drawn query."""
        return len({item.candidate.intent for item in self.drawn})


def draw_sample(
    population: Sequence[Candidate],
    *,
    budget: int,
    seed: int,
    plan: SamplingPlan = DEFAULT_PLAN,
) -> Sample:
    """Draw min(budget, len(population)) distinct queries.

    The same population, in any order, with the same seed, budget and plan gives the same sample
    on every machine. At least round(one_offs · budget) one-offs are drawn where there are so
    many and one place is left for the others. Raises InputError for a budget below 1 and
    ValueError for a repeated query_id or a frequency below 1.
    """
    if budget < 1:
        raise InputError(f"A sample of {budget} cannot be drawn; ask for at least 1 query.")
    ordered, one_off = _list_in_order(population, seed)
    units = _probability_units(ordered, one_off, min(budget, len(ordered)), plan)
    chosen = _systematic(units, int(stable_hash("start", str(seed)), 16) % _UNIT)
    drawn = sorted(
        (Drawn(ordered[i], int(units[i]) / _UNIT, bool(one_off[i])) for i in chosen),
        key=lambda item: item.candidate.query_id,
    )
    short = max(0, budget - len(ordered))
    reason = f"the log has only {len(ordered)} distinct queries" if short else ""
    multi = len({item.bucket for item, single in zip(ordered, one_off, strict=True) if not single})
    return Sample(tuple(drawn), budget, seed, plan, short, reason, multi)


def inclusion_probabilities(
    population: Sequence[Candidate], *, budget: int, plan: SamplingPlan = DEFAULT_PLAN
) -> dict[str, float]:
    """Return the probability of every query under the plan; they add up to the sample's size.

    They do not depend on the seed, except for the last bits of 2**-40.
    """
    ordered, one_off = _list_in_order(population, 0)
    units = _probability_units(ordered, one_off, min(budget, len(ordered)), plan)
    return {item.query_id: int(n) / _UNIT for item, n in zip(ordered, units, strict=True)}


def _list_in_order(population: Sequence[Candidate], seed: int) -> tuple[list[Candidate], _Mask]:
    """One-offs in leaf order, then buckets in leaf order with their members shuffled."""
    if len({item.query_id for item in population}) < len(population):
        raise ValueError("a query_id stands twice in the population")
    if any(item.frequency < 1 for item in population):
        raise ValueError("a candidate has a frequency below 1")
    rows: dict[str, int] = {}
    place: dict[str, int] = {}
    for item in population:
        rows[item.bucket] = rows.get(item.bucket, 0) + item.frequency
        place[item.bucket] = min(place.get(item.bucket, item.order), item.order)
    ordered = sorted(
        population,
        key=lambda item: (
            rows[item.bucket] > 1,
            place[item.bucket],
            item.bucket,
            stable_hash(str(seed), item.query_id),
            item.query_id,
        ),
    )
    return ordered, np.array([rows[item.bucket] == 1 for item in ordered], dtype=bool)


def _probability_units(
    ordered: Sequence[Candidate], one_off: _Mask, size: int, plan: SamplingPlan
) -> _Ints:
    """Return the inclusion probabilities in units of 2**-40; they add up to `size` exactly."""
    if size == len(ordered):
        return np.full(size, _UNIT, dtype=np.int64)
    # One place at least stays for the others, which all must have a chance
    most = size if one_off.all() else size - 1
    floor = min(int(plan.one_offs * size + 0.5), int(one_off.sum()), most)
    target = _probabilities(ordered, one_off, size, floor, plan)
    units = np.clip(np.floor(target * _UNIT), 1, _UNIT).astype(np.int64)
    everywhere = np.ones(len(units), dtype=bool)
    _settle(units, size * _UNIT - int(units.sum()), everywhere)
    missing = floor * _UNIT - int(units[one_off].sum())
    if missing > 0:
        _settle(units, missing, one_off)
        _settle(units, -missing, ~one_off)
    return units


def _probabilities(
    ordered: Sequence[Candidate], one_off: _Mask, size: int, floor: int, plan: SamplingPlan
) -> _Floats:
    """Fill one-offs, then coverage, then traffic; what a class cannot take goes to the next."""
    total = np.zeros(len(ordered))
    if floor:
        total[one_off] = floor / one_off.sum()
    paired = plan.traffic + plan.coverage
    left = float(size - floor)
    coverage = left * plan.coverage / paired
    members = np.flatnonzero(~one_off)
    if len(members) and coverage > 0:
        names = [ordered[i].bucket for i in members.tolist()]
        starts = [i for i, name in enumerate(names) if i == 0 or name != names[i - 1]]
        sizes = np.diff([*starts, len(names)]).astype(np.float64)
        mass = _fill(min(coverage, float(sizes.sum())), np.ones(len(sizes)), sizes)
        total[members] += np.repeat(mass / sizes, sizes.astype(np.int64))
        left -= float(mass.sum())
    frequency = np.array([item.frequency for item in ordered], dtype=np.float64)
    return total + _fill(left, frequency, np.clip(1.0 - total, 0.0, 1.0))


def _fill(mass: float, weights: _Floats, capacity: _Floats) -> _Floats:
    """Return x with x_i = min(capacity_i, level · weight_i) and sum `mass`; weights are positive.

    Exact: sorted by the level at which each one is full, the level is solved for in closed form.
    A mass beyond the whole capacity gives the capacity.
    """
    order = np.argsort(capacity / weights, kind="stable")
    full = np.concatenate([[0.0], np.cumsum(capacity[order])[:-1]])
    open_weight = np.cumsum(weights[order][::-1])[::-1]
    levels = (mass - full) / open_weight
    fits = levels <= (capacity / weights)[order]
    if not fits.any():
        return capacity.copy()
    return np.minimum(capacity, max(0.0, float(levels[int(np.argmax(fits))])) * weights)


def _settle(units: _Ints, difference: int, where: _Mask) -> None:
    """Spread a rounding difference over the masked entries, in place; all stay in [1, 2**40]."""
    while difference:
        room = (units < _UNIT) if difference > 0 else (units > 1)
        places = np.flatnonzero(room & where)
        if not len(places):
            raise ArithmeticError("no room to settle a rounding difference")
        each = max(1, abs(difference) // len(places))
        places = places[: abs(difference)]
        space = (_UNIT - units[places]) if difference > 0 else (units[places] - 1)
        step = np.minimum(space, each)
        if difference > 0:
            units[places] += step
            difference -= int(step.sum())
        else:
            units[places] -= step
            difference += int(step.sum())


def _systematic(units: _Ints, start: int) -> list[int]:
    """Return the entries that hold one of the points start, start + 1, ... (in whole numbers)."""
    ends = np.cumsum(units)
    points = (ends - 1 - start) // _UNIT
    before = np.concatenate([[-1], points[:-1]])
    return [int(i) for i in np.flatnonzero(points > before)]
