import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.judgment import Grade
from annotator.domain.run import Hit, RetrievedList
from annotator.evaluation.measures import JudgedQuery, Scores, percentile, score_run
from tests.builders import a_list
from tests.shared_data import shared_data

TREC = {
    "map": "MAP",
    "recip_rank": "MRR",
    "P_5": "Precision@5",
    "P_10": "Precision@10",
    "P_20": "Precision@20",
    "recall_5": "Recall@5",
    "recall_10": "Recall@10",
    "recall_20": "Recall@20",
    "success_1": "Hit@1",
    "success_5": "Hit@5",
    "success_10": "Hit@10",
}


def a_judged(
    query_id: str = "q-1",
    grades: Mapping[str, Grade] | None = None,
    *,
    relevant: Sequence[str] | None = None,
) -> JudgedQuery:
    """Return a query whose chunks of grade 2 answer, unless `relevant` says otherwise."""
    grades = {"a": 2} if grades is None else grades
    found = [c for c, grade in grades.items() if grade == 2] if relevant is None else relevant
    return JudgedQuery(query_id, bool(found), tuple(found), grades)


def score(
    queries: Sequence[JudgedQuery],
    lists: Sequence[RetrievedList],
    *,
    depth_k: int = 10,
    threshold: float = 0.5,
) -> Scores:
    return score_run(queries, lists, depth_k=depth_k, threshold=threshold)


def one(grades: Mapping[str, Grade], *ranked: str, depth_k: int = 10) -> dict[str, float]:
    """Return the values of a single query."""
    return score([a_judged(grades=grades)], [a_list("q-1", *ranked)], depth_k=depth_k).per_query[
        "q-1"
    ]


def means(scores: Scores) -> dict[str, float | None]:
    return {measure.name: measure.value for measure in scores.measures}


def test_measures_of_one_query_worked_out_by_hand() -> None:
    # relevant a, b, c; the list is x a y b z: precision 1/2 at a, 2/4 at b
    values = one({"a": 2, "b": 2, "c": 2, "x": 0}, "x", "a", "y", "b", "z")
    assert values["Hit@1"] == 0
    assert values["Hit@3"] == 1
    assert values["Recall@3"] == pytest.approx(1 / 3)
    assert values["Recall@5"] == pytest.approx(2 / 3)
    assert values["Precision@1"] == 0
    assert values["Precision@3"] == pytest.approx(1 / 3)
    assert values["Precision@5"] == pytest.approx(2 / 5)
    # places behind the end of the list count as not relevant
    assert values["Precision@10"] == pytest.approx(2 / 10)
    assert values["MRR"] == pytest.approx(1 / 2)
    assert values["MAP"] == pytest.approx((1 / 2 + 2 / 4) / 3)
    assert values["judged@1"] == 1
    assert values["judged@3"] == pytest.approx(2 / 3)
    assert values["judged@5"] == pytest.approx(3 / 5)


def test_ndcg_has_gains_of_1_and_3_and_a_discount_by_log2() -> None:
    # ideal: b (3), a (1), c (1); the list is a x b
    values = one({"a": 1, "b": 2, "c": 1, "x": 0}, "a", "x", "b")
    found = 1 / math.log2(2) + 3 / math.log2(4)
    assert values["nDCG@3"] == pytest.approx(
        found / (3 / math.log2(2) + 1 / math.log2(3) + 1 / math.log2(4))
    )
    assert values["nDCG@5"] == values["nDCG@3"]


def test_the_best_order_has_ndcg_1_and_a_worse_one_less() -> None:
    grades: dict[str, Grade] = {"a": 2, "b": 1, "c": 0}
    assert one(grades, "a", "b", "c")["nDCG@10"] == pytest.approx(1)
    assert one(grades, "b", "a", "c")["nDCG@10"] < 1


def test_grade_1_counts_in_ndcg_alone() -> None:
    values = one({"a": 2, "b": 1}, "b")
    assert values["nDCG@10"] > 0
    assert {name for name, value in values.items() if value} == {
        *("nDCG@3", "nDCG@5", "nDCG@10"),
        *("judged@1", "judged@3", "judged@5", "judged@10"),
    }


def test_a_member_of_a_group_is_relevant_whatever_its_grade() -> None:
    query = a_judged(grades={"a": 1, "b": 1, "x": 0}, relevant=["a", "b"])
    values = score([query], [a_list("q-1", "b", "x", "a")]).per_query["q-1"]
    assert values["Recall@1"] == pytest.approx(1 / 2)
    assert values["MAP"] == pytest.approx((1 + 2 / 3) / 2)


def test_a_query_that_the_run_does_not_hold_counts_0() -> None:
    scores = score([a_judged("q-1"), a_judged("q-2")], [a_list("q-1", "a")])
    assert means(scores)["MRR"] == pytest.approx(1 / 2)
    assert scores.per_query["q-2"]["nDCG@10"] == 0
    assert scores.n_missing == 1
    assert {m.n_scored for m in scores.measures if not m.name.startswith("judged")} == {2}


