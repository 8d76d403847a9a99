"""curate, sample: from the log to the queries that will be judged."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from annotator.cli.session import AsJson, perform, say

if TYPE_CHECKING:
    from annotator.domain.progress import Report
    from annotator.workflows.curate import CurateReport
    from annotator.workflows.sample import SampleReport
    from annotator.workspace import Workspace


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("curate", epilog="Example: annotator -w my-set curate")(curate)
    app.command("sample", epilog="Example: annotator -w my-set sample --budget 200 --seed 1")(
        sample
    )


def curate(context: typer.Context, as_json: AsJson = False) -> None:
    """Merge equal and near-duplicate queries, encode them and bucket them by intent."""
    from annotator.workflows.curate import curate as run_curate

    def work(workspace: "Workspace", report: "Report") -> "CurateReport":
        wanted = workspace.settings.curation
        return run_curate(
            workspace.store,
            log_folder=workspace.log_folder,
            curation_folder=workspace.curation_folder,
            encode=lambda texts: workspace.vectors(texts, report=report),
            merge_near_duplicates=wanted.near_duplicates,
            n_buckets=round(wanted.buckets_per_query * wanted.planned_budget),
            n_intents=wanted.intents,
            head_share=wanted.head_share,
            torso_share=wanted.torso_share,
            report=report,
        )

    perform(context, work, show=_show_curated, as_json=as_json, lock="curate", shows_next=True)


def sample(
    context: typer.Context,
    budget: Annotated[int, typer.Option(min=1, help="Number of queries to judge.")],
    seed: Annotated[int, typer.Option(help="Seed of the draw.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Also write the sample as JSONL.")] = None,
    as_json: AsJson = False,
) -> None:
    """Draw exactly so many queries, each with a known inclusion probability."""
    from annotator.curation.sampling import SamplingPlan
    from annotator.workflows.curate import bucket_population, load_population
    from annotator.workflows.sample import export_sample
    from annotator.workflows.sample import sample as run_sample

    def work(workspace: "Workspace", report: "Report") -> "SampleReport":
        wanted = workspace.settings.curation
        population, tree, fingerprint = load_population(workspace.store, workspace.curation_folder)
        report("cut buckets", 0, 0)
        found = run_sample(
            workspace.store,
            bucket_population(
                population,
                tree,
                n_buckets=max(1, round(wanted.buckets_per_query * budget)),
                n_intents=wanted.intents,
                head_share=wanted.head_share,
                torso_share=wanted.torso_share,
            ),
            fingerprint=fingerprint,
            budget=budget,
            seed=seed,
            plan=SamplingPlan(wanted.traffic, wanted.coverage, wanted.one_offs),
            languages=workspace.settings.dataset.languages,
        )
        if out is not None:
            export_sample(workspace.store, out)
        return found

    perform(context, work, show=_show_sample, as_json=as_json, lock="sample", shows_next=True)


def _show_curated(found: "CurateReport") -> None:
    say(
        f"{found.rows} rows = {found.kept} kept + {found.refused} refused. {found.distinct} "
        f"distinct queries = {found.queries} + {found.near_duplicates} near-duplicates of them, in "
        f"{found.buckets} buckets ({found.one_offs} one-offs) and {found.intents} intents."
    )


def _show_sample(found: "SampleReport") -> None:
    strata = ", ".join(f"{count} {name}" for name, count in found.per_stratum.items())
    say(
        f"{found.queries} queries ({strata}) from {found.buckets_covered} of "
        f"{found.multi_row_buckets} buckets with several rows, {found.intents_covered} intents, "
        f"seed {found.seed}."
    )
    if found.shortfall:
        say(f"{found.shortfall} fewer than asked for: {found.shortfall_reason}.")
    if found.is_unchanged:
        say("This is the sample that was in force; nothing changed.")
