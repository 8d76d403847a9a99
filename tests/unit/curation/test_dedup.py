import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.curation.dedup import group_exact, near_duplicate_groups
from annotator.curation.guard import build_lexicon, meaning_of, query_tokens, same_meaning
from annotator.domain.query import DistinctQuery, Variant
from annotator.text.vocabulary import known_words


def merged(queries: list[DistinctQuery], vocabulary: frozenset[str] = frozenset()) -> set[str]:
    """Each merge as "variant > leader: kind"."""
    return {
        f"{merge.query.text} > {group.leader.text}: {merge.reason.kind}"
        for group in near_duplicate_groups(queries, vocabulary=vocabulary)
        for merge in group.merges
    }


def counted(counts: dict[str, int]) -> list[DistinctQuery]:
    return group_exact(counts)[0]


def test_equal_normal_forms_are_one_query_with_its_variants() -> None:
    queries, refused = group_exact({"Card?": 2, "ＣＡＲＤ": 3, "card": 2, "?!": 4, "卡": 1})
    assert refused == 4
    assert {query.text: query for query in queries}["ＣＡＲＤ"] == DistinctQuery(
        next(query.query_id for query in queries if query.text == "ＣＡＲＤ"),
        "ＣＡＲＤ",
        7,
        (Variant("ＣＡＲＤ", 3), Variant("Card?", 2), Variant("card", 2)),
    )
    assert [query.query_id for query in queries] == sorted(query.query_id for query in queries)


MINIMAL_PAIRS = [
    ("how to enable notifications", "how to disable notifications"),
    ("how to enable notifications", "how to unable notifications"),
    ("price of iPhone 14", "price of iPhone 15"),
    ("price of iPhone14", "price of iPhone15"),
    ("如何开通手机支付", "如何关闭手机支付"),
    ("信用卡能提现吗", "信用卡不能提现吗"),
    ("2023年的汇率", "2024年的汇率"),
    ("exchange rate 2023", "exchange rate 2024"),
    ("top up with a card", "top up without a card"),
    ("cancel before the payment", "cancel after the payment"),
    ("can i use my card abroad", "can i not use my card abroad"),
    ("I can pay abroad", "I can't pay abroad"),
    ("dollars to euros", "euros to dollars"),
    ("transfer from A to B", "transfer from B to A"),
    ("人民币换美元", "美元换人民币"),
    ("limit of 100 euros", "limit of 1000 euros"),
    ("limit of 1.5 percent", "limit of 15 percent"),
    ("room 1 5", "room 15"),
    ("below 5 degrees", "below -5 degrees"),
    ("learn C", "learn C++"),
    ("hepatitis a vaccine", "hepatitis vaccine"),
    ("increase the limit", "decrease the limit"),
    ("employer contribution rate", "employee contribution rate"),
    ("who is the payer", "who is the payee"),
    ("visa for Austria please", "visa for Australia please"),
    ("flights to gambia", "flights to zambia"),
    ("country code list", "county code list"),
    ("contact form broken", "contract form broken"),
    ("what is a charge", "what is a charger"),
    ("where is my card", "when is my card"),
    ("why was i charged", "how was i charged"),
    ("turn on two factor", "turn off two factor"),
    ("apple pay limit", "google pay limit"),
    ("he is not able to pay", "he is notable to pay"),
    ("支持苹果手机吗", "支持安卓手机吗"),
    ("转账前要做什么", "转账后要做什么"),
    ("第一次登录", "第二次登录"),
    ("refund is possible", "refund is impossible"),
    ("a != b", "a = b"),
    ("is nitrate safe", "is nitrite safe"),
    ("sodium chloride uses", "sodium chlorite uses"),
    ("what is propane", "what is propene"),
    ("abduction of the arm", "adduction of the arm"),
]


@pytest.mark.parametrize(("left", "right"), MINIMAL_PAIRS)
@pytest.mark.parametrize("counts", [(1, 1), (1, 500), (500, 1)])
@pytest.mark.parametrize("vocabulary", [frozenset(), known_words()], ids=["none", "built-in"])
def test_a_minimal_pair_is_never_merged(
    left: str, right: str, counts: tuple[int, int], vocabulary: frozenset[str]
) -> None:
    assert merged(counted({left: counts[0], right: counts[1]}), vocabulary) == set()


def test_all_minimal_pairs_in_one_log_are_never_merged() -> None:
    rare_and_frequent = counted(
        {text: 1 if i % 2 else 500 for pair in MINIMAL_PAIRS for i, text in enumerate(pair)}
    )
    assert merged(rare_and_frequent) == {
        "price of iPhone 14 > price of iPhone14: punctuation",
        "price of iPhone 15 > price of iPhone15: punctuation",
    }


@pytest.mark.parametrize(
    ("variant", "kind"),
    [
        ("hello, where is my new card payment", "filler"),
        ("Could you please tell me where is my new card payment", "filler"),
        ("hi there pls where is my new card payment, thanks in advance!", "filler"),
        ("where is my new card payment asap", "filler"),
        ("where is my new card-payment", "punctuation"),
        ("where's my new card payment", "punctuation"),
        ("where is my new cardpayment", "spacing"),
        ("where is my new card payemnt", "typo"),
        ("where is my new card paymentt", "typo"),
        ("where is my new card pament", "typo"),
        ("where is my new card pauyment", "typo"),
        ("where is my new card poyment", None),
        ("where is my new card paynent", "typo"),
        ("where is my new card payments", None),
    ],
)
def test_a_noisy_twin_is_merged_with_its_reason(variant: str, kind: str | None) -> None:
    leader = "where is my new card payment"
    expected = set() if kind is None else {f"{variant} > {leader}: {kind}"}
    assert merged(counted({leader: 30, variant: 1})) == expected


