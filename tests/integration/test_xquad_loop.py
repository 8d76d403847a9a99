"""The whole loop on XQuAD: by command line and event route, against the truth of its spans.

Two cuts are run: chunks of 120 characters, which cut answers in two, and the same with overlap,
where an answer stands whole in one chunk and in part in another.
"""

import uuid
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.command_line import annotator, read_lines, served, succeed
from tests.shared_data import shared_data
from tests.xquad_world import Truth, World, build_world, truth_of, write_world

pytestmark = [pytest.mark.slow, pytest.mark.server, pytest.mark.shared_data]
BUDGET = 60
CUTS = {
    "cut": ("--chunker", "fixed", "--chunk-chars", "120", "--overlap-chars", "0"),
    "overlap": ("--chunker", "fixed", "--chunk-chars", "120", "--overlap-chars", "60"),
}


@dataclass(frozen=True)
class Loop:
    """What the loop left behind."""

    workspace: Path
    folder: Path
    world: World
    sample: list[dict[str, Any]]
    chunks: dict[str, dict[str, Any]]
    truth: dict[str, Truth]
    records: dict[str, dict[str, Any]]
    released: dict[str, Any]
    scores: dict[str, Any]
    cut: str


@pytest.fixture(scope="module", params=sorted(CUTS))
def loop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Loop:
    """Run log → sample → chunks → pool → judgments → mined → version → scores."""
    folder = tmp_path_factory.mktemp("xquad")
    world = build_world(shared_data("xquad"))
    log, documents = write_world(world, folder)
    workspace = folder / "workspace"
    succeed("init", workspace, "--name", "XQuAD", "--licence", "CC-BY-SA-4.0")
    imported = succeed("log", "import", log, workspace=workspace)
    assert imported["rows"] == len(world.log) == imported["kept"] + imported["refused"]
    succeed("curate", workspace=workspace)
    out = {name: folder / f"{name}.jsonl" for name in ("sample", "chunks", "pool")}
    succeed("sample", "--budget", BUDGET, "--seed", 1, "--out", out["sample"], workspace=workspace)
    succeed("corpus", "import", documents, *CUTS[request.param], workspace=workspace)
    succeed("corpus", "export", out["chunks"], workspace=workspace)
    succeed("pool", "--depth", 10, "--out", out["pool"], workspace=workspace)
    chunks = read_lines(out["chunks"])
    pool = read_lines(out["pool"])
    truth = {row["query_id"]: truth_of(world.answers[row["query"]], chunks) for row in pool}
    by_id = {chunk["chunk_id"]: chunk for chunk in chunks}
    with served(workspace) as server:
        for row in pool:
            judge(server, row, truth[row["query_id"]], by_id)
    succeed("mine", workspace=workspace)
    released = succeed("release", "xquad", workspace=workspace)
    succeed("verify", released["folder"])
    scores = succeed(
        *("score", "xquad", "--split", "tuning", "--retriever", "builtin"), workspace=workspace
    )
    version = Path(released["folder"])
    records = read_lines(version / "tuning.jsonl") + read_lines(version / "test.jsonl")
    return Loop(
        workspace=workspace,
        folder=version,
        world=world,
        sample=read_lines(out["sample"]),
        chunks=by_id,
        truth=truth,
        records={record["query_id"]: record for record in records},
        released=released,
        scores=scores,
        cut=request.param,
    )


