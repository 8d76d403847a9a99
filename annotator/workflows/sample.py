"""Draw the sample that will be judged, and put it in force."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from annotator.curation.sampling import Candidate, SamplingPlan, draw_sample
from annotator.domain.errors import InputError
from annotator.domain.query import SampledQuery
from annotator.formats.jsonl import write_lines
from annotator.storage import samples
from annotator.storage.engine import Store
from annotator.text.language import guess_language
from annotator.text.normalize import stable_hash
from annotator.workflows.curate import BucketedQuery


@dataclass(frozen=True, slots=True)
class SampleReport:
    """What was drawn; `shortfall` is what the log lacks of the budget, with the reason."""

    queries: int
    budget: int
    seed: int
    shortfall: int
    shortfall_reason: str
    buckets_covered: int
    multi_row_buckets: int
    intents_covered: int
    per_stratum: dict[str, int]
    is_unchanged: bool


def sample(
    store: Store,
    population: Sequence[BucketedQuery],
    *,
    fingerprint: str,
    budget: int,
    seed: int,
    plan: SamplingPlan,
    languages: tuple[str, ...],
) -> SampleReport:
    """Draw exactly `budget` queries, or all there are, and store them as the sample in force.

    Raises InputError where the new sample would drop queries that were judged.
    """
    by_id = {entry.query.query_id: entry for entry in population}
    drawn = draw_sample(
        [
            Candidate(
                query_id=entry.query.query_id,
                frequency=entry.query.frequency,
                bucket=entry.bucket.id,
                intent=entry.intent.id,
                order=entry.order,
            )
            for entry in population
        ],
        budget=budget,
        seed=seed,
        plan=plan,
    )
    queries = [
        _sampled(by_id[item.candidate.query_id], item.inclusion_probability, languages)
        for item in drawn.drawn
    ]
    # neighbours in the tree follow each other, so that an assessor stays with one subject
    queries.sort(key=lambda query: (by_id[query.query_id].order, query.query_id))
    plan_id = "p-" + stable_hash(
        fingerprint, str(budget), str(seed), repr(plan), repr([q.query_id for q in queries])
    )
    with store.write() as tx:
        current = samples.current_plan(tx)
        dropped = samples.judged_query_ids(tx) - {query.query_id for query in queries}
        if dropped:
            raise InputError(
                f"This sample would drop {len(dropped)} queries that were judged (such as "
                f"{min(dropped)}). The sample in force has budget "
                f"{current.budget if current else 0} and seed {current.seed if current else 0}; "
                "once judging began it can be drawn again as it is, but not replaced. Use a new "
                "workspace for another one."
            )
        samples.replace(
            tx,
            samples.Plan(
                plan_id=plan_id,
                budget=budget,
                seed=seed,
                settings={
                    "traffic": plan.traffic,
                    "coverage": plan.coverage,
                    "one_offs": plan.one_offs,
                    "curation": fingerprint,
                    "population": len(population),
                },
            ),
            queries,
        )
    per_stratum = dict.fromkeys(("head", "torso", "tail"), 0)
    for query in queries:
        per_stratum[query.stratum] += 1
    return SampleReport(
        queries=len(queries),
        budget=budget,
        seed=seed,
        shortfall=drawn.shortfall,
        shortfall_reason=drawn.shortfall_reason,
        buckets_covered=drawn.buckets_covered,
        multi_row_buckets=drawn.multi_row_buckets,
        intents_covered=drawn.intents_covered,
        per_stratum=per_stratum,
        is_unchanged=current is not None and current.plan_id == plan_id,
    )


def export_sample(store: Store, path: Path) -> int:
    """Write the sample in force as JSON lines; return their number.

    The fields are query_id, query, bucket, intent (ids), stratum, frequency and
    inclusion_probability.
    """
    with store.read() as tx:
        queries = samples.all_queries(tx)
    return write_lines(
        path,
        (
            {
                "query_id": query.query_id,
                "query": query.text,
                "bucket": query.bucket.id,
                "intent": query.intent.id,
                "stratum": query.stratum,
                "frequency": query.frequency,
                "inclusion_probability": query.inclusion_probability,
            }
            for query in queries
        ),
    )


def _sampled(
    entry: BucketedQuery, inclusion_probability: float, languages: tuple[str, ...]
) -> SampledQuery:
    return SampledQuery(
        query_id=entry.query.query_id,
        text=unicodedata.normalize("NFC", entry.query.text),
        bucket=entry.bucket,
        intent=entry.intent,
        stratum=entry.stratum,
        frequency=entry.query.frequency,
        inclusion_probability=inclusion_probability,
        lang=guess_language(entry.query.text, declared=languages),
        variants=entry.query.variants,
    )
