"""A fresh database for each test, made by the real migrations."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.storage.engine import Store, sqlite_url
from tests.builders import a_chunk, a_document, a_query, a_store, fill

DOCUMENT = a_document("The pump runs. It stops. It rests.", doc_id="d1")
CHUNKS = [
    a_chunk("c1", start=0, text="The pump runs.", index=0),
    a_chunk("c2", start=15, text="It stops.", index=1),
    a_chunk("c3", start=25, text="It rests.", index=2),
]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "annotator.db"


@pytest.fixture
def store(database: Path) -> Iterator[Store]:
    opened = a_store(sqlite_url(database))
    yield opened
    opened.close()


@pytest.fixture
def filled(store: Store) -> Store:
    """One document in three chunks, and the queries q-1 and q-2."""
    fill(
        store,
        documents=[DOCUMENT],
        chunks=CHUNKS,
        queries=[a_query("q-1"), a_query("q-2", "does it stop")],
    )
    return store
