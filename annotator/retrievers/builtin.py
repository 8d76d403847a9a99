"""The built-in retriever: BM25, dense vectors, or both fused by reciprocal ranks.

For those who have no retriever yet, and as a second opinion in every pool. Its confidence is the
top cosine, since fused ranks carry no meaning across queries.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from annotator.domain.document import Chunk
from annotator.domain.progress import Report
from annotator.retrievers.base import Capabilities, RawAnswer, RawHit
from annotator.text.normalize import stable_hash
from annotator.text.tokens import search_tokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Mode: TypeAlias = Literal["hybrid", "lexical", "dense"]

RRF_K = 60
"""Constant of reciprocal-rank fusion (Cormack, Clarke, Buettcher: SIGIR 2009)."""

_FUSION_DEPTH = 100


@dataclass(frozen=True, slots=True)
class BuiltinIndex:
    """Both indexes over one corpus; a mode that needs only one leaves the other None.

    `bm25` comes from `index_bm25`; `vectors` has one row of unit length per chunk.
    """

    chunk_ids: tuple[str, ...]
    bm25: Any | None
    vectors: "NDArray[np.float32] | None"
    version: str


def index_version(mode: Mode, *, corpus_sha256: str, encoder_revision: str) -> str:
    """Return what changes when the same query may give another answer."""
    return stable_hash("builtin-1", mode, corpus_sha256, encoder_revision)


class BuiltinRetriever:
    """Search a `BuiltinIndex`; `encode` turns texts into rows of unit length."""

    def __init__(
        self,
        name: str,
        index: BuiltinIndex,
        encode: "Callable[[Sequence[str]], NDArray[np.float32]]",
    ) -> None:
        self._name = name
        self._index = index
        self._encode = encode

    @property
    def name(self) -> str:
        """The name in the settings."""
        return self._name

    @property
    def version(self) -> str:
        """Hash over mode, corpus and encoder."""
        return self._index.version

    @property
    def capabilities(self) -> Capabilities:
        """Scores always; a confidence where vectors are used."""
        dense = self._index.vectors is not None
        return Capabilities(True, "top dense cosine" if dense else "", False)

    def search(self, query: str, *, k: int) -> RawAnswer:
        """Return the k best chunks; equal scores are ordered by chunk id."""
        lists: list[list[tuple[int, float]]] = []
        confidence: float | None = None
        depth = max(k, _FUSION_DEPTH)
        if self._index.bm25 is not None:
            lists.append(self._lexical(query, depth))
        if self._index.vectors is not None:
            dense = self._dense(query, depth)
            confidence = dense[0][1] if dense else None
            lists.append(dense)
        ranked = lists[0] if len(lists) == 1 else self._fuse(lists)
        return RawAnswer(
            [RawHit(chunk_id=self._index.chunk_ids[row], score=score) for row, score in ranked[:k]],
            confidence,
        )

    def close(self) -> None:
        """Nothing is held open."""

    def _lexical(self, query: str, depth: int) -> list[tuple[int, float]]:
        tokens = list(dict.fromkeys(search_tokens(query)))
        known = self._index.bm25.vocab_dict if self._index.bm25 is not None else {}
        tokens = [token for token in tokens if token in known]
        if not tokens or self._index.bm25 is None:
            return []
        scores = self._index.bm25.get_scores(tokens)
        return [(row, score) for row, score in self._top(scores, depth) if score > 0]

    def _dense(self, query: str, depth: int) -> list[tuple[int, float]]:
        if self._index.vectors is None or not len(self._index.vectors):
            return []
        return self._top(self._index.vectors @ self._encode([query])[0], depth)

    def _fuse(self, lists: Sequence[Sequence[tuple[int, float]]]) -> list[tuple[int, float]]:
        fused: dict[int, float] = {}
        for ranked in lists:
            for rank, (row, _) in enumerate(ranked, start=1):
                fused[row] = fused.get(row, 0.0) + 1.0 / (RRF_K + rank)
        ids = self._index.chunk_ids
        return sorted(fused.items(), key=lambda item: (-item[1], ids[item[0]]))

    def _top(self, scores: "NDArray[np.float32]", depth: int) -> list[tuple[int, float]]:
        import numpy as np

        ids = self._index.chunk_ids
        if depth < len(scores):
            cut = np.partition(scores, -depth)[-depth]
            rows = np.flatnonzero(scores >= cut)
        else:
            rows = np.arange(len(scores))
        ranked = sorted(rows.tolist(), key=lambda row: (-float(scores[row]), ids[row]))
        return [(row, float(scores[row])) for row in ranked[:depth]]


def index_bm25(chunks: Sequence[Chunk], report: Report) -> Any | None:
    """Return a BM25 index (Lucene's variant, k1 1.5, b .75), None where no chunk has a token."""
    import bm25s

    tokens: list[list[str]] = []
    for number, chunk in enumerate(chunks, start=1):
        tokens.append(search_tokens(f"{chunk.title}\n{chunk.text}"))
        if number % 1_000 == 0 or number == len(chunks):
            report("index", number, len(chunks))
    if not any(tokens):
        return None
    index = bm25s.BM25(method="lucene")
    index.index(tokens, show_progress=False)
    return index
