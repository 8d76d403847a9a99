import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import sqlalchemy

from annotator.domain.errors import InputError, StorageError
from annotator.storage import facts
from annotator.storage.engine import Store, now, sqlite_url

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limits")


class Stop(Exception):
    """Something that went wrong."""


def put_and_stop(store: Store) -> None:
    with store.write() as tx:
        facts.put(tx, "half", 1)
        raise Stop


def fact(store: Store, key: str) -> object:
    with store.read() as tx:
        return facts.get(tx, key)


def test_a_write_is_kept_when_its_block_ends(store: Store, database: Path) -> None:
    with store.write() as tx:
        facts.put(tx, "a", {"x": [1, None, "保修"]})
    store.close()
    assert fact(Store(sqlite_url(database)), "a") == {"x": [1, None, "保修"]}


def test_a_write_that_fails_is_taken_back_whole(store: Store) -> None:
    with pytest.raises(Stop):
        put_and_stop(store)
    assert fact(store, "half") is None
    with store.write() as tx:
        facts.put(tx, "next", 1)
    assert fact(store, "next") == 1


def test_what_a_read_writes_is_not_kept(store: Store) -> None:
    with store.read() as tx:
        facts.put(tx, "a", 1)
    assert fact(store, "a") is None


def test_a_read_sees_one_snapshot(store: Store) -> None:
    with store.write() as tx:
        facts.put(tx, "a", 1)
    with store.read() as tx:
        assert facts.get(tx, "a") == 1
        with store.write() as other:
            facts.put(other, "a", 2)
        assert facts.get(tx, "a") == 1
    assert fact(store, "a") == 2


def test_readers_go_on_while_somebody_writes(store: Store) -> None:
    with store.write() as tx:
        facts.put(tx, "a", 1)
        assert fact(store, "a") is None
    assert fact(store, "a") == 1


def test_sqlite_keeps_every_commit_and_checks_references(store: Store) -> None:
    with store.read() as tx:
        pragmas = {
            name: tx.exec_driver_sql(f"PRAGMA {name}").scalar_one()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        }
    assert pragmas == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}


def test_a_fact_can_be_set_again_and_may_be_null(store: Store) -> None:
    with store.write() as tx:
        facts.put(tx, "a", 1)
        facts.put(tx, "a", None)
        facts.put(tx, "b", False)
    assert fact(store, "a") is None
    assert fact(store, "b") is False


def test_a_writer_waits_for_the_other_in_place_of_failing(store: Store, database: Path) -> None:
    script = textwrap.dedent("""
        import sys
        from pathlib import Path
        from annotator.storage import facts
        from annotator.storage.engine import Store, sqlite_url
        store = Store(sqlite_url(Path(sys.argv[1])))
        for n in range(100):
            with store.write() as tx:
                facts.put(tx, "count", (facts.get(tx, "count") or 0) + 1)
    """)
    running = [subprocess.Popen([sys.executable, "-c", script, str(database)]) for _ in range(2)]
    assert [process.wait(60) for process in running] == [0, 0]
    assert fact(store, "count") == 200


@POSIX
def test_a_full_disk_is_said_in_a_sentence_and_nothing_is_half_written(
    store: Store, database: Path
) -> None:
    with store.write() as tx:
        facts.put(tx, "before", "kept")
    store.close()
    script = textwrap.dedent("""
        import resource, sys
        from pathlib import Path
        from annotator.domain.errors import DiskFull
        from annotator.storage import facts
        from annotator.storage.engine import Store, sqlite_url
        store = Store(sqlite_url(Path(sys.argv[1])))
        with store.read() as tx:
            facts.get(tx, "before")
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
        try:
            with store.write() as tx:
                for n in range(100):
                    facts.put(tx, f"half {n}", "x" * 100_000)
        except DiskFull as error:
            print(error)
    """)
    done = subprocess.run(
        [sys.executable, "-c", script, str(database)], capture_output=True, text=True, check=True
    )
    assert str(database) in done.stdout
    assert "could not be written" in done.stdout
    again = Store(sqlite_url(database))
    assert fact(again, "before") == "kept"
    assert fact(again, "half 0") is None
    with again.read() as tx:
        assert tx.exec_driver_sql("PRAGMA integrity_check").scalar_one() == "ok"


@POSIX
def test_a_process_that_is_killed_while_it_writes_leaves_nothing(
    store: Store, database: Path
) -> None:
    store.close()
    script = textwrap.dedent("""
        import os, signal, sys
        from pathlib import Path
        from annotator.storage import facts
        from annotator.storage.engine import Store, sqlite_url
        store = Store(sqlite_url(Path(sys.argv[1])))
        with store.write() as tx:
            facts.put(tx, "whole", 1)
        with store.write() as tx:
            facts.put(tx, "half", 1)
            os.kill(os.getpid(), signal.SIGKILL)
    """)
    subprocess.run([sys.executable, "-c", script, str(database)], check=False)
    again = Store(sqlite_url(database))
    assert (fact(again, "whole"), fact(again, "half")) == (1, None)


@pytest.mark.parametrize("damage", [b"", b"\x00" * 4_096, b"SQLite format 3\x00" + b"\xff" * 4_000])
def test_a_damaged_file_is_refused_with_a_sentence(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "other.db"
    path.write_bytes(damage)
    with pytest.raises(StorageError, match=r"other\.db"):
        fact(Store(sqlite_url(path)), "a")


@POSIX
def test_a_folder_that_is_not_there_is_said_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"gone/annotator\.db cannot be opened"):
        fact(Store(sqlite_url(tmp_path / "gone" / "annotator.db")), "a")


def test_a_database_that_somebody_holds_is_said_to_be_busy(
    store: Store, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = sqlite3.connect(database)
    other.execute("BEGIN IMMEDIATE")
    with store.read() as tx:
        tx.exec_driver_sql("PRAGMA busy_timeout=10")
    with pytest.raises(StorageError, match="was busy"), store.write():
        pass
    other.close()


@pytest.mark.parametrize("url", ["nonsense", "", "oracle://host/x"])
def test_an_address_that_names_no_known_database_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="database_url"):
        Store(url)


def test_a_password_is_never_shown() -> None:
    pytest.importorskip("psycopg", reason="comes with the extra postgresql")
    store = Store("postgresql+psycopg://ann:s3cret@127.0.0.1:1/x")
    with pytest.raises(StorageError) as caught:
        fact(store, "a")
    assert "s3cret" not in str(caught.value)
    assert "127.0.0.1" in str(caught.value)


def test_a_time_is_utc_to_the_millisecond() -> None:
    assert now().endswith("+00:00")
    assert len(now()) == len("2026-01-01T00:00:00.000+00:00")


def test_a_reference_to_nothing_is_refused_by_the_database(store: Store) -> None:
    with pytest.raises(sqlalchemy.exc.IntegrityError), store.write() as tx:
        tx.exec_driver_sql(
            "INSERT INTO pool_chunks VALUES ('no such query', 'no such chunk', 0, 'pool')"
        )
