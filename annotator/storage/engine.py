"""Open the database and hand out transactions.

SQLite runs in WAL mode with full fsync at commit, since a label that was acknowledged must
survive a power cut. Writers take the write lock when they begin (`BEGIN IMMEDIATE`), so that a
transaction never fails in its middle; PostgreSQL needs none of this.
"""

import contextlib
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

import psutil
import sqlalchemy
from sqlalchemy import Connection, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, OperationalError

from annotator.domain.errors import DiskFull, InputError, MissingExtra, StorageError

Transaction: TypeAlias = Connection
"""What the repositories work in: an open transaction."""

_NETWORK_FILE_SYSTEMS = {"nfs", "nfs4", "cifs", "smbfs", "smb2", "smb3", "afpfs", "fuse.sshfs"}
_BUSY_TIMEOUT_MS = 30_000


def now() -> str:
    """Return the present time in UTC, ISO 8601, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def sqlite_url(path: Path) -> URL:
    """Return the address of a SQLite file: in a string, '?' and '%' of its path would count."""
    return URL.create("sqlite", database=str(path))


class Store:
    """One open database.

    `read()` and `write()` are transactions; a write commits when its block ends and rolls back
    when it raises. Safe to share between threads.
    """

    def __init__(self, url: str | URL) -> None:
        try:
            self.url = make_url(url)
        except ArgumentError as error:
            raise InputError(
                "database_url in annotator.toml is not an address of a database. Write it like "
                "postgresql://user@host/name, or leave it out for SQLite in the workspace."
            ) from error
        if self.url.get_backend_name() == "sqlite":
            _refuse_network_drive(self.url)
        try:
            self._engine = sqlalchemy.create_engine(self.url, **_engine_options(self.url))
        except (ImportError, NoSuchModuleError) as error:
            kind = self.url.get_backend_name()
            if kind == "postgresql":
                raise MissingExtra("PostgreSQL", "postgresql") from error
            raise InputError(
                f"database_url names the database {kind!r}; SQLite and PostgreSQL are supported."
            ) from error
        if self.url.get_backend_name() == "sqlite":
            event.listen(self._engine, "connect", _prepare_sqlite)
            event.listen(self._engine, "begin", _begin_sqlite)

    @property
    def engine(self) -> sqlalchemy.Engine:
        """The engine, for the migrations alone."""
        return self._engine

    @contextlib.contextmanager
    def read(self) -> Iterator[Transaction]:
        """One snapshot of the database, for reading."""
        with errors_as_sentences(self.url), self._engine.connect() as connection:
            yield connection
            connection.rollback()

    @contextlib.contextmanager
    def write(self) -> Iterator[Transaction]:
        """A transaction that holds the write lock from its start."""
        with (
            errors_as_sentences(self.url),
            self._engine.connect().execution_options(annotator_write=True) as connection,
            connection.begin(),
        ):
            yield connection

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()


def _engine_options(url: URL) -> dict[str, Any]:
    if url.get_backend_name() == "sqlite":
        return {"connect_args": {"timeout": _BUSY_TIMEOUT_MS / 1000, "check_same_thread": False}}
    return {"pool_pre_ping": True, "isolation_level": "REPEATABLE READ"}


def _prepare_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None  # transactions begin by our own hand, in _begin_sqlite
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout={_BUSY_TIMEOUT_MS}")
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    write = connection.get_execution_options().get("annotator_write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


@contextlib.contextmanager
def errors_as_sentences(url: URL) -> Iterator[None]:
    """Raise DiskFull or StorageError with what to do, where the database cannot be used."""
    where = url.database if url.get_backend_name() == "sqlite" else url.render_as_string()
    try:
        yield
    except OperationalError as error:
        text = str(error.orig)
        if "disk is full" in text or "disk I/O error" in text:
            raise DiskFull(
                f"The database {where} could not be written ({text}). Nothing of this step was "
                "stored; free some space and run it again."
            ) from error
        if "locked" in text:
            raise StorageError(
                f"The database {where} was busy for {_BUSY_TIMEOUT_MS // 1000} seconds. Another "
                "program holds it; close it and try again."
            ) from error
        if "unable to open" in text or "readonly" in text:
            raise StorageError(
                f"The database {where} cannot be opened for writing ({text}). Check who owns the "
                "folder, and that the disk has room."
            ) from error
        raise StorageError(f"The database {where} cannot be used: {text}.") from error
    except DBAPIError as error:
        if "not a database" in str(error.orig) or "malformed" in str(error.orig):
            raise StorageError(
                f"{where} is not an intact database ({error.orig}). Restore it from a backup."
            ) from error
        raise


def _refuse_network_drive(url: URL) -> None:
    if not url.database:
        return
    folder = Path(url.database).resolve().parent
    best, kind = "", ""
    for partition in psutil.disk_partitions(all=True):
        mount = partition.mountpoint
        inside = str(folder) == mount or str(folder).startswith(mount.rstrip("/\\") + "/")
        if inside and len(mount) > len(best):
            best, kind = mount, partition.fstype.lower()
    if kind in _NETWORK_FILE_SYSTEMS:
        raise StorageError(
            f"{folder} lies on a network drive ({kind}), where SQLite loses data when two "
            "programs write. Put the workspace on a local disk."
        )
