"""Judging: the queue, one query's candidates, and the one way in which events come in.

`apply_events` serves the event route, the browser's fallback, the command line and the tests.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from annotator.corpus.identity import OffsetMap
from annotator.domain.document import Chunk, Span
from annotator.domain.errors import JudgmentRejected, StageOrderError
from annotator.domain.judgment import (
    Event,
    GradeEvent,
    Judgment,
    QueryState,
    QueryVerdict,
)
from annotator.domain.query import SampledQuery
from annotator.judging.events import check_grade, check_verdict, parse_event
from annotator.storage import corpus, judgments, leases, pools, samples
from annotator.storage.engine import Store, Transaction
from annotator.workflows.resolution import resolve_all, resolve_one

_CONTEXT_CHARS = 400
OPEN_STATES = ("unjudged", "partly_judged", "unconfirmed", "contradiction", "stale")
MAX_EVENTS = 500


@dataclass(frozen=True, slots=True)
class Rejection:
    """An event that was not stored, and why."""

    event_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of a batch: `acknowledged` are stored now or were stored before."""

    acknowledged: tuple[str, ...]
    rejected: tuple[Rejection, ...]


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """A query in the queue; `is_taken` where another assessor holds it now."""

    query: SampledQuery
    state: QueryState
    n_pool: int
    n_judged: int
    is_taken: bool


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk to judge with what this assessor said of it; `before` and `after` surround it."""

    chunk: Chunk
    lang: str
    before: str
    after: str
    judgment: Judgment | None


@dataclass(frozen=True, slots=True)
class JudgeTask:
    """One query with its candidates in the assessor's order."""

    query: SampledQuery
    candidates: tuple[Candidate, ...]
    verdict: QueryVerdict | None
    state: QueryState


def apply_events(store: Store, *, assessor: str, events: Sequence[object]) -> Applied:
    """Store a batch of events in one transaction; each is stored, known already, or rejected.

    Sending a batch again changes nothing. An id that was used before for something else is
    rejected. One bad event does not keep the others out.
    """
    acknowledged: list[str] = []
    rejected: list[Rejection] = []
    with store.write() as tx:
        for raw in events[:MAX_EVENTS]:
            raw_id = raw.get("event_id") if isinstance(raw, dict) else None
            event_id = raw_id if isinstance(raw_id, str) else ""
            try:
                apply_event(tx, parse_event(raw, assessor=assessor))
                acknowledged.append(event_id)
            except JudgmentRejected as error:
                rejected.append(Rejection(event_id, str(error)))
    for raw in events[MAX_EVENTS:]:
        raw_id = raw.get("event_id") if isinstance(raw, dict) else None
        reason = f"A batch holds at most {MAX_EVENTS} events; send the rest in another one."
        rejected.append(Rejection(raw_id if isinstance(raw_id, str) else "", reason))
    return Applied(tuple(acknowledged), tuple(rejected))


def queue(store: Store, *, assessor: str) -> list[QueueEntry]:
    """Return every sampled query with how far it is, in the plan's order."""
    with store.read() as tx:
        taken = leases.taken_by_others(tx, assessor, at=time.time())
        resolved = resolve_all(tx)
        queries = samples.all_queries(tx)
        sizes = {query_id: len(pool.chunk_ids) for query_id, pool in pools.all_pools(tx).items()}
    return [
        QueueEntry(
            query=query,
            state=resolved[query.query_id].state,
            n_pool=sizes.get(query.query_id, 0),
            n_judged=sizes.get(query.query_id, 0) - len(resolved[query.query_id].unjudged),
            is_taken=query.query_id in taken,
        )
        for query in queries
    ]


def next_query_id(entries: Sequence[QueueEntry], *, after: str | None = None) -> str | None:
    """Return the next query that needs work and is free, starting behind `after`, then around.

    Settled queries that mining added candidates to come last. None where nothing is left.
    """
    ids = [entry.query.query_id for entry in entries]
    start = ids.index(after) + 1 if after in ids else 0
    free = [entry for entry in [*entries[start:], *entries[:start]] if not entry.is_taken]
    needs_work = [entry for entry in free if entry.state in OPEN_STATES and entry.n_pool]
    has_additions = [entry for entry in free if entry.n_judged < entry.n_pool]
    return next((entry.query.query_id for entry in [*needs_work, *has_additions]), None)


