"""What is wrong gets one clear sentence with the remedy, exit code 1, and leaves nothing behind."""

import json
from pathlib import Path

import pytest

from tests.command_line import annotator, refuse, succeed


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Return a new workspace."""
    path = tmp_path / "workspace"
    succeed("init", path, "--name", "Bad", "--licence", "CC0-1.0")
    return path


def lines(path: Path, *rows: object) -> Path:
    """Write JSON lines."""
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_folder_that_is_no_workspace_is_named(tmp_path: Path) -> None:
    said = refuse("status", workspace=tmp_path)
    assert str(tmp_path) in said
    assert "annotator init" in said


def test_a_missing_column_names_those_that_there_are(workspace: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("when,words\n1,hello\n", encoding="utf-8")
    said = refuse("log", "import", log, "--query-column", "question", workspace=workspace)
    assert "question" in said
    assert "words" in said
    assert str(log) in said


@pytest.mark.parametrize("text", ["", "query\n", "query\n\n\n", 'query\n"?"\n"!!"\n'])
def test_an_empty_log_is_refused(workspace: Path, tmp_path: Path, text: str) -> None:
    log = tmp_path / "log.csv"
    log.write_text(text, encoding="utf-8")
    assert str(log) in refuse("log", "import", log, workspace=workspace)
    assert succeed("status", workspace=workspace)["log_files"] == 0


@pytest.mark.parametrize("name", ["log.csv", "log.tsv", "log.jsonl", "log.parquet"])
def test_a_file_that_is_not_what_its_name_says_is_refused(
    workspace: Path, tmp_path: Path, name: str
) -> None:
    log = tmp_path / name
    log.write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00")
    assert name in refuse("log", "import", log, workspace=workspace)


def test_one_bad_file_among_several_keeps_what_was_imported(
    workspace: Path, tmp_path: Path
) -> None:
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text("query\nhow are you\n", encoding="utf-8")
    refuse("log", "import", good, bad, workspace=workspace)
    assert succeed("status", workspace=workspace)["log_files"] == 1
    again = succeed("log", "import", good, workspace=workspace)
    assert again["files"][0]["is_known"] is True


def test_a_chunk_without_a_document_is_named_with_its_row(workspace: Path, tmp_path: Path) -> None:
    documents = lines(tmp_path / "docs.jsonl", {"doc_id": "d1", "text": "One two three."})
    chunks = lines(
        tmp_path / "chunks.jsonl",
        {"chunk_id": "a", "doc_id": "d1", "text": "One two"},
        {"chunk_id": "b", "doc_id": "d9", "text": "three."},
    )
    said = refuse("corpus", "import", documents, "--chunks", chunks, workspace=workspace)
    assert "line 2" in said
    assert "'d9'" in said
    assert succeed("status", workspace=workspace)["documents"] == 0


def test_a_chunk_that_names_no_document_is_refused(workspace: Path, tmp_path: Path) -> None:
    documents = lines(tmp_path / "docs.jsonl", {"doc_id": "d1", "text": "One two three."})
    chunks = lines(tmp_path / "chunks.jsonl", {"chunk_id": "a", "text": "One two"})
    said = refuse("corpus", "import", documents, "--chunks", chunks, workspace=workspace)
    assert "line 1" in said
    assert "doc_id" in said


def test_duplicate_chunk_ids_with_different_texts_are_named_with_both_rows(
    workspace: Path, tmp_path: Path
) -> None:
    documents = lines(tmp_path / "docs.jsonl", {"doc_id": "d1", "text": "One two three."})
    chunks = lines(
        tmp_path / "chunks.jsonl",
        {"chunk_id": "a", "doc_id": "d1", "text": "One"},
        {"chunk_id": "a", "doc_id": "d1", "text": "two"},
    )
    said = refuse("corpus", "import", documents, "--chunks", chunks, workspace=workspace)
    assert "line 1" in said
    assert "line 2" in said
    assert "'a'" in said


def test_offsets_that_are_not_the_text_are_refused(workspace: Path, tmp_path: Path) -> None:
    documents = lines(tmp_path / "docs.jsonl", {"doc_id": "d1", "text": "👩‍💻 One two three."})
    chunks = lines(
        tmp_path / "chunks.jsonl",
        {"chunk_id": "a", "doc_id": "d1", "text": "One", "start": 5, "end": 8},
    )
    said = refuse("corpus", "import", documents, "--chunks", chunks, workspace=workspace)
    assert "code points" in said


def test_own_chunks_are_never_cut_anew(workspace: Path, tmp_path: Path) -> None:
    documents = lines(tmp_path / "docs.jsonl", {"doc_id": "d1", "text": "One two. One two. Six."})
    chunks = lines(
        tmp_path / "chunks.jsonl",
        {"chunk_id": "007", "doc_id": "d1", "text": "One two."},
        {"chunk_id": "008", "doc_id": "d1", "text": "One two."},
    )
    succeed("corpus", "import", documents, "--chunks", chunks, workspace=workspace)
    succeed("corpus", "export", tmp_path / "out.jsonl", workspace=workspace)
    out = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [(row["chunk_id"], row["start"], row["end"]) for row in out] == [
        ("007", 0, 8),
        ("008", 9, 17),
    ]
    assert "never cut anew" in refuse("corpus", "import", documents, workspace=workspace)


def test_stages_out_of_order_say_what_to_run_first(workspace: Path, tmp_path: Path) -> None:
    assert "annotator log import" in refuse("curate", workspace=workspace)
    assert "annotator curate" in refuse("sample", "--budget", 5, workspace=workspace)
    lexical = ("--retriever", "lexical")
    assert "annotator corpus import" in refuse("pool", *lexical, workspace=workspace)
    documents = lines(tmp_path / "docs.jsonl", {"doc_id": "d1", "text": "One two three."})
    succeed("corpus", "import", documents, workspace=workspace)
    assert "annotator sample" in refuse("pool", *lexical, workspace=workspace)
    assert "annotator release NAME" in refuse(
        *("score", "nothing", "--retriever", "lexical"), workspace=workspace
    )


def test_a_release_without_judgments_says_what_is_missing(pooled: Path) -> None:
    said = refuse("release", "lamps", workspace=pooled)
    assert "0 information needs" in said
    assert not list((pooled / "datasets").glob("*/*"))


def test_a_bad_judgment_names_its_line_and_imports_nothing(pooled: Path, tmp_path: Path) -> None:
    out = tmp_path / "pool.jsonl"
    succeed("pool", "--retriever", "lexical", "--out", out, workspace=pooled)
    row = json.loads(out.read_text(encoding="utf-8").splitlines()[0])
    good = {
        "type": "grade",
        "query_id": row["query_id"],
        "chunk_id": row["chunk_ids"][0],
        "grade": 2,
        "assessor": "ada",
    }
    for broken in ({"grade": 3}, {"chunk_id": "gone"}, {"query_id": "q-gone"}, {"spans": [1]}):
        labels = lines(tmp_path / "labels.jsonl", good, {**good, **broken})
        assert "line 2" in refuse("judgments", "import", labels, workspace=pooled)
    assert succeed("status", workspace=pooled)["events"] == 0


def test_settings_that_do_not_fit_name_file_and_field(workspace: Path) -> None:
    path = workspace / "annotator.toml"
    path.write_text(path.read_text() + "\n[pool]\ndepth_k = 0\n", encoding="utf-8")
    said = refuse("status", workspace=workspace)
    assert "pool.depth_k" in said
    assert str(path) in said
    path.write_text("[pol]\n", encoding="utf-8")
    assert "'pol'" in refuse("status", workspace=workspace)
    path.write_text("[[[", encoding="utf-8")
    assert "TOML" in refuse("status", workspace=workspace)


def test_wrong_use_ends_with_2(workspace: Path) -> None:
    assert annotator("sample", workspace=workspace).code == 2
    assert annotator("sample", "--budget", "0", workspace=workspace).code == 2
    assert annotator("nonsense").code == 2
    assert annotator("corpus", "import", workspace=workspace).code == 2


def test_errors_are_json_for_machines(tmp_path: Path) -> None:
    answer = annotator("status", "--json", workspace=tmp_path)
    assert answer.code == 1
    assert answer.json["kind"] == "WorkspaceMissing"


def test_verify_of_something_else_says_so(tmp_path: Path) -> None:
    assert "no version" in refuse("verify", tmp_path)
    assert "no version" in refuse("verify", tmp_path / "nowhere")


def test_a_corrected_column_is_not_ignored(workspace: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("query,text,n\nold words,new words,3\n", encoding="utf-8")
    assert succeed("log", "import", log, workspace=workspace)["kept"] == 1
    corrected = ("--query-column", "text", "--count-column", "n")
    said = refuse("log", "import", log, *corrected, workspace=workspace)
    assert "'query'" in said
    assert "--replace" in said
    assert succeed("log", "import", log, *corrected, "--replace", workspace=workspace)["kept"] == 3
    assert succeed("status", workspace=workspace)["log_rows"] == 3


def test_an_empty_chunk_file_changes_nothing(workspace: Path, tmp_path: Path) -> None:
    documents = lines(tmp_path / "docs.jsonl", {"doc_id": "d1", "text": "One two three."})
    succeed("corpus", "import", documents, workspace=workspace)
    assert "no chunks" in refuse(
        "corpus", "import", "--chunks", lines(tmp_path / "none.jsonl"), workspace=workspace
    )
    succeed("corpus", "import", documents, workspace=workspace)


def test_a_changed_document_without_its_chunks_is_refused(workspace: Path, tmp_path: Path) -> None:
    both = [{"doc_id": "d1", "text": "alpha beta"}, {"doc_id": "d2", "text": "gamma"}]
    documents = lines(tmp_path / "docs.jsonl", *both)
    own = [
        {"chunk_id": "a", "doc_id": "d1", "text": "alpha beta"},
        {"chunk_id": "b", "doc_id": "d2", "text": "gamma"},
    ]
    chunks = lines(tmp_path / "chunks.jsonl", *own)
    succeed("corpus", "import", documents, "--chunks", chunks, workspace=workspace)
    changed = lines(tmp_path / "docs.jsonl", {"doc_id": "d1", "text": "XX totally"}, both[1])
    only_d2 = lines(tmp_path / "chunks.jsonl", own[1])
    said = refuse("corpus", "import", changed, "--chunks", only_d2, workspace=workspace)
    assert "'d1'" in said


def test_a_lost_version_is_said_with_the_way_on(judged: Path) -> None:
    import shutil

    released = succeed("release", "lamps", workspace=judged)
    shutil.rmtree(released["folder"])
    said = refuse("release", "lamps", workspace=judged)
    assert "is gone" in said
    assert "OTHER-NAME" in said
    assert succeed("release", "lamps-2", workspace=judged)["version"] == "1.0.0"


def test_exports_follow_links_and_write_to_pipes(judged: Path, tmp_path: Path) -> None:
    target, link = tmp_path / "target.jsonl", tmp_path / "link.jsonl"
    target.write_text("old", encoding="utf-8")
    link.symlink_to(target)
    written = succeed("judgments", "export", link, workspace=judged)["lines"]
    assert link.is_symlink()
    assert len(target.read_text(encoding="utf-8").splitlines()) == written
    piped = annotator("judgments", "export", "/dev/stdout", workspace=judged)
    assert piped.code == 0
    assert piped.out.count('"type"') == written


def test_a_licence_alone_makes_a_patch(judged: Path) -> None:
    succeed("release", "lamps", workspace=judged)
    settings = judged / "annotator.toml"
    settings.write_text(settings.read_text("utf-8").replace("CC0-1.0", "MIT"), "utf-8")
    again = succeed("release", "lamps", workspace=judged)
    assert (again["version"], again["is_new"]) == ("1.0.1", True)
