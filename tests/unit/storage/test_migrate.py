import sqlite3
from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import inspect

from annotator.domain.errors import StorageError, WorkspaceVersion
from annotator.storage import facts, migrate
from annotator.storage.engine import Store, sqlite_url
from annotator.storage.tables import metadata


def schema(store: Store) -> dict[str, list[str]]:
    looked = inspect(store.engine)
    return {
        name: sorted(column["name"] for column in looked.get_columns(name))
        for name in looked.get_table_names()
    }


def test_the_migrations_make_the_tables_that_the_program_knows(store: Store) -> None:
    made = schema(store)
    made.pop("alembic_version")
    assert made == {
        table.name: sorted(column.name for column in table.columns)
        for table in metadata.tables.values()
    }


def test_alembic_finds_no_difference_between_migrations_and_tables(store: Store) -> None:
    command.check(migrate.migration_config(store))


def test_the_schema_goes_down_and_up_again(store: Store) -> None:
    before = schema(store)
    command.downgrade(migrate.migration_config(store), "base")
    assert set(schema(store)) <= {"alembic_version"}
    assert migrate.schema_revision(store) is None
    migrate.upgrade(store)
    assert schema(store) == before
    command.check(migrate.migration_config(store))


def test_upgrading_twice_changes_nothing(store: Store) -> None:
    with store.write() as tx:
        facts.put(tx, "kept", 1)
    migrate.upgrade(store)
    with store.read() as tx:
        assert facts.get(tx, "kept") == 1


def test_an_empty_database_has_no_revision(database: Path) -> None:
    store = Store(sqlite_url(database))
    assert migrate.schema_revision(store) is None


def test_a_schema_from_the_future_is_refused(store: Store, database: Path) -> None:
    connection = sqlite3.connect(database)
    connection.execute("UPDATE alembic_version SET version_num = '0999_from_the_future'")
    connection.commit()
    connection.close()
    with pytest.raises(WorkspaceVersion, match=r"0999_from_the_future.* pip install -U"):
        migrate.upgrade(store)


def test_a_file_that_is_no_database_is_refused_and_left_alone(database: Path) -> None:
    content = b"no database " * 1_000
    database.write_bytes(content)
    store = Store(sqlite_url(database))
    with pytest.raises(StorageError, match="is not an intact database"):
        migrate.upgrade(store)
    store.close()
    assert database.read_bytes() == content
