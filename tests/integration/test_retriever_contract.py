"""One contract for every adapter: the built-in ones, and HTTP against a server process."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.domain.errors import RetrieverAnswerError, RetrieverUnavailable
from annotator.retrievers.base import Retriever
from annotator.storage import corpus
from annotator.workflows.retrieve import run_retriever
from annotator.workspace import Workspace, open_workspace
from tests.command_line import free_port, refuse, succeed, wait_for

pytestmark = pytest.mark.server
SERVER = Path(__file__).parents[1] / "fakes" / "http_retriever.py"


@pytest.fixture(scope="module")
def world(
    pooled_template: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Workspace, int]]:
    """Open the workspace and start the server over its chunks."""
    path = pooled_template / "workspace"
    chunks = tmp_path_factory.mktemp("server") / "chunks.jsonl"
    succeed("corpus", "export", chunks, workspace=path)
    port = free_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RETRIEVER_KEY", "open sesame")
        process = subprocess.Popen([sys.executable, str(SERVER), str(chunks), str(port)])
        settings = (path / "annotator.toml").read_text(encoding="utf-8")
        for name, timeout, hit in (
            ("live", 5, 'chunk_id = "id"\n'),
            ("hasty", 0.5, 'chunk_id = "id"\n'),
            ("placed", 5, 'chunk_id = ""\ndoc_id = "doc"\nstart = "from"\nend = "to"\n'),
        ):
            settings += f"""
