"""Files and folders that appear whole or not at all."""

import contextlib
import errno
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

from annotator.domain.errors import DiskFull, StorageError

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_NO_RIGHT = {errno.EACCES, errno.EPERM, errno.EROFS}
_NO_PLACE = {errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.ENAMETOOLONG}
TEMPORARY_PREFIX = ".unfinished-"


@contextlib.contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; it takes the place of `path` when the block ends.

    A link is followed; a pipe or device is written to, not replaced. Raises DiskFull where there
    is no room. On any error `path` is what it was.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        with tempfile.TemporaryDirectory() as folder, write_errors(path):
            copy = Path(folder) / "copy"
            yield copy
            with copy.open("rb") as source, path.open("wb") as target:
                shutil.copyfileobj(source, target)
        return
    path = path.resolve() if path.is_symlink() else path
    temporary = path.parent / f"{TEMPORARY_PREFIX}{uuid.uuid4().hex[:8]}-{path.name}"
    try:
        with write_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            yield temporary
            _sync(temporary)
            temporary.replace(path)
            _sync_folder(path.parent)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


@contextlib.contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Yield a new temporary folder beside `path`; it is synced and renamed to `path` at the end.

    `path` must not exist. Readers never see half of it.
    """
    with temporary_folder(path.parent) as temporary:
        yield temporary
        sync_folder(temporary)
        publish_folder(temporary, path)


@contextlib.contextmanager
def temporary_folder(parent: Path) -> Iterator[Path]:
    """Yield a new folder in `parent` that is gone at the end, unless it was published.

    A killed process leaves a folder named `.unfinished-…`, which `remove_unfinished` clears away.
    """
    temporary = parent / f"{TEMPORARY_PREFIX}{uuid.uuid4().hex[:8]}"
    try:
        with write_errors(parent):
            temporary.mkdir(parents=True)
            yield temporary
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def sync_folder(folder: Path) -> None:
    """Bring every file and folder in `folder` to the disk."""
    with write_errors(folder):
        for entry in sorted(folder.rglob("*")):
            if entry.is_file():
                _sync(entry)
            else:
                _sync_folder(entry)
        _sync_folder(folder)


def publish_folder(temporary: Path, path: Path) -> None:
    """Rename a temporary folder that was synced to `path`, which must not exist."""
    with write_errors(path):
        if path.exists():
            raise StorageError(f"{path} exists already and is never changed.")
        temporary.rename(path)
        _sync_folder(path.parent)


def remove_unfinished(folder: Path) -> list[str]:
    """Clear away what killed processes left in `folder`; return the names."""
    if not folder.is_dir():
        return []
    names = []
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith(TEMPORARY_PREFIX):
            names.append(entry.name)
            if entry.is_dir():
                shutil.rmtree(entry, ignore_errors=True)
            else:
                entry.unlink(missing_ok=True)
    return names


@contextlib.contextmanager
def write_errors(path: Path) -> Iterator[None]:
    """Say in a sentence why `path` could not be written."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise DiskFull(
                f"{path} could not be written: {error.strerror}. Nothing half-written was left "
                "behind; free some space and run it again."
            ) from error
        if error.errno in _NO_RIGHT:
            raise StorageError(
                f"{path} could not be written: {error.strerror}. Check who owns the folder."
            ) from error
        if error.errno in _NO_PLACE:
            raise StorageError(
                f"{path} could not be written: {error.strerror}. Name another place."
            ) from error
        raise


def _sync(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _sync_folder(path: Path) -> None:
    if os.name == "nt":  # a folder has no handle to sync there
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
