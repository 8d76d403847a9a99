"""The command line as a program: cheap to start, honest about its version."""

import subprocess
import sys

import pytest

import annotator

HEAVY = ("pandas", "torch", "streamlit", "sentence_transformers", "sklearn", "scipy", "pyarrow")


@pytest.mark.parametrize("arguments", [["--help"], ["score", "--help"], ["corpus", "--help"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    program = (
        "import sys\n"
        "from annotator.__main__ import main\n"
        f"sys.argv = ['annotator', *{arguments!r}]\n"
        "try:\n    main()\n"
        "except SystemExit as end:\n    assert not end.code\n"
        f"loaded = sorted(set({HEAVY!r}) & set(sys.modules))\n"
        "assert not loaded, loaded\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Example: annotator" in done.stdout


def test_importing_the_package_imports_nothing_else() -> None:
    program = "import sys, annotator; print(sum(m.startswith('annotator.') for m in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "0"


def test_the_version_is_that_of_the_package() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "annotator", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == annotator.__version__
