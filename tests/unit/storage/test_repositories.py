"""The smaller repositories: pools, samples, mined, runs, releases, imports, jobs, logs."""

from pathlib import Path

import numpy as np
import pytest
import sqlalchemy
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.document import Span
from annotator.domain.errors import StorageError
from annotator.domain.query import DistinctQuery, Variant
from annotator.domain.run import RetrievedList, Run
from annotator.storage import imports, jobs, judgments, logs, mined, pools, releases, runs, samples
from annotator.storage.engine import Store
from annotator.storage.imports import Import
from annotator.storage.mined import StoredNegative, StoredSplit
from annotator.storage.samples import Plan
from tests.builders import a_grade_event, a_list, a_query, a_query_event


def test_a_chunk_never_leaves_a_pool(filled: Store) -> None:
    with filled.write() as tx:
        pools.set_pool(tx, "q-1", ["c2", "c1"])
        assert pools.pool_of(tx, "q-1").pooled == ["c2", "c1"]
        pools.set_pool(tx, "q-1", ["c3"])
        assert pools.pool_of(tx, "q-1").pooled == ["c3", "c2", "c1"]
        assert pools.count(tx) == 3
        assert pools.pooled_chunk_ids(tx) == {"c1", "c2", "c3"}


def test_what_mining_adds_comes_last_and_once(filled: Store) -> None:
    with filled.write() as tx:
        pools.set_pool(tx, "q-1", ["c2"])
        assert pools.append_mined(tx, "q-1", ["c2", "c3", "c3"]) == 1
        assert pools.append_mined(tx, "q-1", ["c3", "c1"]) == 1
        pool = pools.pool_of(tx, "q-1")
        assert (pool.pooled, pool.mined) == (["c2"], ["c3", "c1"])
        assert pool.chunk_ids == ["c2", "c3", "c1"]


def test_a_mined_chunk_that_is_pooled_later_becomes_part_of_the_pool(filled: Store) -> None:
    with filled.write() as tx:
        pools.append_mined(tx, "q-1", ["c3", "c1"])
        pools.set_pool(tx, "q-1", ["c1", "c2"])
        pool = pools.pool_of(tx, "q-1")
        assert (pool.pooled, pool.mined) == (["c1", "c2"], ["c3"])


def test_a_query_without_a_pool_has_an_empty_one(filled: Store) -> None:
    with filled.write() as tx:
        pools.set_pool(tx, "q-1", [])
        assert pools.pool_of(tx, "q-1").chunk_ids == []
        assert pools.all_pools(tx) == {}


def test_a_sample_comes_back_in_the_order_of_its_plan(filled: Store) -> None:
    queries = [a_query("q-2", "b"), a_query("q-9", "保修", lang="zh", inclusion_probability=None)]
    with filled.write() as tx:
        samples.replace(tx, Plan("p-2", 2, 7, {"x": [1]}), queries)
        assert samples.all_queries(tx) == queries
        assert samples.current_plan(tx) == Plan("p-2", 2, 7, {"x": [1]})
        assert samples.query(tx, "q-1") is None
        assert samples.query(tx, "q-9") == queries[1]
        assert samples.count(tx) == 2


def test_a_query_that_stays_keeps_its_pool_and_one_that_goes_loses_it(filled: Store) -> None:
    with filled.write() as tx:
        for query_id in ("q-1", "q-2"):
            pools.set_pool(tx, query_id, ["c1"])
        samples.replace(tx, Plan("p-2", 1, 1, {}), [a_query("q-2", "b")])
        assert set(pools.all_pools(tx)) == {"q-2"}


def test_queries_of_which_anything_was_said_are_known(filled: Store) -> None:
    with filled.write() as tx:
        assert samples.judged_query_ids(tx) == set()
        judgments.append(tx, a_grade_event("e-1", grade=None))
        judgments.append(tx, a_query_event("e-2", query_id="q-2", has_answer=None))
        assert samples.judged_query_ids(tx) == {"q-1", "q-2"}


