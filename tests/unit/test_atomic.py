import errno
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from annotator.atomic import (
    TEMPORARY_PREFIX,
    atomic_file,
    atomic_folder,
    publish_folder,
    remove_unfinished,
    temporary_folder,
    write_errors,
)
from annotator.domain.errors import DiskFull, StorageError

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limits or rights")


class Stop(Exception):
    """Something that went wrong."""


def write_and_stop(file: Path) -> None:
    file.write_text("half")
    raise Stop


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_a_file_appears_when_the_block_ends(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "file"
    with atomic_file(path) as temporary:
        temporary.write_text("new")
        assert not path.exists()
        assert temporary.parent == path.parent
    assert path.read_text() == "new"
    assert names(path.parent) == ["file"]


def test_a_failed_block_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(Stop), atomic_file(path) as temporary:
        write_and_stop(temporary)
    assert path.read_text() == "old"
    assert names(tmp_path) == ["file"]


def test_a_folder_appears_whole(tmp_path: Path) -> None:
    path = tmp_path / "1.0.0"
    with atomic_folder(path) as temporary:
        (temporary / "sub").mkdir()
        (temporary / "sub" / "file").write_text("x")
        assert not path.exists()
    assert (path / "sub" / "file").read_text() == "x"
    assert names(tmp_path) == ["1.0.0"]


def test_a_failed_folder_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(Stop), atomic_folder(tmp_path / "1.0.0") as temporary:
        write_and_stop(temporary / "file")
    assert names(tmp_path) == []


def test_a_folder_that_is_there_is_never_changed(tmp_path: Path) -> None:
    path = tmp_path / "1.0.0"
    path.mkdir()
    with pytest.raises(StorageError, match="exists already and is never changed"):  # noqa: SIM117
        with atomic_folder(path) as temporary:
            (temporary / "file").write_text("x")
    assert names(tmp_path) == ["1.0.0"]
    assert names(path) == []


def test_a_temporary_folder_is_gone_unless_it_was_published(tmp_path: Path) -> None:
    with temporary_folder(tmp_path) as temporary:
        (temporary / "file").write_text("x")
    assert names(tmp_path) == []
    with temporary_folder(tmp_path) as temporary:
        (temporary / "file").write_text("x")
        publish_folder(temporary, tmp_path / "kept")
    assert names(tmp_path) == ["kept"]


def test_what_a_killed_process_left_is_cleared_away_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / f"{TEMPORARY_PREFIX}12-file").write_text("x")
    (tmp_path / f"{TEMPORARY_PREFIX}34").mkdir()
    (tmp_path / f"{TEMPORARY_PREFIX}34" / "file").write_text("x")
    (tmp_path / "file").write_text("kept")
    assert remove_unfinished(tmp_path) == [f"{TEMPORARY_PREFIX}12-file", f"{TEMPORARY_PREFIX}34"]
    assert names(tmp_path) == ["file"]
    assert remove_unfinished(tmp_path / "none") == []


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_no_room_is_said_in_a_sentence(number: int) -> None:
    with (
        pytest.raises(DiskFull, match=r"^some/file could not be written: .*free some space"),
        write_errors(Path("some/file")),
    ):
        raise OSError(number, os.strerror(number))


@pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM, errno.EROFS])
def test_a_lack_of_rights_is_said_in_a_sentence(number: int) -> None:
    with (
        pytest.raises(StorageError, match="Check who owns the folder"),
        write_errors(Path("some/file")),
    ):
        raise OSError(number, os.strerror(number))


def test_a_folder_in_the_place_of_a_file_is_said_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file" / "inside").mkdir(parents=True)
    with (
        pytest.raises(StorageError, match="could not be written"),
        atomic_file(tmp_path / "file") as temporary,
    ):
        temporary.write_text("x")
    assert names(tmp_path) == ["file"]


def test_a_file_in_the_place_of_a_folder_is_said_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    with (
        pytest.raises(StorageError, match="could not be written"),
        atomic_file(tmp_path / "file" / "new") as temporary,
    ):
        temporary.write_text("x")
    assert names(tmp_path) == ["file"]


@POSIX
def test_a_full_disk_leaves_the_old_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    script = textwrap.dedent("""
        import resource, sys
        from pathlib import Path
        from annotator.atomic import atomic_file
        from annotator.domain.errors import DiskFull
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
        try:
            with atomic_file(Path(sys.argv[1])) as temporary:
                temporary.write_bytes(b"x" * 20_000)
        except DiskFull as error:
            print(error)
    """)
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True
    )
    assert "could not be written" in done.stdout
    assert path.read_text() == "old"
    assert names(tmp_path) == ["file"]


@POSIX
def test_a_process_that_is_killed_while_it_writes_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    script = textwrap.dedent("""
        import os, signal, sys
        from pathlib import Path
        from annotator.atomic import atomic_file
        with atomic_file(Path(sys.argv[1])) as temporary:
            temporary.write_text("half")
            os.kill(os.getpid(), signal.SIGKILL)
    """)
    done = subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert done.returncode < 0
    assert path.read_text() == "old"
    assert len(remove_unfinished(tmp_path)) == 1
    assert names(tmp_path) == ["file"]
