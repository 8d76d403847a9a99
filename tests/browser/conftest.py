"""A Chromium, and a page on a served workspace."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.fixtures_app import a_workspace
from tests.fixtures_server import RunningServer, a_server

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge", "microsoft-edge")
_ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def browser_path() -> str | None:
    """Return the browser to use: ANNOTATOR_BROWSER, else the first that is installed."""
    named = os.environ.get("ANNOTATOR_BROWSER")
    if named:
        return named
    return next((found for name in _NAMES if (found := shutil.which(name))), None)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = browser_path()
    if path is None:
        pytest.skip("no Chromium, Chrome or Edge found; name one in ANNOTATOR_BROWSER")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=_ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    folder = tmp_path / "workspace"
    a_workspace(folder).close()
    with a_server(folder) as running:
        yield running


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(locale="en-US", viewport={"width": 1400, "height": 860})
    yield context.new_page()
    context.close()
