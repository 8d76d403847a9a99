import json

from annotator.domain.query import Label
from annotator.release.manifest import VersionFacts, count_version, make_manifest
from annotator.release.versioning import VersionKeys
from tests.builders import a_record

RECORDS = [
    a_record("q-1", grades={"c1": 2}),
    a_record("q-2", grades={"c1": 0}, lang="zh", stratum="tail", bucket=Label("b-2", "保修")),
    a_record("q-3", grades={"c1": 1, "c2": 1}, groups=[("c1", "c2")], lang="zh"),
    a_record("q-4", grades={"c1": 2}, split="test"),
]
COUNTS = count_version(
    RECORDS, open_states=["unjudged", "disputed", "unjudged"], documents=7, chunks=40
)


def test_the_counts_of_a_split_add_up() -> None:
    assert COUNTS.per_split["tuning"] == {
        "queries": 3,
        "has_answer": 2,
        "no_answer": 1,
        "split_answer": 1,
        "per_stratum": {"head": 2, "tail": 1},
        "per_lang": {"en": 1, "zh": 2},
        "per_intent": {"i-1": 3},
        "per_bucket": {"b-1": 2, "b-2": 1},
    }
    assert COUNTS.per_split["test"]["queries"] == 1


def test_open_queries_are_counted_by_state() -> None:
    assert COUNTS.open_states == {"disputed": 1, "unjudged": 2}


def test_a_manifest_says_what_may_be_compared_and_how() -> None:
    keys = VersionKeys({"tuning": "t", "test": "x"}, {"tuning": "e", "test": "f"})
    facts = VersionFacts(
        name="lamp",
        title="Lamp",
        version="1.0.0",
        parent=None,
        created_at="2026-01-01T00:00:00.000+00:00",
        tool_version="0.1.0",
        licence="CC0-1.0",
        languages=("en", "zh"),
        test_share=0.25,
        corpus_sha256="c",
        content_sha256="d",
        gains={1: 1, 2: 3},
    )
    manifest = json.loads(json.dumps(make_manifest(facts, COUNTS, keys)))
    assert manifest["comparability_key"] == {"tuning": "t", "test": "x"}
    assert manifest["evidence_key"] == {"tuning": "e", "test": "f"}
    assert manifest["relevance_threshold"] == 2
    assert manifest["gains"] == {"1": 1, "2": 3}
    assert manifest["unjudged"] == "not relevant"
    assert manifest["counts"]["open"] == 3
    assert (manifest["counts"]["documents"], manifest["counts"]["chunks"]) == (7, 40)
