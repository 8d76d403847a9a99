import json
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from annotator.domain.errors import (
    InputError,
    StageOrderError,
    StorageError,
    WorkspaceBusy,
    WorkspaceMissing,
    WorkspaceVersion,
)
from annotator.storage import facts
from annotator.workspace import (
    DATABASE_FILE,
    Workspace,
    config_snapshot,
    create_workspace,
    open_workspace,
    pseudonym,
)

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights")


def a_workspace(folder: Path) -> Workspace:
    return create_workspace(folder, name="Lamp 灯", licence="CC0-1.0", languages=("en", "zh"))


def test_a_new_workspace_can_be_opened_again(tmp_path: Path) -> None:
    a_workspace(tmp_path / "w").close()
    again = open_workspace(tmp_path / "w")
    assert again.settings.dataset.name == "Lamp 灯"
    assert again.settings.dataset.languages == ("en", "zh")
    assert (tmp_path / "w" / "inbox").is_dir()


@pytest.mark.parametrize("name", ["plain", "保修 灯", "why?", "100%", "a#b", "a b&c=d", "%2e"])
def test_a_folder_may_be_called_anything(tmp_path: Path, name: str) -> None:
    workspace = a_workspace(tmp_path / name)
    with workspace.store.write() as tx:
        facts.put(tx, "kept", name)
    workspace.close()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [name]
    assert (tmp_path / name / DATABASE_FILE).stat().st_size > 0
    with open_workspace(tmp_path / name).store.read() as tx:
        assert facts.get(tx, "kept") == name


def test_a_folder_that_holds_something_is_not_made_a_workspace(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="is not empty"):
        a_workspace(tmp_path)
    with pytest.raises(InputError, match="is a file"):
        a_workspace(tmp_path / "file")
    with pytest.raises(StorageError, match="could not be written"):
        a_workspace(tmp_path / "file" / "below")
    a_workspace(tmp_path / "w").close()
    with pytest.raises(InputError, match="is a workspace already"):
        a_workspace(tmp_path / "w")


def test_a_folder_without_settings_is_no_workspace(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceMissing, match="annotator init"):
        open_workspace(tmp_path)


def test_a_database_that_is_none_is_refused_with_a_sentence(tmp_path: Path) -> None:
    a_workspace(tmp_path / "w").close()
    (tmp_path / "w" / DATABASE_FILE).write_bytes(b"this is no database at all, is it? " * 200)
    with pytest.raises(StorageError, match=f"{DATABASE_FILE} is not an intact database"):
        open_workspace(tmp_path / "w")


def test_a_database_of_a_newer_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    a_workspace(tmp_path / "w").close()
    path = tmp_path / "w" / DATABASE_FILE
    connection = sqlite3.connect(path)
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.commit()
    connection.close()
    with pytest.raises(WorkspaceVersion, match="schema 9999, which this version does not know"):
        open_workspace(tmp_path / "w")
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [("9999",)]
    connection.close()


def test_one_workflow_at_a_time_holds_the_lock(tmp_path: Path) -> None:
    workspace = a_workspace(tmp_path / "w")
    other = open_workspace(tmp_path / "w")
    with workspace.lock("curate"), pytest.raises(WorkspaceBusy, match=r"'curate' .* is at work"):
        other.lock("pool").__enter__()
    with other.lock("pool"):
        pass


def test_the_lock_is_let_go_when_the_work_fails(tmp_path: Path) -> None:
    workspace = a_workspace(tmp_path / "w")
    with pytest.raises(StageOrderError), workspace.lock("curate"):
        raise StageOrderError
    with workspace.lock("curate"):
        pass


@POSIX
def test_the_lock_of_a_killed_process_is_free_and_its_remains_are_cleared(tmp_path: Path) -> None:
    a_workspace(tmp_path / "w").close()
    script = textwrap.dedent("""
        import os, signal, sys
        from pathlib import Path
        from annotator.atomic import temporary_folder
        from annotator.workspace import open_workspace
        workspace = open_workspace(Path(sys.argv[1]))
        with workspace.lock("release"), temporary_folder(workspace.datasets_folder / "lamp") as new:
            (new / "half").write_text("x")
            os.kill(os.getpid(), signal.SIGKILL)
    """)
    subprocess.run([sys.executable, "-c", script, str(tmp_path / "w")], check=False)
    home = tmp_path / "w" / "datasets" / "lamp"
    assert len(list(home.iterdir())) == 1
    with open_workspace(tmp_path / "w").lock("release"):
        assert list(home.iterdir()) == []


def test_the_secret_is_made_once_and_kept(tmp_path: Path) -> None:
    first = a_workspace(tmp_path / "w").secret
    assert len(first) == 32
    assert open_workspace(tmp_path / "w").secret == first
    assert a_workspace(tmp_path / "other").secret != first


@POSIX
def test_only_the_owner_can_read_the_secret_and_the_judgments(tmp_path: Path) -> None:
    workspace = a_workspace(tmp_path / "w")
    assert workspace.secret
    for name in (".secret", DATABASE_FILE):
        assert (tmp_path / "w" / name).stat().st_mode & 0o077 == 0, name


@pytest.mark.parametrize("content", ["", "abc", "zz" * 32, "ab" * 31])
def test_a_secret_that_was_cut_off_is_never_used(tmp_path: Path, content: str) -> None:
    a_workspace(tmp_path / "w").close()
    (tmp_path / "w" / ".secret").write_text(content)
    with pytest.raises(StorageError, match=r"\.secret is damaged"):
        _ = open_workspace(tmp_path / "w").secret


def test_processes_that_start_at_once_agree_on_the_secret(tmp_path: Path) -> None:
    a_workspace(tmp_path / "w").close()
    program = (
        "import sys, pathlib; from annotator.workspace import open_workspace; "
        "print(open_workspace(pathlib.Path(sys.argv[1])).secret.hex())"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "w")]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    found = {process.communicate(timeout=60)[0].strip() for process in processes}
    assert len(found) == 1
    assert len(found.pop()) == 64


def test_a_pseudonym_hides_the_name_and_stays_the_same(tmp_path: Path) -> None:
    workspace = a_workspace(tmp_path / "w")
    names = {pseudonym(workspace, name) for name in ("ann@example.org", "安", "bo")}
    assert len(names) == 3
    assert all(name.startswith("a-") and len(name) == 10 for name in names)
    assert pseudonym(open_workspace(tmp_path / "w"), "bo") == pseudonym(workspace, "bo")
    assert pseudonym(a_workspace(tmp_path / "other"), "bo") != pseudonym(workspace, "bo")


def test_a_snapshot_of_the_settings_holds_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_workspace(tmp_path / "w").close()
    monkeypatch.setenv(
        "ANNOTATOR_RETRIEVERS",
        json.dumps(
            {
                "live": {
                    "type": "http",
                    "url": "http://localhost/",
                    "headers": {"Authorization": "Bearer s3cret"},
                }
            }
        ),
    )
    snapshot = json.dumps(config_snapshot(open_workspace(tmp_path / "w")))
    assert "live" in snapshot
    assert "s3cret" not in snapshot


def test_an_unknown_retriever_names_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no retriever 'live'\. There are: builtin"):
        a_workspace(tmp_path / "w").retriever("live")
