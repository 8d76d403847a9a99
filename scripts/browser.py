"""Find a Chromium, Chrome or Edge for the tests, or install one; the standard library alone."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import environment
from refusals import SetUpError

VARIABLE = "ANNOTATOR_BROWSER"
COMMANDS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "microsoft-edge-stable",
    "msedge",
)
MAC_APPS = ("Google Chrome", "Chromium", "Microsoft Edge")
WINDOWS_PLACES = (
    r"Google\Chrome\Application\chrome.exe",
    r"Microsoft\Edge\Application\msedge.exe",
    r"Chromium\Application\chrome.exe",
)
LINUX_PLACES = ("/usr/lib/chromium/chromium", "/opt/google/chrome/chrome", "/snap/bin/chromium")
PLAYWRIGHT_TIMEOUT_S = 120
DEBIAN_TIMEOUT_S = 600
REMEDY = (
    "install Chrome, Chromium or Edge (Debian: sudo apt install chromium fonts-noto-cjk), or set "
    f"{VARIABLE} to the path of one, and run this again"
)


def find_or_install(folder: Path) -> str | None:
    """Return the path of a browser that starts, or None where there is none to be had.

    `folder` is the environment whose Playwright is asked. Raises `SetUpError` if the variable
    ANNOTATOR_BROWSER names something that does not start.
    """
    named = os.environ.get(VARIABLE)
    if named:
        if not starts(named):
            raise SetUpError(
                f"{VARIABLE} names {named}, which does not start as a browser. Correct it, or "
                "unset it to have one found."
            )
        return named
    for found in installed():
        return found
    for step in (_from_playwright, _from_debian):
        path = step(folder)
        if path is not None:
            return path
    return None


def installed() -> Iterator[str]:
    """Yield the browsers found by name and in the usual places that start."""
    by_name = (shutil.which(name) for name in COMMANDS)
    for path in [*by_name, *usual_places(sys.platform, dict(os.environ))]:
        if path is not None and starts(path):
            yield path


def usual_places(platform: str, variables: dict[str, str]) -> list[str]:
    """Return where browsers are installed on `platform` (as sys.platform names it)."""
    if platform == "darwin":
        tops = ["/Applications", variables.get("HOME", "") + "/Applications"]
        return [f"{top}/{app}.app/Contents/MacOS/{app}" for top in tops for app in MAC_APPS]
    if platform == "win32":
        names = ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")
        tops = [variables[name] for name in names if name in variables]
        return [f"{top}\\{place}" for top in tops for place in WINDOWS_PLACES]
    return list(LINUX_PLACES)


def starts(path: str) -> bool:
    """Say whether `path` is a browser that runs; Ubuntu has a stub that only names a snap."""
    if not Path(path).is_file():
        return False
    if sys.platform == "win32":  # Chrome opens a window there, whatever it is asked
        return True
    try:
        done = subprocess.run([path, "--version"], capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _from_playwright(folder: Path) -> str | None:
    environment.say(
        "No Chromium, Chrome or Edge found: trying Playwright's own, for "
        f"{PLAYWRIGHT_TIMEOUT_S} s at most."
    )
    python = environment.command(folder, "python")
    variables = environment.child_environment(folder)
    install = [python, "-m", "playwright", "install", "chromium"]
    where = (
        "from playwright.sync_api import sync_playwright\n"
        "with sync_playwright() as playwright: print(playwright.chromium.executable_path)"
    )
    try:
        subprocess.run(
            install, env=variables, timeout=PLAYWRIGHT_TIMEOUT_S, check=True, capture_output=True
        )
        asked = [python, "-c", where]
        path = subprocess.check_output(asked, env=variables, timeout=60, text=True).strip()
    except (OSError, subprocess.SubprocessError) as error:
        environment.say(f"Playwright's own is not to be had ({type(error).__name__}).")
        return None
    return path if starts(path) else None


def _from_debian(folder: Path) -> str | None:
    """Install Debian's package; only as root, and only where apt-get is the system's own."""
    apt = shutil.which("apt-get")
    if apt is None or os.geteuid() != 0:
        return None
    environment.say("Installing Debian's chromium and a font for Chinese with apt-get.")
    variables = {**environment.child_environment(folder), "DEBIAN_FRONTEND": "noninteractive"}
    packages = ["--yes", "--no-install-recommends", "chromium", "fonts-noto-cjk"]
    for line in ([apt, "update", "--quiet=2"], [apt, "install", "--quiet=2", *packages]):
        try:
            subprocess.run(
                line,
                env=variables,
                stdin=subprocess.DEVNULL,
                timeout=DEBIAN_TIMEOUT_S,
                check=line[1] == "install",
            )
        except (OSError, subprocess.SubprocessError) as error:
            environment.say(f"apt-get failed ({error}).")
            return None
    return next(installed(), None)
