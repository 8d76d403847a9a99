"""corpus: documents and chunks in, chunks out."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from annotator.cli.session import AsJson, perform, say

if TYPE_CHECKING:
    from annotator.domain.progress import Report
    from annotator.workflows.ingest import IngestReport
    from annotator.workspace import Workspace

app = typer.Typer(
    help="Import and export documents and chunks.",
    no_args_is_help=True,
    epilog="Example: annotator -w my-set corpus import docs/",
)


@app.command("import", epilog="Example: annotator -w my-set corpus import docs/ --chunk-chars 800")
def import_paths(
    context: typer.Context,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Folders and files: Markdown, text, JSONL with doc_id and text."),
    ] = None,
    chunks: Annotated[
        Path | None,
        typer.Option(
            help="Your own chunks (JSONL or Parquet with chunk_id, doc_id, text), never cut anew."
        ),
    ] = None,
    chunker: Annotated[
        str | None, typer.Option(help='"structure" or "fixed"; else as the settings say.')
    ] = None,
    chunk_chars: Annotated[
        int | None, typer.Option(min=20, max=20_000, help="Most characters in a chunk.")
    ] = None,
    overlap_chars: Annotated[
        int | None, typer.Option(min=0, help="Characters shared with the chunk before.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Import documents and cut them into chunks, or take your own chunks as they are."""
    from annotator.domain.errors import InputError
    from annotator.workflows.ingest import Chunking, import_corpus

    if not paths and chunks is None:
        raise typer.BadParameter("Name a folder or file of documents, or --chunks FILE.")
    if chunker not in (None, "structure", "fixed"):
        raise typer.BadParameter(f"--chunker {chunker}: use structure or fixed.")

    def work(workspace: "Workspace", report: "Report") -> "IngestReport":
        wanted = workspace.settings.corpus
        if chunks is not None and not chunks.exists():
            raise InputError(f"{chunks} does not exist.")
        return import_corpus(
            workspace.store,
            paths or [],
            chunking=Chunking(
                chunker or wanted.chunker,
                chunk_chars if chunk_chars is not None else wanted.chunk_chars,
                overlap_chars if overlap_chars is not None else wanted.overlap_chars,
            ),
            languages=workspace.settings.dataset.languages,
            chunks_file=chunks,
            report=report,
        )

    perform(context, work, show=_show, as_json=as_json, lock="corpus import", shows_next=True)


@app.command("export", epilog="Example: annotator -w my-set corpus export chunks.jsonl")
def export_file(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="Where to write the chunks as JSONL.")],
    as_json: AsJson = False,
) -> None:
    """Write every chunk with its place in its document, for your own index."""
    from annotator.workflows.ingest import export_corpus

    perform(
        context,
        lambda workspace, _: {"file": str(file), "chunks": export_corpus(workspace.store, file)},
        show=lambda found: say(f"Wrote {found['chunks']} chunks to {found['file']}."),
        as_json=as_json,
    )


def _show(found: "IngestReport") -> None:
    say(
        f"{found.documents_new} new documents, {found.documents_changed} changed, "
        f"{found.documents_unchanged} as they were. {found.chunks_total} chunks "
        f"({found.chunks_new} new, {found.chunks_removed} gone) of {found.shortest} to "
        f"{found.longest} characters, median {found.median}."
    )
    if found.documents_without_chunks:
        some = ", ".join(found.documents_without_chunks[:3])
        say(f"{len(found.documents_without_chunks)} documents have no chunk: {some}")
