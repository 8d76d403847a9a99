"""XQuAD as a world with a known truth: a log, documents, and who is answered where.

The truth is worked out from the published answer spans alone, with none of the product's code.
"""

import json
import random
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

LANGUAGES = ("en", "zh")
PREFIXES = {"en": ("please tell me ", "hi, "), "zh": ("请问", "你好，")}


@dataclass(frozen=True)
class Place:
    """An answer in a document: code points, half open."""

    doc_id: str
    start: int
    end: int
    text: str


@dataclass
class World:
    """Documents by id, log rows, and the answers of every typed text."""

    documents: dict[str, str] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    answers: dict[str, list[Place]] = field(default_factory=dict)
    question_of: dict[str, str] = field(default_factory=dict)


def build_world(
    folder: Path, *, seed: int = 7, left_out: int = 8, per_language: int = 220
) -> World:
    """Make the world: `left_out` articles are in no document, so their questions have no answer.

    Of the others, every second one stands in English and the rest in Chinese, as in a help centre
    that is translated in part; the questions of each are asked in both languages.
    """
    chance = random.Random(seed)
    world = World()
    spans: dict[str, list[Place]] = defaultdict(list)
    questions: dict[tuple[str, str], str] = {}
    for lang in LANGUAGES:
        data = json.loads((folder / f"xquad.{lang}.json").read_text(encoding="utf-8"))["data"]
        titles = sorted(article["title"] for article in data)
        absent = set(random.Random(seed).sample(titles, left_out))
        absent |= {title for i, title in enumerate(titles) if i % 2 != LANGUAGES.index(lang)}
        for article in data:
            doc_id = f"{lang}/{article['title']}"
            parts: list[str] = []
            position = 0
            for paragraph in article["paragraphs"]:
                for qa in paragraph["qas"]:
                    questions[lang, qa["id"]] = qa["question"].strip()
                    if article["title"] in absent:
                        continue
                    for answer in qa["answers"]:
                        start = position + answer["answer_start"]
                        end = start + len(answer["text"])
                        spans[qa["id"]].append(Place(doc_id, start, end, answer["text"]))
                parts.append(paragraph["context"])
                position += len(paragraph["context"]) + 2
            if article["title"] not in absent:
                world.documents[doc_id] = "\n\n".join(parts)
                world.titles[doc_id] = article["title"].replace("_", " ")
    for lang in LANGUAGES:
        ids = sorted(qid for (of, qid) in questions if of == lang)
        chance.shuffle(ids)
        for rank, qid in enumerate(ids[:per_language], start=1):
            question = questions[lang, qid]
            for _ in range(max(1, round(40 / rank))):  # Zipf, exponent 1
                typed = _typed(question, lang, chance)
                world.log.append(typed)
                world.answers[typed] = spans.get(qid, [])
                world.question_of[typed] = qid
    chance.shuffle(world.log)
    return world


def _typed(question: str, lang: str, chance: random.Random) -> str:
    """Return the question as one of its askers types it."""
    kind = chance.random()
    if kind < 0.6:
        return question
    if kind < 0.7:
        return chance.choice(PREFIXES[lang]) + question
    if kind < 0.8:
        return _full_width(question)
    if kind < 0.9:
        return question.rstrip("?？") + ("??" if lang == "en" else "？？")
    return _with_typo(question, lang, chance)


def _full_width(text: str) -> str:
    return "".join(
        chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else "\u3000" if c == " " else c for c in text
    )


def _with_typo(text: str, lang: str, chance: random.Random) -> str:
    """Swap two neighbouring letters inside a long word; Chinese stays as it is."""
    words = text.split(" ")
    long = [i for i, w in enumerate(words) if len(w) >= 6 and w.isalpha() and w.islower()]
    if lang != "en" or not long:
        return text
    i = chance.choice(long)
    j = chance.randrange(1, len(words[i]) - 2)
    word = words[i]
    words[i] = word[:j] + word[j + 1] + word[j] + word[j + 2 :]
    return " ".join(words)


def write_world(world: World, folder: Path) -> tuple[Path, Path]:
    """Write log.csv and documents.jsonl; return their paths."""
    log, documents = folder / "log.csv", folder / "documents.jsonl"
    with log.open("w", encoding="utf-8", newline="") as file:
        file.write("time,query\n")
        for i, text in enumerate(world.log):
            file.write(f'2026-01-01T00:{i % 60:02d},"{text.replace(chr(34), chr(34) * 2)}"\n')
    with documents.open("w", encoding="utf-8", newline="\n") as file:
        for doc_id, text in world.documents.items():
            title = world.titles[doc_id]
            row = {"doc_id": doc_id, "text": text, "title": title, "lang": doc_id[:2]}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return log, documents


@dataclass(frozen=True)
class Truth:
    """What a perfect assessor says of a query, given the chunks."""

    direct: frozenset[str]
    partial: frozenset[str]
    groups: tuple[tuple[str, ...], ...]
    places: tuple[Place, ...]

    @property
    def has_answer(self) -> bool:
        return bool(self.direct or self.groups)

    @property
    def relevant(self) -> frozenset[str]:
        return self.direct | {chunk_id for group in self.groups for chunk_id in group}


def truth_of(places: list[Place], chunks: list[dict[str, object]]) -> Truth:
    """Work the truth out from the spans: whole answers, parts, and parts that answer together."""
    direct: set[str] = set()
    partial: set[str] = set()
    groups: list[tuple[str, ...]] = []
    for place in places:
        touching = [
            chunk
            for chunk in chunks
            if chunk["doc_id"] == place.doc_id
            and chunk["start"] < place.end
            and place.start < chunk["end"]
        ]
        whole = [c for c in touching if c["start"] <= place.start and place.end <= c["end"]]
        direct |= {c["chunk_id"] for c in whole}
        partial |= {c["chunk_id"] for c in touching if c not in whole}
        if not whole:
            ordered = sorted(touching, key=lambda chunk: chunk["start"])
            groups.append(tuple(chunk["chunk_id"] for chunk in ordered))
    return Truth(
        direct=frozenset(direct),
        partial=frozenset(partial - direct),
        groups=() if direct else tuple(sorted(set(groups))),
        places=tuple(places),
    )
