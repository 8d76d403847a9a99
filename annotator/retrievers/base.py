"""What a retriever is to us: it takes a query and answers with raw hits.

An adapter is one file that implements `Retriever`, and one line in `registry.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class RawHit:
    """A hit as the retriever names it: by chunk id, or by document and offsets, best first."""

    chunk_id: str | None = None
    doc_id: str | None = None
    start: int | None = None
    end: int | None = None
    score: float | None = None


@dataclass(frozen=True, slots=True)
class RawAnswer:
    """What came back for one query; `confidence` as in `domain.run.RetrievedList`."""

    hits: Sequence[RawHit]
    confidence: float | None


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What an adapter can do: `confidence` names the score that can mean something, or is ""."""

    scores: bool
    confidence: str
    offsets: bool


class Retriever(Protocol):
    """A live retriever.

    `version` changes when the same query may give another answer: it is stored with every run.
    """

    @property
    def name(self) -> str:
        """The name in the settings."""
        ...

    @property
    def version(self) -> str:
        """What state of the retriever answers."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What the adapter can do."""
        ...

    def search(self, query: str, *, k: int) -> RawAnswer:
        """Return at most k hits, best first; an empty answer is an answer.

        Raises RetrieverUnavailable where it is down or too slow, RetrieverAnswerError where the
        answer cannot be read. Safe to call from several threads.
        """
        ...

    def close(self) -> None:
        """Let go of connections."""
        ...
