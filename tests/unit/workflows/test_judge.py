import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.domain.errors import StageOrderError
from annotator.storage import judgments, pools
from annotator.storage.engine import Store, sqlite_url
from annotator.workflows import judge
from annotator.workflows.judge import MAX_EVENTS, Applied, apply_events
from tests.builders import a_chunk, a_document, a_query, a_store, fill
from tests.unit.workflows.conftest import LAMP


def grade(event_id: str = "e-1", **changes: object) -> dict[str, object]:
    return {
        "event_id": event_id,
        "type": "grade",
        "query_id": "q-1",
        "chunk_id": "c1",
        "grade": 2,
        **changes,
    }


def verdict(event_id: str = "v-1", **changes: object) -> dict[str, object]:
    return {
        "event_id": event_id,
        "type": "query",
        "query_id": "q-1",
        "has_answer": True,
        **changes,
    }


def apply(store: Store, *events: object, assessor: str = "ann") -> Applied:
    return apply_events(store, assessor=assessor, events=events)


def stored(store: Store) -> dict[tuple[str, str, str], int | None]:
    with store.read() as tx:
        return {(j.query_id, j.chunk_id, j.assessor): j.grade for j in judgments.all_judgments(tx)}


def n_events(store: Store) -> int:
    with store.read() as tx:
        return judgments.count_events(tx)


def states(store: Store) -> dict[str, str]:
    return {entry.query.query_id: entry.state for entry in judge.queue(store, assessor="ann")}


def test_an_event_is_acknowledged_and_stored(store: Store) -> None:
    assert apply(store, grade()).acknowledged == ("e-1",)
    assert stored(store) == {("q-1", "c1", "ann"): 2}


def test_sending_again_changes_nothing(store: Store) -> None:
    span = {"doc_id": "d1", "start": 0, "end": 8, "quote": "The pump"}
    batch = [grade(spans=[span], active_ms=5), verdict(answer_groups=[["c2", "c1"]])]
    first, second = apply(store, *batch), apply(store, *batch)
    assert first == second == Applied(("e-1", "v-1"), ())
    assert n_events(store) == 2


def test_a_repeated_event_does_not_undo_a_later_one(store: Store) -> None:
    apply(store, grade("e-1", grade=2))
    apply(store, grade("e-2", grade=0))
    apply(store, grade("e-1", grade=2))
    assert stored(store) == {("q-1", "c1", "ann"): 0}


@pytest.mark.parametrize(
    "change",
    [{"grade": 1}, {"chunk_id": "c2"}, {"query_id": "q-2"}, {"note": "x"}, {"active_ms": 1}],
)
def test_an_id_that_was_used_for_something_else_is_rejected(
    store: Store, change: dict[str, object]
) -> None:
    apply(store, grade())
    answer = apply(store, grade(**change))
    assert answer.acknowledged == ()
    assert "used before for something else" in answer.rejected[0].reason
    assert stored(store) == {("q-1", "c1", "ann"): 2}


def test_an_id_of_somebody_else_is_not_ones_own(store: Store) -> None:
    apply(store, grade(), assessor="ann")
    assert apply(store, grade(), assessor="bo").rejected[0].event_id == "e-1"


