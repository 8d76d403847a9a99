"""The component's modules under node, and what the wrapper hands to the browser."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from annotator.app.components.judge import component

FRONTEND = Path(component.__file__).with_name("frontend")
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="needs node")


def run_module(source: str) -> object:
    assert NODE is not None
    done = subprocess.run(
        [NODE, "--input-type=module"],
        input=source,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def offsets(expression: str) -> object:
    url = (FRONTEND / "offsets.js").as_uri()
    return run_module(
        f"import * as o from {json.dumps(url)};\n"
        f"process.stdout.write(JSON.stringify({expression}) ?? 'null');"
    )


def outbox(body: str) -> object:
    url = (FRONTEND / "outbox.js").as_uri()
    return run_module(f"import * as o from {json.dumps(url)};\n{body}")


def test_the_joined_modules_hold_no_import_and_one_default_export() -> None:
    text = component.joined_modules()
    lines = text.splitlines()
    assert [line for line in lines if line.startswith("import ")] == []
    assert [line for line in lines if line.startswith("export ")] == [
        "export default function (component) {"
    ]


@needs_node
def test_the_joined_modules_are_valid_javascript(tmp_path: Path) -> None:
    file = tmp_path / "joined.mjs"
    file.write_text(component.joined_modules(), "utf-8")
    assert NODE is not None
    done = subprocess.run([NODE, "--check", file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_text_never_enters_the_page_as_html() -> None:
    for file in FRONTEND.glob("*.js"):
        source = file.read_text("utf-8")
        for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
            assert way not in source, f"{file.name} uses {way}"


@needs_node
def test_offsets_count_code_points() -> None:
    # "a😀b": four UTF-16 units, three code points
    assert offsets('[0, 1, 3, 4].map((u) => o.codePointsBefore("a😀b", u))') == [0, 1, 2, 3]
    assert offsets('[0, 1, 2, 3].map((p) => o.unitsBefore("a😀b", p))') == [0, 1, 3, 4]


@needs_node
def test_a_selection_is_widened_to_whole_signs() -> None:
    # from the middle of a family (7 code points joined, 11 units) to the middle of "é" of two
    chunk = '{ text: "x👨‍👩‍👧‍👦 e\u0301!", doc_id: "d", start: 100 }'
    # x is 1, the family 7, a space, e with its accent 2: code points 1 to 11 of the chunk
    assert offsets(f"o.spanFromUnits({chunk}, 4, 14)") == {"doc_id": "d", "start": 101, "end": 111}


@needs_node
def test_a_selection_loses_the_space_at_its_ends() -> None:
    chunk = '{ text: "one two three", doc_id: "d", start: 0 }'
    assert offsets(f"o.spanFromUnits({chunk}, 3, 8)") == {"doc_id": "d", "start": 4, "end": 7}
    assert offsets(f"o.spanFromUnits({chunk}, 3, 4)") is None


@needs_node
def test_a_span_over_the_chunk_border_is_quoted_from_what_is_around() -> None:
    chunk = '{ before: "😀ab", text: "cd", after: "ef", start: 10 }'
    quotes = "[[9, 13], [7, 8], [6, 11], [11, 15]]"
    assert offsets(f"{quotes}.map(([start, end]) => o.quoteOf({chunk}, {{ start, end }}))") == [
        "bcde",
        "😀",
        None,
        None,
    ]


@needs_node
def test_a_new_span_takes_the_place_of_those_it_touches() -> None:
    spans = "[{ start: 0, end: 5 }, { start: 8, end: 9 }]"
    assert offsets(f"o.addSpan({spans}, {{ start: 3, end: 7 }})") == [
        {"start": 3, "end": 7},
        {"start": 8, "end": 9},
    ]


@needs_node
def test_a_batch_holds_one_query_in_order_and_passes_over_those_without_token() -> None:
    found = outbox(
        """
        const entry = (id, query) => ({ at: 1, seq: 1, event: { event_id: id, query_id: query } });
        const told = [["1", "q-b"], ["2", "q-a"], ["3", "q-c"], ["4", "q-a"]];
        const entries = told.map(([id, query]) => entry(id, query));
        const batch = o.nextBatch(entries, (query) => query !== "q-b");
        process.stdout.write(JSON.stringify(batch.map((e) => e.event.event_id)));
        """
    )
    assert found == ["2", "4"]


@needs_node
def test_the_wait_between_tries_doubles_up_to_half_a_minute() -> None:
    found = outbox(
        "process.stdout.write(JSON.stringify([1, 2, 3, 20].map((n) => o.waitMs(n, 0.5))));"
    )
    assert found == [1000, 2000, 4000, 30000]
