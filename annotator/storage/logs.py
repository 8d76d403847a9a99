"""The query log and the population in Parquet: what is too large and too plain for the database."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import BadZipFile

from annotator.atomic import atomic_file, write_errors
from annotator.domain.errors import StorageError
from annotator.domain.query import DistinctQuery, Variant

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_POPULATION = "population.parquet"
_TREE = "tree.npz"


def write_counts(path: Path, counts: Mapping[str, int]) -> None:
    """Store distinct raw queries with their numbers of log rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table(
        {"text": pa.array(list(counts), pa.large_string()), "count": list(counts.values())}
    )
    with atomic_file(path) as temporary:
        pq.write_table(table, temporary, compression="zstd")
    with write_errors(path):
        path.chmod(0o600)


def read_counts(paths: Sequence[Path]) -> dict[str, int]:
    """Return the sum over several files; raises StorageError where one is gone or broken."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    total: dict[str, int] = {}
    for path in paths:
        try:
            table = pq.read_table(path)
        except (OSError, pa.ArrowException) as error:
            raise StorageError(
                f"{path} cannot be read ({error}). Restore it, or make a new workspace and import "
                "the log again."
            ) from error
        texts, counts = table.column("text").to_pylist(), table.column("count").to_pylist()
        for text, count in zip(texts, counts, strict=True):
            total[text] = total.get(text, 0) + count
    return total


def write_population(
    folder: Path,
    population: Sequence[DistinctQuery],
    *,
    micro: "NDArray[np.int64]",
    linkage: "NDArray[np.float64]",
) -> None:
    """Store the distinct queries and the tree over them; row i of both is the same query."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    variants = [
        [{"text": variant.text, "count": variant.count} for variant in query.variants]
        for query in population
    ]
    kind = pa.list_(pa.struct([("text", pa.large_string()), ("count", pa.int64())]))
    table = pa.table(
        {
            "query_id": pa.array([query.query_id for query in population], pa.string()),
            "text": pa.array([query.text for query in population], pa.large_string()),
            "frequency": pa.array([query.frequency for query in population], pa.int64()),
            "variants": pa.array(variants, kind),
        }
    )
    pq.write_table(table, folder / _POPULATION, compression="zstd")
    with (folder / _TREE).open("wb") as file:
        np.savez(file, micro=micro, linkage=linkage)


def read_population(
    folder: Path,
) -> "tuple[list[DistinctQuery], NDArray[np.int64], NDArray[np.float64]]":
    """Return what `write_population` stored: queries, micro-clusters, linkage."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        rows = pq.read_table(folder / _POPULATION).to_pylist()
        with np.load(folder / _TREE) as arrays:
            micro, linkage = arrays["micro"], arrays["linkage"]
    except (OSError, ValueError, KeyError, EOFError, BadZipFile, pa.ArrowException) as error:
        raise StorageError(f"{folder} cannot be read ({error}). Run: annotator curate") from error
    population = [
        DistinctQuery(
            row["query_id"],
            row["text"],
            row["frequency"],
            tuple(Variant(entry["text"], entry["count"]) for entry in row["variants"]),
        )
        for row in rows
    ]
    return population, micro, linkage
