"""score: one table that says how well a retriever does."""

import math
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from annotator.cli.session import AsJson, perform, say, say_table

if TYPE_CHECKING:
    from annotator.domain.progress import Report
    from annotator.workflows.score import ScoreReport
    from annotator.workspace import Workspace


class SplitName(StrEnum):
    """The splits of a version."""

    TUNING = "tuning"
    TEST = "test"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        "score",
        epilog="Example: annotator -w my-set score handbook --split tuning --retriever builtin",
    )(score)


def score(
    context: typer.Context,
    reference: Annotated[
        str, typer.Argument(metavar="NAME[@VERSION]", help="The dataset; else its last version.")
    ],
    retriever: Annotated[str, typer.Option(help="A retriever of the settings.")],
    split: Annotated[SplitName, typer.Option(help="Which split to score on.")] = SplitName.TUNING,
    reason: Annotated[str, typer.Option(help="Why the sealed test split is opened.")] = "",
    depth: Annotated[
        int | None, typer.Option(min=10, max=1000, help="Depth of the lists; else the settings'.")
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(help="Confidence under which an answer is a refusal; else the settings'."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Score a retriever on a split: Hit, Recall, Precision, MRR, nDCG, MAP, refusals, latency."""
    from annotator.workflows.score import score as run_score
    from annotator.workflows.score import score_to_json
    from annotator.workflows.versions import version_folder

    if threshold is not None and not math.isfinite(threshold):
        raise typer.BadParameter(f"--threshold {threshold}: use a finite number.")

    def work(workspace: "Workspace", report: "Report") -> "ScoreReport":
        wanted = workspace.settings.score
        folder = version_folder(workspace.datasets_folder, reference)
        live = workspace.retriever(retriever, report=report)
        try:
            return run_score(
                workspace.store,
                folder,
                live,
                split="test" if split is SplitName.TEST else "tuning",
                depth_k=depth or wanted.depth_k,
                threshold=wanted.confidence_threshold if threshold is None else threshold,
                reason=reason,
                report=report,
            )
        finally:
            live.close()

    perform(context, work, show=_show, as_json=as_json, to_json=score_to_json)


def _show(found: "ScoreReport") -> None:
    scores = found.scores
    rows = [
        [
            entry.name,
            "–" if entry.value is None else f"{entry.value:.4f}",
            f"{entry.n_scored} of {entry.n_total}",
        ]
        for entry in scores.measures
    ]
    rejection = scores.rejection
    for name, value, count in (
        ("rejection accuracy", rejection.accuracy, rejection.n_without_answer),
        ("false rejection", rejection.false_rejection, rejection.n_with_answer),
    ):
        shown = "–" if value is None else f"{value:.4f}"
        rows.append([f"{name} at {rejection.threshold:g}", shown, f"{count} of {scores.n_total}"])
    rows += [
        [f"latency {name} (ms)", f"{value:.1f}", f"{scores.n_total} of {scores.n_total}"]
        for name, value in scores.latency_ms.items()
    ]
    where = f"{found.name}@{found.version}, {found.split}"
    title = f"{found.retriever} on {where}, lists of {found.depth_k}"
    say_table(title, ["measure", "value", "n scored of n total"], rows, right_from=1)
    say(f"Key {found.comparability_key[:12]}: compare only with scores under the same key.")
    if rejection.n_without_confidence:
        say(
            f"{rejection.n_without_confidence} answers came without a confidence, so only empty "
            "answers count as refusals there."
        )
