"""The command line: commands by name. Nothing heavy is imported before a command runs."""

from pathlib import Path
from typing import Annotated

import typer

from annotator import __version__
from annotator.cli import corpus, curate, jobs, judge, log, measure, pool, publish, setup
from annotator.cli.session import Options, default_workspace

app = typer.Typer(
    name="annotator",
    help="Build retrieval test sets one can trust: from a query log to a scored, versioned set.",
    epilog="Example: annotator init my-set && annotator -w my-set status",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    workspace: Annotated[
        Path | None,
        typer.Option(
            "-w",
            "--workspace",
            help="The workspace folder; else $ANNOTATOR_WORKSPACE, else the current folder.",
        ),
    ] = None,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Print the version and end.",
            is_eager=True,
            callback=_print_version,
        ),
    ] = False,
) -> None:
    """Build retrieval test sets one can trust."""
    context.obj = Options(workspace if workspace is not None else default_workspace())


for module in (setup, curate, pool, measure, publish):
    module.register(app)
for name, group in (("log", log), ("corpus", corpus), ("judgments", judge), ("jobs", jobs)):
    app.add_typer(group.app, name=name)


def run() -> None:
    """Run the command line."""
    app()
