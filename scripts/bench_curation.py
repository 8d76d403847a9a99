#!/usr/bin/env python3
"""Measure curation: its CPU time against that of encoding, and what merging gets right.

Makes a log of N distinct queries (from BANKING77 where the data folder is there, else from a
small grammar), curates it step by step, encodes the same queries with the default encoder, and
prints the CPU time of each step as a ratio to encoding. Goal: below 0.6 in all. Then plants noisy
twins among real questions and counts which were found and what else was merged.

Run from the project's folder:  python scripts/bench_curation.py --rows 1000
"""

import argparse
import csv
import json
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from annotator.curation.buckets import build_tree, cut, leaf_order  # noqa: E402
from annotator.curation.dedup import group_exact, near_duplicate_groups  # noqa: E402
from annotator.curation.names import name_clusters  # noqa: E402
from annotator.curation.sampling import Candidate, draw_sample  # noqa: E402
from annotator.curation.strata import assign_strata  # noqa: E402
from annotator.encoders import load_encoder  # noqa: E402
from annotator.text.normalize import normalize  # noqa: E402
from annotator.text.vocabulary import known_words  # noqa: E402

GOAL = 0.6
BUDGET = 400
T = TypeVar("T")

GRAMMAR = {
    "ask": "how do i|where can i|why can i not|is it possible to|when may i|can my wife",
    "do": "change|cancel|order|track|freeze|return|top up|verify|share|renew|delete|check",
    "what": "my card|a transfer|the pin|an account|my order|a refund|the limit|my address",
    "how": "online|by phone|in the app|from abroad|at a branch|by mail|with a code|at night",
}
PLACES = ["germany", "france", "japan", "brazil", "canada", "kenya", "norway", "vietnam"]
CURRENCIES = ["euros", "dollars", "pounds", "yen", "francs", "pesos", "rupees", "zloty"]
PREFIXES = ["please", "hi,", "hello", "hey there,", "could you please tell me", "quick question:"]
PREFIXES += ["i would like to know", "ok so i was wondering if you can tell me"]
SUFFIXES = ["please", "thanks", "thank you!", "asap", "thanks in advance"]


def main() -> int:
    """Run the bench; exit code 1 if curation costs more than the goal."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000, help="distinct queries (100000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--no-quality", action="store_true", help="leave out the merging figures")
    options = parser.parse_args()
    figures = speed(options.rows, options.seed)
    if not options.no_quality:
        figures["near_duplicates"] = quality(options.seed)
    if options.json:
        print(json.dumps(figures, ensure_ascii=False, indent=1))
    else:
        show(figures)
    return 0 if figures["ratio"] < GOAL else 1


def speed(rows: int, seed: int) -> dict:
    """CPU seconds of every step, and their ratio to encoding."""
    counts = a_log(rows, seed)
    known = known_words()
    seconds: dict[str, float] = {}

    def timed(step: str, work: Callable[[], T]) -> T:
        start = time.process_time()
        result = work()
        seconds[step] = time.process_time() - start
        return result

    queries, _ = timed("group_exact", lambda: group_exact(counts))
    groups = timed("near_duplicates", lambda: near_duplicate_groups(queries, vocabulary=known))
    encoder = load_encoder("default")
    encoder.encode(["warm up"])
    position = {query.query_id: i for i, query in enumerate(queries)}
    texts = [query.text for query in queries]
    all_vectors = timed("encode", lambda: encoder.encode(texts))
    encoding = seconds.pop("encode")
    groups.sort(key=lambda group: group.leader.query_id)
    leaders = [group.leader for group in groups]
    frequencies = [group.frequency for group in groups]
    vectors = all_vectors[[position[leader.query_id] for leader in leaders]]
    tree = timed("build_tree", lambda: build_tree(vectors, seed=seed))
    budget = max(1, min(BUDGET, rows // 20))
    fine, intents = timed("cut", lambda: (cut(tree, 4 * budget), cut(tree, 25)))
    texts = [leader.text for leader in leaders]
    names = timed(
        "names",
        lambda: name_clusters(texts, frequencies=frequencies, labelings=[fine, intents]),
    )

    def sample():
        order = leaf_order(tree)
        population = [
            Candidate(
                leader.query_id, frequencies[i], f"b{fine[i]}", f"i{intents[i]}", int(order[i])
            )
            for i, leader in enumerate(leaders)
        ]
        traffic: dict[str, int] = {}
        for candidate in population:
            traffic[candidate.intent] = traffic.get(candidate.intent, 0) + candidate.frequency
        assign_strata(traffic)
        return draw_sample(population, budget=budget, seed=seed)

    drawn = timed("strata_and_sample", sample)
    return {
        "distinct_queries": len(queries),
        "representatives": len(groups),
        "micro_clusters": tree.leaves,
        "drawn": len(drawn.drawn),
        "multi_row_buckets": drawn.multi_row_buckets,
        "buckets_covered": drawn.buckets_covered,
        "intent_names": list(names[1].values()),
        "encode_cpu_s": round(encoding, 2),
        "cpu_s": {step: round(s, 2) for step, s in seconds.items()},
        "ratio_by_step": {step: round(s / encoding, 4) for step, s in seconds.items()},
        "ratio": round(sum(seconds.values()) / encoding, 4),
        "goal": GOAL,
    }


def data_folder() -> Path:
    """The folder with the public test data, which need not exist."""
    named = os.environ.get("ANNOTATOR_TEST_DATA")
    return Path(named) if named else ROOT.parent / "shared" / "data"


def read_rows(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    """Rows of a CSV or TSV by header, none where the file is missing."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        quoting = csv.QUOTE_NONE if delimiter == "\t" else csv.QUOTE_MINIMAL
        return list(csv.DictReader(file, delimiter=delimiter, quoting=quoting))


