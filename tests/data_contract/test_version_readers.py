"""A version is read by other people's loaders, unchanged."""

import csv
import json
from collections import Counter
from pathlib import Path

import ir_measures
import jsonschema
import pandas as pd
import pytest
import pytrec_eval
from ir_measures import AP, RR, P, R

from annotator.evaluation.measures import JudgedQuery, score_run
from annotator.formats.version_folder import read_version
from tests.a_version import DOCUMENTS, RECORDS, write_version
from tests.builders import a_list

SPLITS = ["tuning", "test"]
ANSWERED = {"tuning": {"q-how-long", "q-zh"}, "test": {"q-test"}}
RANKED = {
    "q-how-long": ["c-zh-1", "c-en-1", "007"],
    "q-zh": ["1e5", "007", "c-zh-1"],
    "q-test": ["c-en-1", "1e5"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_version(tmp_path_factory.mktemp("datasets") / "1.0.0")


def rows(path: Path) -> list[dict[str, object]]:
    # as most readers do it: the file's lines, with universal line ends
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@pytest.mark.parametrize("split", SPLITS)
def test_every_line_fits_the_schema_that_comes_with_the_version(folder: Path, split: str) -> None:
    schema = json.loads((folder / "record.schema.json").read_text(encoding="utf-8"))
    checker = jsonschema.Draft202012Validator(schema)
    lines = rows(folder / f"{split}.jsonl")
    assert [list(checker.iter_errors(line)) for line in lines] == [[]] * len(lines)
    assert {line["split"] for line in lines} == {split}


@pytest.mark.parametrize(
    "name", ["tuning.jsonl", "test.jsonl", "open.jsonl", "corpus.jsonl", "documents.jsonl"]
)
def test_every_way_to_read_lines_finds_the_same_ones(folder: Path, name: str) -> None:
    by_lf = [json.loads(line) for line in (folder / name).read_bytes().split(b"\n")[:-1]]
    by_splitlines = (folder / name).read_text(encoding="utf-8").splitlines()
    assert by_lf == rows(folder / name) == [json.loads(line) for line in by_splitlines]


def test_pandas_keeps_ids_as_strings_where_told_so(folder: Path) -> None:
    frame = pd.read_json(folder / "corpus.jsonl", lines=True, dtype={"_id": str})
    assert list(frame["_id"]) == ["007", "1e5", "c-en-1", "c-zh-1"]
    assert frame["title"].map(type).eq(str).all()
    texts = {document.doc_id: document.text for document in DOCUMENTS}
    for text, place in zip(frame["text"], frame["metadata"], strict=True):
        assert texts[place["doc_id"]][place["start"] : place["end"]] == text


@pytest.mark.parametrize("split", SPLITS)
def test_pandas_reads_records_with_lists_that_are_never_null(folder: Path, split: str) -> None:
    frame = pd.read_json(folder / f"{split}.jsonl", lines=True)
    wanted = sorted((r for r in RECORDS if r.split == split), key=lambda r: r.query_id)
    assert list(frame["query_id"]) == [record.query_id for record in wanted]
    assert list(frame["query"]) == [record.query for record in wanted]
    assert list(frame["has_answer"]) == [record.has_answer for record in wanted]
    for name in ("relevant_chunk_ids", "hard_negative_ids", "graded", "answer_groups", "tags"):
        assert frame[name].map(type).eq(list).all(), name


@pytest.mark.parametrize("split", SPLITS)
def test_pandas_reads_qrels_as_a_table_of_whole_grades(folder: Path, split: str) -> None:
    frame = pd.read_csv(
        folder / "qrels" / f"{split}.tsv", sep="\t", dtype={"query-id": str, "corpus-id": str}
    )
    assert list(frame.columns) == ["query-id", "corpus-id", "score"]
    assert frame["score"].dtype.kind == "i"
    assert set(frame["query-id"]) == ANSWERED[split]
    assert rows(folder / "qrels" / f"{split}.jsonl") == frame.to_dict("records")


@pytest.mark.parametrize("split", SPLITS)
def test_trec_readers_agree_on_the_judgments(folder: Path, split: str) -> None:
    path = folder / "trec" / f"qrels.{split}.txt"
    wanted = {
        record.query_id: {graded.chunk_id: graded.grade for graded in record.graded}
        for record in RECORDS
        if record.split == split and record.has_answer
    }
    with path.open(encoding="utf-8") as file:
        assert pytrec_eval.parse_qrel(file) == wanted
    found: dict[str, dict[str, int]] = {}
    for qrel in ir_measures.read_trec_qrels(str(path)):
        found.setdefault(qrel.query_id, {})[qrel.doc_id] = qrel.relevance
    assert found == wanted


@pytest.mark.parametrize("split", SPLITS)
def test_topics_are_read_as_two_columns(folder: Path, split: str) -> None:
    with (folder / "trec" / f"topics.{split}.tsv").open(encoding="utf-8", newline="") as file:
        table = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert {len(row) for row in table} == {2}
    assert [row[0] for row in table] == sorted(r.query_id for r in RECORDS if r.split == split)


@pytest.mark.parametrize("split", SPLITS)
def test_scores_are_those_that_ir_measures_finds_in_the_trec_file(folder: Path, split: str) -> None:
    # grade 2 is the threshold; q-zh is answered by a group, which qrels cannot say
    direct = ANSWERED[split] - {"q-zh"}
    qrels = [
        qrel
        for qrel in ir_measures.read_trec_qrels(str(folder / "trec" / f"qrels.{split}.txt"))
        if qrel.query_id in direct
    ]
    run = [
        ir_measures.ScoredDoc(query_id, chunk_id, 10.0 - rank)
        for query_id in direct
        for rank, chunk_id in enumerate(RANKED[query_id])
    ]
    wanted = {
        "MAP": AP(rel=2),
        "MRR": RR(rel=2),
        "Recall@1": R(rel=2) @ 1,
        "Precision@3": P(rel=2) @ 3,
    }
    theirs = ir_measures.calc_aggregate(list(wanted.values()), qrels, run)
    records = [r for r in read_version(folder).records[split] if r.query_id in direct]  # type: ignore[index]
    ours = score_run(
        [
            JudgedQuery(
                r.query_id,
                r.has_answer,
                r.relevant_chunk_ids,
                {graded.chunk_id: graded.grade for graded in r.graded},
            )
            for r in records
        ],
        [a_list(query_id, *RANKED[query_id]) for query_id in direct],
        depth_k=10,
        threshold=0.5,
    )
    values = {measure.name: measure.value for measure in ours.measures}
    for name, measure in wanted.items():
        assert values[name] == pytest.approx(theirs[measure]), name


def test_the_traffic_mean_can_be_worked_out_from_the_fields_alone(folder: Path) -> None:
    # sum(f y / p) / sum(f / p) over queries that a plan drew: 10/.5 each, one of two answered
    frame = pd.read_json(folder / "tuning.jsonl", lines=True)
    drawn = frame[frame["inclusion_probability"].notna()]
    weight = drawn["frequency"] / drawn["inclusion_probability"]
    assert (weight * drawn["has_answer"]).sum() / weight.sum() == 0.5


def test_the_manifest_counts_what_the_files_hold(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    for split in SPLITS:
        lines = rows(folder / f"{split}.jsonl")
        counted = manifest["counts"][split]
        assert counted["queries"] == len(lines)
        assert counted["has_answer"] == sum(bool(line["has_answer"]) for line in lines)
        assert counted["split_answer"] == sum(bool(line["split_answer"]) for line in lines)
        assert counted["per_lang"] == dict(Counter(line["lang"] for line in lines))
    assert manifest["counts"]["open"] == len(rows(folder / "open.jsonl"))
    assert manifest["counts"]["chunks"] == len(rows(folder / "corpus.jsonl"))


def test_documents_are_the_coordinate_system_of_the_spans(folder: Path) -> None:
    chars = {row["doc_id"]: row["chars"] for row in rows(folder / "documents.jsonl")}
    texts = {document.doc_id: document.text for document in DOCUMENTS}
    assert chars == {doc_id: len(text) for doc_id, text in texts.items()}
    for record in RECORDS:
        for answer in record.answer_spans:
            place = answer.span
            assert texts[place.doc_id][place.start : place.end] == answer.text
