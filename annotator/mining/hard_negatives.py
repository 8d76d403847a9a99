"""Choose hard negatives: chunks that the live retriever ranks high and a person judged 0.

Takes one query's ranked list, the agreed grades and the chunks; returns the choice and what kept
others out. An unjudged chunk is never a negative: it goes back to the queue.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotator.domain.document import Chunk, Span, span_of
from annotator.domain.judgment import Grade
from annotator.domain.run import Hit
from annotator.text.similarity import ngram_jaccard


@dataclass(frozen=True, slots=True)
class NegativeChoice:
    """What was chosen for one query, by rank.

    `unjudged` are chunks of the list without a grade; `ruled_out` are chunks of grade 0 that are
    too close to an answer to be a fair negative.
    """

    chosen: tuple[Hit, ...]
    unjudged: tuple[str, ...]
    ruled_out: tuple[str, ...]


def choose_hard_negatives(
    hits: Sequence[Hit],
    *,
    grades: Mapping[str, Grade],
    skipped: frozenset[str],
    relevant: Sequence[Chunk],
    evidence: Sequence[Span],
    chunks: Mapping[str, Chunk],
    wanted_max: int,
    near_duplicate_similarity: float,
) -> NegativeChoice:
    """Choose at most `wanted_max` negatives from the list, spread over documents.

    Documents take turns in the order of their best rank. Ruled out is a chunk that overlaps a
    relevant chunk or touches a span of evidence, and one whose text is a near-duplicate of a
    relevant chunk's (character n-gram Jaccard of at least `near_duplicate_similarity`).
    `skipped` are chunks that were looked at without a grade that holds: disputed, or beyond
    judging.
    """
    unjudged: list[str] = []
    ruled_out: list[str] = []
    by_document: dict[str, list[Hit]] = {}
    for hit in hits:
        grade = grades.get(hit.chunk_id)
        if grade is None:
            if hit.chunk_id not in skipped:
                unjudged.append(hit.chunk_id)
            continue
        if grade != 0:
            continue
        chunk = chunks[hit.chunk_id]
        if _is_close(chunk, relevant, evidence, near_duplicate_similarity):
            ruled_out.append(hit.chunk_id)
        else:
            by_document.setdefault(chunk.doc_id, []).append(hit)
    chosen: list[Hit] = []
    turn = 0
    while len(chosen) < wanted_max and any(len(queue) > turn for queue in by_document.values()):
        for queue in by_document.values():
            if len(queue) > turn and len(chosen) < wanted_max:
                chosen.append(queue[turn])
        turn += 1
    return NegativeChoice(
        chosen=tuple(sorted(chosen, key=lambda hit: hit.rank)),
        unjudged=tuple(unjudged),
        ruled_out=tuple(ruled_out),
    )


def _is_close(
    chunk: Chunk, relevant: Sequence[Chunk], evidence: Sequence[Span], similarity: float
) -> bool:
    place = span_of(chunk)
    if any(place.overlaps(span) for span in evidence):
        return True
    return any(
        place.overlaps(span_of(other)) or ngram_jaccard(chunk.text, other.text) >= similarity
        for other in relevant
    )
