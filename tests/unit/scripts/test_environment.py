"""The set-up commands: what is reused, what is refused and with which words."""

import ast
import errno
import http.server
import importlib
import re
import shutil
import socket
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SCRIPTS = ROOT / "scripts"
OWN_MODULES = ("browser", "environment", "old_python", "refusals", "stages")

sys.path.insert(0, str(SCRIPTS))
try:
    browser, environment, old_python, refusals, stages = map(importlib.import_module, OWN_MODULES)
finally:
    sys.path.remove(str(SCRIPTS))


def a_repository(folder: Path) -> Path:
    """Lay a repository with one module, one demo source and the two files that pin versions."""
    for name, text in {
        "annotator/text/tokens.py": "WORD = 1\n",
        "datasets/demo/queries.csv": "query\nhow do I start\n",
        "constraints.txt": "torch==2.13.0\n",
        "pyproject.toml": "[project]\n",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def a_stamp(**changes: str) -> object:
    values = {"python": "3.11.7", "location": "/a", "constraints": "c", "project": "p"}
    return environment.Stamp(**{**values, "source": "s", **changes})


def test_an_environment_with_the_wanted_stamp_is_reused() -> None:
    assert environment.what_to_do(a_stamp(), a_stamp()) == "reuse"


def test_changed_source_installs_the_package_alone() -> None:
    assert environment.what_to_do(a_stamp(source="old"), a_stamp()) == "refresh"


@pytest.mark.parametrize("part", ["python", "location", "constraints", "project"])
def test_any_other_difference_makes_the_environment_anew(part: str) -> None:
    assert environment.what_to_do(a_stamp(source="old", **{part: "old"}), a_stamp()) == "make"


def test_a_half_made_environment_has_no_stamp_and_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / environment.STAMP_NAME).write_text('{"python": "3.1', encoding="utf-8")
    assert environment.read_stamp(tmp_path) is None
    assert environment.what_to_do(None, a_stamp()) == "make"


@pytest.mark.parametrize(
    ("changed", "part"),
    [
        ("annotator/text/tokens.py", "source"),
        ("datasets/demo/queries.csv", "source"),
        ("constraints.txt", "constraints"),
        ("pyproject.toml", "project"),
    ],
)
def test_a_changed_file_changes_its_part_of_the_stamp_alone(
    tmp_path: Path, changed: str, part: str
) -> None:
    root = a_repository(tmp_path)
    before = environment.stamp_of(root / ".envs/demo", root=root)
    (root / changed).write_text("something else\n", encoding="utf-8")
    after = environment.stamp_of(root / ".envs/demo", root=root)
    names = ("python", "location", "constraints", "project", "source")
    assert [name for name in names if getattr(before, name) != getattr(after, name)] == [part]


def test_a_renamed_module_changes_the_source(tmp_path: Path) -> None:
    root = a_repository(tmp_path)
    before = environment.stamp_of(root / ".envs/demo", root=root)
    (root / "annotator/text/tokens.py").rename(root / "annotator/text/words.py")
    assert environment.stamp_of(root / ".envs/demo", root=root).source != before.source


def test_compiled_bytecode_does_not_change_the_source(tmp_path: Path) -> None:
    root = a_repository(tmp_path)
    before = environment.stamp_of(root / ".envs/demo", root=root)
    (root / "annotator/__pycache__").mkdir()
    (root / "annotator/__pycache__/tokens.cpython-311.pyc").write_bytes(b"\0")
    assert environment.stamp_of(root / ".envs/demo", root=root) == before


def test_a_version_is_read_from_the_constraints(tmp_path: Path) -> None:
    file = tmp_path / "constraints.txt"
    file.write_text("# torch==1.0\ntorchvision==0.1\ntorch==2.13.0  # exact\n", encoding="utf-8")
    assert environment.pinned("torch", file) == "torch==2.13.0"
    with pytest.raises(refusals.SetUpError, match="names no version of numpy"):
        environment.pinned("numpy", file)


def test_every_requirement_of_the_project_is_pinned_without_a_local_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    asked = project["project"]["dependencies"] + project["dependency-groups"]["dev"]
    for extra in project["project"].get("optional-dependencies", {}).values():
        asked += extra
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line.split(";")[0].strip() for line in lines if line and not line.startswith("#")]
    assert [pin for pin in pins if not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9a-z.]+", pin)] == []
    pinned = {plain_name(pin) for pin in pins}
    assert {plain_name(requirement) for requirement in asked} - pinned == set()


def plain_name(requirement: str) -> str:
    """Return the distribution's name as the index compares names."""
    return re.sub(r"[-_.]+", "-", re.split(r"[^A-Za-z0-9._-]", requirement)[0]).lower()


@pytest.mark.parametrize(
    ("log", "words"),
    [
        ("ERROR: Could not install: [Errno 28] No space left on device", "The disk is full"),
        ("ERROR: OSError: [Errno 13] Permission denied: 'x'", "may not write"),
        (
            "WARNING: Retrying after connection broken by 'NewConnectionError(...)'\n"
            "ERROR: No matching distribution found for pip==26.3",
            "cannot reach its package index",
        ),
        ("ERROR: No matching distribution found for torch==2.13.0", "has no torch==2.13.0"),
        ("ERROR: something new", "its own words stand above"),
    ],
)
def test_a_failed_installation_is_explained_with_its_cause(
    tmp_path: Path, log: str, words: str
) -> None:
    text = refusals.explain_pip(log, what="the package", log=tmp_path / "pip.log")
    assert words in text
    assert "again" in text or "Use a 64-bit Python" in text