@pytest.mark.parametrize("probability", [0.0, 1.5, -0.1])
def test_a_probability_beyond_its_range_is_refused_by_the_database(
    filled: Store, probability: float
) -> None:
    query = a_query("q-3", inclusion_probability=probability)
    with pytest.raises(sqlalchemy.exc.IntegrityError), filled.write() as tx:
        samples.replace(tx, Plan("p-2", 1, 1, {}), [query])


def test_a_new_mine_takes_the_place_of_the_old(filled: Store) -> None:
    with filled.write() as tx:
        run_id = runs.add(tx, Run("live", "1", 5, ()), purpose="mine", corpus_sha256="x")
        old = [StoredNegative("q-1", "c3", run_id, 2), StoredNegative("q-1", "c1", run_id, 4)]
        cut = StoredSplit("q-2", "span", ("c1", "c2"), Span("d1", 3, 20))
        group = StoredSplit("q-2", "group", ("c2", "c3"), None)
        mined.replace(tx, old, [cut, group])
        assert mined.negatives(tx) == {"q-1": old}
        assert mined.splits(tx) == {"q-2": [cut, group]}
        assert mined.counts(tx) == (2, 2)
        mined.replace(tx, old[1:], [])
        assert mined.negatives(tx) == {"q-1": old[1:]}
        assert mined.counts(tx) == (1, 0)


def test_a_run_comes_back_with_its_empty_lists(filled: Store) -> None:
    lists = (
        a_list("q-1", "c2", "c1", confidence=None),
        RetrievedList("q-2", (), 0.25, 7.5),
    )
    with filled.write() as tx:
        run_id = runs.add(tx, Run("live", "v1", 5, lists), purpose="pool", corpus_sha256="x")
        about, found = runs.get(tx, run_id)
        assert tuple(found) == lists
        assert (about.run_id, about.retriever, about.retriever_version) == (run_id, "live", "v1")
        assert (about.depth_k, about.corpus_sha256) == (5, "x")
        assert runs.latest(tx, "pool") == [about]
        assert runs.latest(tx, "mine") == []


def test_a_query_is_known_by_the_corpus_on_which_it_was_last_pooled(filled: Store) -> None:
    with filled.write() as tx:
        assert runs.pooled_on(tx) == {}
        both = Run("live", "v1", 5, (a_list("q-1", "c1"), a_list("q-2")))
        runs.add(tx, both, purpose="pool", corpus_sha256="old")
        runs.add(tx, both, purpose="mine", corpus_sha256="newer")
        assert runs.pooled_on(tx) == {"q-1": "old", "q-2": "old"}


def test_a_query_of_a_version_keeps_its_split_unless_it_moves_to_test(store: Store) -> None:
    with store.write() as tx:
        releases.assign(tx, "lamp", "1.0.0", {"q-1": "tuning", "q-2": "test"})
        releases.assign(tx, "lamp", "2.0.0", {"q-1": "test", "q-2": "tuning", "q-3": "tuning"})
        releases.assign(tx, "other", "1.0.0", {"q-1": "tuning"})
        assert releases.assignments(tx, "lamp") == {
            "q-1": "test", "q-2": "test", "q-3": "tuning",
        }  # fmt: skip
        assert releases.assignments(tx, "other") == {"q-1": "tuning"}
        assert releases.assignments(tx, "none") == {}


def test_versions_are_listed_by_dataset(store: Store) -> None:
    with store.write() as tx:
        for name, version in [("lamp", "1.0.0"), ("lamp", "1.1.0"), ("other", "1.0.0")]:
            releases.add(
                tx, name=name, version=version, parent=None, content_sha256="x", manifest={"a": 1}
            )
        assert [entry.version for entry in releases.listed(tx, "lamp")] == ["1.0.0", "1.1.0"]
        assert len(releases.listed(tx)) == 3
    with pytest.raises(sqlalchemy.exc.IntegrityError), store.write() as tx:
        releases.add(tx, name="lamp", version="1.0.0", parent=None, content_sha256="y", manifest={})


