from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.document import Chunk, Span, span_of
from annotator.domain.judgment import Grade
from annotator.mining.hard_negatives import NegativeChoice, choose_hard_negatives
from tests.builders import a_chunk, a_list

TEXTS = [
    "The warranty runs for two years from delivery.",
    "Seals and bearings are wear parts.",
    "Close the valve and read the gauge.",
    "退款在十四天内到账。",
    "Firmware is installed at night.",
    "The parcel arrives within three days.",
]


def spread(documents: str) -> dict[str, Chunk]:
    """Return c1, c2, … in the documents named by letters, with texts that share little."""
    return {
        f"c{n}": a_chunk(
            f"c{n}", doc_id=letter, start=1_000 * n, text=f"{TEXTS[n % 6]} {n * 7919} {n * 104729}"
        )
        for n, letter in enumerate(documents, start=1)
    }


def choose(
    chunks: Mapping[str, Chunk],
    grades: Mapping[str, Grade],
    *,
    relevant: Sequence[str] = (),
    evidence: Sequence[Span] = (),
    skipped: Sequence[str] = (),
    wanted_max: int = 5,
) -> NegativeChoice:
    return choose_hard_negatives(
        a_list("q-1", *chunks).hits,
        grades=grades,
        skipped=frozenset(skipped),
        relevant=[chunks[chunk_id] for chunk_id in relevant],
        evidence=evidence,
        chunks=chunks,
        wanted_max=wanted_max,
        near_duplicate_similarity=0.85,
    )


def ids(choice: NegativeChoice) -> list[str]:
    return [hit.chunk_id for hit in choice.chosen]


def test_only_chunks_that_were_judged_0_are_chosen() -> None:
    choice = choose(spread("abcd"), {"c1": 2, "c2": 1, "c3": 0}, relevant=["c1"])
    assert ids(choice) == ["c3"]
    assert choice.unjudged == ("c4",)
    assert choice.ruled_out == ()


def test_a_skipped_chunk_is_neither_a_negative_nor_unjudged() -> None:
    choice = choose(spread("abc"), {"c1": 0}, skipped=["c2"])
    assert ids(choice) == ["c1"]
    assert choice.unjudged == ("c3",)


def test_a_chunk_that_overlaps_a_relevant_one_is_ruled_out() -> None:
    chunks = {
        "c1": a_chunk("c1", start=0, text="The pump runs for two years."),
        "c2": a_chunk("c2", start=27, text=". Seals wear out."),
        "c3": a_chunk("c3", start=28, text=" Bearings wear out as well."),
        "c4": a_chunk("c4", start=27, text="? Another text altogether", doc_id="d2"),
    }
    choice = choose(chunks, {"c1": 2, "c2": 0, "c3": 0, "c4": 0}, relevant=["c1"])
    assert ids(choice) == ["c3", "c4"]
    assert choice.ruled_out == ("c2",)


def test_a_chunk_that_touches_evidence_is_ruled_out() -> None:
    chunks = spread("aab")
    evidence = [Span("a", chunks["c1"].end - 1, chunks["c1"].end + 5)]
    choice = choose(chunks, {"c1": 0, "c2": 0, "c3": 0}, evidence=evidence)
    assert ids(choice) == ["c2", "c3"]
    assert choice.ruled_out == ("c1",)


def test_a_near_duplicate_of_a_relevant_chunk_is_ruled_out() -> None:
    text = "The warranty runs for two years from the day of delivery to the customer"
    chunks = {
        "c1": a_chunk("c1", text=f"{text}."),
        "c2": a_chunk("c2", text=f"{text.upper()}!", doc_id="d2"),
        "c3": a_chunk("c3", text="保修期自交货之日起为二十四个月。", doc_id="d3"),
    }
    choice = choose(chunks, {"c1": 2, "c2": 0, "c3": 0}, relevant=["c1"])
    assert ids(choice) == ["c3"]
    assert choice.ruled_out == ("c2",)


def test_documents_take_turns_by_their_best_rank() -> None:
    # a a a b b c: first a, b, c, then a, b
    choice = choose(spread("aaabbc"), {f"c{n}": 0 for n in range(1, 7)})
    assert ids(choice) == ["c1", "c2", "c4", "c5", "c6"]
    assert [hit.rank for hit in choice.chosen] == [1, 2, 4, 5, 6]


def test_three_places_go_to_three_documents() -> None:
    choice = choose(spread("aaabbc"), {f"c{n}": 0 for n in range(1, 7)}, wanted_max=3)
    assert ids(choice) == ["c1", "c4", "c6"]


def test_none_wanted_and_none_there_give_none() -> None:
    assert ids(choose(spread("ab"), {"c1": 0, "c2": 0}, wanted_max=0)) == []
    assert choose({}, {}) == NegativeChoice((), (), ())


@given(
    st.lists(st.sampled_from("ab"), min_size=1, max_size=10).map("".join),
    st.data(),
    st.integers(0, 6),
)
def test_no_choice_breaks_a_rule(documents: str, data: st.DataObject, wanted: int) -> None:
    chunks = {
        f"c{n}": a_chunk(
            f"c{n}",
            doc_id=letter,
            start=data.draw(st.integers(0, 60)),
            text=data.draw(st.sampled_from(TEXTS)),
        )
        for n, letter in enumerate(documents)
    }
    grades = data.draw(st.dictionaries(st.sampled_from(sorted(chunks)), st.sampled_from([0, 1, 2])))
    relevant = [chunk_id for chunk_id, grade in grades.items() if grade == 2]
    evidence = [Span("a", start, start + 3) for start in data.draw(st.lists(st.integers(0, 60)))]
    choice = choose(chunks, grades, relevant=relevant, evidence=evidence, wanted_max=wanted)
    assert len(choice.chosen) <= wanted
    assert [hit.rank for hit in choice.chosen] == sorted({hit.rank for hit in choice.chosen})
    for chunk_id in ids(choice):
        chunk = chunks[chunk_id]
        assert grades[chunk_id] == 0
        assert all(chunk.text != chunks[other].text for other in relevant)
        assert not any(span_of(chunk).overlaps(span_of(chunks[other])) for other in relevant)
        assert not any(span_of(chunk).overlaps(span) for span in evidence)
    # every chunk is accounted for, once
    free = {c for c, grade in grades.items() if grade == 0} - set(choice.ruled_out)
    assert set(choice.unjudged) == set(chunks) - set(grades)
    assert set(ids(choice)) <= free
    if len(free) <= wanted:
        assert set(ids(choice)) == free
    chosen_documents = {chunks[c].doc_id for c in ids(choice)}
    if wanted >= 2:
        assert chosen_documents == {chunks[c].doc_id for c in free}
