import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.domain.document import Span
from annotator.domain.judgment import Event, GradeEvent, Judgment, QueryEvent, QueryVerdict
from annotator.storage import judgments
from annotator.storage.engine import Store, Transaction, sqlite_url
from annotator.storage.tables import events
from tests.builders import a_chunk, a_document, a_grade_event, a_query, a_query_event, a_store, fill

SPANS = st.lists(
    st.builds(lambda start, n: Span("d1", start, start + n), st.integers(0, 9), st.integers(1, 9)),
    max_size=2,
).map(tuple)
NOTES = st.sampled_from(["", "clear", "不清楚\u2028\U0001f600", "'; DROP TABLE events; --"])
GRADES = st.builds(
    GradeEvent,
    event_id=st.just(""),
    query_id=st.sampled_from(["q-1", "q-2"]),
    chunk_id=st.sampled_from(["c1", "c2"]),
    assessor=st.sampled_from(["ann", "安"]),
    grade=st.none() | st.sampled_from([0, 1, 2]),
    spans=SPANS,
    note=NOTES,
    cannot_judge=st.sampled_from(["", "", "not my field"]),
    active_ms=st.none() | st.integers(0, 86_400_000),
)
VERDICTS = st.builds(
    QueryEvent,
    event_id=st.just(""),
    query_id=st.sampled_from(["q-1", "q-2"]),
    assessor=st.sampled_from(["ann", "安"]),
    has_answer=st.none() | st.booleans(),
    answer_groups=st.sampled_from([(), (("c1", "c2"),), (("c1",), ("c1", "c2"))]),
    note=NOTES,
    active_ms=st.none() | st.integers(0, 10),
)
SEQUENCES = st.lists(GRADES | VERDICTS, max_size=12).map(
    lambda found: [replace(event, event_id=f"e-{n}") for n, event in enumerate(found)]
)


