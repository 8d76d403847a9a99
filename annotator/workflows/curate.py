"""From the log to the population: import, merge, encode, bucket."""

import hashlib
import shutil
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.atomic import atomic_folder
from annotator.curation.buckets import BucketTree, build_tree, cut, leaf_order
from annotator.curation.dedup import group_exact, near_duplicate_groups
from annotator.curation.names import name_clusters
from annotator.curation.strata import assign_strata
from annotator.domain.errors import InputError, StageOrderError
from annotator.domain.progress import Report, silent
from annotator.domain.query import DistinctQuery, Label, Stratum, Variant
from annotator.formats.querylog import read_query_log
from annotator.storage import facts, imports, logs
from annotator.storage.engine import Store
from annotator.text.normalize import normalize, stable_hash

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Encode = Callable[[Sequence[str]], "NDArray[np.float32]"]
_SEED = 0  # of the blocks into which a large log is parted; buckets do not hang on it otherwise


@dataclass(frozen=True, slots=True)
class LogReport:
    """What became of one file: rows = kept + the sum of refused."""

    file: str
    rows: int
    kept: int
    refused: dict[str, int]
    distinct: int
    is_known: bool


@dataclass(frozen=True, slots=True)
class CurateReport:
    """The funnel: rows = kept + refused; distinct = queries + near_duplicates."""

    rows: int
    kept: int
    refused: int
    distinct: int
    near_duplicates: int
    queries: int
    buckets: int
    intents: int
    one_offs: int


@dataclass(frozen=True, slots=True)
class BucketedQuery:
    """A query of the population with where it belongs; `order` is its place in the tree."""

    query: DistinctQuery
    bucket: Label
    intent: Label
    stratum: Stratum
    order: int


def import_log(
    store: Store,
    log_folder: Path,
    path: Path,
    *,
    query_column: str | None = None,
    count_column: str | None = None,
    replaces: bool = False,
    report: Report = silent,
) -> LogReport:
    """Import one log file; the same content twice changes nothing.

    With `replaces`, a file that was imported before is read anew, such as by another column.
    Raises InputError naming file and row where the file cannot be read as a log, where it holds
    no query at all, and where it was imported by another column.
    """
    sha256 = _file_sha256(path)
    with store.read() as tx:
        known = imports.find(tx, "log", sha256)
    if known is not None and not replaces:
        _refuse_other_column(path, known, query_column, count_column)
        counts = dict(known.counts)
        rows, kept, distinct = counts.pop("rows"), counts.pop("kept"), counts.pop("distinct")
        return LogReport(str(path), rows, kept, counts, distinct, is_known=True)
    log = read_query_log(path, query_column=query_column, count_column=count_column, report=report)
    readable = {text: count for text, count in log.counts.items() if normalize(text)}
    refused = {str(reason): count for reason, count in log.refused.items() if count}
    kept = sum(readable.values())
    nameless = sum(log.counts.values()) - kept
    if nameless:
        refused["no letter or digit"] = nameless
    if not kept:
        raise InputError(
            f"{path} holds no query: all {log.rows} rows of column {log.query_column!r} are "
            "empty or unusable. Name the right column with --query-column."
        )
    logs.write_counts(log_folder / f"{sha256[:32]}.parquet", readable)
    counts = {"rows": log.rows, "kept": kept, "distinct": len(readable), **refused}
    options = {"query_column": log.query_column, "count_column": count_column or ""}
    with store.write() as tx:
        imports.remove(tx, "log", sha256)
        imports.add(tx, imports.Import("log", sha256, path.name, options, counts))
    return LogReport(str(path), log.rows, kept, refused, len(readable), is_known=False)


def curate(
    store: Store,
    *,
    log_folder: Path,
    curation_folder: Path,
    encode: Encode,
    merge_near_duplicates: bool,
    n_buckets: int,
    n_intents: int,
    head_share: float,
    torso_share: float,
    report: Report = silent,
) -> CurateReport:
    """Make the population of distinct queries from all imported logs, and the tree over it.

    Raises StageOrderError where no log was imported.
    """
    with store.read() as tx:
        sources = imports.listed(tx, "log")
    if not sources:
        raise StageOrderError("No log was imported yet. Import one: annotator log import FILE")
    counts = logs.read_counts([log_folder / f"{entry.sha256[:32]}.parquet" for entry in sources])
    report("group equal queries", 0, 0)
    distinct, _ = group_exact(counts)
    population = _population(distinct, merge_near_duplicates, report)
    vectors = encode([query.text for query in population])
    tree = build_tree(vectors, seed=_SEED, report=report)
    fingerprint = _fingerprint(population, tree)
    folder = curation_folder / fingerprint
    if not folder.exists():
        with atomic_folder(folder) as temporary:
            logs.write_population(temporary, population, micro=tree.micro, linkage=tree.linkage)
    bucketed = bucket_population(
        population,
        tree,
        n_buckets=n_buckets,
        n_intents=n_intents,
        head_share=head_share,
        torso_share=torso_share,
    )
    rows = sum(entry.counts["rows"] for entry in sources)
    kept = sum(entry.counts["kept"] for entry in sources)
    rows_of_bucket: dict[str, int] = defaultdict(int)
    for entry in bucketed:
        rows_of_bucket[entry.bucket.id] += entry.query.frequency
    summary = CurateReport(
        rows=rows,
        kept=kept,
        refused=rows - kept,
        distinct=len(distinct),
        near_duplicates=len(distinct) - len(population),
        queries=len(population),
        buckets=len(rows_of_bucket),
        intents=len({entry.intent.id for entry in bucketed}),
        one_offs=sum(1 for count in rows_of_bucket.values() if count == 1),
    )
    with store.write() as tx:
        facts.put(
            tx,
            "curation",
            {
                "fingerprint": fingerprint,
                "rows": summary.rows,
                "kept": summary.kept,
                "distinct": summary.distinct,
                "queries": summary.queries,
                "buckets": summary.buckets,
                "intents": summary.intents,
                "one_offs": summary.one_offs,
            },
        )
    for other in curation_folder.iterdir():
        if other.is_dir() and other != folder:
            shutil.rmtree(other, ignore_errors=True)
    return summary


