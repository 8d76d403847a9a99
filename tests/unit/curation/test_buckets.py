import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.curation.buckets import build_tree, cut, leaf_order

Vectors = npt.NDArray[np.float32]


def around(*centres: tuple[float, ...], rows: int, spread: float = 0.05) -> Vectors:
    """`rows` points around each centre, in turn; centres are rows of the result's first part."""
    draw = np.random.default_rng(7)
    made = [np.array(c) + spread * draw.standard_normal((rows, len(c))) for c in centres]
    return np.concatenate(made).astype(np.float32)


FOUR = ((5.0, 0.0, 0.0, 0.0), (0.0, 5.0, 0.0, 0.0), (0.0, 0.0, 5.0, 0.0), (0.0, 0.0, 0.0, 5.0))


def partition(labels: npt.NDArray[np.int64]) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)}


def test_well_parted_groups_are_found() -> None:
    tree = build_tree(around(*FOUR, rows=5), seed=1)
    assert partition(cut(tree, 4)) == {frozenset(range(5 * i, 5 * i + 5)) for i in range(4)}


def test_the_two_level_tree_finds_the_same_groups() -> None:
    vectors = around(*FOUR, rows=100)
    tree = build_tree(vectors, seed=1, exact_rows=50, top_leaves=40)
    assert 4 <= tree.leaves <= 40
    assert partition(cut(tree, 4)) == {frozenset(range(100 * i, 100 * i + 100)) for i in range(4)}


def test_the_same_seed_gives_the_same_tree() -> None:
    vectors = around(*FOUR, rows=60, spread=2.0)
    one, two = (build_tree(vectors, seed=3, exact_rows=50, top_leaves=60) for _ in range(2))
    assert np.array_equal(one.micro, two.micro)
    assert np.array_equal(one.linkage, two.linkage)


@settings(deadline=None, max_examples=40)
@given(
    st.integers(0, 40),
    st.integers(1, 4),
    st.integers(0, 3),
    st.integers(1, 60),
    st.integers(1, 60),
    st.sampled_from([5, 1000]),
)
def test_cuts_nest_have_the_asked_size_and_lie_side_by_side(
    n: int, d: int, seed: int, fine: int, coarse: int, exact_rows: int
) -> None:
    vectors = np.random.default_rng(seed).integers(-1, 2, (n, d)).astype(np.float32)
    tree = build_tree(vectors, seed=seed, exact_rows=exact_rows, top_leaves=15)
    fine, coarse = max(fine, coarse), min(fine, coarse)
    small, large = cut(tree, fine), cut(tree, coarse)
    assert len(partition(small)) == min(fine, tree.leaves)
    assert all(any(part <= whole for whole in partition(large)) for part in partition(small))
    order = leaf_order(tree)
    assert sorted(order.tolist()) == list(range(n))
    along = small[np.argsort(order)]
    assert np.all(np.diff(along) >= 0)  # buckets are numbered by leaf order


@pytest.mark.parametrize("n", [0, 1, 2])
def test_hardly_any_rows_are_no_special_case(n: int) -> None:
    tree = build_tree(np.eye(2, 3, dtype=np.float32)[:n], seed=1)
    assert cut(tree, 5).tolist() == list(range(n))
    assert cut(tree, 1).tolist() == [0] * n
    assert leaf_order(tree).tolist() == list(range(n))


@pytest.mark.parametrize("exact_rows", [1000, 10])
def test_equal_and_zero_vectors_are_defined(exact_rows: int) -> None:
    equal = np.tile(np.array([[1.0, 2.0]], dtype=np.float32), (30, 1))
    tree = build_tree(equal, seed=1, exact_rows=exact_rows, top_leaves=5)
    assert len(set(cut(tree, 1).tolist())) == 1
    assert float(tree.linkage[:, 2].max(initial=0.0)) == 0.0
    zeros = build_tree(np.zeros((30, 4), dtype=np.float32), seed=1, exact_rows=exact_rows)
    assert len(cut(zeros, 3)) == 30


def test_a_large_crowd_of_equal_rows_among_others_ends() -> None:
    crowd = np.concatenate([np.tile(np.float32([[1, 0, 0]]), (9000, 1)), around((0, 1, 0), rows=9)])
    tree = build_tree(crowd.astype(np.float32), seed=1, exact_rows=100, top_leaves=50)
    labels = cut(tree, 2)
    assert set(labels[:9000].tolist()).isdisjoint(labels[9000:].tolist())


def test_vectors_that_are_not_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        build_tree(np.full((3, 2), np.nan, dtype=np.float32), seed=1)


def test_a_cut_into_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="0 clusters"):
        cut(build_tree(np.eye(3, dtype=np.float32), seed=1), 0)
