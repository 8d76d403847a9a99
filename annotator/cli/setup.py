"""init, demo, serve, status: make a workspace, open it, see where it stands."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from annotator.cli.session import (
    AsJson,
    errors_as_exit_code,
    options_of,
    perform,
    present,
    say,
    say_next,
    say_table,
)

if TYPE_CHECKING:
    from annotator.workflows.status import Status

DEFAULT_PORT = 8501


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("init", epilog="Example: annotator init my-set --name handbook --language en")(init)
    app.command("demo", epilog="Example: annotator demo --workspace demo --no-serve")(demo)
    app.command("serve", epilog="Example: annotator -w my-set serve --port 8501")(serve)
    app.command("status", epilog="Example: annotator -w my-set status --json")(status)


def init(
    workspace: Annotated[Path, typer.Argument(help="A new or empty folder.")],
    name: Annotated[str | None, typer.Option(help="Name of the dataset.")] = None,
    licence: Annotated[str | None, typer.Option(help="Licence of the data, an SPDX id.")] = None,
    language: Annotated[
        list[str] | None,
        typer.Option(help="Language of the content, BCP 47; may be given several times."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make a workspace. Asks for what the options do not say, at a terminal."""
    from annotator.workspace import create_workspace

    asks = sys.stdin.isatty() and not as_json
    if name is None:
        name = typer.prompt("Name of the dataset", workspace.name) if asks else workspace.name
    if licence is None:
        licence = typer.prompt("Licence of the data", "unknown") if asks else "unknown"
    if not language:
        answer = typer.prompt("Languages", "en, zh") if asks else "en, zh"
        language = [part.strip() for part in answer.split(",") if part.strip()]
    with errors_as_exit_code(as_json=as_json):
        made = create_workspace(workspace, name=name, licence=licence, languages=language)
        made.close()
        present(
            {"workspace": str(made.path), "name": name, "licence": licence, "languages": language},
            show=lambda found: say(
                f"Made the workspace {found['workspace']}.\n"
                f"Next: annotator -w {workspace} log import FILE"
            ),
            as_json=as_json,
        )


def demo(
    workspace: Annotated[Path, typer.Option(help="Where to build it.")] = Path("demo-workspace"),
    serves: Annotated[bool, typer.Option("--serve/--no-serve", help="Open the app.")] = True,
    port: Annotated[int, typer.Option(help="Port of the app.")] = DEFAULT_PORT,
    as_json: AsJson = False,
) -> None:
    """Build a small workspace in English and Chinese, and serve it."""
    from annotator.cli.demo import build_demo
    from annotator.cli.serve import default_assessor
    from annotator.cli.serve import serve as serve_workspace

    with errors_as_exit_code(as_json=as_json):
        found = build_demo(workspace, say=(lambda _: None) if as_json else say)
        if as_json and not serves:
            present(found, show=_show_status, as_json=True)
        elif not as_json:
            _show_status(found)
        if serves:
            serve_workspace(
                workspace.resolve(), port=port, assessor=default_assessor(), as_json=as_json
            )


def serve(
    context: typer.Context,
    port: Annotated[int, typer.Option(help="Port on 127.0.0.1.")] = DEFAULT_PORT,
    assessor: Annotated[
        str | None,
        typer.Option(help="Whose judgments these are; else $ANNOTATOR_ASSESSOR, else your login."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Serve the app to the browser of this machine, until Ctrl-C."""
    from annotator.cli.serve import default_assessor
    from annotator.cli.serve import serve as serve_workspace

    with errors_as_exit_code(as_json=as_json):
        serve_workspace(
            options_of(context).workspace.resolve(),
            port=port,
            assessor=assessor or default_assessor(),
            as_json=as_json,
        )


def status(context: typer.Context, as_json: AsJson = False) -> None:
    """Say where the workspace stands and what to do next."""
    from annotator.workflows.status import status as read_status

    perform(
        context,
        lambda workspace, _: read_status(workspace.store),
        show=_show_status,
        as_json=as_json,
    )


def _show_status(found: "Status") -> None:
    states = ", ".join(f"{count} {state}" for state, count in sorted(found.states.items()))
    rows = [
        ["query log", f"{found.log_rows} rows ({_counted(found.log_files, 'file')})"],
        [
            "distinct queries",
            f"{found.distinct_queries} in {found.buckets} buckets, {found.intents} intents",
        ],
        ["sample", f"{found.sampled_queries} queries" + (f": {states}" if states else "")],
        ["corpus", f"{found.chunks} chunks of {found.documents} documents"],
        ["pool", f"{found.judged_pairs} of {found.pool_pairs} pairs judged"],
        ["mined", f"{found.hard_negatives} hard negatives, {found.split_answers} split answers"],
        ["versions", ", ".join(found.versions) or "none"],
        ["scores", f"{found.scores} archived"],
    ]
    say_table("Workspace", ["stage", "state"], rows, right_from=2)
    say_next(found)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
