"""pool, mine: ask the live retrievers."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from annotator.cli.session import AsJson, perform, say

if TYPE_CHECKING:
    from annotator.domain.progress import Report
    from annotator.workflows.mine import MineReport
    from annotator.workflows.pool import PoolReport
    from annotator.workspace import Workspace


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("pool", epilog="Example: annotator -w my-set pool --retriever live --depth 10")(
        pool
    )
    app.command("mine", epilog="Example: annotator -w my-set mine")(mine)


def pool(
    context: typer.Context,
    retriever: Annotated[
        list[str] | None,
        typer.Option(help="A retriever of the settings; may be given several times."),
    ] = None,
    depth: Annotated[
        int | None, typer.Option(min=1, max=1000, help="Depth of each list; else the settings'.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Also write the pool as JSONL.")] = None,
    as_json: AsJson = False,
) -> None:
    """Pool candidates for every sampled query from live retrievers."""
    from annotator.workflows.pool import export_pool
    from annotator.workflows.pool import pool as run_pool

    def work(workspace: "Workspace", report: "Report") -> "PoolReport":
        wanted = workspace.settings.pool
        found = [
            workspace.retriever(name, report=report)
            for name in dict.fromkeys(retriever or wanted.retrievers)
        ]
        try:
            result = run_pool(
                workspace.store,
                found,
                depth_k=depth or wanted.depth_k,
                seed=wanted.seed,
                report=report,
            )
        finally:
            for entry in found:
                entry.close()
        if out is not None:
            export_pool(workspace.store, out)
        return result

    perform(context, work, show=_show_pool, as_json=as_json, lock="pool", shows_next=True)


def mine(
    context: typer.Context,
    retriever: Annotated[
        str | None, typer.Option(help="The live retriever; else the settings'.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Find hard negatives in the live top-k, and answers that are cut across chunks."""
    from annotator.workflows.mine import mine as run_mine

    def work(workspace: "Workspace", report: "Report") -> "MineReport":
        wanted = workspace.settings.mining
        live = workspace.retriever(retriever or wanted.retriever, report=report)
        try:
            return run_mine(
                workspace.store,
                live,
                plan=wanted.plan(),
                report=report,
            )
        finally:
            live.close()

    perform(context, work, show=_show_mined, as_json=as_json, lock="mine", shows_next=True)


def _show_pool(found: "PoolReport") -> None:
    parts = ", ".join(f"{count} by {name}" for name, count in found.per_retriever.items())
    say(
        f"{found.pairs} pairs to judge for {found.queries} queries ({found.new_pairs} new); "
        f"retrieved: {parts}."
    )
    if found.queries_without_candidates:
        say(f"{found.queries_without_candidates} queries have no candidate at all.")


def _show_mined(found: "MineReport") -> None:
    say(
        f"{found.negatives} hard negatives; {found.enough} of {found.queries} settled queries have "
        f"enough, {found.short} too few. {found.ruled_out} chunks of grade 0 were ruled out as too "
        "close to an answer."
    )
    say(
        f"{found.cut_answers} spans are cut by chunk borders, {found.group_answers} groups were "
        f"stated; {found.split_queries} queries are answered by several chunks together only."
    )
    if found.queued:
        say(f"{found.queued} unjudged chunks of the live lists were put into the queue.")
