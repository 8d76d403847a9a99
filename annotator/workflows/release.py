"""Release a version: what is settled goes into the splits, the rest is listed as open.

The folder is written under a temporary name, synced and renamed; the folder on disk is what
counts, and the database's row is an index of it.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from annotator.atomic import publish_folder, sync_folder, temporary_folder
from annotator.corpus.identity import text_sha256
from annotator.domain.errors import ReleaseError
from annotator.domain.json import JsonObject
from annotator.domain.progress import Report, silent
from annotator.domain.query import SampledQuery
from annotator.domain.release import SPLITS, Record
from annotator.evaluation.measures import GAINS
from annotator.formats.datacard import data_card
from annotator.formats.records import changed_fields
from annotator.formats.version_folder import (
    MANIFEST_FILE,
    OpenQuery,
    content_sha256,
    file_entries,
    read_version,
    write_data_files,
    write_json,
    write_sums,
)
from annotator.judging.adjudication import ResolvedQuery
from annotator.release.checks import record_problems, straddling_needs
from annotator.release.manifest import VersionFacts, count_version, make_manifest
from annotator.release.records import Settled, make_record
from annotator.release.splitting import information_needs, split_queries
from annotator.release.versioning import (
    Change,
    VersionKeys,
    change_between,
    next_version,
    version_keys,
)
from annotator.storage import releases
from annotator.storage.engine import Store, now
from annotator.workflows.mine import MiningPlan, choose_for
from annotator.workflows.snapshot import Snapshot, read_snapshot, ties_between
from annotator.workflows.versions import (
    adopt_folders,
    check_dataset_name,
    latest_release,
    refuse_lost_version,
)


@dataclass(frozen=True, slots=True)
class ReleasePlan:
    """What the maintainer decided; `pseudonym` turns an assessor's name into what is published."""

    name: str
    title: str
    licence: str
    languages: tuple[str, ...]
    test_share: float
    split_salt: str
    mining: MiningPlan
    pseudonym: Callable[[str], str]
    config: JsonObject
    tool_version: str


@dataclass(frozen=True, slots=True)
class ReleaseReport:
    """The version that stands now; `is_new` is False where nothing changed since it was made."""

    name: str
    version: str
    folder: str
    is_new: bool
    tuning: int
    test: int
    open: int
    no_answer: int
    split_answer: int
    short_of_negatives: int
    moved_to_test: int
    open_states: dict[str, int]


@dataclass(frozen=True, slots=True)
class _Found:
    """The records, the queries that stay open, and how many a new tie moved to test."""

    records: list[Record]
    open_queries: list[OpenQuery]
    moved_to_test: int


def release(
    store: Store, datasets_folder: Path, *, plan: ReleasePlan, report: Report = silent
) -> ReleaseReport:
    """Write the next version of a dataset, unless nothing changed since the last one.

    Raises ReleaseError where fewer than two information needs are settled, or where a record
    would break the contract.
    """
    check_dataset_name(plan.name)
    adopt_folders(store, datasets_folder / plan.name, plan.name)
    with store.read() as tx:
        snapshot = read_snapshot(tx, plan.name)
        parent = latest_release(tx, plan.name)
    if parent is not None:
        refuse_lost_version(datasets_folder / plan.name / parent.version)
    found = _find(snapshot, plan)
    report("write files", 0, 0)
    keys = version_keys(
        found.records,
        corpus_sha256=snapshot.corpus_sha256,
        document_hashes={document.doc_id: document.sha256 for document in snapshot.documents},
        gains=GAINS,
    )
    home = datasets_folder / plan.name
    with temporary_folder(home) as folder:
        write_data_files(
            folder,
            records=found.records,
            open_queries=found.open_queries,
            documents=snapshot.documents,
            chunks=snapshot.chunks,
            text_hashes={chunk.chunk_id: text_sha256(chunk.text) for chunk in snapshot.chunks},
        )
        about = (plan.title, plan.licence, *plan.languages)
        content = content_sha256(file_entries(folder), about=about)
        change = _change(parent, keys, content)
        if parent is not None and change == "none":
            return _report(found, plan, parent.version, home, is_new=False)
        version = next_version(parent.version if parent else None, change)
        manifest = make_manifest(
            VersionFacts(
                name=plan.name,
                title=plan.title,
                version=version,
                parent=parent.version if parent else None,
                created_at=now(),
                tool_version=plan.tool_version,
                licence=plan.licence,
                languages=plan.languages,
                test_share=plan.test_share,
                corpus_sha256=snapshot.corpus_sha256,
                content_sha256=content,
                gains=GAINS,
            ),
            count_version(
                found.records,
                open_states=[query.state for query in found.open_queries],
                documents=len(snapshot.documents),
                chunks=len(snapshot.chunks),
            ),
            keys,
        )
        _describe(folder, plan, snapshot, manifest, _difference(home, parent, found.records))
        sync_folder(folder)
        with store.write() as tx:
            releases.add(
                tx,
                name=plan.name,
                version=version,
                parent=parent.version if parent else None,
                content_sha256=content,
                manifest=manifest,
            )
            releases.assign(tx, plan.name, version, {r.query_id: r.split for r in found.records})
            publish_folder(folder, home / version)
    return _report(found, plan, version, home, is_new=True)