def judge(
    server: dict[str, Any], row: dict[str, Any], truth: Truth, chunks: dict[str, dict[str, Any]]
) -> None:
    """Judge one query as somebody would who knows every answer, and send the batch twice."""
    events: list[dict[str, Any]] = []
    for chunk_id in dict.fromkeys([*row["chunk_ids"], *sorted(truth.direct | truth.partial)]):
        chunk = chunks[chunk_id]
        grade = 2 if chunk_id in truth.direct else 1 if chunk_id in truth.partial else 0
        spans = [
            {"doc_id": p.doc_id, "start": p.start, "end": p.end, "quote": p.text}
            for p in truth.places
            if p.doc_id == chunk["doc_id"] and chunk["start"] < p.end and p.start < chunk["end"]
        ]
        events.append(
            {
                "event_id": str(uuid.uuid4()),
                "type": "grade",
                "query_id": row["query_id"],
                "chunk_id": chunk_id,
                "grade": grade,
                "spans": spans,
            }
        )
    events.append(
        {
            "event_id": str(uuid.uuid4()),
            "type": "query",
            "query_id": row["query_id"],
            "has_answer": truth.has_answer,
            "answer_groups": [list(group) for group in truth.groups],
        }
    )
    for _ in range(2):
        answer = httpx.post(
            server["events_url"],
            json={"events": events},
            headers={"Authorization": f"Bearer {server['token']}"},
            timeout=60,
        )
        assert answer.status_code == 200, answer.text
        assert answer.json()["rejected"] == []
        assert answer.json()["acknowledged"] == [event["event_id"] for event in events]


def test_the_sample_has_exactly_the_size_asked_for(loop: Loop) -> None:
    assert len(loop.sample) == len({row["query_id"] for row in loop.sample}) == BUDGET
    assert all(0 < row["inclusion_probability"] <= 1 for row in loop.sample)
    assert all(row["query"] in loop.world.answers for row in loop.sample)


def test_every_sampled_query_is_released(loop: Loop) -> None:
    assert set(loop.records) == {row["query_id"] for row in loop.sample}
    assert (loop.folder / "open.jsonl").read_text() == ""


def test_relevant_chunks_has_answer_and_split_answer_are_exactly_right(loop: Loop) -> None:
    for query_id, record in loop.records.items():
        truth = loop.truth[query_id]
        assert set(record["relevant_chunk_ids"]) == truth.relevant, record["query"]
        assert record["has_answer"] is truth.has_answer, record["query"]
        assert record["split_answer"] is bool(truth.groups), record["query"]


def test_the_world_has_what_the_loop_must_tell_apart(loop: Loop) -> None:
    """Guard against a test that passes because nothing happens in it."""
    records = list(loop.records.values())
    assert sum(1 for record in records if not record["has_answer"]) >= 5
    assert sum(1 for record in records if record["has_answer"]) >= 20
    split = [record for record in records if record["split_answer"]]
    beside = [r for r in records if {g["grade"] for g in r["graded"]} == {0, 1, 2}]
    assert len(split) == loop.released["split_answer"]
    assert split if loop.cut == "cut" else beside
    assert {record["lang"] for record in records} == {"en", "zh"}


def test_answer_spans_are_the_documents_text(loop: Loop) -> None:
    for record in loop.records.values():
        for span in record["answer_spans"]:
            document = loop.world.documents[span["doc_id"]]
            assert document[span["start"] : span["end"]] == span["text"]


def test_no_hard_negative_touches_an_answer(loop: Loop) -> None:
    for query_id, record in loop.records.items():
        for chunk_id in record["hard_negative_ids"]:
            chunk = loop.chunks[chunk_id]
            for place in loop.truth[query_id].places:
                touches = (
                    chunk["doc_id"] == place.doc_id
                    and chunk["start"] < place.end
                    and place.start < chunk["end"]
                )
                assert not touches, (record["query"], chunk["text"])
    with_three = [r for r in loop.records.values() if 3 <= len(r["hard_negative_ids"]) <= 5]
    assert len(with_three) == len(loop.records)


def test_no_information_need_straddles_the_split(loop: Loop) -> None:
    splits: dict[str, set[str]] = defaultdict(set)
    for record in loop.records.values():
        # the question's id is the same in both languages and for every way of typing it
        splits[loop.world.question_of[record["query"]]].add(record["split"])
        for span in record["answer_spans"]:
            splits[f"{span['doc_id']} {span['start']} {span['end']}"].add(record["split"])
    answered = {
        loop.world.question_of[record["query"]]
        for record in loop.records.values()
        if record["has_answer"]
    }
    for need, found in splits.items():
        if need in answered or " " in need:
            assert len(found) == 1, need


