import json
from pathlib import Path

import pytest

from annotator.domain.errors import InputError
from annotator.storage import judgments
from annotator.storage.engine import Store, sqlite_url
from annotator.workflows.judgments import export_judgments, import_judgments
from tests.builders import a_query, a_store, fill
from tests.unit.workflows.conftest import LAMP, LAMP_CHUNKS, PUMP, PUMP_CHUNKS

GRADE: dict[str, object] = {
    "type": "grade",
    "query_id": "q-1",
    "chunk_id": "c1",
    "grade": 2,
    "assessor": "ann",
    "spans": [{"doc_id": "d1", "start": 0, "end": 8}],
    "note": "clear",
}
VERDICT: dict[str, object] = {
    "type": "query",
    "query_id": "q-1",
    "assessor": "ann",
    "has_answer": True,
    "answer_groups": [["c2", "z1"]],
}


def a_file(folder: Path, *rows: dict[str, object]) -> Path:
    path = folder / "judgments.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def said(store: Store) -> tuple[object, object]:
    with store.read() as tx:
        return judgments.all_judgments(tx), judgments.all_verdicts(tx)


def n_events(store: Store) -> int:
    with store.read() as tx:
        return judgments.count_events(tx)


def test_what_a_workspace_exports_another_takes_in(store: Store, tmp_path: Path) -> None:
    unable = {**GRADE, "chunk_id": "z1", "grade": None, "spans": [], "cannot_judge": "看不懂"}
    path = a_file(tmp_path, GRADE, {**GRADE, "assessor": "安", "note": ""}, unable, VERDICT)
    assert import_judgments(store, path) == (4, 0)
    assert export_judgments(store, tmp_path / "out.jsonl") == 4
    other = a_store(sqlite_url(tmp_path / "other.db"))
    fill(
        other,
        documents=[PUMP, LAMP],
        chunks=[*PUMP_CHUNKS, *LAMP_CHUNKS],
        queries=[a_query("q-1")],
    )
    assert import_judgments(other, tmp_path / "out.jsonl") == (4, 0)
    export_judgments(other, tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "out.jsonl").read_bytes()


@pytest.mark.parametrize(
    "rows",
    [
        [GRADE, VERDICT],
        [GRADE, {**GRADE, "grade": 0, "spans": []}],
        [{**GRADE, "grade": 0, "spans": []}, GRADE, GRADE],
        [GRADE, {**GRADE, "grade": None, "spans": [], "note": ""}],
        [{**GRADE, "grade": None, "spans": [], "note": ""}],
        [VERDICT, {**VERDICT, "has_answer": False, "answer_groups": []}],
        [VERDICT, {**VERDICT, "answer_groups": [["z1", "c2"]]}],
        [VERDICT, {**VERDICT, "has_answer": None, "answer_groups": []}],
    ],
)
def test_the_same_file_twice_changes_nothing(
    store: Store, tmp_path: Path, rows: list[dict[str, object]]
) -> None:
    path = a_file(tmp_path, *rows)
    import_judgments(store, path)
    before = said(store)
    import_judgments(store, path)
    assert said(store) == before


def test_what_is_so_already_adds_no_event(store: Store, tmp_path: Path) -> None:
    path = a_file(tmp_path, GRADE, GRADE, VERDICT)
    assert import_judgments(store, path) == (2, 1)
    assert import_judgments(store, path) == (0, 3)
    assert n_events(store) == 2


def test_of_two_lines_about_one_chunk_the_later_one_holds(store: Store, tmp_path: Path) -> None:
    path = a_file(tmp_path, GRADE, {**GRADE, "grade": 1}, GRADE, {**GRADE, "grade": 1})
    for _ in range(2):
        import_judgments(store, path)
        with store.read() as tx:
            assert [j.grade for j in judgments.all_judgments(tx)] == [1]


def test_a_named_assessor_takes_the_place_of_those_in_the_file(
    store: Store, tmp_path: Path
) -> None:
    rows = [{k: v for k, v in GRADE.items() if k != "assessor"}, VERDICT]
    import_judgments(store, a_file(tmp_path, *rows), assessor="model")
    with store.read() as tx:
        assert {j.assessor for j in judgments.all_judgments(tx)} == {"model"}
        assert {v.assessor for v in judgments.all_verdicts(tx)} == {"model"}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"grade": 3}, "grade must be 2, 1, 0 or null"),
        ({"chunk_id": "c9"}, "no chunk 'c9'"),
        ({"query_id": "q-9"}, "no query 'q-9'"),
        ({"assessor": None}, "no field 'assessor'"),
        ({"assessor": " "}, "assessor"),
        ({"spans": [{"doc_id": "d1", "start": 0, "end": 99}]}, "lies outside the corpus"),
        ({"type": "gradee"}, "type must be"),
        ({"note": "half \ud800"}, "note"),
    ],
)
def test_a_line_that_is_not_accepted_is_named_and_nothing_is_imported(
    store: Store, tmp_path: Path, change: dict[str, object], reason: str
) -> None:
    path = a_file(tmp_path, {**GRADE, "chunk_id": "c2", "spans": []}, {**GRADE, **change})
    with pytest.raises(InputError) as caught:
        import_judgments(store, path)
    assert f"{path}, line 2" in str(caught.value)
    assert reason in str(caught.value)
    assert n_events(store) == 0