def projection(tx: Transaction) -> tuple[list[Judgment], list[QueryVerdict]]:
    return judgments.all_judgments(tx), judgments.all_verdicts(tx)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A database for many examples, each in a transaction that is rolled back."""
    store = a_store(sqlite_url(tmp_path_factory.mktemp("scratch") / "annotator.db"))
    fill(
        store,
        documents=[a_document("The pump runs. It stops.", doc_id="d1")],
        chunks=[a_chunk("c1"), a_chunk("c2", start=15, text="It stops.")],
        queries=[a_query("q-1"), a_query("q-2")],
    )
    yield store
    store.close()


def wanted_of(sequence: list[Event]) -> tuple[dict[object, GradeEvent], dict[object, QueryEvent]]:
    """Return the last event of each key, by a model of three lines."""
    grades = {
        (e.query_id, e.chunk_id, e.assessor): e for e in sequence if isinstance(e, GradeEvent)
    }
    verdicts = {(e.query_id, e.assessor): e for e in sequence if isinstance(e, QueryEvent)}
    return grades, verdicts


@settings(max_examples=40)
@given(SEQUENCES)
def test_the_projection_is_the_last_event_of_each_key(
    scratch: Store, sequence: list[Event]
) -> None:
    with scratch.read() as tx:
        for event in sequence:
            judgments.append(tx, event)
        said, stated = projection(tx)
        assert [judgments.stored_event(tx, e.event_id) for e in sequence] == sequence
    grades, verdicts = wanted_of(sequence)
    kept = {k: e for k, e in grades.items() if e.grade is not None or e.cannot_judge}
    assert {(j.query_id, j.chunk_id, j.assessor) for j in said} == set(kept)
    for j in said:
        event = kept[j.query_id, j.chunk_id, j.assessor]
        assert (j.grade, j.spans, j.note, j.cannot_judge) == (
            event.grade, event.spans, event.note, event.cannot_judge,
        )  # fmt: skip
    for v in stated:
        verdict = verdicts[v.query_id, v.assessor]
        assert (v.has_answer, v.answer_groups, v.note) == (
            verdict.has_answer, verdict.answer_groups, verdict.note,
        )  # fmt: skip
    spoken = {k for k, e in verdicts.items() if e.has_answer is not None or e.answer_groups}
    assert spoken <= {(v.query_id, v.assessor) for v in stated}


@settings(max_examples=40)
@given(SEQUENCES)
def test_rebuilding_from_the_events_gives_the_same_projection(
    scratch: Store, sequence: list[Event]
) -> None:
    with scratch.read() as tx:
        for event in sequence:
            judgments.append(tx, event)
        before = projection(tx)
        judgments.rebuild(tx)
        assert projection(tx) == before
        assert judgments.count_events(tx) == len(sequence)


def test_an_event_can_be_asked_for_by_its_id(filled: Store) -> None:
    event = a_grade_event("e-1", spans=(Span("d1", 0, 3),), note="clear")
    with filled.write() as tx:
        judgments.append(tx, event)
        judgments.append(tx, a_query_event("e-2", ("c1", "c2")))
        assert judgments.stored_event(tx, "e-1") == event
        assert judgments.stored_event(tx, "e-2") == a_query_event("e-2", ("c1", "c2"))
        assert judgments.stored_event(tx, "e-3") is None


def test_quotes_are_checked_once_and_not_stored(filled: Store) -> None:
    event = a_grade_event("e-1", spans=(Span("d1", 0, 3),), quotes=("The",))
    with filled.write() as tx:
        judgments.append(tx, event)
        assert judgments.stored_event(tx, "e-1") == replace(event, quotes=())


def test_an_id_is_used_once_whatever_it_says(filled: Store) -> None:
    with filled.write() as tx:
        judgments.append(tx, a_grade_event("e-1", grade=2))
    with pytest.raises(sqlalchemy.exc.IntegrityError), filled.write() as tx:
        judgments.append(tx, a_grade_event("e-1", grade=0))
    with filled.read() as tx:
        assert [j.grade for j in judgments.all_judgments(tx)] == [2]
        assert judgments.count_events(tx) == 1


@pytest.mark.parametrize(
    "event",
    [
        a_grade_event(query_id="q-9"),
        a_grade_event(chunk_id="c9"),
        a_query_event(query_id="q-9"),
    ],
)
def test_an_event_about_nothing_stores_neither_event_nor_judgment(
    filled: Store, event: Event
) -> None:
    with pytest.raises(sqlalchemy.exc.IntegrityError), filled.write() as tx:
        judgments.append(tx, event)
    with filled.read() as tx:
        assert judgments.count_events(tx) == 0
        assert projection(tx) == ([], [])


def test_a_grade_that_was_taken_back_is_no_judgment(filled: Store) -> None:
    with filled.write() as tx:
        judgments.append(tx, a_grade_event("e-1", grade=2))
        judgments.append(tx, a_grade_event("e-2", grade=None))
        judgments.append(tx, a_grade_event("e-3", chunk_id="c2", grade=None, cannot_judge="?"))
        assert [(j.chunk_id, j.grade) for j in judgments.all_judgments(tx)] == [("c2", None)]


def test_judgments_of_one_query_and_one_assessor_are_kept_apart(filled: Store) -> None:
    with filled.write() as tx:
        judgments.append(tx, a_grade_event("e-1"))
        judgments.append(tx, a_grade_event("e-2", assessor="bo", grade=0))
        judgments.append(tx, a_grade_event("e-3", query_id="q-2"))
        judgments.append(tx, a_query_event("e-4", assessor="bo"))
        assert [j.assessor for j in judgments.judgments_of(tx, "q-1")] == ["ann", "bo"]
        assert [j.grade for j in judgments.judgments_of(tx, "q-1", assessor="bo")] == [0]
        assert [v.assessor for v in judgments.verdicts_of(tx, "q-1")] == ["bo"]
        assert judgments.verdicts_of(tx, "q-2") == []


def test_chunks_that_were_judged_or_named_are_known(filled: Store) -> None:
    with filled.write() as tx:
        judgments.append(tx, a_grade_event("e-1", chunk_id="c1"))
        judgments.append(tx, a_query_event("e-2", ("c2", "c3"), query_id="q-2"))
        assert judgments.judged_chunk_ids(tx) == {"c1", "c2", "c3"}


def test_labels_of_an_older_scheme_are_never_read_as_todays(filled: Store) -> None:
    with filled.write() as tx:
        judgments.append(tx, a_grade_event("e-old"))
        judgments.append(tx, a_query_event("e-older"))
        tx.execute(events.update().values(scheme_version=0))
        judgments.append(tx, a_grade_event("e-new", chunk_id="c2", grade=1))
        judgments.rebuild(tx)
        said, stated = projection(tx)
        assert [(j.chunk_id, j.grade) for j in said] == [("c2", 1)]
        assert stated == []


def test_threads_that_write_at_once_lose_nothing(database: Path, filled: Store) -> None:
    def write(name: str) -> None:
        for n in range(25):
            with filled.write() as tx:
                event = a_grade_event(f"{name}-{n}", assessor=name, grade=(0, 1, 2)[n % 3])  # type: ignore[arg-type]
                judgments.append(tx, event)

    threads = [threading.Thread(target=write, args=(f"t{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    other = Store(sqlite_url(database))
    with other.read() as tx:
        assert judgments.count_events(tx) == 100
        assert [(j.assessor, j.grade) for j in judgments.all_judgments(tx)] == [
            (f"t{n}", 0) for n in range(4)
        ]