def load_population(
    store: Store, curation_folder: Path
) -> tuple[list[DistinctQuery], BucketTree, str]:
    """Return the population, its tree and their fingerprint.

    Raises StageOrderError where `curate` has not run.
    """
    with store.read() as tx:
        curation = facts.get(tx, "curation")
    if not isinstance(curation, dict):
        raise StageOrderError("The log was not curated yet. Run: annotator curate")
    fingerprint = str(curation["fingerprint"])
    population, micro, linkage = logs.read_population(curation_folder / fingerprint)
    return population, BucketTree(micro, linkage), fingerprint


def bucket_population(
    population: Sequence[DistinctQuery],
    tree: BucketTree,
    *,
    n_buckets: int,
    n_intents: int,
    head_share: float,
    torso_share: float,
) -> list[BucketedQuery]:
    """Cut the tree twice and name what comes out; the coarse cut nests over the fine one.

    The id of a bucket or intent hangs on its most frequent query, so it survives as long as that
    query leads it.
    """
    if not population:
        return []
    fine = cut(tree, max(1, min(n_buckets, len(population))))
    coarse = cut(tree, max(1, min(n_intents, n_buckets, len(population))))
    names = name_clusters(
        [query.text for query in population],
        frequencies=[query.frequency for query in population],
        labelings=[fine, coarse],
    )
    buckets = _labels("b", population, fine.tolist(), names[0])
    intents = _labels("i", population, coarse.tolist(), names[1])
    traffic: dict[str, int] = defaultdict(int)
    for query, label in zip(population, coarse.tolist(), strict=True):
        traffic[intents[label].id] += query.frequency
    strata = assign_strata(traffic, head=head_share, torso=torso_share)
    rows = zip(population, fine.tolist(), coarse.tolist(), leaf_order(tree).tolist(), strict=True)
    return [
        BucketedQuery(query, buckets[f], intents[c], strata[intents[c].id], order)
        for query, f, c, order in rows
    ]


def _refuse_other_column(
    path: Path, known: imports.Import, query_column: str | None, count_column: str | None
) -> None:
    """Keep a corrected column from being ignored in silence."""
    for name, asked in (("query_column", query_column), ("count_column", count_column)):
        if asked is not None and asked != known.options[name]:
            raise InputError(
                f"{path} was imported before with {name.replace('_', ' ')} "
                f"{known.options[name] or 'none'!r}, not {asked!r}. Read it anew with --replace."
            )


def _population(
    distinct: Sequence[DistinctQuery], merge: bool, report: Report
) -> list[DistinctQuery]:
    """Return one query per near-duplicate group, by id, with the variants of all its members."""
    if not merge:
        return sorted(distinct, key=lambda query: query.query_id)
    population = []
    for group in near_duplicate_groups(distinct, report=report):
        counted: dict[str, int] = defaultdict(int)
        for member in group.members:
            for variant in member.variants:
                counted[variant.text] += variant.count
        ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
        population.append(
            DistinctQuery(
                group.leader.query_id,
                group.leader.text,
                sum(counted.values()),
                tuple(Variant(text, count) for text, count in ordered),
            )
        )
    return sorted(population, key=lambda query: query.query_id)


def _labels(
    prefix: str,
    population: Sequence[DistinctQuery],
    labels: Sequence[int],
    names: Mapping[int, str],
) -> dict[int, Label]:
    leaders: dict[int, DistinctQuery] = {}
    for query, label in zip(population, labels, strict=True):
        best = leaders.get(label)
        if best is None or (-query.frequency, query.query_id) < (-best.frequency, best.query_id):
            leaders[label] = query
    return {
        label: Label(f"{prefix}-{stable_hash(leader.query_id, length=12)}", names[label])
        for label, leader in leaders.items()
    }


def _fingerprint(population: Sequence[DistinctQuery], tree: BucketTree) -> str:
    rows = [f"{query.query_id} {query.frequency}" for query in population]
    return stable_hash(*rows, tree.micro.tobytes().hex(), tree.linkage.tobytes().hex())


def _file_sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist.") from error
    except IsADirectoryError as error:
        raise InputError(f"{path} is a folder. Name the log file in it.") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
