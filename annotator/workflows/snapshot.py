"""All that a release reads, in one transaction, and who asks for one thing in it."""

from collections import defaultdict
from dataclasses import dataclass

from annotator.curation.dedup import near_duplicate_groups
from annotator.domain.document import Chunk, Document
from annotator.domain.errors import ReleaseError
from annotator.domain.json import JsonObject
from annotator.domain.query import DistinctQuery, SampledQuery
from annotator.domain.release import Split
from annotator.domain.run import Hit
from annotator.judging.adjudication import ResolvedQuery
from annotator.storage import corpus, facts, releases, runs, samples
from annotator.storage.engine import Transaction
from annotator.text.normalize import normalize
from annotator.workflows.resolution import resolve_all


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that a release reads, read in one transaction."""

    queries: list[SampledQuery]
    resolved: dict[str, ResolvedQuery]
    live: dict[str, tuple[Hit, ...]]
    chunks: list[Chunk]
    documents: list[Document]
    earlier: dict[str, Split]
    corpus_sha256: str
    plan: JsonObject
    chunking: JsonObject


def read_snapshot(tx: Transaction, name: str) -> Snapshot:
    """Read all that a release of the dataset needs.

    Raises ReleaseError where hard negatives were mined on another corpus.
    """
    queries = samples.all_queries(tx)
    corpus_sha256 = str(facts.get(tx, "corpus_sha256") or "")
    sampled_plan = samples.current_plan(tx)
    chunking = facts.get(tx, "chunking")
    return Snapshot(
        queries=queries,
        resolved=resolve_all(tx),
        live=_live_lists(tx, corpus_sha256),
        chunks=corpus.all_chunks(tx),
        documents=list(corpus.all_documents(tx)),
        earlier=releases.assignments(tx, name),
        corpus_sha256=corpus_sha256,
        plan={
            "budget": sampled_plan.budget,
            "seed": sampled_plan.seed,
            **sampled_plan.settings,
        }
        if sampled_plan
        else {},
        chunking=chunking if isinstance(chunking, dict) else {},
    )


def _live_lists(tx: Transaction, corpus_sha256: str) -> dict[str, tuple[Hit, ...]]:
    """Return the lists that were mined last, query by query.

    Raises ReleaseError where they are of another corpus.
    """
    run_id = facts.get(tx, "mine_run")
    if not isinstance(run_id, str):
        return {}
    summary, lists = runs.get(tx, run_id)
    if summary.corpus_sha256 != corpus_sha256:
        raise ReleaseError(
            "The corpus changed since hard negatives were mined. Run annotator pool and annotator "
            "mine again."
        )
    return {entry.query_id: entry.hits for entry in lists}


def ties_between(snapshot: Snapshot) -> list[tuple[str, ...]]:
    """Return who asks for one thing: near-duplicates, shared variants, identical evidence.

    Open queries count too: two settled ones may be tied through one, and it will join them later.
    """
    by_mark: dict[object, list[str]] = defaultdict(list)
    for query in snapshot.queries:
        for span in snapshot.resolved[query.query_id].spans:
            by_mark[span].append(query.query_id)
        for variant in query.variants:
            by_mark[normalize(variant.text)].append(query.query_id)
    queries = [DistinctQuery(q.query_id, q.text, q.frequency, ()) for q in snapshot.queries]
    near = [
        tuple(member.query_id for member in group.members)
        for group in near_duplicate_groups(queries)
    ]
    return [*(tuple(members) for members in by_mark.values()), *near]
