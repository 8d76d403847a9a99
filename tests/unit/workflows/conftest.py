"""A small workspace's database: two documents, three queries, two of them with a pool."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.storage import pools
from annotator.storage.engine import Store, sqlite_url
from tests.builders import a_document, a_query, a_store, chunks_between, fill

PUMP = a_document("The pump runs for two years. Then it stops.", doc_id="d1")
LAMP = a_document("灯\U0001f600保修两年。之后不保修。", doc_id="d2")
PUMP_CHUNKS = chunks_between(PUMP, (0, 28), (29, 43))
LAMP_CHUNKS = [
    type(chunk)(f"z{n}", *(getattr(chunk, name) for name in chunk.__slots__[1:]))
    for n, chunk in enumerate(chunks_between(LAMP, (0, 8), (8, 14)), start=1)
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """q-1 has the pool c1, c2, z1; q-2 has z1; q-3 has none."""
    opened = a_store(sqlite_url(tmp_path / "annotator.db"))
    fill(
        opened,
        documents=[PUMP, LAMP],
        chunks=[*PUMP_CHUNKS, *LAMP_CHUNKS],
        queries=[a_query("q-1"), a_query("q-2", "保修多久", lang="zh"), a_query("q-3", "and then")],
    )
    with opened.write() as tx:
        pools.set_pool(tx, "q-1", ["c1", "c2", "z1"])
        pools.set_pool(tx, "q-2", ["z1"])
    yield opened
    opened.close()
