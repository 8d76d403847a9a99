"""Score a retriever on one split of a version, and archive what came out."""

import uuid
from dataclasses import asdict, dataclass
from pathlib import Path

from annotator.domain.errors import ScoreError
from annotator.domain.json import JsonObject
from annotator.domain.progress import Report, silent
from annotator.domain.release import Record, Split
from annotator.evaluation.measures import GAINS, JudgedQuery, Scores, score_run
from annotator.formats.version_folder import read_version
from annotator.retrievers.base import Retriever
from annotator.storage import corpus, facts, releases, runs
from annotator.storage.engine import Store, now
from annotator.workflows.retrieve import run_retriever


@dataclass(frozen=True, slots=True)
class ScoreReport:
    """A table with everything that it hangs on."""

    score_id: str
    name: str
    version: str
    split: Split
    retriever: str
    retriever_version: str
    depth_k: int
    comparability_key: str
    confidence: str
    scores: Scores


def score(
    store: Store,
    folder: Path,
    retriever: Retriever,
    *,
    split: Split,
    depth_k: int,
    threshold: float,
    reason: str = "",
    report: Report = silent,
) -> ScoreReport:
    """Ask the retriever for every query of the split, score its lists, and store both.

    The test split is sealed: a `reason` opens it and is stored. Raises ScoreError where it is
    missing, where the workspace's corpus is not that of the version, or where the split is empty.
    """
    if split == "test" and not reason.strip():
        raise ScoreError(
            "The test split is sealed, so that nothing is tuned on it. Score on tuning, or say "
            'why you open it: --split test --reason "final comparison for ..."'
        )
    version = read_version(folder)
    records = version.records[split]
    where = f"{version.manifest['name']}@{version.manifest['version']}"
    if not records:
        raise ScoreError(f"The {split} split of {where} holds no queries.")
    with store.read() as tx:
        chunks = corpus.all_chunks(tx)
        sha256 = str(facts.get(tx, "corpus_sha256") or "")
    if sha256 != version.manifest["corpus_sha256"]:
        raise ScoreError(
            f"The labels of {where} belong to the corpus "
            f"{str(version.manifest['corpus_sha256'])[:12]}, but the workspace holds "
            f"{sha256[:12] or 'none'}. Release a version for this corpus, or score in a workspace "
            "with the version's corpus."
        )
    if version.manifest["gains"] != {str(grade): gain for grade, gain in GAINS.items()}:
        raise ScoreError(
            f"{where} is scored with the gains {version.manifest['gains']}, this program uses "
            f"{GAINS}. Score it with the version of rag-annotator that made it."
        )
    run = run_retriever(
        retriever,
        [(record.query_id, record.query) for record in records],
        depth_k=depth_k,
        chunks=chunks,
        report=report,
    )
    scores = score_run(
        [_judged(record) for record in records], run.lists, depth_k=depth_k, threshold=threshold
    )
    keys = version.manifest["comparability_key"]
    result = ScoreReport(
        score_id=f"s-{uuid.uuid4().hex[:12]}",
        name=str(version.manifest["name"]),
        version=str(version.manifest["version"]),
        split=split,
        retriever=run.retriever,
        retriever_version=run.retriever_version,
        depth_k=depth_k,
        comparability_key=str(keys[split]) if isinstance(keys, dict) else "",
        confidence=retriever.capabilities.confidence,
        scores=scores,
    )
    with store.write() as tx:
        run_id = runs.add(tx, run, purpose="score", corpus_sha256=sha256)
        releases.add_score(
            tx,
            releases.StoredScore(
                score_id=result.score_id,
                name=result.name,
                version=result.version,
                split=split,
                comparability_key=result.comparability_key,
                run_id=run_id,
                report=score_to_json(result),
                reason=reason,
                created_at=now(),
            ),
        )
    return result


def score_to_json(report: ScoreReport) -> JsonObject:
    """Return the report as JSON, with measures by name and per query."""
    scores = report.scores
    return {
        "score_id": report.score_id,
        "name": report.name,
        "version": report.version,
        "split": report.split,
        "retriever": report.retriever,
        "retriever_version": report.retriever_version,
        "depth_k": report.depth_k,
        "comparability_key": report.comparability_key,
        "n_total": scores.n_total,
        "n_with_answer": scores.n_with_answer,
        "n_missing": scores.n_missing,
        "measures": {
            entry.name: {
                "value": entry.value,
                "n_scored": entry.n_scored,
                "n_total": entry.n_total,
            }
            for entry in scores.measures
        },
        "rejection": {**asdict(scores.rejection), "confidence": report.confidence},
        "latency_ms": {**scores.latency_ms},
        "per_query": {query_id: {**values} for query_id, values in scores.per_query.items()},
    }


def _judged(record: Record) -> JudgedQuery:
    return JudgedQuery(
        query_id=record.query_id,
        has_answer=record.has_answer,
        relevant=record.relevant_chunk_ids,
        grades={graded.chunk_id: graded.grade for graded in record.graded},
    )
