"""Which candidates an assessor sees for a query, and in which order.

Takes the lists of several retrievers; returns chunk ids without duplicates, shuffled, so that
the order tells nothing about rank or source.
"""

from collections.abc import Iterable, Sequence

from annotator.domain.run import RetrievedList
from annotator.text.normalize import stable_hash


def pooled_chunk_ids(
    lists: Iterable[RetrievedList], *, query_id: str, depth_k: int, seed: int
) -> list[str]:
    """Return the depth-k union of the lists of one query, in an order that the seed fixes."""
    union = {hit.chunk_id for entry in lists for hit in entry.hits if hit.rank <= depth_k}
    return shuffled(sorted(union), query_id=query_id, seed=seed)


def shuffled(chunk_ids: Sequence[str], *, query_id: str, seed: int) -> list[str]:
    """Return the ids ordered by a hash of seed, query and chunk: the same on every machine."""
    return sorted(chunk_ids, key=lambda chunk_id: stable_hash(str(seed), query_id, chunk_id))