def test_one_bad_event_does_not_keep_the_others_out(store: Store) -> None:
    bad: list[object] = [
        grade("e-bad", grade=5),
        grade("e-unknown", chunk_id="c9"),
        grade("e-query", query_id="q-9"),
        grade("e-half", note="half \ud800"),
        grade("e-nul", query_id="q-1\x00"),
        grade("e-span", spans=[{"doc_id": "d1", "start": 0, "end": 4_000}]),
        verdict("v-bad", answer_groups=[["c1", "c9"]]),
        None,
        ["e-list"],
        {"event_id": 5},
        {},
    ]
    answer = apply(store, grade("e-1"), *bad, grade("e-2", chunk_id="c2", grade=0))
    assert answer.acknowledged == ("e-1", "e-2")
    assert [rejection.event_id for rejection in answer.rejected] == [
        *("e-bad", "e-unknown", "e-query", "e-half", "e-nul", "e-span", "v-bad"),
        *("", "", "", ""),
    ]
    assert all(rejection.reason for rejection in answer.rejected)
    assert n_events(store) == 2


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2**60) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=4,
)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A database that many examples write to."""
    made = a_store(sqlite_url(tmp_path_factory.mktemp("scratch") / "annotator.db"))
    fill(made, documents=[a_document()], chunks=[a_chunk()], queries=[a_query()])
    yield made
    made.close()


@settings(max_examples=60)
@given(st.data())
def test_any_batch_is_answered_event_by_event(scratch: Store, data: st.DataObject) -> None:
    fields = st.sampled_from(["type", "query_id", "chunk_id", "grade", "spans", "note", "event_id"])
    changes = st.dictionaries(fields, JSON, max_size=2)
    ids = st.sampled_from(["e-1", "e-2", "e-3"])
    changed = st.builds(lambda one, other: {**grade(one), **other}, ids, changes)
    events = data.draw(st.lists(changed | JSON, max_size=4))
    answer = apply(scratch, *events)
    assert len(answer.acknowledged) + len(answer.rejected) == len(events)


def test_a_batch_that_is_too_long_says_what_was_left_out(store: Store) -> None:
    batch = [grade(f"e-{n}") for n in range(MAX_EVENTS + 2)]
    answer = apply(store, *batch)
    assert len(answer.acknowledged) == MAX_EVENTS
    assert [r.event_id for r in answer.rejected] == [f"e-{MAX_EVENTS}", f"e-{MAX_EVENTS + 1}"]


def test_evidence_counts_code_points(store: Store) -> None:
    start = LAMP.text.index("保修")
    assert (start, LAMP.text[2:4]) == (2, "保修")
    span = {"doc_id": "d2", "start": 2, "end": 4, "quote": "保修"}
    good = grade("e-1", query_id="q-2", chunk_id="z1", spans=[span])
    # as a program counts that takes an emoji for two
    shifted = {**span, "start": 3, "end": 5}
    bad = grade("e-2", query_id="q-2", chunk_id="z1", spans=[shifted])
    answer = apply(store, good, bad)
    assert answer.acknowledged == ("e-1",)
    assert "the quote sent with it is '保修'" in answer.rejected[0].reason


def test_threads_and_processes_that_judge_at_once_lose_nothing(store: Store) -> None:
    script = textwrap.dedent("""
        import sys
        from annotator.storage.engine import Store
        from annotator.workflows.judge import apply_events
        store = Store(sys.argv[1])
        for n in range(20):
            event = dict(event_id=f"p-{n}", type="grade", query_id="q-1", chunk_id="c2", grade=1)
            answer = apply_events(store, assessor="process", events=[event])
            assert answer.acknowledged == (f"p-{n}",)
    """)
    other = subprocess.Popen(
        [sys.executable, "-c", script, store.url.render_as_string(hide_password=False)]
    )

    def write(name: str) -> None:
        for n in range(20):
            apply(store, grade(f"{name}-{n}"), assessor=name)

    threads = [threading.Thread(target=write, args=(name,)) for name in ("ann", "bo")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert other.wait(60) == 0
    assert n_events(store) == 60


def test_the_queue_tells_the_state_of_every_query(store: Store) -> None:
    assert states(store) == {"q-1": "unjudged", "q-2": "unjudged", "q-3": "unjudged"}
    apply(store, grade("e-1", grade=0), grade("e-2", query_id="q-2", chunk_id="z1"))
    assert states(store) == {"q-1": "partly_judged", "q-2": "answered", "q-3": "unjudged"}
    apply(store, grade("e-3", query_id="q-2", chunk_id="z1", grade=1), assessor="bo")
    assert states(store)["q-2"] == "disputed"


def test_the_queue_counts_what_was_judged_of_the_pool(store: Store) -> None:
    apply(store, grade("e-1"), grade("e-2", chunk_id="z2", grade=0))
    first = judge.queue(store, assessor="ann")[0]
    assert (first.n_pool, first.n_judged) == (3, 1)


def test_what_others_hold_is_marked_and_not_handed_out(store: Store) -> None:
    assert judge.take(store, "q-1", assessor="bo") is not None
    assert judge.take(store, "q-1", assessor="ann") is None
    entries = judge.queue(store, assessor="ann")
    assert [entry.is_taken for entry in entries] == [True, False, False]
    assert judge.next_query_id(entries) == "q-2"
    judge.give_back(store, "q-1", assessor="bo")
    assert judge.next_query_id(judge.queue(store, assessor="ann")) == "q-1"


def test_the_next_query_comes_behind_the_present_one_then_around(store: Store) -> None:
    entries = judge.queue(store, assessor="ann")
    assert judge.next_query_id(entries, after="q-1") == "q-2"
    # q-3 has no pool, so there is nothing to judge
    assert judge.next_query_id(entries, after="q-2") == "q-1"
    assert judge.next_query_id(entries, after="q-unknown") == "q-1"


def test_settled_queries_come_again_only_for_what_mining_added(store: Store) -> None:
    for query_id, chunk_ids in [("q-1", ["c1", "c2", "z1"]), ("q-2", ["z1"])]:
        for chunk_id in chunk_ids:
            apply(store, grade(f"e-{query_id}-{chunk_id}", query_id=query_id, chunk_id=chunk_id))
    assert judge.next_query_id(judge.queue(store, assessor="ann")) is None
    with store.write() as tx:
        pools.append_mined(tx, "q-2", ["z2"])
    assert judge.next_query_id(judge.queue(store, assessor="ann")) == "q-2"


def test_a_task_shows_the_chunks_with_their_surroundings(store: Store) -> None:
    task = judge.task(store, "q-1", assessor="ann")
    assert [c.chunk.chunk_id for c in task.candidates] == ["c1", "c2", "z1"]
    second = task.candidates[1]
    assert (second.before, second.after) == ("The pump runs for two years. ", "")
    assert second.before + second.chunk.text == "The pump runs for two years. Then it stops."
    assert task.state == "unjudged"


def test_a_task_shows_ones_own_labels_and_nobody_elses(store: Store) -> None:
    apply(store, grade("e-1", chunk_id="c1"), verdict(), assessor="bo")
    apply(store, grade("e-2", chunk_id="z2", grade=1))
    task = judge.task(store, "q-1", assessor="ann")
    assert [(c.chunk.chunk_id, c.judgment and c.judgment.grade) for c in task.candidates] == [
        ("c1", None), ("c2", None), ("z1", None), ("z2", 1),
    ]  # fmt: skip
    assert task.verdict is None


def test_a_query_that_is_not_in_the_sample_has_no_task(store: Store) -> None:
    with pytest.raises(StageOrderError, match="no query 'q-9'"):
        judge.task(store, "q-9", assessor="ann")


def test_chunks_that_an_answer_needs_come_before_the_assessor(store: Store) -> None:
    """An answer group names a chunk that no retriever brought: it must be judged too."""
    with store.write() as tx:
        pools.set_pool(tx, "q-2", ["c1"])
    apply(store, grade(query_id="q-2", grade=1))
    apply(store, verdict(query_id="q-2", answer_groups=[["c1", "c2"]]))
    assert states(store)["q-2"] == "partly_judged"
    shown = [c.chunk.chunk_id for c in judge.task(store, "q-2", assessor="ann").candidates]
    assert shown == ["c1", "z1", "c2"]
    apply(store, grade("e-2", query_id="q-2", chunk_id="c2", grade=1))
    assert states(store)["q-2"] == "answered"