def take(store: Store, query_id: str, *, assessor: str) -> leases.Lease | None:
    """Take or renew the lease of a query; None while another assessor holds it."""
    with store.write() as tx:
        return leases.take(tx, query_id, assessor, at=time.time())


def give_back(store: Store, query_id: str, *, assessor: str) -> None:
    """End the assessor's lease."""
    with store.write() as tx:
        leases.give_back(tx, query_id, assessor)


def task(store: Store, query_id: str, *, assessor: str) -> JudgeTask:
    """Return a query's candidates with what this assessor said, and no one else's.

    Chunks that the assessor judged outside the pool come last.
    Raises StageOrderError where the query is not sampled or has no pool.
    """
    with store.read() as tx:
        query = samples.query(tx, query_id)
        if query is None:
            raise StageOrderError(f"The sample holds no query {query_id!r}. See the queue.")
        pool = pools.pool_of(tx, query_id).chunk_ids
        said = {
            judgment.chunk_id: judgment
            for judgment in judgments.judgments_of(tx, query_id, assessor=assessor)
        }
        ids = [*pool, *sorted(set(said) - set(pool))]
        chunks = corpus.chunks_by_id(tx, ids)
        facts_of = corpus.languages_and_lengths(tx, sorted({c.doc_id for c in chunks.values()}))
        around = {
            chunk_id: (
                _text(tx, chunk.doc_id, max(0, chunk.start - _CONTEXT_CHARS), chunk.start),
                _text(
                    tx,
                    chunk.doc_id,
                    chunk.end,
                    min(chunk.end + _CONTEXT_CHARS, facts_of[chunk.doc_id][1]),
                ),
            )
            for chunk_id, chunk in chunks.items()
        }
        verdict = next(
            (v for v in judgments.verdicts_of(tx, query_id) if v.assessor == assessor), None
        )
        state = resolve_one(tx, query_id).state
    candidates = [
        Candidate(
            chunk=chunks[chunk_id],
            lang=facts_of[chunks[chunk_id].doc_id][0],
            before=around[chunk_id][0],
            after=around[chunk_id][1],
            judgment=said.get(chunk_id),
        )
        for chunk_id in ids
    ]
    return JudgeTask(query, tuple(candidates), verdict, state)


def apply_event(tx: Transaction, event: Event) -> bool:
    """Store an event unless it is known; return whether it was new.

    Raises JudgmentRejected where it would record something untrue.
    """
    known = judgments.stored_event(tx, event.event_id)
    if known is not None:
        if _says_the_same(known, event):
            return False
        raise JudgmentRejected(
            f"The event id {event.event_id!r} was used before for something else."
        )
    if samples.query(tx, event.query_id) is None:
        raise JudgmentRejected(f"The sample holds no query {event.query_id!r}.")
    if isinstance(event, GradeEvent):
        chunk = corpus.chunks_by_id(tx, [event.chunk_id]).get(event.chunk_id)
        texts = corpus.slices(tx, event.spans)
        check_grade(event, chunk=chunk, texts=texts)
        event = replace(event, quotes=tuple(text or "" for text in texts))
    else:
        named = [chunk_id for group in event.answer_groups for chunk_id in group]
        check_verdict(event, known_chunk_ids=corpus.chunks_by_id(tx, named))
    judgments.append(tx, event)
    pools.append_mined(tx, event.query_id, _named_chunks(tx, event))
    return True


def _named_chunks(tx: Transaction, event: Event) -> list[str]:
    """Return the chunks that an answer needs by this event, so that they are judged too."""
    if not isinstance(event, GradeEvent):
        return [chunk_id for group in event.answer_groups for chunk_id in group]
    named: list[str] = []
    for doc_id in sorted({span.doc_id for span in event.spans}):
        places = OffsetMap(corpus.chunks_of_document(tx, doc_id))
        for span in event.spans:
            if span.doc_id == doc_id and not places.holders(span):
                named.extend(chunk.chunk_id for chunk in places.chunks_at(span))
    return named


def _says_the_same(known: Event, event: Event) -> bool:
    """Compare two events; quotes were checked at the first time and are not stored."""
    if isinstance(event, GradeEvent):
        return known == replace(event, quotes=())
    return known == event


def _text(tx: Transaction, doc_id: str, start: int, end: int) -> str:
    return (corpus.slices(tx, [Span(doc_id, start, end)])[0] or "") if start < end else ""