[retrievers.{name}]
type = "http"
url = "http://127.0.0.1:{port}/search"
headers = {{ "x-key" = "env:RETRIEVER_KEY" }}
body = '{{"q": "{{query}}", "top": "{{k}}"}}'
hits = "result.items"
confidence = "sure"
timeout_s = {timeout}
retries = 1
{hit}"""
        (path / "annotator.toml").write_text(settings, encoding="utf-8")
        wait_for(f"http://127.0.0.1:{port}/")
        workspace = open_workspace(path)
        try:
            yield workspace, port
        finally:
            workspace.close()
            process.kill()
            process.wait()


@pytest.fixture(params=["builtin", "lexical", "dense", "live"])
def retriever(request: pytest.FixtureRequest, world: tuple[Workspace, int]) -> Iterator[Retriever]:
    """Open each adapter in turn."""
    opened = world[0].retriever(request.param)
    yield opened
    opened.close()


def test_hits_are_chunks_of_the_corpus_best_first_and_at_most_k(
    retriever: Retriever, world: tuple[Workspace, int]
) -> None:
    with world[0].store.read() as tx:
        chunks = corpus.all_chunks(tx)
    for k in (1, 3, 10):
        run = run_retriever(retriever, [("q-1", "battery hours")], depth_k=k, chunks=chunks)
        hits = run.lists[0].hits
        assert 1 <= len(hits) <= k
        assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
        assert len({hit.chunk_id for hit in hits}) == len(hits)
        scores = [hit.score for hit in hits if hit.score is not None]
        assert scores == sorted(scores, reverse=True)


def test_the_best_hit_of_a_plain_question_is_about_it(
    retriever: Retriever, world: tuple[Workspace, int]
) -> None:
    with world[0].store.read() as tx:
        chunks = corpus.all_chunks(tx)
    run = run_retriever(retriever, [("q-1", "battery dock charges")], depth_k=1, chunks=chunks)
    (best,) = run.lists[0].hits
    assert next(c for c in chunks if c.chunk_id == best.chunk_id).doc_id == "doc-battery"


def test_asking_twice_gives_the_same_answer(retriever: Retriever) -> None:
    first, second = (retriever.search("保修期多久 warranty", k=5) for _ in range(2))
    assert [hit.chunk_id for hit in first.hits] == [hit.chunk_id for hit in second.hits]
    assert first.confidence == second.confidence


def test_it_names_itself_and_its_version(retriever: Retriever) -> None:
    assert retriever.name
    assert retriever.version


@pytest.mark.parametrize("query", ["?", "", "𠮷野家 👩‍💻 \u2028 {query} {k}", "x" * 20_000])
def test_odd_queries_get_an_answer(retriever: Retriever, query: str) -> None:
    assert len(retriever.search(query, k=3).hits) <= 3


def test_confidence_is_there_where_it_is_declared(retriever: Retriever) -> None:
    declared = bool(retriever.capabilities.confidence)
    assert (retriever.search("warranty", k=3).confidence is not None) is declared


def test_chinese_questions_find_chinese_chunks(world: tuple[Workspace, int]) -> None:
    with world[0].store.read() as tx:
        by_id = {chunk.chunk_id: chunk for chunk in corpus.all_chunks(tx)}
    for name in ("lexical", "builtin"):
        best = world[0].retriever(name).search("退款几天到账", k=1).hits[0]
        assert by_id[best.chunk_id or ""].doc_id == "doc-退款"


def test_a_place_is_mapped_to_the_chunks_there(world: tuple[Workspace, int]) -> None:
    with world[0].store.read() as tx:
        chunks = corpus.all_chunks(tx)
    by_id = world[0].retriever("live")
    by_place = world[0].retriever("placed")
    expected = run_retriever(by_id, [("q", "battery dock")], depth_k=5, chunks=chunks)
    found = run_retriever(by_place, [("q", "!offsets battery dock")], depth_k=5, chunks=chunks)
    assert [h.chunk_id for h in found.lists[0].hits] == [h.chunk_id for h in expected.lists[0].hits]


def test_a_chunk_that_comes_twice_keeps_its_best_rank(world: tuple[Workspace, int]) -> None:
    with world[0].store.read() as tx:
        chunks = corpus.all_chunks(tx)
    live = world[0].retriever("live")
    run = run_retriever(live, [("q", "!twice battery dock")], depth_k=5, chunks=chunks)
    ids = [hit.chunk_id for hit in run.lists[0].hits]
    assert len(ids) == len(set(ids)) == 4


@pytest.mark.parametrize(
    ("name", "query", "error", "says"),
    [
        ("live", "!error", RetrieverUnavailable, "HTTP 500"),
        ("hasty", "!slow", RetrieverUnavailable, "within 0.5 s"),
        ("live", "!html", RetrieverAnswerError, "not JSON"),
        ("live", "!unknown battery", RetrieverAnswerError, "'nobody-knows-me'"),
    ],
)
def test_a_fault_is_one_sentence_that_names_it(
    world: tuple[Workspace, int], name: str, query: str, error: type[Exception], says: str
) -> None:
    with world[0].store.read() as tx:
        chunks = corpus.all_chunks(tx)
    with pytest.raises(error, match="Retriever") as caught:
        run_retriever(world[0].retriever(name), [("q", query)], depth_k=5, chunks=chunks)
    assert says in str(caught.value)
    assert "open sesame" not in str(caught.value)


def test_an_empty_answer_is_an_answer(world: tuple[Workspace, int]) -> None:
    assert world[0].retriever("live").search("!empty", k=5).hits == []


def test_a_retriever_that_is_down_leaves_the_pool_as_it_was(pooled: Path) -> None:
    settings = pooled / "annotator.toml"
    down = f'type = "http"\nurl = "http://127.0.0.1:{free_port()}"\nretries = 0\n'
    settings.write_text(f"{settings.read_text('utf-8')}\n[retrievers.down]\n{down}", "utf-8")
    before = succeed("status", workspace=pooled)["pool_pairs"]
    said = refuse("pool", "--retriever", "lexical", "--retriever", "down", workspace=pooled)
    assert "'down'" in said
    assert succeed("status", workspace=pooled)["pool_pairs"] == before


def test_an_unknown_retriever_is_named_with_those_that_there_are(pooled: Path) -> None:
    said = refuse("pool", "--retriever", "nosuch", workspace=pooled)
    assert "'nosuch'" in said
    assert "builtin" in said


def test_a_header_from_an_unset_variable_is_refused(pooled: Path) -> None:
    settings = pooled / "annotator.toml"
    settings.write_text(
        settings.read_text(encoding="utf-8")
        + '\n[retrievers.secret]\ntype = "http"\nurl = "http://127.0.0.1:9"\n'
        + 'headers = { authorization = "env:NOT_SET_AT_ALL" }\n',
        encoding="utf-8",
    )
    assert "NOT_SET_AT_ALL" in refuse("pool", "--retriever", "secret", workspace=pooled)


def test_the_exported_corpus_says_where_each_chunk_stands(pooled: Path, tmp_path: Path) -> None:
    out = tmp_path / "chunks.jsonl"
    succeed("corpus", "export", out, workspace=pooled)
    row = json.loads(out.read_text(encoding="utf-8").splitlines()[0])
    assert list(row) == ["chunk_id", "doc_id", "start", "end", "text", "title"]
