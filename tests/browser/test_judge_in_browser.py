"""What a person does with keys and mouse, and what stands in the database afterwards."""

import itertools
import json
import os
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import annotator
from annotator.domain.judgment import Judgment, QueryVerdict
from annotator.storage.judgments import all_judgments, all_verdicts
from annotator.workspace import open_workspace
from tests.fixtures_app import HOSTILE_TEXT
from tests.fixtures_server import RunningServer, a_server

pytestmark = [pytest.mark.browser, pytest.mark.server]

SELECT = """([card, from, to]) => {
  const hosts = [...document.querySelectorAll("*")].filter((e) => e.shadowRoot);
  const root = hosts.map((e) => e.shadowRoot).find((r) => r.querySelector(".judge"));
  const node = root.querySelectorAll(".card .text")[card].firstChild;
  const start = node.data.indexOf(from);
  document.getSelection().setBaseAndExtent(node, start, node, node.data.indexOf(to) + to.length);
}"""


def open_judge(page: Page, server: RunningServer, query_id: str) -> None:
    page.goto(f"{server.url}/judge?query={query_id}")
    expect(page.locator(".card[aria-current=true]")).to_have_count(1)
    page.wait_for_function("() => document.activeElement.shadowRoot !== null")


def wait_saved(page: Page) -> None:
    expect(page.locator(".sync")).to_have_attribute("data-state", "saved", timeout=30_000)


def judgments(server: RunningServer, query_id: str) -> dict[str, Judgment]:
    workspace = open_workspace(server.workspace)
    try:
        with workspace.store.read() as tx:
            return {j.chunk_id: j for j in all_judgments(tx) if j.query_id == query_id}
    finally:
        workspace.close()


def verdicts(server: RunningServer) -> dict[str, QueryVerdict]:
    workspace = open_workspace(server.workspace)
    try:
        with workspace.store.read() as tx:
            return {v.query_id: v for v in all_verdicts(tx)}
    finally:
        workspace.close()


def test_twenty_keys_60_ms_apart_give_twenty_right_labels(
    page: Page, server: RunningServer
) -> None:
    open_judge(page, server, "q-steps")
    grades = list(itertools.islice(itertools.cycle([2, 1, 0]), 20))
    for grade in grades:
        page.keyboard.press(str(grade))
        page.wait_for_timeout(60)
    wait_saved(page)
    found = judgments(server, "q-steps")
    assert [found[f"manual-long-c{n}"].grade for n in range(20)] == grades
    assert {judgment.assessor for judgment in found.values()} == {"ana"}


def test_undo_takes_back_one_by_one_and_enter_opens_the_next_query(
    page: Page, server: RunningServer
) -> None:
    open_judge(page, server, "q-warranty")
    page.keyboard.type("201")
    page.keyboard.type("uu")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(page.locator(".question")).to_have_text("在网上注册后，泵的保修期是多久？")
    found = judgments(server, "q-warranty")
    assert {chunk_id: j.grade for chunk_id, j in found.items()} == {
        "manual-pump-c0": 2,
        "manual-pump-c1": 2,
    }
    page.keyboard.press("Shift+Enter")
    expect(page.locator(".count")).to_have_text("2 / 3")


def test_chunks_that_answer_together_become_an_answer_group(
    page: Page, server: RunningServer
) -> None:
    open_judge(page, server, "q-warranty")
    page.keyboard.type("110s")
    wait_saved(page)
    verdict = verdicts(server)["q-warranty"]
    assert verdict.has_answer is True
    assert verdict.answer_groups == (("manual-pump-c0", "manual-pump-c1"),)


def test_a_chunk_that_cannot_be_judged_keeps_the_reason(page: Page, server: RunningServer) -> None:
    open_judge(page, server, "q-warranty")
    page.keyboard.type("x3")
    page.keyboard.type("xo")
    page.keyboard.type("no table 2")
    page.keyboard.press("Enter")
    wait_saved(page)
    found = judgments(server, "q-warranty")
    assert {chunk_id: (j.grade, j.cannot_judge) for chunk_id, j in found.items()} == {
        "manual-pump-c0": (None, "expertise"),
        "manual-pump-c1": (None, "no table 2"),
    }


def test_keys_in_the_note_are_text_and_the_note_is_stored(
    page: Page, server: RunningServer
) -> None:
    open_judge(page, server, "q-warranty")
    page.keyboard.press("1")
    page.keyboard.press("k")
    page.keyboard.press("m")
    page.keyboard.type("see 2 and 0, u")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    wait_saved(page)
    found = judgments(server, "q-warranty")
    assert {chunk_id: (j.grade, j.note) for chunk_id, j in found.items()} == {
        "manual-pump-c0": (1, "see 2 and 0, u")
    }


def test_hostile_text_is_shown_as_text_and_evidence_over_an_emoji_is_exact(
    page: Page, server: RunningServer
) -> None:
    open_judge(page, server, "q-hostile")
    expect(page.locator(".question")).to_have_text("<script>alert(1)</script> & **warranty** 😀?")
    expect(page.locator(".card .title").first).to_have_text("<b>Hostile</b> & co")
    shown = page.locator(".card .text").first.evaluate("(e) => e.textContent")
    assert shown == HOSTILE_TEXT
    assert page.evaluate("window.hacked") is None
    page.evaluate(SELECT, [0, "👨", "🇨🇭"])
    page.keyboard.press("e")
    page.evaluate(SELECT, [0, "<script>", "</script>"])
    page.keyboard.press("e")
    page.keyboard.press("2")
    wait_saved(page)
    spans = judgments(server, "q-hostile")["hostile-c0"].spans
    assert [HOSTILE_TEXT[span.start : span.end] for span in spans] == [
        "<script>window.hacked = 1</script>",
        "👨‍👩‍👧‍👦 and flag 🇨🇭",
    ]


