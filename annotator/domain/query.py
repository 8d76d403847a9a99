"""Queries: as a log holds them, grouped, bucketed and sampled."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Stratum: TypeAlias = Literal["head", "torso", "tail"]

QuerySource: TypeAlias = Literal["log", "manual", "spot_check", "import"]


@dataclass(frozen=True, slots=True)
class Variant:
    """One way in which a query was typed, with its number of log rows."""

    text: str
    count: int


@dataclass(frozen=True, slots=True)
class DistinctQuery:
    """All log rows with the same normalized text.

    `text` is the most frequent original (ties: the smaller string), `frequency` the number of
    log rows, `variants` every original by falling count.
    """

    query_id: str
    text: str
    frequency: int
    variants: tuple[Variant, ...]


@dataclass(frozen=True, slots=True)
class Label:
    """Id and name of a bucket or intent."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class SampledQuery:
    """A query that was drawn to be judged.

    `frequency` counts the log rows of the query and all its near-duplicates;
    `inclusion_probability` in (0, 1] is that of this distinct query under the plan,
    None for a query that no plan drew.
    """

    query_id: str
    text: str
    bucket: Label
    intent: Label
    stratum: Stratum
    frequency: int
    inclusion_probability: float | None
    lang: str
    source: QuerySource = "log"
    variants: tuple[Variant, ...] = ()