def test_an_empty_list_counts_0_and_is_not_missing() -> None:
    scores = score([a_judged("q-1"), a_judged("q-2")], [a_list("q-1", "a"), a_list("q-2")])
    assert means(scores)["Hit@1"] == pytest.approx(1 / 2)
    assert scores.n_missing == 0


def test_judged_at_k_is_a_mean_over_queries_with_a_result() -> None:
    scores = score([a_judged("q-1"), a_judged("q-2")], [a_list("q-1", "a", "x"), a_list("q-2")])
    judged = next(m for m in scores.measures if m.name == "judged@3")
    assert (judged.value, judged.n_scored, judged.n_total) == (0.5, 1, 2)


@pytest.mark.parametrize("lists", [[], [a_list("q-1")], [a_list("q-9", "a")]])
def test_a_run_without_a_single_hit_is_all_0(lists: list[RetrievedList]) -> None:
    scores = score([a_judged("q-1")], lists)
    values = {name: v for name, v in means(scores).items() if not name.startswith("judged")}
    assert set(values.values()) == {0.0}


def test_queries_without_an_answer_are_no_part_of_ranked_measures() -> None:
    none = a_judged("q-2", {"a": 0})
    scores = score([a_judged("q-1"), none], [a_list("q-1", "a"), a_list("q-2", "a")])
    assert means(scores)["MRR"] == 1
    assert (scores.n_with_answer, scores.n_total) == (1, 2)
    assert {(m.n_scored, m.n_total) for m in scores.measures} == {(1, 2)}


def test_no_query_with_an_answer_gives_no_value_not_0() -> None:
    scores = score([a_judged("q-1", {"a": 0})], [a_list("q-1", "a")])
    assert set(means(scores).values()) == {None}
    assert scores.per_query == {}


def test_a_chunk_that_is_returned_twice_counts_once_at_its_better_rank() -> None:
    hits = (Hit("a", 1, None), Hit("x", 2, None), Hit("a", 3, None))
    query = a_judged(grades={"a": 2, "b": 2})
    values = score([query], [RetrievedList("q-1", hits, None, 1.0)]).per_query["q-1"]
    assert values["MRR"] == 1
    assert values["Recall@10"] == pytest.approx(1 / 2)
    assert values["MAP"] == pytest.approx(1 / 2)


def test_order_is_told_by_rank_not_by_score_or_place() -> None:
    hits = (Hit("a", 3, 9.0), Hit("x", 1, 9.0), Hit("y", 2, 9.0))
    values = score([a_judged()], [RetrievedList("q-1", hits, None, 1.0)]).per_query["q-1"]
    assert values["MRR"] == pytest.approx(1 / 3)


def test_hits_below_the_depth_do_not_count() -> None:
    values = one({"a": 2}, "x", "y", "z", "a", depth_k=3)
    assert values["MRR"] == values["MAP"] == 0
    assert set(values) == {
        *("Hit@1", "Hit@3", "Recall@1", "Recall@3", "Precision@1", "Precision@3"),
        *("MRR", "MAP", "nDCG@3", "judged@1", "judged@3"),
    }


GRADED = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([0, 1, 2]), min_size=1)


@given(GRADED, st.lists(st.sampled_from("abcdefxyz"), unique=True))
def test_every_measure_is_what_its_definition_says(
    grades: dict[str, Grade], ranked: list[str]
) -> None:
    relevant = {c for c, grade in grades.items() if grade == 2}
    if not relevant:
        return
    values = one(grades, *ranked)
    found = [chunk_id in relevant for chunk_id in ranked]
    for k in (1, 3, 5, 10):
        assert values[f"Hit@{k}"] == float(any(found[:k]))
        assert values[f"Recall@{k}"] == pytest.approx(sum(found[:k]) / len(relevant))
        assert values[f"Precision@{k}"] == pytest.approx(sum(found[:k]) / k)
    first = next((rank for rank, good in enumerate(found, start=1) if good), None)
    assert values["MRR"] == pytest.approx(1 / first if first else 0)
    precisions = [sum(found[:rank]) / rank for rank, good in enumerate(found, start=1) if good]
    assert values["MAP"] == pytest.approx(sum(precisions) / len(relevant))
    gains = {0: 0, 1: 1, 2: 3}
    for k in (3, 5, 10):
        got = [gains[grades.get(chunk_id, 0)] for chunk_id in ranked][:k]
        best = sorted((gains[grade] for grade in grades.values()), reverse=True)[:k]
        ideal = sum(gain / math.log2(rank + 1) for rank, gain in enumerate(best, start=1))
        dcg = sum(gain / math.log2(rank + 1) for rank, gain in enumerate(got, start=1))
        assert values[f"nDCG@{k}"] == pytest.approx(dcg / ideal)


@pytest.mark.parametrize("number_like", ["007", "1e5", "2024-01-01", "查询", "a:b/c#d"])
def test_ids_are_strings_whatever_they_look_like(number_like: str) -> None:
    query = a_judged(number_like, {number_like: 2, "7": 0})
    scores = score([query], [a_list(number_like, "7", number_like)])
    assert scores.per_query[number_like]["MRR"] == pytest.approx(1 / 2)