def _find(snapshot: Snapshot, plan: ReleasePlan) -> _Found:
    chunks = {chunk.chunk_id: chunk for chunk in snapshot.chunks}
    settled: dict[str, Settled] = {}
    open_queries: list[OpenQuery] = []
    for query in snapshot.queries:
        resolved = snapshot.resolved[query.query_id]
        if resolved.state in ("answered", "no_answer"):
            # chosen anew from the live list: what was judged since it was mined counts
            live = snapshot.live.get(query.query_id, ())
            choice = choose_for(resolved, live, chunks, plan.mining)
            settled[query.query_id] = Settled(
                query=query,
                has_answer=resolved.state == "answered",
                grades=resolved.grades,
                groups=resolved.answer_groups,
                spans=resolved.spans,
                negatives=[hit.chunk_id for hit in choice.chosen],
                annotators=[plan.pseudonym(name) for name in resolved.assessors],
            )
        else:
            open_queries.append(_open(query, resolved))
    needs = information_needs(snapshot.resolved, ties_between(snapshot))
    n_settled = len({needs[query_id] for query_id in settled})
    if n_settled < 2:
        raise ReleaseError(
            f"Only {n_settled} information needs of {len(snapshot.queries)} sampled "
            "queries are settled; two splits need at least 2. Judge more queries to the end, and "
            "confirm those without an answer (see: annotator status)."
        )
    parted = split_queries(
        {
            query_id: f"{entry.query.stratum} {entry.query.lang} {entry.has_answer}"
            for query_id, entry in settled.items()
        },
        needs=needs,
        earlier=snapshot.earlier,
        test_share=plan.test_share,
        salt=plan.split_salt or plan.name,
    )
    texts = {document.doc_id: document.text for document in snapshot.documents}
    records = [
        make_record(
            entry,
            split=parted.splits[query_id],
            chunks=chunks,
            span_texts={s: texts[s.doc_id][s.start : s.end] for s in entry.spans},
        )
        for query_id, entry in settled.items()
    ]
    problems = record_problems(records, chunk_ids=chunks) + straddling_needs(records, needs)
    if problems:
        raise ReleaseError(
            f"The version would break its contract in {len(problems)} places: "
            f"{' '.join(problems[:3])} Run annotator mine again, or correct the judgments."
        )
    return _Found(records, open_queries, len(parted.moved))


def _open(query: SampledQuery, resolved: ResolvedQuery) -> OpenQuery:
    return OpenQuery(
        query_id=query.query_id,
        query=query.text,
        state=resolved.state,
        bucket=query.bucket.id,
        stratum=query.stratum,
        frequency=query.frequency,
        unjudged=len(resolved.unjudged),
    )


def _change(parent: releases.StoredRelease | None, keys: VersionKeys, content: str) -> Change:
    if parent is None:
        return "major"
    old = parent.manifest["comparability_key"]
    if not isinstance(old, dict):
        raise ReleaseError(f"Version {parent.version} has a manifest without comparability keys.")
    return change_between(
        {split: str(key) for split, key in old.items()},
        dict(keys.comparability.items()),
        same_content=parent.content_sha256 == content,
    )


def _describe(
    folder: Path,
    plan: ReleasePlan,
    snapshot: Snapshot,
    manifest: JsonObject,
    difference: JsonObject,
) -> None:
    """Write what describes the version; the manifest lists every file before it."""
    write_json(folder / "diff.json", difference)
    write_json(
        folder / "config.snapshot.json",
        {"sampling": snapshot.plan, "chunking": snapshot.chunking, **plan.config},
    )
    (folder / "README.md").write_text(data_card(manifest), encoding="utf-8", newline="\n")
    manifest["files"] = [
        {"path": e.path, "bytes": e.bytes, "rows": e.rows, "sha256": e.sha256}
        for e in file_entries(folder)
    ]
    write_json(folder / MANIFEST_FILE, manifest)
    write_sums(folder)


def _difference(
    home: Path, parent: releases.StoredRelease | None, records: Sequence[Record]
) -> JsonObject:
    old: list[Record] = []
    if parent is not None:
        before = read_version(home / parent.version)
        old = [record for split in SPLITS for record in before.records[split]]
    return {"parent": parent.version if parent else None, **changed_fields(old, records)}


def _report(
    found: _Found, plan: ReleasePlan, version: str, home: Path, *, is_new: bool
) -> ReleaseReport:
    records = found.records
    return ReleaseReport(
        name=plan.name,
        version=version,
        folder=str(home / version),
        is_new=is_new,
        tuning=sum(1 for record in records if record.split == "tuning"),
        test=sum(1 for record in records if record.split == "test"),
        open=len(found.open_queries),
        no_answer=sum(1 for record in records if not record.has_answer),
        split_answer=sum(1 for record in records if record.split_answer),
        short_of_negatives=sum(
            1 for record in records if len(record.hard_negative_ids) < plan.mining.wanted_min
        ),
        moved_to_test=found.moved_to_test,
        open_states=dict(sorted(Counter(query.state for query in found.open_queries).items())),
    )