@pytest.mark.parametrize(
    "variant",
    ["请问一下如何开通手机支付", "你好，如何开通手机支付？谢谢", "我想问一下如何开通手机支付呢"],
)
def test_a_polite_chinese_twin_is_merged(variant: str) -> None:
    leader = "如何开通手机支付"
    assert merged(counted({leader: 30, variant: 1})) == {f"{variant} > {leader}: filler"}


def test_a_misspelt_filler_is_a_filler() -> None:
    log = counted({"where is my card": 3, "plaese where is my card": 1, "please help me pay": 50})
    assert merged(log) == {"plaese where is my card > where is my card: filler"}


def test_a_polite_run_is_learned_once_three_texts_confirm_it() -> None:
    rests = ["close my account", "order another card", "change my pin"]
    prefix = "ok so i was wondering if you can"
    assert merged(counted(dict.fromkeys(rests, 5) | {f"{prefix} {rests[0]}": 1})) == set()
    learned = merged(counted(dict.fromkeys(rests, 5) | {f"{prefix} {rest}": 1 for rest in rests}))
    assert learned == {f"{prefix} {rest} > {rest}: filler" for rest in rests}


def test_words_of_meaning_are_never_learned_as_fillers() -> None:
    rests = ["flights to paris", "hotels in rome", "trains to berlin", "cars in madrid"]
    log = counted({text: 1 for rest in rests for text in (rest, f"cheap {rest}", f"no {rest}")})
    assert merged(log) == set()


def test_a_known_word_is_no_misspelling_and_known_words_lose_letters_at_their_end() -> None:
    log = counted(
        {"price of wheat": 50, "price of whaet": 1, "price of whea": 1, "price of weat": 1}
    )
    assert merged(log) == {"price of whaet > price of wheat: typo"}
    assert merged(log, frozenset({"wheat", "weat"})) == {
        "price of whaet > price of wheat: typo",
        "price of whea > price of wheat: typo",
    }
    assert merged(log, frozenset({"wheat", "whaet"})) == {
        "price of whea > price of wheat: typo",
        "price of weat > price of wheat: typo",
    }


def test_a_frequent_word_is_no_misspelling() -> None:
    log = counted({"the tonal scale": 50, "the tnoal scale": 3})
    assert merged(log) == set()


def test_a_capitalized_name_is_no_misspelling() -> None:
    log = counted({"trips to Mrazovo": 50, "trips to Marzovo": 1})
    assert merged(log) == set()
    assert len(merged(counted({"trips to mrazovo": 50, "trips to marzovo": 1}))) == 1


def test_near_duplicates_do_not_chain() -> None:
    # the two misspellings are each one slip from the leader, two from each other
    log = counted({"lost payment": 9, "lost pament": 1, "lost paymentt": 1, "lost pamnt": 1})
    groups = near_duplicate_groups(log, vocabulary=frozenset())
    (leader,) = [g for g in groups if g.leader.text == "lost payment"]
    assert {merge.query.text for merge in leader.merges} == {"lost pament", "lost paymentt"}
    assert leader.frequency == 11


WORDS = ["please", "hello", "card", "payment", "pament", "payemnt", "the", "not", "15", "1", "5"]
WORDS += ["where", "is", "where's", "开通", "请问", "iphone", "thanks", "refund", "refnud", "re"]
small_logs = st.dictionaries(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join),
    st.integers(1, 200),
    min_size=1,
    max_size=12,
)


@settings(deadline=None)
@given(small_logs, st.randoms(use_true_random=False))
def test_groups_hold_every_query_once_whatever_the_order(
    counts: dict[str, int], shuffler: random.Random
) -> None:
    queries = counted(counts)
    groups = near_duplicate_groups(queries)
    ids = [member.query_id for group in groups for member in group.members]
    assert sorted(ids) == [query.query_id for query in queries]
    assert sum(group.frequency for group in groups) == sum(counts.values())
    assert all(g.leader.frequency >= m.query.frequency for g in groups for m in g.merges)
    shuffled = list(queries)
    shuffler.shuffle(shuffled)
    assert near_duplicate_groups(shuffled) == groups


@settings(deadline=None, max_examples=300)
@given(small_logs)
def test_no_pair_that_the_guard_accepts_is_missed_by_the_blocking_keys(
    counts: dict[str, int],
) -> None:
    groups = near_duplicate_groups(counted(counts), vocabulary=frozenset())
    ordered = [group.leader for group in groups]
    everything = sorted(counted(counts), key=lambda q: (-q.frequency, q.query_id))
    tokens = {q.query_id: query_tokens(q) for q in everything}
    lexicon = build_lexicon(everything, [tokens[q.query_id] for q in everything])
    for i, one in enumerate(ordered):
        for other in ordered[i + 1 :]:
            left, right = tokens[one.query_id], tokens[other.query_id]
            contents = (meaning_of(left, lexicon), meaning_of(right, lexicon))
            assert same_meaning(left, right, lexicon, contents=contents) is None


def test_no_queries_have_no_groups() -> None:
    assert near_duplicate_groups([]) == []


def test_of_equally_frequent_originals_the_tidiest_is_shown() -> None:
    counts = {"HOW TO RESET": 1, "how  to reset": 1, "ｈow to reset": 1, "how to reset?": 1}
    (query,), _ = group_exact(counts)
    assert query.text == "how to reset?"


def test_of_equally_frequent_queries_the_one_spelled_right_leads() -> None:
    log = {"how to conncet my lamp": 1, "how to connect my lamp": 1, "connect the dock": 9}
    queries, _ = group_exact(log)
    leaders = [group.leader.text for group in near_duplicate_groups(queries)]
    assert leaders == ["connect the dock", "how to connect my lamp"]