def test_a_file_that_cannot_be_written_is_explained_with_its_cause(tmp_path: Path) -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    forbidden = PermissionError(errno.EACCES, "Permission denied", "/read-only/.envs")
    assert "The disk is full" in refusals.explain_os_error(full, tmp_path)
    assert "Cannot write /read-only/.envs" in refusals.explain_os_error(forbidden, tmp_path)


def test_a_python_without_ensurepip_is_refused_with_the_package_to_install() -> None:
    with pytest.raises(refusals.SetUpError, match="sudo apt install python3-venv"):
        environment.refuse_without_venv(lambda name: None if name == "ensurepip" else object())
    environment.refuse_without_venv(lambda name: object())


def test_a_place_that_cannot_hold_environments_ends_in_one_sentence(tmp_path: Path) -> None:
    root = a_repository(tmp_path)
    shutil.copytree(SCRIPTS, root / "scripts")
    (root / ".envs").write_text("in the way", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(root / "scripts/demo.py")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert f"demo.py: Cannot write {root / '.envs'}" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["demo.py", "test.py", "old_python.py"])
def test_an_old_python_can_read_the_files_up_to_its_sentence(name: str) -> None:
    ast.parse((SCRIPTS / name).read_text(encoding="utf-8"), feature_version=(3, 6))


def test_the_sentence_for_an_old_python_names_the_version_needed() -> None:
    text = old_python.sentence("scripts/demo.py")
    assert text.startswith("demo.py needs Python 3.11 or newer")
    assert text.endswith(" scripts/demo.py")


def test_the_set_up_imports_the_standard_library_alone() -> None:
    allowed = set(sys.stdlib_module_names) | set(OWN_MODULES)
    for path in [SCRIPTS / "check", *(SCRIPTS / f"{name}.py" for name in OWN_MODULES)]:
        assert imported_by(path) - allowed == set(), path


def imported_by(path: Path) -> set[str]:
    """Return the top-level names of all modules that a file imports anywhere."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(str(node.module).split(".")[0])
    return names


class IndexOfTorch(http.server.BaseHTTPRequestHandler):
    """Answers 200 for /good/torch/ and 404 for all else."""

    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/good/torch/" else 404)
        self.end_headers()

    def log_message(self, *args: object) -> None:
        """Stay silent."""


@pytest.fixture
def address() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), IndexOfTorch) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_an_index_is_used_only_if_it_answers_with_the_package(address: str) -> None:
    assert environment.answers(f"{address}/good", timeout_s=30)
    assert not environment.answers(f"{address}/other", timeout_s=30)
    assert not environment.answers("no address", timeout_s=30)


def test_an_index_that_accepts_and_stays_silent_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        assert not environment.answers(f"http://127.0.0.1:{port}", timeout_s=0.2)


def test_a_new_folder_of_tests_is_a_stage(tmp_path: Path) -> None:
    for name in ("browser", "unit", "load", "integration"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "test_one.py").touch()
    (tmp_path / "fakes").mkdir()
    assert stages.names(tmp_path) == ["check", "unit", "integration", "browser", "load"]


REPORT = """<testsuites><testsuite>
<testcase classname="tests.unit.test_a" name="test_good"/>
<testcase classname="tests.unit.test_a" name="test_bad"><failure message="x"/></testcase>
<testcase classname="tests.unit.test_a" name="test_later"><skipped type="pytest.xfail"/></testcase>
<testcase classname="tests.unit.test_a" name="test_off">
  <skipped type="pytest.skip" message="no server"/></testcase>
</testsuite></testsuites>"""


def test_a_report_is_counted_and_an_expected_failure_is_no_skip() -> None:
    outcome = stages.read_report("unit", REPORT, has_passed=False)
    assert (outcome.passed, outcome.failed) == (2, 1)
    assert outcome.skipped == ("tests.unit.test_a::test_off: no server",)


@pytest.mark.parametrize(("is_skip_failure", "code"), [(False, 0), (True, 1)])
def test_a_skip_fails_only_where_a_skip_is_a_failure(
    capsys: pytest.CaptureFixture[str], is_skip_failure: bool, code: int
) -> None:
    outcome = stages.Outcome("unit", has_passed=True, passed=1, skipped=("test_off: no server",))
    options = {"is_skip_failure": is_skip_failure, "is_selection": False}
    assert stages.summary([outcome], **options) == code
    printed = capsys.readouterr().out
    assert "skipped test_off: no server" in printed
    assert "total: 1 passed, 0 failed, 1 skipped" in printed


def test_a_run_without_any_test_fails(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = stages.Outcome("unit", has_passed=True)
    assert stages.summary([outcome], is_skip_failure=False, is_selection=True) == 1
    assert "no test was run" in capsys.readouterr().err


def test_browsers_are_looked_for_where_each_system_installs_them() -> None:
    windows = browser.usual_places("win32", {"PROGRAMFILES": r"C:\Program Files"})
    assert r"C:\Program Files\Google\Chrome\Application\chrome.exe" in windows
    mac = browser.usual_places("darwin", {"HOME": "/Users/mei"})
    assert "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" in mac
    assert "/Users/mei/Applications/Chromium.app/Contents/MacOS/Chromium" in mac