def test_what_was_graded_without_a_server_survives_a_reload_and_arrives(
    page: Page, server: RunningServer
) -> None:
    open_judge(page, server, "q-warranty")
    page.keyboard.press("2")
    wait_saved(page)
    server.process.kill()
    server.process.wait()
    page.keyboard.type("10")
    expect(page.locator(".sync")).to_have_attribute("data-state", "waiting", timeout=10_000)
    kept = page.evaluate("() => Object.keys(localStorage).filter((k) => k.includes(':event:'))")
    assert len(kept) == 2
    with a_server(server.workspace, port=server.port):
        open_judge(page, server, "q-zh")
        wait_saved(page)
        kept = page.evaluate("() => Object.keys(localStorage).filter((k) => k.includes(':event:'))")
        assert kept == []
    found = judgments(server, "q-warranty")
    assert {chunk_id: j.grade for chunk_id, j in found.items()} == {
        "manual-pump-c0": 2,
        "manual-pump-c1": 1,
        "manual-pump-c2": 0,
    }


def test_nothing_of_scores_or_sources_reaches_the_browser(
    page: Page, server: RunningServer
) -> None:
    frames: list[str] = []
    page.on(
        "websocket",
        lambda socket: socket.on("framereceived", lambda data: frames.append(str(data))),
    )
    open_judge(page, server, "q-warranty")
    told = "".join(frames)
    assert "manual-pump-c0" in told
    for word in ("score", "bm25", "dense", "builtin", "inclusion_probability", '"rank"'):
        assert word not in told


def test_a_query_is_opened_from_the_queue_by_a_click(page: Page, server: RunningServer) -> None:
    page.goto(f"{server.url}/queue")
    page.get_by_role("button", name="Next open query").click()
    expect(page.locator(".question")).to_have_text("Which valve comes first in maintenance?")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_every_screen_is_drawn_without_error_and_without_the_internet(
    chromium: Browser, server: RunningServer, tmp_path: Path, locale: str, scheme: str
) -> None:
    heads = {
        "en-US": {"": "Home", "queue": "Queue", "versions": "Versions"},
        "zh-CN": {"": "首页", "queue": "队列", "versions": "版本"},
    }[locale]
    context = chromium.new_context(
        locale=locale, color_scheme=scheme, viewport={"width": 1400, "height": 860}
    )
    page = context.new_page()
    errors: list[str] = []
    outside: list[str] = []
    ours = (server.url, "data:", "blob:")
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda r: None if r.url.startswith(ours) else outside.append(r.url))
    for name, head in heads.items():
        page.goto(f"{server.url}/{name}")
        expect(page.get_by_role("heading", level=1)).to_have_text(head)
        page.screenshot(path=tmp_path / f"{name or 'home'}_{locale}_{scheme}.png")
    open_judge(page, server, "q-zh")
    expect(page.locator(".guide .label")).to_have_text(
        {"en-US": "Guideline", "zh-CN": "评判标准"}[locale]
    )
    page.screenshot(path=tmp_path / f"judge_{locale}_{scheme}.png")
    context.close()
    assert (errors, outside) == ([], [])


def test_the_language_can_be_switched_and_stays_in_the_address(
    page: Page, server: RunningServer
) -> None:
    page.goto(server.url)
    page.get_by_text("中文", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("首页")
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("首页")


def test_an_outbox_entry_is_one_event(page: Page, server: RunningServer) -> None:
    page.route("**/api/events", lambda route: route.abort())
    open_judge(page, server, "q-warranty")
    page.keyboard.type("21")
    expect(page.locator(".sync")).to_have_attribute("data-state", "waiting")
    entries = page.evaluate(
        "() => Object.keys(localStorage).filter((k) => k.includes(':event:'))"
        ".map((k) => localStorage.getItem(k))"
    )
    told = {json.loads(entry)["event"]["chunk_id"] for entry in entries}
    assert told == {"manual-pump-c0", "manual-pump-c1"}
    page.unroute("**/api/events")
    wait_saved(page)


def test_an_installed_package_serves_its_modules_as_files_and_a_source_tree_sends_them_along(
    page: Page, server: RunningServer
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    open_judge(page, server, "q-zh")
    names = {url.rsplit("/", 1)[1].partition("?")[0] for url in asked if "rag-annotator" in url}
    tree = Path(__file__).parents[2] / "annotator"
    from_tree = Path(annotator.__file__).is_relative_to(tree)
    is_installed = "ANNOTATOR_TEST_PYTHON" in os.environ or not from_tree
    modules = {"judge.js", "judge.css", "view.js", "outbox.js", "offsets.js"}
    assert names == (modules if is_installed else set())


def test_an_expired_token_is_renewed_without_losing_a_label(
    page: Page, server: RunningServer
) -> None:
    open_judge(page, server, "q-warranty")
    page.route(
        "**/api/events",
        lambda route: route.fulfill(status=401, json={"error": "The token has expired."}),
        times=1,
    )
    page.keyboard.press("2")
    wait_saved(page)
    assert judgments(server, "q-warranty")["manual-pump-c0"].grade == 2
