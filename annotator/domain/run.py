"""What a retriever returned."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hit:
    """One retrieved chunk; `rank` counts from 1, `score` is the retriever's own."""

    chunk_id: str
    rank: int
    score: float | None


@dataclass(frozen=True, slots=True)
class RetrievedList:
    """The answer to one query, best first, each chunk once.

    `confidence` is a score that can mean something across queries (such as the top cosine),
    None where the retriever has none; `latency_ms` is wall-clock time of the search.
    """

    query_id: str
    hits: tuple[Hit, ...]
    confidence: float | None
    latency_ms: float


@dataclass(frozen=True, slots=True)
class Run:
    """The lists of one retriever at one depth."""

    retriever: str
    retriever_version: str
    depth_k: int
    lists: tuple[RetrievedList, ...]
