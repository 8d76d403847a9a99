from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from annotator.corpus.identity import OffsetMap, chunk_id, corpus_sha256, text_sha256
from annotator.domain.document import Chunk, Span
from tests.builders import a_chunk

PLACES = st.lists(
    st.tuples(st.sampled_from(["d1", "d2"]), st.integers(0, 30), st.integers(1, 15)), max_size=12
)
SPANS = st.builds(
    lambda doc, start, length: Span(doc, start, start + length),
    st.sampled_from(["d1", "d2", "d3"]),
    st.integers(0, 40),
    st.integers(1, 15),
)


def chunks_of(places: list[tuple[str, int, int]]) -> list[Chunk]:
    return [
        a_chunk(f"c{number:02}", doc_id=doc, start=start, text="x" * length)
        for number, (doc, start, length) in enumerate(places)
    ]


def in_document_order(chunks: list[Chunk]) -> list[Chunk]:
    return sorted(chunks, key=lambda chunk: (chunk.start, chunk.end, chunk.chunk_id))


@given(PLACES, SPANS)
def test_chunks_at_a_span_are_those_that_share_a_character(
    places: list[tuple[str, int, int]], span: Span
) -> None:
    chunks = chunks_of(places)
    wanted = [
        chunk
        for chunk in chunks
        if chunk.doc_id == span.doc_id
        and set(range(chunk.start, chunk.end)) & set(range(span.start, span.end))
    ]
    assert OffsetMap(chunks).chunks_at(span) == in_document_order(wanted)


@given(PLACES, SPANS)
def test_holders_of_a_span_have_all_its_characters(
    places: list[tuple[str, int, int]], span: Span
) -> None:
    chunks = chunks_of(places)
    wanted = [
        chunk
        for chunk in chunks
        if chunk.doc_id == span.doc_id
        and set(range(span.start, span.end)) <= set(range(chunk.start, chunk.end))
    ]
    assert OffsetMap(chunks).holders(span) == in_document_order(wanted)


@given(PLACES)
def test_a_map_knows_the_documents_that_have_chunks(places: list[tuple[str, int, int]]) -> None:
    known = OffsetMap(chunks_of(places))
    for doc_id in ("d1", "d2", "d3"):
        assert known.knows_document(doc_id) == any(doc_id == place[0] for place in places)


def test_asking_for_an_unknown_document_does_not_make_it_known() -> None:
    known = OffsetMap([])
    assert known.chunks_at(Span("d9", 0, 5)) == []
    assert not known.knows_document("d9")


def test_a_chunk_id_hangs_on_document_place_and_text() -> None:
    ids = {
        chunk_id("d", 0, 3, "abc"),
        chunk_id("e", 0, 3, "abc"),
        chunk_id("d", 1, 3, "abc"),
        chunk_id("d", 0, 4, "abc"),
        chunk_id("d", 0, 3, "abd"),
        chunk_id("d0", 3, 3, "abc"),
    }
    assert len(ids) == 6
    assert all(len(one) == 18 and one.startswith("c-") for one in ids)


def test_the_hash_of_a_text_is_the_published_one() -> None:
    # FIPS 180-2, appendix B.1
    assert text_sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_the_corpus_hash_does_not_hang_on_the_order_in_which_it_is_read() -> None:
    chunks, hashes = chunks_of([("d1", 0, 3), ("d2", 1, 4)]), {"d1": "1", "d2": "2"}
    turned = dict(reversed(hashes.items()))
    assert corpus_sha256(chunks, hashes) == corpus_sha256(chunks[::-1], turned)


def test_the_corpus_hash_changes_with_every_document_place_and_title() -> None:
    chunks, hashes = chunks_of([("d1", 0, 3), ("d2", 1, 4)]), {"d1": "1", "d2": "2"}
    others = [
        corpus_sha256([replace(chunks[0], title="other"), chunks[1]], hashes),
        corpus_sha256(chunks, {**hashes, "d1": "0"}),
        corpus_sha256(chunks, {**hashes, "d3": "3"}),
        corpus_sha256(chunks[:1], hashes),
        corpus_sha256(chunks_of([("d1", 0, 3), ("d2", 1, 5)]), hashes),
        corpus_sha256(chunks_of([("d1", 0, 3), ("d2", 2, 4)]), hashes),
    ]
    assert len({corpus_sha256(chunks, hashes), *others}) == 7
