"""Make, reuse or refresh a virtual environment that holds the package with pinned versions.

Shared by `demo.py` and `test.py`, and written with the standard library alone: it runs before
anything is installed. An environment lives in `.envs/NAME` beside a stamp of what it was made
from. The same stamp means that it is used as it is; where only the package's source differs,
the package alone is installed again; any other difference makes it anew.
"""

import dataclasses
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path

from refusals import (
    NEEDED_BYTES,
    NEEDED_TEMPORARY_BYTES,
    SetUpError,
    explain_os_error,
    explain_pip,
)

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENTS = ROOT / ".envs"
CONSTRAINTS = ROOT / "constraints.txt"
STAMP_NAME = "annotator-stamp.json"

PROVED_ON = ((3, 11), (3, 13))
CPU_TORCH_INDEX = "https://download.pytorch.org/whl/cpu"
PROBE_TIMEOUT_S = 3.0


@dataclasses.dataclass(frozen=True)
class Stamp:
    """What an environment was made from: plain names, and SHA-256 sums in hexadecimal."""

    python: str
    location: str
    constraints: str
    project: str
    source: str


def say(text: str) -> None:
    """Print one line at once, so that it stands before what a subprocess prints."""
    print(f"[set-up] {text}", flush=True)


def replaced_by(line: Sequence[str], variables: dict[str, str]) -> int:
    """Run a program in place of this one, so that it gets the signals; return its exit code."""
    if os.name != "nt":  # exec returns to the prompt at once there
        os.execve(line[0], list(line), variables)
    return subprocess.run(line, env=variables, check=False).returncode


def guarded(main: Callable[[], int]) -> int:
    """Run `main`; a `SetUpError` becomes one sentence on standard error and exit code 1."""
    try:
        return main()
    except SetUpError as error:
        print(f"\n{Path(sys.argv[0]).name}: {error}", file=sys.stderr, flush=True)
        return 1
    except KeyboardInterrupt:
        return 130


def pinned(name: str, constraints: Path = CONSTRAINTS) -> str:
    """Return the requirement `name==version` as the constraints file names it."""
    text = constraints.read_text(encoding="utf-8")
    found = re.search(rf"^{re.escape(name)}==[^\s;#]+", text, re.MULTILINE)
    if found is None:
        raise SetUpError(f"{constraints} names no version of {name}; add a line '{name}==VERSION'.")
    return found.group()


def stamp_of(environment: Path, *, root: Path = ROOT) -> Stamp:
    """Return the stamp that `environment` has if it is made now by this interpreter."""
    return Stamp(
        python=f"{sys.version.split()[0]} {sys.implementation.cache_tag} {sys.platform}",
        location=str(environment),
        constraints=_sum_of_files([root / "constraints.txt"], root),
        project=_sum_of_files([root / "pyproject.toml"], root),
        source=_sum_of_files([root / "annotator", root / "datasets"], root),
    )


def _sum_of_files(tops: Sequence[Path], root: Path) -> str:
    """Sum names and contents of all files at and below `tops`, leaving out compiled bytecode."""
    total = hashlib.sha256()
    for top in tops:
        for path in sorted([top] if top.is_file() else top.rglob("*")):
            if not path.is_file() or path.suffix == ".pyc" or path.name == ".DS_Store":
                continue
            total.update(path.relative_to(root).as_posix().encode() + b"\0")
            total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def what_to_do(found: Stamp | None, wanted: Stamp) -> str:
    """Return "reuse", "refresh" (only the source differs) or "make"."""
    if found == wanted:
        return "reuse"
    if found is not None and dataclasses.replace(found, source=wanted.source) == wanted:
        return "refresh"
    return "make"


