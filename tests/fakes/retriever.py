"""A retriever that answers every query with the same chunks."""

from annotator.retrievers.base import Capabilities, RawAnswer, RawHit, Retriever


class FixedRetriever(Retriever):
    """Answer with `chunk_ids`, best first."""

    def __init__(self, *chunk_ids: str) -> None:
        self._chunk_ids = chunk_ids

    @property
    def name(self) -> str:
        return "fixed"

    @property
    def version(self) -> str:
        return "1"

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(scores=False, confidence="", offsets=False)

    def search(self, query: str, *, k: int) -> RawAnswer:
        return RawAnswer([RawHit(chunk_id=chunk_id) for chunk_id in self._chunk_ids[:k]], None)

    def close(self) -> None:
        """Nothing is held open."""
