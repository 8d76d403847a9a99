"""The demo: a small workspace in English and Chinese, built by the same workflows as any other."""

from collections.abc import Callable
from importlib import resources
from pathlib import Path

from annotator.curation.sampling import SamplingPlan
from annotator.domain.errors import InputError
from annotator.settings import SETTINGS_FILE, SettingsTable
from annotator.workflows.curate import bucket_population, curate, import_log, load_population
from annotator.workflows.ingest import Chunking, import_corpus
from annotator.workflows.pool import pool
from annotator.workflows.sample import sample
from annotator.workflows.status import Status, status
from annotator.workspace import create_workspace, open_workspace

BUDGET = 24
SETTINGS: SettingsTable = {
    "curation": {"planned_budget": BUDGET},
    "corpus": {"chunk_chars": 400},
    "pool": {"depth_k": 5},
}


def demo_sources() -> Path:
    """Return the folder of the demo's documents and log, in an installed wheel or a checkout."""
    installed = Path(str(resources.files("annotator"))) / "_datasets" / "demo"
    checkout = Path(__file__).parents[2] / "datasets" / "demo"
    for folder in (installed, checkout):
        if folder.is_dir():
            return folder
    raise InputError(
        "This installation lacks the demo's documents. Install the package anew: "
        "pip install --force-reinstall rag-annotator"
    )


def build_demo(path: Path, *, say: Callable[[str], None]) -> Status:
    """Build the demo's workspace, or go on with one that an earlier call left unfinished.

    Raises InputError where the folder holds something else.
    """
    sources = demo_sources()
    if (path / SETTINGS_FILE).exists():
        say(f"The workspace {path} exists; going on with it.")
        workspace = open_workspace(path)
    else:
        say(f"Making the workspace {path} …")
        workspace = create_workspace(
            path,
            name="Lantern help centre",
            licence="Apache-2.0",
            languages=["en", "zh"],
            settings=SETTINGS,
        )
    try:
        with workspace.lock("demo"):
            wanted, cut = workspace.settings.curation, workspace.settings.corpus
            found = status(workspace.store)
            if not found.distinct_queries:
                say("Importing the query log and putting its queries into buckets …")
                import_log(workspace.store, workspace.log_folder, sources / "log.csv")
                curate(
                    workspace.store,
                    log_folder=workspace.log_folder,
                    curation_folder=workspace.curation_folder,
                    encode=workspace.vectors,
                    merge_near_duplicates=True,
                    n_buckets=round(wanted.buckets_per_query * BUDGET),
                    n_intents=wanted.intents,
                    head_share=wanted.head_share,
                    torso_share=wanted.torso_share,
                )
            if not found.sampled_queries:
                say(f"Sampling {BUDGET} queries …")
                population, tree, fingerprint = load_population(
                    workspace.store, workspace.curation_folder
                )
                sample(
                    workspace.store,
                    bucket_population(
                        population,
                        tree,
                        n_buckets=round(wanted.buckets_per_query * BUDGET),
                        n_intents=wanted.intents,
                        head_share=wanted.head_share,
                        torso_share=wanted.torso_share,
                    ),
                    fingerprint=fingerprint,
                    budget=BUDGET,
                    seed=0,
                    plan=SamplingPlan(wanted.traffic, wanted.coverage, wanted.one_offs),
                    languages=workspace.settings.dataset.languages,
                )
            if not found.chunks:
                say("Importing the documents and cutting them into chunks …")
                import_corpus(
                    workspace.store,
                    [sources / "documents"],
                    chunking=Chunking(cut.chunker, cut.chunk_chars, cut.overlap_chars),
                    languages=workspace.settings.dataset.languages,
                )
            if not found.pool_pairs:
                say("Pooling candidates from the built-in retriever …")
                pool(
                    workspace.store,
                    [workspace.retriever(name) for name in workspace.settings.pool.retrievers],
                    depth_k=workspace.settings.pool.depth_k,
                    seed=workspace.settings.pool.seed,
                )
        return status(workspace.store)
    finally:
        workspace.close()
