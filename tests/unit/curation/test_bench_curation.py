import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.slow
def test_the_bench_gives_a_ratio_for_every_step() -> None:
    result = subprocess.run(
        [sys.executable, "scripts/bench_curation.py", "--rows", "1000", "--json", "--no-quality"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    figures = json.loads(result.stdout)
    assert figures["distinct_queries"] == 1000
    assert figures["drawn"] == 50
    assert set(figures["ratio_by_step"]) == {
        "group_exact", "near_duplicates", "build_tree", "cut", "names", "strata_and_sample",
    }  # fmt: skip
    assert result.returncode == (0 if figures["ratio"] < figures["goal"] else 1)
