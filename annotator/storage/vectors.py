"""Vectors on disk: float16 Parquet, keyed by the hash of the text, one folder per model revision.

Nothing is encoded twice, and what was encoded before a process was killed is kept.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from annotator.atomic import atomic_file
from annotator.domain.progress import Report, silent
from annotator.text.normalize import stable_hash

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_KEY_HEX = 32
_TEXTS_PER_PART = 8_192


class VectorCache:
    """The vectors of one model revision in `folder`."""

    def __init__(self, folder: Path, *, revision: str) -> None:
        self._folder = folder / stable_hash(revision)

    def vectors(
        self,
        texts: Sequence[str],
        encode: Callable[[Sequence[str]], "NDArray[np.float32]"],
        *,
        report: Report = silent,
    ) -> "NDArray[np.float32]":
        """Return one row per text, shape (len(texts), d), encoding only what is not stored.

        Stored values are float16, so a row may differ from a fresh one in the fourth digit; rows
        are returned as they are stored, also when fresh, so that the same input gives the same
        output whether or not it was cached.
        """
        import numpy as np

        keys = [stable_hash(text, length=_KEY_HEX) for text in texts]
        known = self._load(set(keys))
        missing = [i for i, key in enumerate(keys) if key not in known]
        missing = list({keys[i]: i for i in missing}.values())
        for start in range(0, len(missing), _TEXTS_PER_PART):
            part = missing[start : start + _TEXTS_PER_PART]
            fresh = encode([texts[i] for i in part]).astype(np.float16)
            self._save([keys[i] for i in part], fresh)
            known.update({keys[i]: row for i, row in zip(part, fresh, strict=True)})
            report("encode", start + len(part), len(missing))
        if not keys:
            return np.empty((0, 0), dtype=np.float32)
        return np.stack([known[key] for key in keys]).astype(np.float32)

    def _load(self, wanted: set[str]) -> dict[str, "NDArray[np.float16]"]:
        """Return what is stored; a damaged part is dropped, so that it is encoded again."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.parquet as pq

        found: dict[str, NDArray[np.float16]] = {}
        # not what a killed process left unfinished: a dot keeps no file from '*.parquet'
        for path in sorted(self._folder.glob("part-*.parquet")):
            try:
                table = pq.read_table(path)
            except (pa.ArrowException, OSError):
                path.unlink(missing_ok=True)
                continue
            keys = table.column("key").to_pylist()
            column = table.column("vector").combine_chunks()
            values = column.values.to_numpy(zero_copy_only=False)
            rows = values.reshape(len(keys), -1)
            found.update({k: rows[i] for i, k in enumerate(keys) if k in wanted})
        return found

    def _save(self, keys: list[str], rows: "NDArray[np.float16]") -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        flat = pa.array(rows.reshape(-1))
        table = pa.table(
            {"key": keys, "vector": pa.FixedSizeListArray.from_arrays(flat, rows.shape[1])}
        )
        with atomic_file(self._folder / f"part-{uuid4().hex[:12]}.parquet") as path:
            pq.write_table(table, path, compression="zstd")