def base_questions() -> list[tuple[str, str]]:
    """Questions with their true intent: BANKING77, else every sentence of the grammar."""
    rows = read_rows(data_folder() / "banking77" / "train.csv")
    if rows:
        return list({row["text"]: row["category"] for row in rows}.items())
    parts = {name: options.split("|") for name, options in GRAMMAR.items()}
    return [
        (f"{ask} {do} {what} {how}?", f"{do} {what}")
        for ask in parts["ask"]
        for do in parts["do"]
        for what in parts["what"]
        for how in parts["how"]
    ]


def a_log(rows: int, seed: int) -> dict[str, int]:
    """`rows` raw strings with different normal forms; most stand once, few often (Zipf)."""
    draw = random.Random(seed)
    questions = [text for text, _ in base_questions()]
    draw.shuffle(questions)
    counts: dict[str, int] = {}
    seen: set[str] = set()
    for text in variations(questions, draw):
        normal = normalize(text)
        if normal and normal not in seen:
            seen.add(normal)
            counts[text] = min(1000, int(draw.paretovariate(1.5)))
            if len(counts) == rows:
                break
    return counts


def variations(questions: list[str], draw: random.Random) -> Iterator[str]:
    """The questions, then endless variations of them."""
    yield from questions
    while True:
        text = draw.choice(questions)
        kind = draw.random()
        if kind < 0.45:
            text = with_slots(text, draw)
        elif kind < 0.65:
            text = swapped(text, draw)
        elif kind < 0.85:
            text = misspelt(text, draw)
        else:
            text = polite(text, draw)
        yield misspelt(text, draw) if draw.random() < 0.1 else text


def with_slots(text: str, draw: random.Random) -> str:
    """Another need: an amount, a place or a year is named."""
    slots = [f"in {draw.choice(PLACES)}", f"in {draw.randrange(2015, 2026)}"]
    slots += [f"for {draw.randrange(5, 5000)} {draw.choice(CURRENCIES)}"]
    return f"{text.rstrip(' ?.!')} {draw.choice(slots)}"


def swapped(text: str, draw: random.Random) -> str:
    """Two neighbouring words change places."""
    words = text.split()
    if len(words) > 1:
        i = draw.randrange(len(words) - 1)
        words[i], words[i + 1] = words[i + 1], words[i]
    return " ".join(words)


def misspelt(text: str, draw: random.Random) -> str:
    """One letter of a word of five or more is doubled, lost, swapped or hit beside."""
    words = text.split()
    long = [i for i, word in enumerate(words) if len(word) >= 5 and word.isalpha()]
    if not long:
        return text
    at = draw.choice(long)
    word, i = words[at], draw.randrange(1, len(words[at]) - 1)
    beside = {"a": "s", "e": "r", "i": "o", "o": "p", "n": "m", "t": "y", "r": "t", "s": "d"}
    words[at] = draw.choice(
        [
            word[:i] + word[i] + word[i:],
            word[:i] + word[i + 1 :],
            word[:i] + word[i + 1] + word[i] + word[i + 2 :],
            word[:i] + beside.get(word[i], word[i] * 2) + word[i + 1 :],
        ]
    )
    return " ".join(words)


def polite(text: str, draw: random.Random) -> str:
    """A greeting before or thanks behind."""
    if draw.random() < 0.7:
        return f"{draw.choice(PREFIXES)} {text}"
    return f"{text} {draw.choice(SUFFIXES)}"


def full_width(text: str) -> str:
    """ASCII as the full-width forms of a Chinese keyboard."""
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


def quality(seed: int) -> dict:
    """Precision and recall on planted twins, and on published pairs."""
    known = known_words()
    found = {
        f"twins {vocabulary}": twins(seed, words)
        for vocabulary, words in (("known words", known), ("no vocabulary", frozenset()))
    }
    folder = data_folder() / "near-duplicates"
    covid = read_rows(folder / "covid" / "eval_question_similarity_en.csv")
    if covid:
        pairs = [(r["question_1"], r["question_2"], r["similar"] == "1") for r in covid]
        found["covid (paraphrases)"] = on_pairs(pairs, known)
    paws = [r for n in ("dev", "test") for r in read_rows(folder / f"pawsx-zh/{n}_2k.tsv", "\t")]
    if paws:
        pairs = [(r["sentence1"], r["sentence2"], r["label"] == "1") for r in paws]
        found["pawsx-zh (adversarial)"] = on_pairs(pairs, known)
    return found


