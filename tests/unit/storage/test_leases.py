from annotator.storage import leases
from annotator.storage.engine import Store
from annotator.storage.leases import LEASE_S


def test_a_query_is_held_by_one_at_a_time(filled: Store) -> None:
    with filled.write() as tx:
        lease = leases.take(tx, "q-1", "ann", at=0.0)
        assert lease is not None
        assert (lease.query_id, lease.assessor, lease.expires_at) == ("q-1", "ann", LEASE_S)
        assert leases.take(tx, "q-1", "bo", at=LEASE_S - 1) is None
        assert leases.take(tx, "q-2", "bo", at=1.0) is not None


def test_taking_again_renews_the_same_lease(filled: Store) -> None:
    with filled.write() as tx:
        first = leases.take(tx, "q-1", "ann", at=0.0)
        again = leases.take(tx, "q-1", "ann", at=100.0)
        assert first is not None
        assert again is not None
        assert (again.lease_id, again.expires_at) == (first.lease_id, 100.0 + LEASE_S)
        assert leases.take(tx, "q-1", "bo", at=LEASE_S + 50) is None


def test_a_lease_that_has_run_out_is_anybodys(filled: Store) -> None:
    with filled.write() as tx:
        first = leases.take(tx, "q-1", "ann", at=0.0)
        second = leases.take(tx, "q-1", "bo", at=LEASE_S)
        assert first is not None
        assert second is not None
        assert second.assessor == "bo"
        assert second.lease_id != first.lease_id
        assert leases.take(tx, "q-1", "ann", at=LEASE_S + 1) is None


def test_only_the_holder_gives_a_lease_back(filled: Store) -> None:
    with filled.write() as tx:
        leases.take(tx, "q-1", "ann", at=0.0)
        leases.give_back(tx, "q-1", "bo")
        assert leases.take(tx, "q-1", "bo", at=1.0) is None
        leases.give_back(tx, "q-1", "ann")
        assert leases.take(tx, "q-1", "bo", at=1.0) is not None


def test_what_others_hold_now_is_known(filled: Store) -> None:
    with filled.write() as tx:
        leases.take(tx, "q-1", "ann", at=0.0)
        leases.take(tx, "q-2", "bo", at=10.0)
        assert leases.taken_by_others(tx, "ann", at=11.0) == {"q-2"}
        assert leases.taken_by_others(tx, "cy", at=11.0) == {"q-1", "q-2"}
        assert leases.taken_by_others(tx, "cy", at=LEASE_S) == {"q-2"}