def test_a_file_is_known_by_its_content(store: Store) -> None:
    entry = Import("log", "abc", "log.csv", {"query_column": "q"}, {"kept": 3})
    with store.write() as tx:
        imports.add(tx, entry)
        assert imports.find(tx, "log", "abc") == entry
        assert imports.find(tx, "log", "abd") is None
        assert imports.listed(tx, "log") == [entry]
        imports.remove(tx, "log", "abc")
        assert imports.listed(tx, "log") == []


def test_a_job_ends_once(store: Store) -> None:
    with store.write() as tx:
        jobs.add(tx, "j-1", ("curate", "--json"))
        jobs.begin(tx, "j-1", 4711)
        jobs.progress(tx, "j-1", "encode", 5, 10)
        assert jobs.end(tx, "j-1", "cancelled", None)
        assert not jobs.end(tx, "j-1", "succeeded", 0)
        jobs.begin(tx, "j-1", 4712)
        job = jobs.get(tx, "j-1")
        assert job is not None
        assert (job.status, job.pid, job.arguments) == ("cancelled", 4711, ("curate", "--json"))
        assert (job.step, job.done, job.total) == ("encode", 5, 10)
        assert [entry.job_id for entry in jobs.listed(tx)] == ["j-1"]


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)


@given(st.lists(st.dictionaries(TEXT, st.integers(1, 10**9), max_size=5), max_size=3))
def test_counts_of_several_files_add_up(
    tmp_path_factory: pytest.TempPathFactory, files: list[dict[str, int]]
) -> None:
    folder = tmp_path_factory.mktemp("log")
    for number, counts in enumerate(files):
        logs.write_counts(folder / f"{number}.parquet", counts)
    wanted: dict[str, int] = {}
    for counts in files:
        for text, count in counts.items():
            wanted[text] = wanted.get(text, 0) + count
    assert logs.read_counts(sorted(folder.glob("*.parquet"))) == wanted


def test_a_count_file_that_is_gone_or_broken_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"none\.parquet cannot be read"):
        logs.read_counts([tmp_path / "none.parquet"])
    (tmp_path / "broken.parquet").write_bytes(b"PAR1")
    with pytest.raises(StorageError, match=r"broken\.parquet cannot be read"):
        logs.read_counts([tmp_path / "broken.parquet"])


def test_a_population_comes_back_row_by_row_with_its_tree(tmp_path: Path) -> None:
    population = [
        DistinctQuery("q-1", "保修", 3, (Variant("保修", 2), Variant("保修?", 1))),
        DistinctQuery("q-2", "007", 1, ()),
    ]
    micro, linkage = np.array([0, 1]), np.array([[0.0, 1.0, 0.5, 2.0]])
    logs.write_population(tmp_path / "curation", population, micro=micro, linkage=linkage)
    found, found_micro, found_linkage = logs.read_population(tmp_path / "curation")
    assert found == population
    np.testing.assert_array_equal(found_micro, micro)
    np.testing.assert_array_equal(found_linkage, linkage)


def test_a_population_that_is_not_there_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="Run: annotator curate"):
        logs.read_population(tmp_path)
    (tmp_path / "population.parquet").write_bytes(b"PAR1")
    with pytest.raises(StorageError, match="Run: annotator curate"):
        logs.read_population(tmp_path)


@pytest.mark.parametrize("name", ["population.parquet", "tree.npz"])
@pytest.mark.parametrize("size", [0, 4, 60])
def test_a_population_that_was_cut_off_says_what_to_run(
    tmp_path: Path, name: str, size: int
) -> None:
    micro, linkage = np.array([0]), np.empty((0, 4))
    population = [DistinctQuery("q-1", "a", 1, ())]
    logs.write_population(tmp_path, population, micro=micro, linkage=linkage)
    (tmp_path / name).write_bytes((tmp_path / name).read_bytes()[:size])
    with pytest.raises(StorageError, match="Run: annotator curate"):
        logs.read_population(tmp_path)
