import numpy as np

from annotator.curation.names import name_clusters


def names(
    texts: list[str], labels: list[int], frequencies: list[int] | None = None
) -> dict[int, str]:
    (found,) = name_clusters(
        texts,
        frequencies=frequencies or [1] * len(texts),
        labelings=[np.array(labels, dtype=np.int64)],
    )
    return found


def test_a_name_is_the_words_that_set_a_cluster_apart() -> None:
    found = names(
        ["card pin change", "change my pin", "card top up", "top up failed"], [0, 0, 1, 1]
    )
    # in 0: pin 2, change 2, a tie that goes by the alphabet; in 1: top 2; the rest stands once
    assert found == {0: "change · pin", 1: "top"}


def test_words_of_one_text_serve_where_none_is_shared() -> None:
    # average 2 words a cluster, each word in one text: all weigh the same
    assert names(["lost pin", "top failed"], [0, 0]) == {0: "failed · lost · pin"}


def test_chinese_names_hold_words_not_characters() -> None:
    found = names(["如何开通手机支付", "怎么开通手机支付功能"], [0, 0])
    assert set(found[0].split(" · ")) == {"开通", "手机", "支付"}


def test_plurals_are_taken_once() -> None:
    assert names(["lost cards", "lost card", "my cards"], [0, 0, 0]) == {0: "cards · lost"}


def test_a_cluster_of_one_text_is_named_by_it() -> None:
    assert names(["Why  was I\ncharged?"], [4]) == {4: "Why was I charged?"}


def test_a_cluster_without_keywords_is_named_by_its_most_frequent_text() -> None:
    assert names(["how to", "what is it"], [0, 0], [1, 3]) == {0: "what is it"}


def test_a_long_text_is_cut() -> None:
    assert names(["x" * 100], [0]) == {0: "x" * 59 + "…"}


def test_each_labeling_gets_its_names_and_no_texts_none() -> None:
    labels = np.empty(0, dtype=np.int64)
    assert name_clusters([], frequencies=[], labelings=[labels, labels]) == ({}, {})
