"""The sampling plan and the queries it drew."""

from dataclasses import dataclass

from sqlalchemy import Row, delete, func, insert, select

from annotator.domain.json import JsonObject
from annotator.domain.query import Label, SampledQuery, Variant
from annotator.storage.engine import Transaction, now
from annotator.storage.tables import (
    hard_negatives,
    judgments,
    leases,
    plans,
    pool_chunks,
    sampled_queries,
    split_answers,
    verdicts,
)


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan that was drawn."""

    plan_id: str
    budget: int
    seed: int
    settings: JsonObject


def current_plan(tx: Transaction) -> Plan | None:
    """Return the plan in force, None before the first sample."""
    row = tx.execute(select(plans).order_by(plans.c.created_at.desc()).limit(1)).one_or_none()
    return None if row is None else Plan(row.plan_id, row.budget, row.seed, row.settings)


def replace(tx: Transaction, plan: Plan, queries: list[SampledQuery]) -> None:
    """Put a plan and its queries in force.

    Queries that stay keep their pool and their judgments; those that go lose their pool. Raises
    an integrity error where one that goes was judged: the caller checks `judged_query_ids`.
    """
    keep = {query.query_id for query in queries}
    old = set(tx.execute(select(sampled_queries.c.query_id)).scalars())
    for gone in sorted(old - keep):
        for table in (leases, hard_negatives, split_answers, pool_chunks):
            tx.execute(delete(table).where(table.c.query_id == gone))
        tx.execute(delete(sampled_queries).where(sampled_queries.c.query_id == gone))
    if tx.execute(select(plans.c.plan_id).where(plans.c.plan_id == plan.plan_id)).first() is None:
        tx.execute(
            insert(plans).values(
                plan_id=plan.plan_id,
                budget=plan.budget,
                seed=plan.seed,
                settings=plan.settings,
                created_at=now(),
            )
        )
    for position, query in enumerate(queries):
        values = {
            "plan_id": plan.plan_id,
            "position": position,
            "text": query.text,
            "bucket_id": query.bucket.id,
            "bucket_name": query.bucket.name,
            "intent_id": query.intent.id,
            "intent_name": query.intent.name,
            "stratum": query.stratum,
            "frequency": query.frequency,
            "inclusion_probability": query.inclusion_probability,
            "lang": query.lang,
            "source": query.source,
            "variants": [[variant.text, variant.count] for variant in query.variants],
        }
        if query.query_id in old:
            tx.execute(
                sampled_queries.update()
                .where(sampled_queries.c.query_id == query.query_id)
                .values(values)
            )
        else:
            tx.execute(insert(sampled_queries).values(query_id=query.query_id, **values))
    tx.execute(delete(plans).where(plans.c.plan_id != plan.plan_id))


def judged_query_ids(tx: Transaction) -> set[str]:
    """Return the queries for which anybody said anything."""
    found = set(tx.execute(select(judgments.c.query_id).distinct()).scalars())
    return found | set(tx.execute(select(verdicts.c.query_id).distinct()).scalars())


def all_queries(tx: Transaction) -> list[SampledQuery]:
    """Return the sampled queries in the plan's order."""
    rows = tx.execute(select(sampled_queries).order_by(sampled_queries.c.position))
    return [_query(row) for row in rows]


def query(tx: Transaction, query_id: str) -> SampledQuery | None:
    """Return one sampled query."""
    row = tx.execute(
        select(sampled_queries).where(sampled_queries.c.query_id == query_id)
    ).one_or_none()
    return None if row is None else _query(row)


def count(tx: Transaction) -> int:
    """Return the number of sampled queries."""
    return tx.execute(select(func.count()).select_from(sampled_queries)).scalar_one()


def _query(row: Row[tuple[object, ...]]) -> SampledQuery:
    return SampledQuery(
        query_id=row.query_id,
        text=row.text,
        bucket=Label(row.bucket_id, row.bucket_name),
        intent=Label(row.intent_id, row.intent_name),
        stratum=row.stratum,
        frequency=row.frequency,
        inclusion_probability=row.inclusion_probability,
        lang=row.lang,
        source=row.source,
        variants=tuple(Variant(text, times) for text, times in row.variants),
    )
