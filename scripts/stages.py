"""Run the stages of the tests against the installed package, and count what they did.

A stage is `check` (format, lint, types, import contracts of the source tree) or a folder below
`tests/`, so that a new folder of tests cannot be forgotten. pytest's own report says what was
skipped, so that a skip can be made a failure.
"""

import dataclasses
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path

import browser
import environment
from refusals import SetUpError

TESTS = environment.ROOT / "tests"
REPORTS = environment.ENVIRONMENTS / "reports"
CHECK, BROWSER = "check", "browser"
USUAL_ORDER = ("unit", "data_contract", "integration", BROWSER)
QUICK = "not slow and not browser"
NOTHING_COLLECTED = 5  # pytest's exit code

# The tests' own package, importable without the repository's root on the path: from there the
# source tree would be imported instead of the installed package.
TESTS_PACKAGE = "__path__ = [{folder!r}]\n"


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What a stage did; `skipped` holds "test: reason", `seconds` is wall-clock time."""

    stage: str
    has_passed: bool
    passed: int = 0
    failed: int = 0
    skipped: tuple[str, ...] = ()
    seconds: float = 0.0


def names(tests: Path = TESTS) -> list[str]:
    """Return the stages in the order in which they run."""
    folders = {path.relative_to(tests).parts[0] for path in tests.rglob("test_*.py")}
    usual = [name for name in USUAL_ORDER if name in folders]
    return [CHECK, *usual, *sorted(folders - set(usual))]


def run(
    folder: Path, *, chosen: Sequence[str] | None, expression: str, is_skip_failure: bool
) -> int:
    """Run the chosen stages in full, or for None all quick tests at once; return the exit code.

    `folder` is the environment, `expression` pytest's -k or "". No stage stops the following.
    """
    variables = variables_for_tests(folder)
    refuse_source_tree(folder, variables)
    REPORTS.mkdir(exist_ok=True)
    found = None
    if chosen is None:
        environment.say("Tests marked slow or browser are left out; --all runs them too.")
    if chosen is not None and set(chosen) != {CHECK}:
        found = browser.find_or_install(folder)
        environment.say(f"Browser: {found}" if found else f"No browser: {browser.REMEDY}.")
        if found:
            variables[browser.VARIABLE] = found
    outcomes = []
    for stage in ["tests"] if chosen is None else chosen:
        print(f"\n======== {stage} ========", flush=True)
        started = time.monotonic()
        if stage == CHECK:
            line = [environment.command(folder, "python"), "scripts/check", "--no-tests"]
            code = subprocess.run(line, cwd=environment.ROOT, env=variables, check=False).returncode
            outcome = Outcome(stage, code == 0)
        else:
            marks = QUICK if chosen is None else "" if found else "not browser"
            target = "tests" if chosen is None else f"tests/{stage}"
            outcome = _pytest(folder, stage, target, marks, expression, variables)
            if chosen is not None and not found:
                missed = _without_browser(folder, target, expression, variables)
                outcome = dataclasses.replace(outcome, skipped=outcome.skipped + missed)
        outcome = dataclasses.replace(outcome, seconds=time.monotonic() - started)
        outcomes.append(outcome)
    return summary(outcomes, is_skip_failure=is_skip_failure, is_selection=bool(expression))


def variables_for_tests(folder: Path) -> dict[str, str]:
    """Return the variables under which tests and the programs they start see the installation."""
    shim = environment.ENVIRONMENTS / "tests-path"
    (shim / "tests").mkdir(parents=True, exist_ok=True)
    text = TESTS_PACKAGE.format(folder=str(TESTS))
    (shim / "tests" / "__init__.py").write_text(text, encoding="utf-8")
    variables = environment.child_environment(folder)
    variables["PYTHONPATH"] = str(shim)
    variables["PYTHONSAFEPATH"] = "1"
    return variables


def refuse_source_tree(folder: Path, variables: dict[str, str]) -> None:
    """Raise `SetUpError` unless `annotator` is imported from the environment."""
    line = [environment.command(folder, "python"), "-c", "import annotator as a; print(a.__file__)"]
    done = subprocess.run(
        line, cwd=environment.ROOT, env=variables, capture_output=True, text=True, check=False
    )
    where = done.stdout.strip()
    if not Path(where).is_relative_to(folder):
        raise SetUpError(
            f"The tests would import the package from {where or done.stderr.strip()!r}, not from "
            f"{folder}. Run this again with --recreate."
        )
    environment.say(f"Tests import {where}")


def _pytest_line(folder: Path, target: str, marks: str, expression: str) -> list[str]:
    line = [environment.command(folder, "python"), "-m", "pytest", "-o", "pythonpath=", target]
    return line + (["-m", marks] if marks else []) + (["-k", expression] if expression else [])


def _pytest(
    folder: Path,
    stage: str,
    target: str,
    marks: str,
    expression: str,
    variables: dict[str, str],
) -> Outcome:
    report = REPORTS / f"{stage}.xml"
    report.unlink(missing_ok=True)
    line = [*_pytest_line(folder, target, marks, expression), f"--junitxml={report}"]
    code = subprocess.run(line, cwd=environment.ROOT, env=variables, check=False).returncode
    if not report.exists():
        return Outcome(stage, has_passed=False, failed=1)
    has_passed = code in (0, NOTHING_COLLECTED)
    return read_report(stage, report.read_text(encoding="utf-8"), has_passed=has_passed)


def read_report(stage: str, text: str, *, has_passed: bool) -> Outcome:
    """Count what a JUnit report of pytest's tells; an expected failure (xfail) is no skip."""
    passed, failed, skipped = 0, 0, []
    for case in ElementTree.fromstring(text).iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name')}"
        skip = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif skip is None or skip.get("type") == "pytest.xfail":
            passed += 1
        else:
            skipped.append(f"{name}: {skip.get('message')}")
    is_good = has_passed and not failed
    # pytest can fail without a failed test, by a broken option or conftest: that counts as one.
    return Outcome(stage, is_good, passed, failed or int(not is_good), tuple(skipped))


