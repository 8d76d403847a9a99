"""Which numbers may be compared, and what a version is called.

Each split has a comparability key; scores under different keys never share a trend line. A
second key, over documents, queries and spans alone, serves comparisons between chunkings.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from annotator.domain.judgment import RELEVANCE_THRESHOLD, SCHEME_VERSION
from annotator.domain.release import Record, Split

UNJUDGED_POLICY = "not relevant"
FIRST_VERSION = "1.0.0"
Change: TypeAlias = Literal["major", "minor", "patch", "none"]


@dataclass(frozen=True, slots=True)
class VersionKeys:
    """What decides about comparability: one key per split, one per split for evidence alone."""

    comparability: dict[Split, str]
    evidence: dict[Split, str]


def version_keys(
    records: Sequence[Record],
    *,
    corpus_sha256: str,
    document_hashes: Mapping[str, str],
    gains: Mapping[int, int],
) -> VersionKeys:
    """Return the keys of a version's records, whatever their order."""
    ordered = sorted(records, key=lambda record: record.query_id)
    frame = {
        "corpus": corpus_sha256,
        "threshold": RELEVANCE_THRESHOLD,
        "scheme": SCHEME_VERSION,
        "gains": sorted(gains.items()),
        "unjudged": UNJUDGED_POLICY,
    }
    comparability: dict[Split, str] = {}
    evidence: dict[Split, str] = {}
    splits: tuple[Split, ...] = ("tuning", "test")
    for split in splits:
        mine = [record for record in ordered if record.split == split]
        comparability[split] = _hash([frame, [_label_part(record) for record in mine]])
        evidence[split] = _hash(
            [sorted(document_hashes.items()), [_evidence_part(record) for record in mine]]
        )
    return VersionKeys(comparability, evidence)


def change_between(old: Mapping[str, str], new: Mapping[str, str], *, same_content: bool) -> Change:
    """Return how a version differs, by the comparability keys of its splits."""
    if old["test"] != new["test"]:
        return "major"
    if old["tuning"] != new["tuning"]:
        return "minor"
    return "none" if same_content else "patch"


def next_version(parent: str | None, change: Change) -> str:
    """Return the number of the next version; the first is 1.0.0."""
    if parent is None:
        return FIRST_VERSION
    major, minor, patch = (int(part) for part in parent.split("."))
    if change == "major":
        return f"{major + 1}.0.0"
    if change == "minor":
        return f"{major}.{minor + 1}.0"
    return f"{major}.{minor}.{patch + 1}"


def version_order(version: str) -> tuple[int, ...]:
    """Return a key that sorts versions by number: 1.10.0 after 1.9.0."""
    return tuple(int(part) if part.isdecimal() else -1 for part in version.split("."))


def _label_part(record: Record) -> list[object]:
    return [
        record.query_id,
        record.query,
        [[graded.chunk_id, graded.grade] for graded in record.graded],
        [list(group) for group in record.answer_groups],
        record.has_answer,
        record.frequency,
        record.inclusion_probability,
    ]


def _evidence_part(record: Record) -> list[object]:
    spans = [[a.span.doc_id, a.span.start, a.span.end] for a in record.answer_spans]
    return [record.query_id, record.query, record.has_answer, spans]


def _hash(value: object) -> str:
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()