def test_a_quarter_of_the_queries_is_test(loop: Loop) -> None:
    test = sum(1 for record in loop.records.values() if record["split"] == "test")
    assert abs(test - BUDGET / 4) <= 2


def test_qrels_hold_only_queries_with_an_answer_and_every_judged_chunk(loop: Loop) -> None:
    rows = [
        line.split("\t")
        for split in ("tuning", "test")
        for line in (loop.folder / "qrels" / f"{split}.tsv").read_text().splitlines()[1:]
    ]
    expected = {
        (record["query_id"], graded["chunk_id"], str(graded["grade"]))
        for record in loop.records.values()
        if record["has_answer"]
        for graded in record["graded"]
    }
    assert {tuple(row) for row in rows} == expected
    assert len(rows) == len(expected)


def test_a_second_release_of_the_same_content_makes_nothing(loop: Loop) -> None:
    again = succeed("release", "xquad", workspace=loop.workspace)
    assert (again["version"], again["is_new"]) == ("1.0.0", False)
    assert [path.name for path in loop.folder.parent.iterdir()] == ["1.0.0"]


def test_a_changed_byte_is_found(loop: Loop) -> None:
    path = loop.folder / "corpus.jsonl"
    raw = path.read_bytes()
    path.write_bytes(raw[:-2] + bytes([raw[-2] ^ 1]) + raw[-1:])
    try:
        answer = annotator("verify", loop.folder, "--json")
        assert answer.code == 1
        assert any("corpus.jsonl" in finding for finding in answer.json["findings"])
    finally:
        path.write_bytes(raw)


def test_the_score_table_says_how_many_were_scored(loop: Loop) -> None:
    tuning = [record for record in loop.records.values() if record["split"] == "tuning"]
    answerable = sum(1 for record in tuning if record["has_answer"])
    for name in ("Hit@1", "Hit@3", "Hit@5", "Hit@10", "Recall@10", "Precision@5", "MRR", "MAP"):
        measure = loop.scores["measures"][name]
        assert (measure["n_scored"], measure["n_total"]) == (answerable, len(tuning))
        assert 0.0 <= measure["value"] <= 1.0
    assert loop.scores["measures"]["judged@10"]["value"] == 1.0
    assert loop.scores["rejection"]["n_without_answer"] == len(tuning) - answerable
    assert set(loop.scores["latency_ms"]) == {"P50", "P95", "P99"}


def test_hit_at_10_is_what_the_run_and_the_truth_give(loop: Loop) -> None:
    """Work the measure out by hand from the per-query ranks that the truth gives."""
    per_query = loop.scores["per_query"]
    for query_id, values in per_query.items():
        relevant = loop.truth[query_id].relevant
        assert values["Hit@10"] == float(values["Recall@10"] > 0)
        assert values["Precision@10"] == pytest.approx(
            values["Recall@10"] * len(relevant) / 10, abs=1e-9
        )


def test_the_test_split_is_sealed(loop: Loop) -> None:
    closed = annotator(
        *("score", "xquad", "--split", "test", "--retriever", "lexical"), workspace=loop.workspace
    )
    assert closed.code == 1
    assert "sealed" in closed.err
    opened = succeed(
        *("score", "xquad@1.0.0", "--split", "test", "--retriever", "lexical"),
        *("--reason", "a test of the seal"),
        workspace=loop.workspace,
    )
    assert opened["split"] == "test"


def test_judgments_survive_the_way_out_and_in(loop: Loop, tmp_path: Path) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    succeed("judgments", "export", first, workspace=loop.workspace)
    found = succeed("judgments", "import", first, workspace=loop.workspace)
    assert found == {"new": 0, "known": len(read_lines(first))}
    succeed("judgments", "export", second, workspace=loop.workspace)
    assert first.read_bytes() == second.read_bytes()