def _without_browser(
    folder: Path, target: str, expression: str, variables: dict[str, str]
) -> tuple[str, ...]:
    """Return the names of the browser's tests, each with what to install."""
    line = _pytest_line(folder, target, "browser", expression)
    line += ["-o", "addopts=--strict-markers --import-mode=importlib"]
    listed = subprocess.run(
        [*line, "--collect-only", "-q"],
        cwd=environment.ROOT,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    tests = [name for name in listed.stdout.splitlines() if "::" in name]
    return tuple(f"{test}: no browser; {browser.REMEDY}" for test in tests)


def summary(outcomes: Sequence[Outcome], *, is_skip_failure: bool, is_selection: bool) -> int:
    """Print what was skipped, a line for each stage and the total; return the exit code."""
    passed = sum(outcome.passed for outcome in outcomes)
    failed = sum(outcome.failed for outcome in outcomes)
    skipped = [line for outcome in outcomes for line in outcome.skipped]
    is_good = all(outcome.has_passed for outcome in outcomes)
    print("\n======== summary ========")
    for line in skipped:
        print(f"skipped {line}")
    for outcome in outcomes:
        verdict = "passed" if outcome.has_passed else "FAILED"
        counts = f"{outcome.passed} passed, {outcome.failed} failed, {len(outcome.skipped)} skipped"
        counts = "" if outcome.stage == CHECK else counts
        print(f"{outcome.stage:<14} {verdict}  {outcome.seconds:6.1f} s  {counts}".rstrip())
    if any(outcome.stage != CHECK for outcome in outcomes):
        print(f"total: {passed} passed, {failed} failed, {len(skipped)} skipped", flush=True)
        if passed + failed + len(skipped) == 0:
            reason = "pytest's -k selected none" if is_selection else "pytest found none"
            print(f"test.py: no test was run; {reason}.", file=sys.stderr)
            is_good = False
    if skipped and is_skip_failure:
        print(
            f"test.py: {len(skipped)} skipped, and where CI=true a skip is a failure. They are "
            "named above with their reasons.",
            file=sys.stderr,
        )
        is_good = False
    return 0 if is_good else 1
