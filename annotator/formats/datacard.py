"""The README of a version: what the data is, how it was made, what every field means."""

import json
from typing import Any

from annotator.formats.records import FIELDS

_HF_FEATURES = """\
dataset_info:
  features:
  - {name: query_id, dtype: string}
  - {name: query, dtype: string}
  - {name: relevant_chunk_ids, sequence: string}
  - {name: hard_negative_ids, sequence: string}
  - {name: has_answer, dtype: bool}
  - name: graded
    list: [{name: chunk_id, dtype: string}, {name: grade, dtype: int64}]
  - name: answer_spans
    list:
    - {name: doc_id, dtype: string}
    - {name: start, dtype: int64}
    - {name: end, dtype: int64}
    - {name: text, dtype: string}
  - name: answer_groups
    sequence:
      sequence: string
  - {name: split_answer, dtype: bool}
  - {name: reference_answer, dtype: string}
  - {name: bucket, struct: [{name: id, dtype: string}, {name: name, dtype: string}]}
  - {name: intent, struct: [{name: id, dtype: string}, {name: name, dtype: string}]}
  - {name: stratum, dtype: string}
  - {name: frequency, dtype: int64}
  - {name: inclusion_probability, dtype: float64}
  - {name: source, dtype: string}
  - {name: annotators, sequence: string}
  - {name: agreement, dtype: float64}
  - {name: split, dtype: string}
  - {name: lang, dtype: string}
  - {name: tags, sequence: string}
"""


def data_card(manifest: dict[str, Any]) -> str:
    """Return the data card as Markdown with the header that the Hugging Face hub reads."""
    counts = manifest["counts"]
    tuning, test = counts["tuning"], counts["test"]
    rows = [
        f"| {label} | {tuning[key]} | {test[key]} |"
        for label, key in (
            ("queries", "queries"),
            ("with an answer", "has_answer"),
            ("without an answer", "no_answer"),
            ("answered only by several chunks together", "split_answer"),
        )
    ]
    fields = [f"| `{name}` | {meaning} |" for name, (_, meaning) in FIELDS.items()]
    return "\n".join(
        [
            "---",
            f"license: {json.dumps(manifest['licence'])}",
            f"language: {json.dumps(manifest['languages'])}",
            "task_categories: [text-retrieval]",
            "configs:",
            "- config_name: queries",
            "  data_files:",
            "  - {split: tuning, path: tuning.jsonl}",
            "  - {split: test, path: test.jsonl}",
            _HF_FEATURES.rstrip(),
            "---",
            "",
            f"# {manifest['title']} {manifest['version']}",
            "",
            f"A test set for retrieval: {counts['chunks']} chunks of {counts['documents']} "
            "documents, with queries sampled from a log and graded chunk by chunk by people.",
            "",
            "| | tuning | test |",
            "|---|---:|---:|",
            *rows,
            "",
            f"{counts['open']} sampled queries are not settled yet; `open.jsonl` lists them with "
            "their state. Queries without an answer stand in the splits but not in the qrels, "
            "where every library would count them as failures.",
            "",
            "## How to use it",
            "",
            "Tune on `tuning.jsonl`, never on `test.jsonl`. Compare scores only where the "
            "comparability key of the split is the same:",
            "",
            f"- tuning `{manifest['comparability_key']['tuning']}`",
            f"- test `{manifest['comparability_key']['test']}`",
            "",
            f"A chunk is relevant in binary measures from grade {manifest['relevance_threshold']}, "
            "or as member of a complete answer group; nDCG gains are "
            f"{json.dumps(manifest['gains'])}. Chunks that nobody judged count as not relevant.",
            "",
            "## Fields of tuning.jsonl and test.jsonl",
            "",
            "| field | meaning |",
            "|---|---|",
            *fields,
            "",
        ]
    )
