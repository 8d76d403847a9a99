"""Group queries into a tree of buckets by their vectors.

Average linkage (UPGMA) on mean-centred unit vectors with cosine distance: among the ways that
were tried it splinters hot intents least and is the most stable under reshuffling. It costs
memory quadratic in the rows, so above `EXACT_ROWS` it runs on two levels: spherical k-means
makes blocks of about `BLOCK_ROWS`, average linkage inside each block makes micro-clusters, and
average linkage over the micro-clusters' means makes the tree.

All cuts come from one tree, so a fine cut always refines a coarse one. The caller sorts the rows
(by query_id); row order, seed and version of numpy and scipy fix the result.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotator.domain.progress import Report, silent

EXACT_ROWS = 12_000
"""At most about half the CPU time of encoding the rows, and 1.2 GB; 20,000 rows: .85 and 3.7 GB."""

TOP_LEAVES = 8_000
BLOCK_ROWS = 2_000
BLOCK_CAP = 8_000
_KMEANS_ROUNDS = 12
_STEP = "build buckets"

Floats = npt.NDArray[np.float32]
Linkage = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class BucketTree:
    """Micro-cluster of every row, and the linkage over micro-clusters.

    `micro` has shape (n,), values 0..m-1, each present. `linkage` has shape (max(0, m-1), 4) in
    scipy's format: two merged nodes, their cosine distance in [0, 2], number of micro-clusters.
    """

    micro: Labels
    linkage: Linkage

    @property
    def leaves(self) -> int:
        """Number of micro-clusters, 0 for no rows."""
        return int(self.micro.max()) + 1 if len(self.micro) else 0


def build_tree(
    vectors: Floats,
    *,
    seed: int,
    exact_rows: int = EXACT_ROWS,
    top_leaves: int = TOP_LEAVES,
    report: Report = silent,
) -> BucketTree:
    """Build the tree of vectors of shape (n, d).

    Exact up to `exact_rows` (each row its own micro-cluster), else on two levels with about
    `top_leaves` micro-clusters. Rows without direction (zero after centring, as when all are
    equal) lie at distance 1 from every row with one and at 0 from each other. Raises ValueError
    for vectors that are no table of finite numbers.
    """
    if vectors.ndim != 2 or not np.isfinite(vectors).all():
        raise ValueError(f"vectors of shape {vectors.shape} are no table of finite numbers")
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        units = _centred_units(vectors)
        if len(units) <= exact_rows:
            tree = BucketTree(np.arange(len(units), dtype=np.int64), _average_linkage(units))
            report(_STEP, len(units), len(units))
            return tree
        micro = _micro_clusters(units, top_leaves, seed, report)
        means = _means(units, micro)
        return BucketTree(micro, _average_linkage(means))


def cut(tree: BucketTree, n_clusters: int) -> Labels:
    """Return the bucket of each row, 0-based and numbered by leaf order, shape (n,).

    Undoes merges from the top until there are `n_clusters`; gives fewer only if there are fewer
    micro-clusters. Raises ValueError below 1.
    """
    if n_clusters < 1:
        raise ValueError(f"a cut into {n_clusters} clusters")
    leaves = tree.leaves
    kept = max(0, leaves - n_clusters)
    parent = np.arange(leaves + kept, dtype=np.int64)
    for i, (left, right) in enumerate(tree.linkage[:kept, :2].astype(np.int64).tolist()):
        parent[left] = parent[right] = leaves + i
    # Children have smaller numbers than their node: one pass down resolves all
    for node in range(len(parent) - 1, -1, -1):
        parent[node] = parent[parent[node]]
    roots = parent[:leaves]
    rank: dict[int, int] = {}
    for leaf in _leaf_sequence(tree):
        rank.setdefault(int(roots[leaf]), len(rank))
    by_leaf = np.array([rank[int(root)] for root in roots], dtype=np.int64)
    return by_leaf[tree.micro] if leaves else np.empty(0, dtype=np.int64)


def leaf_order(tree: BucketTree) -> Labels:
    """Return the place of each row in the tree's leaf order, a permutation of 0..n-1.

    Rows of one micro-cluster stand side by side, and so do the rows of every bucket of any cut.
    """
    place = np.empty(tree.leaves, dtype=np.int64)
    place[_leaf_sequence(tree)] = np.arange(tree.leaves)
    rows = np.argsort(place[tree.micro], kind="stable") if tree.leaves else tree.micro
    order = np.empty(len(rows), dtype=np.int64)
    order[rows] = np.arange(len(rows))
    return order


def _leaf_sequence(tree: BucketTree) -> Labels:
    """Micro-clusters from left to right; at each merge, as scipy's dendrogram has them."""
    leaves = tree.leaves
    if leaves < 2:
        return np.arange(leaves, dtype=np.int64)
    children = tree.linkage[:, :2].astype(np.int64).tolist()
    found: list[int] = []
    stack = [leaves + len(children) - 1]
    while stack:
        node = stack.pop()
        if node < leaves:
            found.append(node)
        else:
            left, right = children[node - leaves]
            stack += [right, left]
    return np.array(found, dtype=np.int64)


