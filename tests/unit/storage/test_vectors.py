import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from annotator.storage.vectors import VectorCache

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")


class Encoder:
    """Turns texts into numbers that float16 cannot hold exactly; remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked.extend(texts)
        rows = [[len(text) / 7, sum(map(ord, text)) % 97 / 97, -1 / 3] for text in texts]
        return np.array(rows, dtype=np.float32)


@settings(max_examples=25)
@given(st.lists(st.lists(st.text("ab中", max_size=3), max_size=6), max_size=4))
def test_rows_are_those_of_the_texts_and_nothing_is_encoded_twice(
    tmp_path_factory: pytest.TempPathFactory, batches: list[list[str]]
) -> None:
    encoder = Encoder()
    cache = VectorCache(tmp_path_factory.mktemp("vectors"), revision="r")
    for texts in batches:
        rows = cache.vectors(texts, encoder)
        assert rows.shape[0] == len(texts)
        assert rows.dtype == np.float32
        if texts:
            wanted = Encoder()(texts).astype(np.float16).astype(np.float32)
            np.testing.assert_array_equal(rows, wanted)
    assert len(encoder.asked) == len(set(encoder.asked))
    assert set(encoder.asked) == {text for texts in batches for text in texts}


def test_a_row_is_the_same_fresh_and_from_the_cache(tmp_path: Path) -> None:
    fresh = VectorCache(tmp_path, revision="r").vectors(["a", "bb"], Encoder())
    encoder = Encoder()
    again = VectorCache(tmp_path, revision="r").vectors(["bb", "a"], encoder)
    np.testing.assert_array_equal(again, fresh[::-1])
    assert encoder.asked == []


def test_another_model_has_vectors_of_its_own(tmp_path: Path) -> None:
    VectorCache(tmp_path, revision="r").vectors(["a"], Encoder())
    encoder = Encoder()
    VectorCache(tmp_path, revision="s").vectors(["a"], encoder)
    assert encoder.asked == ["a"]


def test_no_texts_give_no_rows(tmp_path: Path) -> None:
    assert VectorCache(tmp_path, revision="r").vectors([], Encoder()).shape[0] == 0


def test_a_text_with_half_a_character_has_a_row_too(tmp_path: Path) -> None:
    assert VectorCache(tmp_path, revision="r").vectors(["\ud800"], Encoder()).shape == (1, 3)


def test_progress_is_told_part_by_part(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    texts = [str(n) for n in range(9_000)]
    VectorCache(tmp_path, revision="r").vectors(
        texts, Encoder(), report=lambda *step: told.append(step)
    )
    assert told == [("encode", 8_192, 9_000), ("encode", 9_000, 9_000)]


@POSIX
def test_a_killed_process_leaves_what_it_had_encoded_and_no_harm(tmp_path: Path) -> None:
    script = textwrap.dedent("""
        import os, signal, sys
        from pathlib import Path
        import numpy as np
        import pyarrow.parquet as pq
        from annotator.storage.vectors import VectorCache
        def encode(texts):
            return np.ones((len(texts), 3), dtype=np.float32)
        cache = VectorCache(Path(sys.argv[1]), revision="r")
        cache.vectors(["a"], encode)
        def write_half(table, path, **options):
            path.write_bytes(b"PAR1 half")
            os.kill(os.getpid(), signal.SIGKILL)
        pq.write_table = write_half
        cache.vectors(["b"], encode)
    """)
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False)
    assert done.returncode < 0
    assert len(list(tmp_path.rglob(".unfinished-*"))) == 1
    encoder = Encoder()
    rows = VectorCache(tmp_path, revision="r").vectors(["a", "b"], encoder)
    assert encoder.asked == ["b"]
    np.testing.assert_array_equal(rows[0], [1, 1, 1])


def test_a_part_that_was_damaged_is_encoded_again(tmp_path: Path) -> None:
    VectorCache(tmp_path, revision="r").vectors(["a"], Encoder())
    VectorCache(tmp_path, revision="r").vectors(["b"], Encoder())
    broken = next(tmp_path.rglob("part-*.parquet"))
    broken.write_bytes(broken.read_bytes()[:50])
    encoder = Encoder()
    VectorCache(tmp_path, revision="r").vectors(["a", "b"], encoder)
    assert len(encoder.asked) == 1
