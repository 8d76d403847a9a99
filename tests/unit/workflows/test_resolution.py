from annotator.domain.document import Span
from annotator.domain.run import Run
from annotator.storage import facts, judgments, pools, runs
from annotator.storage.engine import Store
from annotator.workflows.resolution import cut_answers, resolve_all, resolve_one
from tests.builders import a_grade_event, a_judgment, a_list, a_query_event


def pooled(store: Store, *query_ids: str, corpus: str = "now") -> None:
    run = Run("live", "v1", 5, tuple(a_list(query_id) for query_id in query_ids))
    with store.write() as tx:
        facts.put(tx, "corpus_sha256", "now")
        runs.add(tx, run, purpose="pool", corpus_sha256=corpus)


def denied(store: Store) -> None:
    """Let an assessor grade the pool of q-2 with 0 and say that there is no answer."""
    with store.write() as tx:
        judgments.append(tx, a_grade_event("e-1", query_id="q-2", chunk_id="z1", grade=0))
        judgments.append(tx, a_query_event("e-2", query_id="q-2", has_answer=False))


def state(store: Store, query_id: str) -> str:
    with store.read() as tx:
        return resolve_one(tx, query_id).state


def test_no_answer_is_confirmed_on_the_corpus_that_was_searched(store: Store) -> None:
    denied(store)
    assert state(store, "q-2") == "unconfirmed"
    pooled(store, "q-2")
    assert state(store, "q-2") == "no_answer"


def test_no_answer_is_stale_once_the_corpus_changed(store: Store) -> None:
    denied(store)
    pooled(store, "q-2", corpus="before")
    assert state(store, "q-2") == "stale"
    pooled(store, "q-2")
    assert state(store, "q-2") == "no_answer"


def test_mining_adds_candidates_and_takes_nothing_back(store: Store) -> None:
    denied(store)
    pooled(store, "q-2")
    with store.write() as tx:
        pools.append_mined(tx, "q-2", ["z2"])
    assert state(store, "q-2") == "no_answer"
    with store.read() as tx:
        assert resolve_one(tx, "q-2").unjudged == ("z2",)


def test_evidence_over_a_border_makes_a_group_of_the_chunks_that_it_cuts(store: Store) -> None:
    # c1 is d1[0:28], c2 d1[29:43]; the span takes the last word of one and all of the other
    span = Span("d1", 22, 43)
    with store.write() as tx:
        for number, chunk_id in enumerate(["c1", "c2"]):
            event = a_grade_event(f"e-{number}", chunk_id=chunk_id, grade=1, spans=(span,))
            judgments.append(tx, event)
        judgments.append(tx, a_query_event("e-9"))
        found = resolve_one(tx, "q-1")
    assert found.state == "answered"
    assert found.answer_groups == (("c1", "c2"),)
    assert found.is_split


def test_evidence_in_one_chunk_cuts_nothing(store: Store) -> None:
    inside, blank_behind = Span("d1", 4, 8), Span("d1", 22, 29)
    with store.read() as tx:
        assert cut_answers(tx, [a_judgment(spans=(inside, blank_behind))]) == []
        assert cut_answers(tx, []) == []


def test_evidence_of_a_chunk_of_no_use_is_none(store: Store) -> None:
    over = Span("d1", 22, 35)
    with store.read() as tx:
        assert cut_answers(tx, [a_judgment(grade=0, spans=(over,))]) == []
        assert [cut.chunk_ids for cut in cut_answers(tx, [a_judgment(spans=(over,))])] == [
            ("c1", "c2")
        ]


def test_one_and_all_are_resolved_alike(store: Store) -> None:
    denied(store)
    pooled(store, "q-1", "q-2", corpus="before")
    with store.read() as tx:
        assert resolve_all(tx) == {
            query_id: resolve_one(tx, query_id) for query_id in ("q-1", "q-2", "q-3")
        }
