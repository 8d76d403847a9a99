"""The screens as scripts, without a browser."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import annotator.app
from annotator.app import state
from annotator.domain.errors import StageOrderError
from annotator.storage import leases, releases
from annotator.workspace import Workspace
from tests.fixtures_app import a_workspace, an_empty_workspace

MAIN = Path(annotator.app.__file__).with_name("main.py")
PATIENCE_S = 30


@pytest.fixture
def serve() -> Iterator[Callable[[Workspace], None]]:
    opened: list[Workspace] = []

    def start(workspace: Workspace) -> None:
        opened.append(workspace)
        state.serve(workspace, assessor="ana")

    yield start
    for workspace in opened:
        workspace.close()


def screen(name: str = "") -> AppTest:
    """Run the script for one screen, whose functions AppTest reaches through the frame alone."""

    def script(name: str) -> None:
        from annotator.app.screens import frame, home, judge, queue, versions

        screens = {"home": home, "queue": queue, "judge": judge, "versions": versions}
        with frame.failures_as_pages():
            screens[name].draw()

    return AppTest.from_function(script, kwargs={"name": name}, default_timeout=PATIENCE_S).run()


def words(app: AppTest) -> str:
    kinds = (app.title, app.subheader, app.caption, app.markdown, app.code, app.text)
    return "\n".join(str(element.value) for kind in kinds for element in kind)


def test_an_empty_workspace_guides_to_its_first_command(
    serve: Callable[[Workspace], None], tmp_path: Path
) -> None:
    serve(an_empty_workspace(tmp_path / "w"))
    app = AppTest.from_file(str(MAIN), default_timeout=PATIENCE_S).run()
    assert not app.exception
    assert len(app.metric) == 0
    assert app.code[0].value == f"annotator -w {tmp_path / 'w'} log import FILE"


@pytest.mark.parametrize("name", ["queue", "judge", "versions"])
def test_every_screen_of_an_empty_workspace_says_what_comes_first(
    serve: Callable[[Workspace], None], tmp_path: Path, name: str
) -> None:
    serve(an_empty_workspace(tmp_path / "w"))
    app = screen(name)
    assert not app.exception
    assert len(app.subheader) == 1
    assert app.subheader[0].value.endswith(" yet.")


def test_home_counts_what_stands(serve: Callable[[Workspace], None], tmp_path: Path) -> None:
    serve(a_workspace(tmp_path / "w"))
    app = screen("home")
    assert {metric.label: metric.value for metric in app.metric} == {
        "Sampled queries": "5",
        "Judged": "0",
        "Chunks": "29",
        "Candidates": "29",
        "Versions": "0",
    }


def test_the_component_is_told_no_more_than_it_may_know(
    serve: Callable[[Workspace], None], tmp_path: Path
) -> None:
    serve(a_workspace(tmp_path / "w"))
    app = screen("judge")
    assert not app.exception
    mounts = [e for e in app.main if e.type == "bidi_component" or "bidi" in e.type]
    told = json.loads(mounts[0].proto.json) if mounts else None
    assert told is not None
    assert told["task"]["query_id"] == "q-steps"
    assert set(told["chunks"][0]) == {
        "id",
        "doc_id",
        "start",
        "text",
        "title",
        "lang",
        "before",
        "after",
        "grade",
        "spans",
        "note",
        "cannot_judge",
    }
    assert set(told["tokens"]) == {"q-steps"}


def test_a_query_that_someone_else_holds_is_not_opened(
    serve: Callable[[Workspace], None], tmp_path: Path
) -> None:
    workspace = a_workspace(tmp_path / "w")
    serve(workspace)
    app = screen("judge")
    with workspace.store.write() as tx:
        leases.give_back(tx, "q-steps", "ana")
        leases.take(tx, "q-steps", "bo", at=4e9)
    app.run()
    assert app.subheader[0].value == "Someone else is working on this query now."
    assert app.button[0].label == "Next free query"


def test_versions_are_listed_with_their_counts_and_keys(
    serve: Callable[[Workspace], None], tmp_path: Path
) -> None:
    workspace = a_workspace(tmp_path / "w")
    serve(workspace)
    with workspace.store.write() as tx:
        releases.add(
            tx,
            name="manuals",
            version="1.0.0",
            parent=None,
            content_sha256="0" * 64,
            manifest={
                "counts": {"tuning": {"queries": 30}, "test": {"queries": 10}, "open": 2},
                "comparability_key": {"tuning": "a" * 64, "test": "b" * 64},
            },
        )
    row = screen("versions").dataframe[0].value.iloc[0]
    assert (row["name"], row["version"], row["tuning"], row["test"], row["open"]) == (
        "manuals",
        "1.0.0",
        30,
        10,
        2,
    )
    assert (row["key_tuning"], row["key_test"]) == ("aaaaaaaa", "bbbbbbbb")


def test_our_own_errors_are_shown_by_their_sentence() -> None:
    def script() -> None:
        from annotator.app.screens.frame import failures_as_pages
        from annotator.domain.errors import StorageError

        with failures_as_pages():
            raise StorageError("The disk has *no* room; free some.")

    app = AppTest.from_function(script, default_timeout=PATIENCE_S).run()
    assert app.text[0].value == "The disk has *no* room; free some."
    assert not app.exception


def test_any_other_error_is_shown_by_a_number_that_the_log_knows(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def script() -> None:
        from annotator.app.screens.frame import failures_as_pages

        with failures_as_pages():
            raise RuntimeError("secret detail")

    app = AppTest.from_function(script, default_timeout=PATIENCE_S).run()
    assert "secret" not in words(app)
    incident = app.text[0].value.split()[1].rstrip(".")
    assert incident in caplog.text
    assert "secret detail" in caplog.text


def test_a_page_without_a_server_of_ours_says_how_to_start_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(state, "_served", None)
    with pytest.raises(StageOrderError, match="annotator serve"):
        state.served()