def _centred_units(vectors: Floats) -> Floats:
    """Normalize, subtract the mean, normalize again; directionless rows stay zero.

    Sentence vectors share a large common part; without it cosines spread out.
    """
    units = _normalized(np.asarray(vectors, dtype=np.float32), 0.0)
    if len(units) < 2:
        return units
    # Below this a difference from the mean is rounding, not direction
    return _normalized(units - units.mean(axis=0, dtype=np.float64).astype(np.float32), 1e-5)


def _normalized(rows: Floats, smallest: float) -> Floats:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Floats = np.divide(rows, norms, out=np.zeros_like(rows), where=norms > smallest)
    return scaled


def _average_linkage(units: Floats) -> Linkage:
    """UPGMA over cosine distances of unit (or zero) rows."""
    from scipy.cluster.hierarchy import linkage

    if len(units) < 2:
        return np.empty((0, 4))
    result: Linkage = linkage(_cosine_distances(units), method="average")
    return result


def _cosine_distances(units: Floats) -> npt.NDArray[np.float64]:
    """Return the condensed distances (scipy's order), row by block of rows to spare memory."""
    n = len(units)
    condensed = np.empty(n * (n - 1) // 2)
    directionless = np.linalg.norm(units, axis=1) == 0
    at = 0
    for start in range(0, n - 1, 512):
        end = min(start + 512, n - 1)
        block = 1.0 - units[start:end] @ units[start:].T
        np.clip(block, 0.0, 2.0, out=block)
        if directionless.any():
            block[np.ix_(directionless[start:end], directionless[start:])] = 0.0
        for i in range(end - start):
            length = n - 1 - start - i
            condensed[at : at + length] = block[i, i + 1 :]
            at += length
    return condensed


def _micro_clusters(units: Floats, top_leaves: int, seed: int, report: Report) -> Labels:
    """Cut every block's own tree at one common distance, which leaves about `top_leaves`.

    A common distance spends few micro-clusters on dense blocks and many on sparse ones.
    """
    blocks = _blocks(units, seed)
    trees: list[Linkage] = []
    done = 0
    for rows in blocks:
        trees.append(_average_linkage(units[rows]))
        done += len(rows)
        report(_STEP, done, len(units))
    heights = np.sort(np.concatenate([tree[:, 2] for tree in trees]))
    merges = min(len(units) - top_leaves, len(heights))
    limit = heights[merges - 1] if merges > 0 else -1.0
    micro = np.empty(len(units), dtype=np.int64)
    used = 0
    for rows, tree in zip(blocks, trees, strict=True):
        clusters = len(rows) - int((tree[:, 2] <= limit).sum())
        local = BucketTree(np.arange(len(rows), dtype=np.int64), tree)
        micro[rows] = used + cut(local, clusters)
        used += clusters
    return micro


def _blocks(units: Floats, seed: int) -> list[Labels]:
    """Split rows by spherical k-means; a block above the cap is split again until it fits."""
    pending: list[Labels] = [np.arange(len(units), dtype=np.int64)]
    finished: list[Labels] = []
    while pending:
        rows = pending.pop()
        k = max(2, round(len(rows) / BLOCK_ROWS))
        labels = _spherical_kmeans(units[rows], k, seed)
        parts = [rows[labels == label] for label in range(k)]
        if max(map(len, parts)) > 0.95 * len(rows):  # nearly all alike: any split is as good
            parts = np.array_split(rows, k)
        for part in parts:
            if len(part):
                (finished if len(part) <= BLOCK_CAP else pending).append(part)
    return finished


def _spherical_kmeans(units: Floats, k: int, seed: int) -> Labels:
    """Lloyd's algorithm on cosines (Dhillon and Modha 2001), started at k rows drawn by seed.

    Centres are fitted on at most 200 rows each, as is enough for blocks.
    """
    draw = np.random.default_rng(seed)
    fitted = np.sort(draw.permutation(len(units))[: 200 * k])
    sample = units[fitted]
    centres = sample[np.sort(draw.choice(len(sample), size=k, replace=False))]
    labels = np.full(len(sample), -1, dtype=np.int64)
    for _ in range(_KMEANS_ROUNDS):
        nearest = _nearest(sample, centres)
        moved = int((nearest != labels).sum())
        labels = nearest
        if moved <= 0.005 * len(sample):
            break
        present = np.unique(labels)
        centres[present] = _means(sample, np.searchsorted(present, labels))
    return _nearest(units, centres)


def _nearest(units: Floats, centres: Floats) -> Labels:
    found = np.empty(len(units), dtype=np.int64)
    for start in range(0, len(units), 4096):
        found[start : start + 4096] = np.argmax(units[start : start + 4096] @ centres.T, axis=1)
    return found


def _means(units: Floats, labels: npt.NDArray[np.int64]) -> Floats:
    """Return the normalized mean of the rows of each label 0..m-1, all of them present."""
    order = np.argsort(labels, kind="stable")
    starts = np.flatnonzero(np.diff(labels[order], prepend=-1))
    sums = np.add.reduceat(units[order], starts, axis=0, dtype=np.float64)
    return _normalized(sums.astype(np.float32), 1e-6)
