from collections.abc import Mapping, Sequence

from annotator.domain.document import Span
from annotator.domain.judgment import Grade
from annotator.domain.release import AnswerSpan, GradedChunk, Record
from annotator.release.records import Settled, make_record
from tests.builders import a_chunk, a_query

CHUNKS = {
    # by place: z9 (d1), c2, c1 (d2)
    "c1": a_chunk("c1", doc_id="d2", start=50),
    "c2": a_chunk("c2", doc_id="d2", start=20),
    "z9": a_chunk("z9", doc_id="d1", start=90),
}


def record(
    grades: Mapping[str, Grade],
    *,
    has_answer: bool = True,
    groups: Sequence[tuple[str, ...]] = (),
    spans: Sequence[Span] = (),
    negatives: Sequence[str] = (),
) -> Record:
    return make_record(
        Settled(a_query(), has_answer, grades, groups, spans, negatives, ["a-1"]),
        split="tuning",
        chunks=CHUNKS,
        span_texts={span: f"text at {span.start}" for span in spans},
    )


def test_chunks_that_answer_alone_come_in_the_order_of_the_corpus() -> None:
    made = record({"c1": 2, "c2": 2, "z9": 2})
    assert made.relevant_chunk_ids == ("z9", "c2", "c1")
    assert made.answer_groups == (("z9",), ("c2",), ("c1",))
    assert not made.split_answer


def test_members_of_groups_come_behind_those_that_answer_alone() -> None:
    made = record({"c1": 1, "c2": 1, "z9": 2}, groups=[("c1", "c2")])
    assert made.relevant_chunk_ids == ("z9", "c2", "c1")
    assert made.answer_groups == (("z9",), ("c2", "c1"))
    assert not made.split_answer


def test_a_group_alone_is_a_split_answer() -> None:
    made = record({"c1": 1, "c2": 1}, groups=[("c1", "c2"), ("c2", "c1")])
    assert made.answer_groups == (("c2", "c1"),)
    assert made.relevant_chunk_ids == ("c2", "c1")
    assert made.split_answer


def test_a_group_of_one_chunk_is_no_split_answer() -> None:
    made = record({"c1": 1}, groups=[("c1",)])
    assert made.answer_groups == (("c1",),)
    assert not made.split_answer


def test_a_group_with_a_chunk_that_answers_alone_is_no_way_of_its_own() -> None:
    made = record({"c1": 2, "c2": 1}, groups=[("c1", "c2")])
    assert made.answer_groups == (("c1",),)
    assert made.relevant_chunk_ids == ("c1",)


def test_a_query_without_an_answer_keeps_its_parts_in_graded_alone() -> None:
    made = record({"c1": 1, "c2": 0}, has_answer=False, negatives=["c2"])
    assert (made.relevant_chunk_ids, made.answer_groups, made.split_answer) == ((), (), False)
    assert made.graded == (GradedChunk("c1", 1), GradedChunk("c2", 0))
    assert made.hard_negative_ids == ("c2",)


def test_graded_holds_every_grade_best_first_then_by_id() -> None:
    made = record({"z9": 0, "c2": 2, "c1": 0})
    assert made.graded == (GradedChunk("c2", 2), GradedChunk("c1", 0), GradedChunk("z9", 0))


def test_negatives_keep_their_rank_and_never_hold_an_answer() -> None:
    assert record({"c2": 2}, negatives=["z9", "c2", "c1"]).hard_negative_ids == ("z9", "c1")


def test_evidence_stands_in_document_order_with_its_text() -> None:
    late, early = Span("d2", 30, 33), Span("d2", 21, 24)
    assert record({"c2": 2}, spans=[late, early]).answer_spans == (
        AnswerSpan(early, "text at 21"),
        AnswerSpan(late, "text at 30"),
    )


def test_what_the_sample_knows_of_a_query_is_kept() -> None:
    made = record({"c1": 2})
    assert (made.query_id, made.query) == ("q-1", "how long is the warranty")
    assert (made.frequency, made.inclusion_probability, made.stratum) == (10, 0.5, "head")
    assert (made.annotators, made.tags, made.agreement) == (("a-1",), (), None)
