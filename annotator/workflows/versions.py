"""Which versions a dataset has, in the database and on disk."""

import re
from pathlib import Path

from annotator.domain.errors import InputError, ReleaseError, VerificationError
from annotator.domain.release import SPLITS
from annotator.formats.version_folder import MANIFEST_FILE, read_version, verify_folder
from annotator.release.checks import record_problems
from annotator.release.versioning import version_order
from annotator.storage import releases
from annotator.storage.engine import Store, Transaction

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,63}")
_VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+")


def check_dataset_name(name: str) -> None:
    """Raise ReleaseError unless the name can be a folder's and a dataset's everywhere."""
    if not _NAME.fullmatch(name) or name == "default":
        raise ReleaseError(
            f"{name!r} cannot be a dataset's name: use letters, digits, '-', '_' and '.', "
            "beginning with a letter, and not 'default', which some loaders read as qrels."
        )


def refuse_lost_version(folder: Path) -> None:
    """Raise ReleaseError where a version that the next one follows is gone or was changed."""
    problems = verify_folder(folder) if folder.is_dir() else [f"{folder} is gone."]
    if problems:
        raise ReleaseError(
            f"The last version is not what was released: {problems[0]} Restore {folder} from a "
            "copy, or go on under a new name: annotator release OTHER-NAME"
        )


def latest_release(tx: Transaction, name: str) -> releases.StoredRelease | None:
    """Return the highest version of a dataset, None before the first."""
    stored = releases.listed(tx, name)
    return max(stored, key=lambda entry: version_order(entry.version), default=None)


def adopt_folders(store: Store, home: Path, name: str) -> None:
    """Take in versions that stand on disk without a row: a process died after the rename."""
    with store.read() as tx:
        known = {entry.version for entry in releases.listed(tx, name)}
    for folder in _version_folders(home):
        if folder.name in known:
            continue
        version = read_version(folder)
        if version.manifest["version"] != folder.name:
            raise VerificationError(
                f"{folder} holds version {version.manifest['version']} under another name. "
                "Move it out of the dataset's folder."
            )
        parent = version.manifest["parent"]
        with store.write() as tx:
            releases.add(
                tx,
                name=name,
                version=folder.name,
                parent=parent if isinstance(parent, str) else None,
                content_sha256=str(version.manifest["content_sha256"]),
                manifest=version.manifest,
            )
            splits = {r.query_id: r.split for split in SPLITS for r in version.records[split]}
            releases.assign(tx, name, folder.name, splits)


def _version_folders(home: Path) -> list[Path]:
    """Return the versions of a dataset by number; copies and unfinished ones are none."""
    if not home.is_dir():
        return []
    folders = [
        entry
        for entry in home.iterdir()
        if _VERSION.fullmatch(entry.name) and (entry / MANIFEST_FILE).is_file()
    ]
    return sorted(folders, key=lambda folder: version_order(folder.name))


def verify_version(folder: Path) -> list[str]:
    """Return one sentence per way in which a version is not what was released, [] if none.

    Beside every byte, the contract is checked: ids, disjoint lists, dangling chunks. Raises
    VerificationError where the folder is no version.
    """
    problems = verify_folder(folder)
    if problems:
        return problems
    version = read_version(folder)
    records = [record for split in SPLITS for record in version.records[split]]
    return record_problems(records, chunk_ids=set(version.chunk_ids))


def version_folder(datasets_folder: Path, reference: str) -> Path:
    """Return the folder that NAME or NAME@VERSION means; NAME alone is the highest version.

    Raises InputError naming what there is, where there is no such version.
    """
    name, _, version = reference.partition("@")
    check_dataset_name(name)
    home = datasets_folder / name
    there = [entry.name for entry in _version_folders(home)] if name else []
    if not there:
        names = sorted(entry.name for entry in datasets_folder.glob("*") if entry.is_dir())
        raise InputError(
            f"There is no dataset {name!r} in {datasets_folder}. "
            + (f"There are: {', '.join(names)}." if names else "Make one: annotator release NAME")
        )
    if version and version not in there:
        raise InputError(
            f"Dataset {name!r} has no version {version!r}. There are: {', '.join(there)}."
        )
    return home / (version or there[-1])
