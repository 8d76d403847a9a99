import pytest
import sqlalchemy

from annotator.domain.document import Span
from annotator.storage import corpus
from annotator.storage.engine import Store
from tests.builders import a_chunk, a_document
from tests.unit.storage.conftest import CHUNKS, DOCUMENT


def test_documents_and_chunks_come_back_as_they_were(filled: Store) -> None:
    with filled.read() as tx:
        assert corpus.document(tx, "d1") == DOCUMENT
        assert list(corpus.all_documents(tx)) == [DOCUMENT]
        assert corpus.all_chunks(tx) == corpus.chunks_of_document(tx, "d1") == CHUNKS
        assert corpus.chunks_by_id(tx, ["c2", "c9", "c2"]) == {"c2": CHUNKS[1]}
        assert corpus.counts(tx) == (1, 3)
        assert corpus.document(tx, "d9") is None


@pytest.mark.parametrize(
    "text", ["a\r\nb\rc\n", "\x00", "保修\U0001f600\u2028", "'; --", "e\u0301"]
)
def test_text_is_kept_to_the_letter(store: Store, text: str) -> None:
    with store.write() as tx:
        corpus.replace_documents(tx, [a_document(text)])
    with store.read() as tx:
        found = corpus.document(tx, "d1")
        assert found is not None
        assert found.text == text


def test_more_documents_and_chunks_than_one_statement_holds(store: Store) -> None:
    documents = [a_document(f"Text {n}.", doc_id=f"d{n:04}") for n in range(1_201)]
    chunks = [a_chunk(f"c{n:04}", doc_id=f"d{n:04}", text=f"Text {n}.") for n in range(1_201)]
    with store.write() as tx:
        corpus.replace_documents(tx, documents)
        corpus.add_chunks(tx, chunks)
        assert corpus.all_chunks(tx) == chunks
        assert len(corpus.chunks_by_id(tx, [c.chunk_id for c in chunks])) == 1_201
        corpus.remove_chunks(tx, [c.chunk_id for c in chunks[1:]])
        assert corpus.all_chunks(tx) == chunks[:1]


def test_a_document_with_a_known_id_takes_the_place_of_the_old_one(filled: Store) -> None:
    other = a_document("Other.", title="New")
    with filled.write() as tx:
        corpus.replace_documents(tx, [other])
        assert list(corpus.all_documents(tx)) == [other]
        assert corpus.document_hashes(tx) == {"d1": other.sha256}


def test_a_chunk_id_is_used_once(filled: Store) -> None:
    with pytest.raises(sqlalchemy.exc.IntegrityError), filled.write() as tx:
        corpus.add_chunks(tx, [a_chunk("c1")])


@pytest.mark.parametrize("bounds", [(3, 3), (4, 3), (-1, 3)])
def test_a_chunk_without_text_of_its_own_is_refused_by_the_database(
    filled: Store, bounds: tuple[int, int]
) -> None:
    start, end = bounds
    with pytest.raises(sqlalchemy.exc.IntegrityError), filled.write() as tx:
        corpus.add_chunks(tx, [a_chunk("c9", start=start, end=end)])


def test_slices_count_code_points_and_know_what_lies_outside(store: Store) -> None:
    with store.write() as tx:
        corpus.replace_documents(tx, [a_document("a\U0001f600保修\r\n")])
        spans = [
            *(Span("d1", 1, 2), Span("d1", 2, 4), Span("d1", 0, 6), Span("d1", 4, 7)),
            *(Span("d1", 3, 3), Span("d9", 0, 1), Span("d1", 1, 2)),
        ]
        assert corpus.slices(tx, spans) == [
            *("\U0001f600", "保修", "a\U0001f600保修\r\n", None),
            *(None, None, "\U0001f600"),
        ]
        assert corpus.slices(tx, []) == []