def read_stamp(environment: Path) -> Stamp | None:
    """Return the stamp of a finished environment, or None if there is none that can be read."""
    try:
        return Stamp(**json.loads((environment / STAMP_NAME).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def scripts_folder(environment: Path) -> Path:
    """Return the folder of the environment's commands."""
    return environment / ("Scripts" if os.name == "nt" else "bin")


def command(environment: Path, name: str) -> str:
    """Return the path of a command in the environment, such as "python" or "annotator"."""
    return str(scripts_folder(environment) / (name + (".exe" if os.name == "nt" else "")))


def child_environment(environment: Path) -> dict[str, str]:
    """Return the variables for a program in the environment, free of what would mislead it."""
    misleading = {"PYTHONPATH", "PYTHONHOME", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT"}
    variables = {key: value for key, value in os.environ.items() if key not in misleading}
    variables["PIP_USER"] = "0"
    variables["PYTHONNOUSERSITE"] = "1"
    variables["VIRTUAL_ENV"] = str(environment)
    variables["PATH"] = os.pathsep.join([str(scripts_folder(environment)), os.environ["PATH"]])
    return variables


def prepare(
    name: str, *, group: str | None = None, torch_index: str | None = None, recreate: bool = False
) -> Path:
    """Return the folder of the environment `name`, finished and up to date.

    `group` is a dependency group of pyproject.toml to install with the package. Raises
    `SetUpError` where it cannot be made; what is half made has no stamp and is made anew.
    """
    environment = ENVIRONMENTS / name
    wanted = stamp_of(environment)
    action = "make" if recreate else what_to_do(read_stamp(environment), wanted)
    if action != "make" and not _starts(environment):
        action = "make"
    if action == "reuse":
        say(f"The environment {environment} is up to date.")
        return environment
    started = time.monotonic()
    try:
        ENVIRONMENTS.mkdir(exist_ok=True)
        (environment / STAMP_NAME).unlink(missing_ok=True)
        if action == "refresh":
            say(f"The source has changed: installing the package again in {environment}.")
            _pip(environment, ["--no-deps", "--force-reinstall", str(ROOT)], "the package")
        else:
            _make(environment, group, torch_index)
        stamp = json.dumps(dataclasses.asdict(wanted), indent=2)
        (environment / STAMP_NAME).write_text(stamp + "\n", encoding="utf-8")
    except OSError as error:
        raise SetUpError(explain_os_error(error, ENVIRONMENTS)) from error
    say(f"The environment is ready after {time.monotonic() - started:.0f} s.")
    return environment


def _starts(environment: Path) -> bool:
    try:
        probe = [command(environment, "python"), "-c", "import annotator"]
        return subprocess.run(probe, capture_output=True, cwd=environment).returncode == 0
    except OSError:
        return False


def _make(environment: Path, group: str | None, torch_index: str | None) -> None:
    refuse_without_venv(importlib.util.find_spec)
    if environment.exists():
        say(f"Removing {environment}: unfinished, or made from something else.")
        shutil.rmtree(environment)
    refuse_too_little_space()
    version = ".".join(map(str, sys.version_info[:3]))
    say(f"Making a virtual environment with Python {version}: {environment}")
    if not PROVED_ON[0] <= sys.version_info[:2] <= PROVED_ON[1]:
        say("This Python is newer than those it was proved on (3.11 to 3.13).")
    made = subprocess.run([sys.executable, "-m", "venv", str(environment)], check=False)
    if made.returncode != 0:
        raise SetUpError(
            f"'{sys.executable} -m venv {environment}' failed, see above. On Debian and Ubuntu, "
            "'sudo apt install python3-venv' brings what it needs."
        )
    _pip(environment, [pinned("pip")], "pip", build_constraint=False)
    _install_torch(environment, torch_index)
    target = [str(ROOT)] + (["--group", f"{ROOT / 'pyproject.toml'}:{group}"] if group else [])
    say("Installing the package and the versions pinned in constraints.txt (some minutes).")
    _pip(environment, target, "the package and what it needs")


def refuse_too_little_space() -> None:
    """Raise `SetUpError` before minutes of downloads that the disk cannot hold.

    pip takes a full folder for temporary files for a broken connection, so it is looked at too.
    """
    needs = ((ENVIRONMENTS, NEEDED_BYTES), (Path(tempfile.gettempdir()), NEEDED_TEMPORARY_BYTES))
    for folder, needed in needs:
        free = shutil.disk_usage(folder).free
        if free < needed:
            raise SetUpError(
                f"The disk that holds {folder} has {free / 1e9:.1f} GB free, and the packages need "
                f"{needed / 1e9:.1f} GB there. Free some space, or move the repository (or, with "
                "TMPDIR, the folder for temporary files) to another disk, and run this again."
            )


def refuse_without_venv(find_spec: Callable[[str], object]) -> None:
    """Raise `SetUpError` if `find_spec` (as importlib's) lacks a module that makes environments."""
    missing = [module for module in ("venv", "ensurepip") if find_spec(module) is None]
    if missing:
        raise SetUpError(
            f"This Python ({sys.executable}) has no module {' and no module '.join(missing)}, so "
            "it cannot make a virtual environment. On Debian and Ubuntu run "
            "'sudo apt install python3-venv'; elsewhere install Python from python.org. Then run "
            "this again."
        )


def _install_torch(environment: Path, torch_index: str | None) -> None:
    torch = pinned("torch")
    index = torch_index
    if index is None and sys.platform == "linux" and answers(CPU_TORCH_INDEX):
        index = CPU_TORCH_INDEX
    if index is None:
        say(f"Installing {torch} from the default package index.")
        if sys.platform == "linux":
            say(f"If that brings a CUDA build (4 GB), --torch-index {CPU_TORCH_INDEX} avoids it.")
        _pip(environment, ["--no-deps", torch], torch)
        return
    say(f"Installing {torch} from {index} (only torch comes from there).")
    try:
        _pip(environment, ["--no-deps", "--index-url", index, torch], f"{torch} from {index}")
    except SetUpError as error:
        if torch_index is not None:
            raise
        say(f"That failed, so the default package index is tried. {error}")
        _pip(environment, ["--no-deps", torch], torch)


def answers(index: str, timeout_s: float = PROBE_TIMEOUT_S) -> bool:
    """Say whether a package index answers in time, name resolution included."""
    good: list[bool] = []

    def ask() -> None:
        try:
            with urllib.request.urlopen(f"{index.rstrip('/')}/torch/", timeout=timeout_s) as reply:
                good.append(reply.status == 200)
        except (OSError, ValueError):
            good.append(False)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(timeout_s)
    return good == [True]


def _pip(
    environment: Path, target: Sequence[str], what: str, *, build_constraint: bool = True
) -> None:
    """Run `pip install`; raise `SetUpError` with the reason its log gives."""
    log = ENVIRONMENTS / f"{environment.name}-pip.log"
    log.unlink(missing_ok=True)
    line = [command(environment, "python"), "-m", "pip", "install", "--no-input"]
    line += ["--disable-pip-version-check", "--log", str(log), "--constraint", str(CONSTRAINTS)]
    if build_constraint:  # pip from 25.3 on: what builds a wheel is pinned as well
        line += ["--build-constraint", str(CONSTRAINTS)]
    if not sys.stdout.isatty():
        line += ["--quiet", "--progress-bar", "off"]
    done = subprocess.run([*line, *target], env=child_environment(environment), check=False)
    if done.returncode != 0:
        text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
        raise SetUpError(explain_pip(text, what=what, log=log))
