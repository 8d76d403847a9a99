"""What every command shares: opening the workspace, the lock, progress, output, exit codes.

0 fine, 1 refused for a stated reason, 2 wrong use.
"""

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from annotator.domain.errors import AnnotatorError
from annotator.domain.progress import Report, silent

if TYPE_CHECKING:
    from annotator.workflows.status import Status
    from annotator.workspace import Workspace

T = TypeVar("T")

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object for machines.")]


@dataclass(frozen=True, slots=True)
class Options:
    """The options that stand before the command."""

    workspace: Path


def options_of(context: typer.Context) -> Options:
    """Return the options that were given before the command."""
    found = context.find_object(Options)
    return found if found is not None else Options(default_workspace())


def default_workspace() -> Path:
    """Return $ANNOTATOR_WORKSPACE, else the current folder."""
    return Path(os.environ.get("ANNOTATOR_WORKSPACE") or ".")


def perform(
    context: typer.Context,
    work: "Callable[[Workspace, Report], T]",
    *,
    show: Callable[[T], None],
    as_json: bool,
    lock: str = "",
    to_json: Callable[[T], object] | None = None,
    shows_next: bool = False,
) -> None:
    """Open the workspace, do the work, print the result.

    `lock` names the workflow that holds the workspace's lock meanwhile, "" takes none; `to_json`
    turns the result into what `--json` prints, else its fields are printed; `shows_next` ends
    with the loop's next step. As a background job, progress and end are written to its row.
    """
    from annotator import jobs
    from annotator.workflows.status import status
    from annotator.workspace import open_workspace

    with errors_as_exit_code(as_json=as_json):
        workspace = open_workspace(options_of(context).workspace)
        row = jobs.job_of_this_process(workspace.store)
        exit_code = 1
        try:
            with _progress(as_json=as_json) as shown:
                report = jobs.both(shown, row.report) if row else shown
                with workspace.lock(lock) if lock else contextlib.nullcontext():
                    result = work(workspace, report)
            if as_json:
                print_json(to_json(result) if to_json else result)
            else:
                show(result)
                if shows_next:
                    say_next(status(workspace.store))
            exit_code = 0
        finally:
            if row:
                row.end(exit_code)
            workspace.close()


def present(result: T, *, show: Callable[[T], None], as_json: bool) -> None:
    """Print a result: as JSON, or as `show` does it."""
    if as_json:
        print_json(result)
    else:
        show(result)


def print_json(value: object) -> None:
    """Print a value as one line of JSON; a dataclass as an object of its fields."""
    line = json.dumps(_plain(value), ensure_ascii=False) + "\n"
    sys.stdout.buffer.write(line.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()


@contextlib.contextmanager
def errors_as_exit_code(*, as_json: bool) -> Iterator[None]:
    """End with code 1 and one sentence where the user has something to act on."""
    try:
        yield
    except AnnotatorError as error:
        if as_json:
            print_json({"error": str(error), "kind": type(error).__name__})
        _stderr().print(f"Error: {error}", style="red", markup=False, highlight=False)
        raise typer.Exit(1) from error
    except BrokenPipeError:
        sys.stderr.close()  # the reader has gone; Python would complain once more at exit
        raise typer.Exit(0) from None
    except OSError as error:
        _stderr().print(f"Error: {error}", style="red", markup=False, highlight=False)
        raise typer.Exit(1) from error
    except KeyboardInterrupt:
        _stderr().print("Stopped. What was finished is kept.", markup=False)
        raise typer.Exit(130) from None


def say(text: str) -> None:
    """Print one line for a person, long lines unbroken."""
    from rich.console import Console

    Console(soft_wrap=True, highlight=False).print(text, markup=False)


def say_next(found: "Status") -> None:
    """Print the command that brings the loop on, where one is due."""
    if found.next_step:
        say(f"Next: {found.next_step}")


def say_table(title: str, columns: list[str], rows: list[list[str]], *, right_from: int) -> None:
    """Print a table; columns from `right_from` on are numbers, set to the right."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for index, column in enumerate(columns):
        table.add_column(column, justify="right" if index >= right_from else "left")
    for row in rows:
        table.add_row(*row)
    Console(highlight=False).print(table, markup=False)


@contextlib.contextmanager
def _progress(*, as_json: bool) -> Iterator[Report]:
    """Show a bar on a terminal, one line per step elsewhere, nothing for machines."""
    if as_json:
        yield silent
        return
    console = _stderr()
    if not console.is_terminal:
        seen: set[str] = set()

        def line(step: str, done: int, total: int) -> None:
            if step not in seen:
                seen.add(step)
                console.print(f"{step} …", markup=False, highlight=False)

        yield line
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeElapsedColumn as Elapsed

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Elapsed())
    with Progress(*columns, console=console, transient=True) as bar:
        tasks: dict[str, Any] = {}

        def draw(step: str, done: int, total: int) -> None:
            if step not in tasks:
                tasks[step] = bar.add_task(step, total=total or None)
            bar.update(tasks[step], completed=done, total=total or None)

        yield draw


def _stderr() -> Any:
    from rich.console import Console

    return Console(stderr=True, soft_wrap=True)


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(entry) for entry in value]
    return str(value) if isinstance(value, Path) else value
