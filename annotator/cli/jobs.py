"""jobs: long work in the background."""

from typing import TYPE_CHECKING, Annotated

import typer

from annotator.cli.session import AsJson, perform, say, say_table

if TYPE_CHECKING:
    from annotator.storage.jobs import Job

app = typer.Typer(
    help="Run long work in the background.",
    no_args_is_help=True,
    epilog="Example: annotator -w my-set jobs list",
)
JobId = Annotated[str, typer.Argument(help="The job's id, as `jobs list` shows it.")]


@app.command(
    "start",
    epilog="Example: annotator -w my-set jobs start curate",
    context_settings={"ignore_unknown_options": True},
)
def start(
    context: typer.Context,
    command: Annotated[list[str], typer.Argument(help="An annotator command with its options.")],
    as_json: AsJson = False,
) -> None:
    """Start a command in the background."""
    from annotator import jobs

    names = sorted(getattr(context.find_root().command, "commands", {}))
    if command[0] not in names:
        raise typer.BadParameter(f"{command[0]} is no command. There are: {', '.join(names)}.")
    perform(
        context,
        lambda workspace, _: jobs.start(workspace.store, workspace.path, command),
        show=_show_job,
        as_json=as_json,
    )


@app.command("list", epilog="Example: annotator -w my-set jobs list")
def list_jobs(context: typer.Context, as_json: AsJson = False) -> None:
    """List the latest jobs, newest first."""
    from annotator import jobs

    perform(
        context,
        lambda workspace, _: {"jobs": jobs.listed(workspace.store)},
        show=lambda found: say_table(
            "Jobs",
            ["job", "command", "status", "step", "done"],
            [
                [
                    job.job_id,
                    " ".join(job.arguments),
                    job.status,
                    job.step,
                    f"{job.done} of {job.total}" if job.total else "",
                ]
                for job in found["jobs"]
            ],
            right_from=4,
        ),
        as_json=as_json,
    )


@app.command("log", epilog="Example: annotator -w my-set jobs log j-0123456789ab")
def log(context: typer.Context, job_id: JobId, as_json: AsJson = False) -> None:
    """Print what a job printed."""
    from annotator import jobs

    perform(
        context,
        lambda workspace, _: {
            "job_id": job_id,
            "log": jobs.read_log(workspace.store, workspace.path, job_id),
        },
        show=lambda found: say(found["log"]),
        as_json=as_json,
    )


@app.command("cancel", epilog="Example: annotator -w my-set jobs cancel j-0123456789ab")
def cancel(context: typer.Context, job_id: JobId, as_json: AsJson = False) -> None:
    """Stop a job; what it finished is kept."""
    from annotator import jobs

    perform(
        context,
        lambda workspace, _: jobs.cancel(workspace.store, job_id),
        show=_show_job,
        as_json=as_json,
    )


@app.command("resume", epilog="Example: annotator -w my-set jobs resume j-0123456789ab")
def resume(context: typer.Context, job_id: JobId, as_json: AsJson = False) -> None:
    """Start an ended job's command again; nothing that is done is done twice."""
    from annotator import jobs

    perform(
        context,
        lambda workspace, _: jobs.resume(workspace.store, workspace.path, job_id),
        show=_show_job,
        as_json=as_json,
    )


def _show_job(job: "Job") -> None:
    say(f"{job.job_id} {job.status}: annotator {' '.join(job.arguments)}")
