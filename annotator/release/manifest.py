"""What a version says about itself: its counts and its manifest."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotator.domain.json import Json, JsonObject
from annotator.domain.judgment import RELEVANCE_THRESHOLD, SCHEME_VERSION
from annotator.domain.release import SPLITS, Record, Split
from annotator.release.versioning import UNJUDGED_POLICY, VersionKeys


@dataclass(frozen=True, slots=True)
class VersionCounts:
    """How many queries a version holds, split by split, and how many stay open by state."""

    per_split: dict[Split, JsonObject]
    open_states: dict[str, int]
    documents: int
    chunks: int


@dataclass(frozen=True, slots=True)
class VersionFacts:
    """What stands in a manifest beside counts and keys; `created_at` is UTC, ISO 8601."""

    name: str
    title: str
    version: str
    parent: str | None
    created_at: str
    tool_version: str
    licence: str
    languages: tuple[str, ...]
    test_share: float
    corpus_sha256: str
    content_sha256: str
    gains: Mapping[int, int]


def count_version(
    records: Sequence[Record], *, open_states: Sequence[str], documents: int, chunks: int
) -> VersionCounts:
    """Count the records per split, stratum, language, intent and bucket."""
    return VersionCounts(
        per_split={split: _split_counts(records, split) for split in SPLITS},
        open_states=dict(sorted(Counter(open_states).items())),
        documents=documents,
        chunks=chunks,
    )


def make_manifest(facts: VersionFacts, counts: VersionCounts, keys: VersionKeys) -> JsonObject:
    """Return the manifest without its list of files."""
    return {
        "name": facts.name,
        "title": facts.title,
        "version": facts.version,
        "parent": facts.parent,
        "created_at": facts.created_at,
        "tool": "rag-annotator",
        "tool_version": facts.tool_version,
        "licence": facts.licence,
        "languages": list(facts.languages),
        "counts": {
            "tuning": counts.per_split["tuning"],
            "test": counts.per_split["test"],
            "open": sum(counts.open_states.values()),
            "open_states": _copied(counts.open_states),
            "documents": counts.documents,
            "chunks": counts.chunks,
        },
        "relevance_threshold": int(RELEVANCE_THRESHOLD),
        "grade_scale": {
            "version": SCHEME_VERSION,
            "2": "answers the question",
            "1": "helps in part",
            "0": "no use",
        },
        "gains": {str(grade): gain for grade, gain in facts.gains.items()},
        "unjudged": UNJUDGED_POLICY,
        "no_answer_evidence": (
            "confirmed by an assessor after judging the whole pool; its retrievers and depth "
            "stand in config.snapshot.json"
        ),
        "test_probability": facts.test_share,
        "corpus_sha256": facts.corpus_sha256,
        "comparability_key": {split: keys.comparability[split] for split in SPLITS},
        "evidence_key": {split: keys.evidence[split] for split in SPLITS},
        "content_sha256": facts.content_sha256,
    }


def _split_counts(records: Sequence[Record], split: Split) -> JsonObject:
    mine = [record for record in records if record.split == split]
    answered = sum(1 for record in mine if record.has_answer)
    return {
        "queries": len(mine),
        "has_answer": answered,
        "no_answer": len(mine) - answered,
        "split_answer": sum(1 for record in mine if record.split_answer),
        "per_stratum": _copied(Counter(record.stratum for record in mine)),
        "per_lang": _copied(Counter(record.lang for record in mine)),
        "per_intent": _copied(Counter(record.intent.id for record in mine)),
        "per_bucket": _copied(Counter(record.bucket.id for record in mine)),
    }


def _copied(counted: Mapping[str, int]) -> dict[str, Json]:
    return dict(sorted(counted.items()))