def twins(seed: int, known: frozenset[str]) -> dict:
    """Plant 3,000 noisy twins (fewer in a small log) among the questions; see which are merged."""
    draw = random.Random(seed)
    questions = base_questions()
    draw.shuffle(questions)
    counts = {text: 1 + int(draw.paretovariate(1.2)) for text, _ in questions}
    intent = dict(questions)
    origin = {normalize(text): text for text in counts}
    kinds: dict[str, str] = {}
    makers: dict[str, Callable[[str], str]] = {
        "typo": lambda text: misspelt(text, draw),
        "polite": lambda text: polite(text, draw),
        "polite and typo": lambda text: misspelt(polite(text, draw), draw),
        "full-width": full_width,
    }
    for text, _ in questions[:3000]:
        kind = draw.choice(list(makers))
        twin = makers[kind](text)
        if twin not in counts and (kind == "full-width" or normalize(twin) not in origin):
            counts[twin] = 1
            kinds[twin] = kind
            origin.setdefault(normalize(twin), text)
    queries, _ = group_exact(counts)
    hits = dict.fromkeys(makers, 0)
    right = alike = 0
    wrong: list[list[str]] = []
    for query in queries:
        for variant in query.variants:
            hits["full-width"] += kinds.get(variant.text) == "full-width"
    for group in near_duplicate_groups(queries, vocabulary=known):
        source = origin[normalize(group.leader.text)]
        for merge in group.merges:
            text = merge.query.text
            mine = origin[normalize(text)]
            if mine == source:
                right += 1
                hits[kinds.get(text) or kinds[group.leader.text]] += 1
            elif intent[mine] == intent[source]:
                alike += 1
            else:
                wrong.append([text, group.leader.text, merge.reason.kind])
    planted = {kind: list(kinds.values()).count(kind) for kind in makers}
    merged = right + alike + len(wrong)
    return {
        "planted": len(kinds),
        "precision": round(1 - len(wrong) / max(1, merged), 4),
        "recall": round(sum(hits.values()) / max(1, len(kinds)), 4),
        "recall_by_kind": {k: round(hits[k] / max(1, n), 3) for k, n in planted.items()},
        "merged_other_question_same_intent": alike,
        "wrong": wrong[:20],
    }


def on_pairs(pairs: list[tuple[str, str, bool]], known: frozenset[str]) -> dict:
    """Put all texts into one log and see which labelled pairs end in one group.

    Pairs with equal normal forms are left out: nothing could tell them apart, whatever the label.
    """
    equal = [same for one, other, same in pairs if normalize(one) == normalize(other)]
    pairs = [pair for pair in pairs if normalize(pair[0]) != normalize(pair[1])]
    queries, _ = group_exact({text: 1 for one, other, _ in pairs for text in (one, other)})
    group_of = {
        variant.text: group.leader.query_id
        for group in near_duplicate_groups(queries, vocabulary=known)
        for member in group.members
        for variant in member.variants
    }
    merged = [(one, other, same) for one, other, same in pairs if group_of[one] == group_of[other]]
    right = sum(same for _, _, same in merged)
    return {
        "pairs": len(pairs),
        "equal_texts_left_out": len(equal),
        "merged": len(merged),
        "precision": round(right / len(merged), 4) if merged else None,
        "recall": round(right / max(1, sum(same for _, _, same in pairs)), 4),
        "wrong": [[one, other] for one, other, same in merged if not same][:20],
    }


def show(figures: dict) -> None:
    """Print the figures as tables."""
    print(
        f"{figures['distinct_queries']} distinct queries, {figures['representatives']} "
        f"representatives, {figures['micro_clusters']} micro-clusters; {figures['drawn']} drawn, "
        f"{figures['buckets_covered']} of {figures['multi_row_buckets']} multi-row buckets covered"
    )
    print(f"\n{'step':22}{'CPU s':>8}{'ratio to encoding':>20}")
    for step, spent in figures["cpu_s"].items():
        print(f"{step:22}{spent:8.2f}{figures['ratio_by_step'][step]:20.4f}")
    total = sum(figures["cpu_s"].values())
    print(f"{'all':22}{total:8.2f}{figures['ratio']:20.4f}   (goal: below {figures['goal']})")
    print(f"{'encoding':22}{figures['encode_cpu_s']:8.2f}{1:20.4f}")
    for name, found in figures.get("near_duplicates", {}).items():
        print(f"\n{name}: precision {found['precision']}, recall {found['recall']}")
        for key, value in found.items():
            if key not in ("precision", "recall", "wrong"):
                print(f"  {key}: {value}")
        for wrong in found["wrong"]:
            print("  wrong: " + "  |  ".join(wrong))


if __name__ == "__main__":
    sys.exit(main())
