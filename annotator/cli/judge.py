"""judgments: labels in and out as files."""

from pathlib import Path
from typing import Annotated

import typer

from annotator.cli.session import AsJson, perform, say

app = typer.Typer(
    help="Import and export judgments.",
    no_args_is_help=True,
    epilog="Example: annotator -w my-set judgments export labels.jsonl",
)


@app.command("import", epilog="Example: annotator -w my-set judgments import labels.jsonl")
def import_file(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="JSONL with lines of type grade and query.")],
    assessor: Annotated[
        str | None, typer.Option(help="Take these as this assessor's, whatever the lines say.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Import judgments, all or none; the same file twice changes nothing."""
    from annotator.workflows.judgments import import_judgments

    def show(found: dict[str, int]) -> None:
        say(f"{found['new']} new judgments; {found['known']} were so already.")

    perform(
        context,
        lambda workspace, _: dict(
            zip(
                ("new", "known"),
                import_judgments(workspace.store, file, assessor=assessor),
                strict=True,
            )
        ),
        show=show,
        as_json=as_json,
        lock="judgments import",
        shows_next=True,
    )


@app.command("export", epilog="Example: annotator -w my-set judgments export labels.jsonl")
def export_file(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="Where to write the judgments as JSONL.")],
    as_json: AsJson = False,
) -> None:
    """Write every current judgment and verdict."""
    from annotator.workflows.judgments import export_judgments

    perform(
        context,
        lambda workspace, _: {"file": str(file), "lines": export_judgments(workspace.store, file)},
        show=lambda found: say(f"Wrote {found['lines']} lines to {found['file']}."),
        as_json=as_json,
    )


@app.command("rebuild", epilog="Example: annotator -w my-set judgments rebuild")
def rebuild(context: typer.Context, as_json: AsJson = False) -> None:
    """Make the current judgments anew from the stored events, of which none is ever lost."""
    from annotator.workflows.judgments import rebuild_judgments

    perform(
        context,
        lambda workspace, _: {"events": rebuild_judgments(workspace.store)},
        show=lambda found: say(f"Made the current judgments anew from {found['events']} events."),
        as_json=as_json,
        lock="judgments rebuild",
    )
