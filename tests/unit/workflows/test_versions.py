import shutil
from pathlib import Path

import pytest

from annotator.domain.errors import InputError, ReleaseError, VerificationError
from annotator.storage import releases
from annotator.storage.engine import Store
from annotator.workflows.versions import (
    adopt_folders,
    check_dataset_name,
    latest_release,
    verify_version,
    version_folder,
)
from tests.a_version import RECORDS, write_version


@pytest.mark.parametrize("name", ["lamp", "Lamp-2.1_x", "a", "a" * 64])
def test_a_name_that_can_be_a_folder_is_accepted(name: str) -> None:
    check_dataset_name(name)


@pytest.mark.parametrize(
    "name", ["", "default", "2lamp", "a b", "a/b", "..", ".a", "保修", "a" * 65, "a\n", "a@1"]
)
def test_a_name_that_breaks_folders_or_loaders_is_refused(name: str) -> None:
    with pytest.raises(ReleaseError, match="cannot be a dataset's name"):
        check_dataset_name(name)


def test_the_highest_version_is_told_by_number(store: Store) -> None:
    with store.write() as tx:
        assert latest_release(tx, "lamp") is None
        for version in ("1.9.0", "1.10.0", "1.2.0"):
            releases.add(
                tx, name="lamp", version=version, parent=None, content_sha256="x", manifest={}
            )
        latest = latest_release(tx, "lamp")
        assert latest is not None
        assert latest.version == "1.10.0"


def test_a_name_alone_means_the_highest_version(tmp_path: Path) -> None:
    for version in ("1.9.0", "1.10.0", "1.2.0"):
        write_version(tmp_path / "lamp" / version)
    assert version_folder(tmp_path, "lamp").name == "1.10.0"
    assert version_folder(tmp_path, "lamp@1.2.0").name == "1.2.0"
    with pytest.raises(InputError, match=r"no version '3.0.0'\. There are: 1.2.0, 1.9.0, 1.10.0"):
        version_folder(tmp_path, "lamp@3.0.0")
    with pytest.raises(InputError, match=r"no dataset 'pump' .* There are: lamp\."):
        version_folder(tmp_path, "pump")
    with pytest.raises(InputError, match="Make one: annotator release NAME"):
        version_folder(tmp_path / "none", "pump")


@pytest.mark.parametrize("name", [".unfinished-12345678", "1.0.0 copy", "backup", "1.0"])
def test_a_folder_that_is_no_version_number_is_no_version(
    store: Store, tmp_path: Path, name: str
) -> None:
    home = tmp_path / "lamp"
    write_version(home / "1.0.0")
    shutil.copytree(home / "1.0.0", home / name)
    (home / name / "SHA256SUMS").unlink()
    assert version_folder(tmp_path, "lamp").name == "1.0.0"
    adopt_folders(store, home, "lamp")
    with store.read() as tx:
        assert [entry.version for entry in releases.listed(tx, "lamp")] == ["1.0.0"]


def test_a_version_without_a_row_is_taken_in_once(store: Store, tmp_path: Path) -> None:
    home = tmp_path / "lamp"
    write_version(home / "1.0.0")
    for _ in range(2):
        adopt_folders(store, home, "lamp")
    with store.read() as tx:
        assert [entry.version for entry in releases.listed(tx)] == ["1.0.0"]
        assert releases.assignments(tx, "lamp") == {r.query_id: r.split for r in RECORDS}
    adopt_folders(store, tmp_path / "none", "none")


def test_a_version_that_was_changed_is_not_taken_in(store: Store, tmp_path: Path) -> None:
    folder = write_version(tmp_path / "lamp" / "1.0.0")
    (folder / "test.jsonl").write_text("")
    with pytest.raises(VerificationError, match="is not what was released"):
        adopt_folders(store, tmp_path / "lamp", "lamp")


def test_a_copy_under_another_number_is_not_taken_in(store: Store, tmp_path: Path) -> None:
    write_version(tmp_path / "lamp" / "2.0.0")
    with pytest.raises(VerificationError, match=r"2\.0\.0 .* version 1\.0\.0"):
        adopt_folders(store, tmp_path / "lamp", "lamp")


def test_verifying_checks_the_contract_beside_the_bytes(tmp_path: Path) -> None:
    good = write_version(tmp_path / "1.0.0")
    assert verify_version(good) == []
    lacking = write_version(tmp_path / "1.0.1", chunks=[])
    assert any("names chunks that the corpus lacks" in line for line in verify_version(lacking))
    (good / "README.md").write_text("x")
    assert verify_version(good)
    with pytest.raises(VerificationError, match="is no version"):
        verify_version(tmp_path)
