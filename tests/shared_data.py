"""Where the real data lies: $ANNOTATOR_TEST_DATA, else ../shared/data beside the repository."""

import os
from pathlib import Path

import pytest


def shared_data(name: str) -> Path:
    """Return a folder of the real data; skip the test, by name, where it is absent."""
    root = Path(
        os.environ.get("ANNOTATOR_TEST_DATA") or Path(__file__).parents[2] / "shared" / "data"
    )
    folder = root / name
    if not folder.is_dir():
        pytest.skip(f"needs the data folder {name!r} (set ANNOTATOR_TEST_DATA to its parent)")
    return folder
