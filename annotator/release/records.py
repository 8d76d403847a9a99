"""Turn what holds for a query into one record of a version."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotator.domain.document import Chunk, Span
from annotator.domain.judgment import RELEVANCE_THRESHOLD, Grade
from annotator.domain.query import SampledQuery
from annotator.domain.release import AnswerSpan, GradedChunk, Record, Split


@dataclass(frozen=True, slots=True)
class Settled:
    """A query whose answer is known: what people agreed on.

    `groups` are sets of chunks that together answer; `negatives` are in the order of their rank.
    """

    query: SampledQuery
    has_answer: bool
    grades: Mapping[str, Grade]
    groups: Sequence[tuple[str, ...]]
    spans: Sequence[Span]
    negatives: Sequence[str]
    annotators: Sequence[str]


def make_record(
    settled: Settled,
    *,
    split: Split,
    chunks: Mapping[str, Chunk],
    span_texts: Mapping[Span, str],
) -> Record:
    """Return the record of a settled query.

    `relevant_chunk_ids` are the chunks that answer alone, in the order of the corpus, then the
    members of complete groups. `answer_groups` holds one list per complete way to answer: each
    single chunk, and each group that needs all its members. A query without an answer has
    neither. A negative is never a chunk that answers.
    """
    direct = _in_order(
        [c for c, grade in settled.grades.items() if grade >= RELEVANCE_THRESHOLD], chunks
    )
    groups = [
        tuple(_in_order(group, chunks)) for group in settled.groups if not set(group) & set(direct)
    ]
    groups = sorted(dict.fromkeys(groups))
    relevant = list(dict.fromkeys([*direct, *(c for group in groups for c in group)]))
    if not settled.has_answer:
        direct, groups, relevant = [], [], []
    answer_groups = (*((chunk_id,) for chunk_id in direct), *groups)
    query = settled.query
    return Record(
        query_id=query.query_id,
        query=query.text,
        relevant_chunk_ids=tuple(relevant),
        hard_negative_ids=tuple(c for c in settled.negatives if c not in relevant),
        has_answer=settled.has_answer,
        graded=tuple(
            GradedChunk(chunk_id, grade)
            for chunk_id, grade in sorted(settled.grades.items(), key=lambda e: (-e[1], e[0]))
        ),
        answer_spans=tuple(AnswerSpan(span, span_texts[span]) for span in sorted(settled.spans)),
        answer_groups=answer_groups,
        split_answer=settled.has_answer and all(len(group) > 1 for group in answer_groups),
        reference_answer=None,
        bucket=query.bucket,
        intent=query.intent,
        stratum=query.stratum,
        frequency=query.frequency,
        inclusion_probability=query.inclusion_probability,
        source=query.source,
        annotators=tuple(settled.annotators),
        agreement=None,
        split=split,
        lang=query.lang,
        tags=("long_tail",) if query.stratum == "tail" else (),
    )


def _in_order(chunk_ids: Sequence[str], chunks: Mapping[str, Chunk]) -> list[str]:
    return sorted(chunk_ids, key=lambda c: (chunks[c].doc_id, chunks[c].start, c))
