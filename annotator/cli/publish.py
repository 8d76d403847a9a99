"""release, verify: make a version, and prove that it is what was made."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from annotator import __version__
from annotator.cli.session import AsJson, errors_as_exit_code, perform, print_json, say

if TYPE_CHECKING:
    from annotator.domain.progress import Report
    from annotator.workflows.release import ReleaseReport
    from annotator.workspace import Workspace


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("release", epilog="Example: annotator -w my-set release handbook")(release)
    app.command("verify", epilog="Example: annotator verify my-set/datasets/handbook/1.0.0")(verify)


def release(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="The dataset; its versions share one split.")],
    as_json: AsJson = False,
) -> None:
    """Write the next version to datasets/NAME/VERSION in the workspace."""
    from annotator.workflows.release import ReleasePlan
    from annotator.workflows.release import release as run_release
    from annotator.workspace import config_snapshot, pseudonym

    def work(workspace: "Workspace", report: "Report") -> "ReleaseReport":
        settings = workspace.settings
        return run_release(
            workspace.store,
            workspace.datasets_folder,
            plan=ReleasePlan(
                name=name,
                title=settings.dataset.name,
                licence=settings.dataset.licence,
                languages=settings.dataset.languages,
                test_share=settings.release.test_share,
                split_salt=settings.release.split_salt,
                mining=settings.mining.plan(),
                pseudonym=lambda assessor: pseudonym(workspace, assessor),
                config=config_snapshot(workspace),
                tool_version=__version__,
            ),
            report=report,
        )

    perform(context, work, show=_show, as_json=as_json, lock="release", shows_next=True)


def verify(
    path: Annotated[Path, typer.Argument(help="The folder of one version.")],
    as_json: AsJson = False,
) -> None:
    """Check every byte of a version against what was released; 1 where one differs."""
    from annotator.workflows.versions import verify_version

    with errors_as_exit_code(as_json=as_json):
        found = verify_version(path)
        if as_json:
            print_json({"path": str(path), "is_intact": not found, "findings": found})
        elif not found:
            say(f"{path} is what was released, byte for byte.")
        for finding in found if not as_json else []:
            say(finding)
        if found:
            raise typer.Exit(1)


def _show(found: "ReleaseReport") -> None:
    made = "Released" if found.is_new else "Nothing changed since"
    say(
        f"{made} {found.name}@{found.version}: {found.tuning} tuning and {found.test} test "
        f"queries, {found.no_answer} of them without an answer, {found.split_answer} split."
    )
    say(f"Folder: {found.folder}")
    if found.open:
        states = ", ".join(f"{count} {state}" for state, count in found.open_states.items())
        say(f"{found.open} sampled queries stay open ({states}); open.jsonl lists them.")
    if found.short_of_negatives:
        say(f"{found.short_of_negatives} queries have fewer hard negatives than wanted.")
    if found.moved_to_test:
        say(f"{found.moved_to_test} queries moved to test, tied to a test query by new labels.")
