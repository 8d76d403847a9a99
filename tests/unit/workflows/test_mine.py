import pytest

from annotator.storage import mined, pools
from annotator.storage.engine import Store
from annotator.workflows.judge import apply_events
from annotator.workflows.mine import MineReport, MiningPlan, mine
from tests.fakes.retriever import FixedRetriever


def mined_with(store: Store, *, wanted_min: int) -> MineReport:
    """Mine q-3, whose c1 answers and z2 is of no use; c2 and z1 are unjudged."""
    events = [
        {"event_id": c, "type": "grade", "query_id": "q-3", "chunk_id": c, "grade": grade}
        for c, grade in (("c1", 2), ("z2", 0))
    ]
    assert apply_events(store, assessor="ann", events=events).rejected == ()
    plan = MiningPlan(
        depth_k=4, wanted_min=wanted_min, wanted_max=5, near_duplicate_similarity=0.85
    )
    return mine(store, FixedRetriever("c1", "c2", "z2", "z1"), plan=plan)


@pytest.mark.parametrize(
    ("wanted_min", "queued"),
    [(1, ["c2"]), (2, ["c2", "z1"])],
    ids=["enough: those above the deepest negative", "too few: all"],
)
def test_unjudged_chunks_that_matter_go_to_the_queue(
    store: Store, wanted_min: int, queued: list[str]
) -> None:
    report = mined_with(store, wanted_min=wanted_min)
    assert (report.negatives, report.queued) == (1, len(queued))
    with store.read() as tx:
        assert pools.pool_of(tx, "q-3").mined == queued
        (negative,) = mined.negatives(tx)["q-3"]
    assert (negative.chunk_id, negative.rank) == ("z2", 3)
