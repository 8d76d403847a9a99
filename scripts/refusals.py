"""Why the set-up cannot go on, each reason as a sentence that says what to do."""

import errno
import re
import sys
from pathlib import Path

# An environment with the CPU build of torch takes 2.0 GB (measured), and pip unpacks beside it.
NEEDED_BYTES = 3_000_000_000
# What pip downloads for it before it unpacks (0.4 GB), and room for one build.
NEEDED_TEMPORARY_BYTES = 800_000_000


class SetUpError(Exception):
    """The set-up cannot go on; `str(error)` says why and what to do."""


def explain_pip(text: str, *, what: str, log: Path) -> str:
    """Return what happened and what to do, from the log of a `pip install` that failed."""
    if re.search(r"Errno 28\]|No space left|WinError 112\]", text):
        return _disk_full(log.parent)
    if re.search(r"^.*(OSError|PermissionError): \[(Errno 13|WinError 5)\]", text, re.MULTILINE):
        return (
            f"pip may not write into {log.parent} while installing {what}. Stop a running app of "
            "this repository, or clone it into a folder of your own, and run this again."
        )
    if re.search(
        r"NewConnectionError|NameResolutionError|ConnectTimeout|ReadTimeout|ProxyError|SSLError"
        r"|CERTIFICATE_VERIFY_FAILED|IncompleteDownloadError|ConnectionResetError"
        r"|Network is unreachable",
        text,
    ):
        return (
            f"pip cannot reach its package index, so {what} is not installed. Check the network; "
            "behind a proxy set HTTPS_PROXY, for a mirror set PIP_INDEX_URL (and --torch-index "
            f"for torch), and run this again. Details: {log}"
        )
    missing = re.search(r"No matching distribution found for (\S+)", text)
    if missing:
        return (
            f"The package index has no {missing.group(1)} for this system ({sys.platform}, Python "
            f"{sys.version.split()[0]}). Use a 64-bit Python 3.11, 3.12 or 3.13 on Linux, Windows "
            f"or a Mac with an Apple chip. Details: {log}"
        )
    return (
        f"pip could not install {what}; its own words stand above and in {log}. Running this "
        "again with --recreate starts from nothing."
    )


def explain_os_error(error: OSError, folder: Path) -> str:
    """Return what happened and what to do about a file that could not be written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return _disk_full(folder)
    return (
        f"Cannot write {error.filename or folder} ({error.strerror}). Clone the repository into a "
        "folder of your own, or make this one writable, and run this again."
    )


def _disk_full(folder: Path) -> str:
    return (
        f"The disk is full. The packages need {NEEDED_BYTES / 1e9:.1f} GB in {folder} and in the "
        "folder for temporary files (TMPDIR names it). Free some space and run this again."
    )