def test_refusals_are_told_by_confidence_under_the_threshold() -> None:
    queries = [
        *(a_judged(f"q-{n}") for n in range(4)),
        *(a_judged(f"q-{n}", {"a": 0}) for n in range(4, 8)),
    ]
    lists = [
        a_list("q-0", "a", confidence=0.5),  # at the threshold: no refusal
        a_list("q-1", "a", confidence=0.4999),  # refused
        a_list("q-2", confidence=0.9),  # an empty answer is a refusal
        # q-3 is missing: nothing was returned
        a_list("q-4", "x", confidence=0.1),  # refused, rightly
        a_list("q-5", "x", confidence=0.9),
        a_list("q-6", "x", confidence=None),  # no confidence, no refusal
        a_list("q-7"),
    ]
    rejection = score(queries, lists).rejection
    assert rejection.accuracy == pytest.approx(2 / 4)
    assert rejection.false_rejection == pytest.approx(3 / 4)
    assert (rejection.n_without_answer, rejection.n_with_answer) == (4, 4)
    assert rejection.n_without_confidence == 1
    assert rejection.threshold == 0.5


def test_without_queries_of_a_kind_there_is_no_rate_of_it() -> None:
    rejection = score([a_judged("q-1")], [a_list("q-1", "a")]).rejection
    assert (rejection.accuracy, rejection.n_without_answer) == (None, 0)
    assert rejection.false_rejection == 0


def test_a_percentile_is_a_value_of_the_list_by_nearest_rank() -> None:
    # Hyndman and Fan 1996, definition 1; the list is a well-known example
    values = [15.0, 20.0, 35.0, 40.0, 50.0]
    assert [percentile(values, p) for p in (5, 30, 40, 50, 100)] == [15, 20, 20, 35, 50]
    assert percentile([7.0], 50) == percentile([7.0], 99) == 7.0


def test_a_percentile_is_exact_for_every_length() -> None:
    for n in range(1, 2_001):
        values = list(range(1, n + 1))
        for p in (1, 7, 14, 28, 29, 50, 55, 56, 57, 58, 95, 99):
            assert percentile(values, p) == -(-p * n // 100), (n, p)


def test_latency_is_of_every_list() -> None:
    lists = [a_list(f"q-{n}", "a", latency_ms=float(n)) for n in range(1, 101)]
    queries = [a_judged(f"q-{n}") for n in range(1, 101)]
    assert score(queries, lists[::-1]).latency_ms == {"P50": 50.0, "P95": 95.0, "P99": 99.0}
    assert score(queries, []).latency_ms == {}


def trec_queries(folder: Path, name: str) -> list[JudgedQuery]:
    judged: dict[str, dict[str, Grade]] = defaultdict(dict)
    for line in (folder / name).read_text().splitlines():
        topic, _, chunk_id, grade = line.split()
        judged[topic][chunk_id] = 2 if int(grade) > 0 else 0
    return [a_judged(topic, grades) for topic, grades in judged.items()]


def trec_lists(folder: Path, name: str) -> list[RetrievedList]:
    """Rank as trec_eval does: by falling score, ties by falling id, whatever the rank column."""
    scored: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for line in (folder / name).read_text().splitlines():
        topic, _, chunk_id, _, value = line.split()[:5]
        scored[topic].append((float(value), chunk_id))
    return [
        RetrievedList(
            topic,
            tuple(
                Hit(chunk_id, rank, value)
                for rank, (value, chunk_id) in enumerate(sorted(entries, reverse=True), start=1)
            ),
            None,
            1.0,
        )
        for topic, entries in scored.items()
    ]


def trec_values(folder: Path, name: str) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for line in (folder / name).read_text().splitlines():
        measure, topic, value = line.split()
        if measure in TREC:
            found[topic][TREC[measure]] = float(value)
    return found


@pytest.mark.shared_data
def test_every_value_that_trec_eval_publishes_is_met() -> None:
    folder = shared_data("trec-eval-fixtures")
    scores = score(
        trec_queries(folder, "qrels.test"), trec_lists(folder, "results.test"), depth_k=1000
    )
    published = trec_values(folder, "out.test.aq")
    average = published.pop("all")
    assert len(published) == 3
    for topic, values in published.items():
        assert len(values) == len(TREC)
        for name, value in values.items():
            assert scores.per_query[topic][name] == pytest.approx(value, abs=5e-5), (topic, name)
    for name, value in average.items():
        assert means(scores)[name] == pytest.approx(value, abs=5e-5), name


@pytest.mark.shared_data
def test_a_topic_without_results_counts_0_as_with_the_option_c_of_trec_eval() -> None:
    folder = shared_data("trec-eval-fixtures")
    queries = trec_queries(folder, "qrels.test")
    lists = trec_lists(folder, "results.trunc")
    average = trec_values(folder, "out.test.aqc")["all"]
    assert len(lists) < len(queries)
    scores = score(queries, lists, depth_k=1000)
    for name, value in average.items():
        assert means(scores)[name] == pytest.approx(value, abs=5e-5), name
