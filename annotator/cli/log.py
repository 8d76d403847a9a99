"""log: bring the query log in."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from annotator.cli.session import AsJson, perform, say

if TYPE_CHECKING:
    from annotator.domain.progress import Report
    from annotator.workflows.curate import LogReport
    from annotator.workspace import Workspace

app = typer.Typer(
    help="Import the query log.",
    no_args_is_help=True,
    epilog="Example: annotator -w my-set log import queries.csv",
)


@app.command("import", epilog="Example: annotator -w my-set log import queries.csv")
def import_files(
    context: typer.Context,
    files: Annotated[list[Path], typer.Argument(help="CSV, TSV, JSONL or Parquet files.")],
    query_column: Annotated[
        str | None, typer.Option(help="Column of the query's text; else it is guessed by name.")
    ] = None,
    count_column: Annotated[
        str | None, typer.Option(help="Column with the number of times; else a row is one time.")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Read a file anew that was imported before.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Import query log files; every row is kept or refused with a reason."""
    from annotator.workflows.curate import import_log

    def work(workspace: "Workspace", report: "Report") -> "LogImport":
        found = [
            import_log(
                workspace.store,
                workspace.log_folder,
                file,
                query_column=query_column,
                count_column=count_column,
                replaces=replace,
                report=report,
            )
            for file in files
        ]
        return LogImport(
            rows=sum(entry.rows for entry in found),
            kept=sum(entry.kept for entry in found),
            refused=sum(entry.rows - entry.kept for entry in found),
            files=found,
        )

    perform(context, work, show=_show, as_json=as_json, lock="log import", shows_next=True)


@dataclass(frozen=True, slots=True)
class LogImport:
    """All files of one call; rows = kept + refused."""

    rows: int
    kept: int
    refused: int
    files: "list[LogReport]"


def _show(found: LogImport) -> None:
    for entry in found.files:
        refused = ", ".join(f"{count} {reason}" for reason, count in entry.refused.items())
        say(
            f"{entry.file}: {entry.rows} rows = {entry.kept} kept + {entry.rows - entry.kept} "
            f"refused{f' ({refused})' if refused else ''}; {entry.distinct} distinct texts."
            + (" It was imported before; nothing changed." if entry.is_known else "")
        )
