"""Words that a query can lose without asking for anything else: greetings and politeness.

A short built-in list holds for every log. Longer runs ("ok so i was wondering if you can") are
learned from the log at hand, and only such that consist wholly of polite words, hold one that
marks politeness, and were seen before (or after) at least `LEARN_CONFIRMATIONS` texts that the
log also holds without them. So no noun, verb of action, number, negation or question word can
ever become a filler, however often it may be left out.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from annotator.text.tokens import guard_tokens

LEARN_CONFIRMATIONS = 3
LONGEST_LEARNED = 12

Tokens: TypeAlias = tuple[str, ...]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LEADING = """hi|hello|hey|hi there|hello there|hey there|hello everyone|hi everyone|hi all|hi team
good morning|good afternoon|good evening|greetings|excuse me|sorry to bother you|quick question
i have a question|i have a quick question|a quick question|tell me|could you tell me
can you tell me|would you tell me|can anyone tell me|could anyone tell me|can someone tell me
could someone tell me|do you know|does anyone know|i want to know|i would like to know
i need to know|i wanted to know|i wanted to ask|i want to ask|i would like to ask
i was wondering|just wondering|i am wondering|thanks|thank you
请问一下|请问下|请问|你好|您好|大家好|麻烦|麻烦问一下|麻烦问下|请教一下|请教|想问一下|想问下|想问
我想问一下|我想问下|我想问|我想请问|想请问|我想知道|想知道|我想咨询一下|我想咨询|想咨询一下|想咨询
咨询一下|请告诉我|告诉我|能告诉我|可以告诉我|你能告诉我|您能告诉我|问一下|问下"""
_TRAILING = """thanks|thank you|thx|ty|many thanks|thanks a lot|thanks in advance
thank you in advance|thank you very much|thank you so much|cheers|asap
谢谢|谢谢你|谢谢您|多谢|感谢|谢谢了|吗|呢|啊|呀|嘛|哦"""
_ANYWHERE = frozenset({"please", "pls", "plz", "kindly", "the", "an"})
_ARTICLE_FOLLOWS = _words(
    """is was are get got have has had need want for with of in on to by from as at make made use
    used using order open find lost into if through do does did such just there"""
)
_POLITE = _words(
    """hi hello hey there dear ok okay well so um good morning afternoon evening sorry excuse
    i we you me us am was would could can like want wanted need to ask asking know knowing tell
    wonder wondering if that just quick question about help advise let anyone somebody someone
    everyone team thanks thank very much lot a in advance cheers appreciate it for your and
    请 问 一 下 你 您 好 麻 烦 想 我 咨 询 告 诉 知 道 帮 忙 亲 各 位 谢 感 啊
    呀 呢 哦 吧"""
)
_MARKERS = _words(
    """hi hello hey dear sorry excuse like want wanted ask asking know tell wonder wondering
    question help advise thanks thank cheers appreciate 请 问 好 谢"""
)


@dataclass(frozen=True, slots=True)
class Fillers:
    """Phrases that are stripped from the start and the end, each by its outermost token."""

    leading: Mapping[str, tuple[Tokens, ...]]
    trailing: Mapping[str, tuple[Tokens, ...]]

    def strip(self, tokens: Sequence[str]) -> Tokens:
        """Return the tokens without fillers; a text of nothing but fillers stays as it is."""
        kept = _kept(tokens)
        start, end = 0, len(kept)
        while start < end and (length := _matched(self.leading, kept, start, end, front=True)):
            start += length
        while start < end and (length := _matched(self.trailing, kept, start, end, front=False)):
            end -= length
        return kept[start:end] or tuple(tokens)


def is_marker(word: str) -> bool:
    """Tell whether the word is one that marks politeness, for mending misspelt ones."""
    return word in _MARKERS or word in _ANYWHERE


def learn_fillers(texts: Iterable[Tokens]) -> Fillers:
    """Return the built-in fillers and those that the log confirms.

    `texts` are the guard tokens of the distinct queries.
    """
    distinct = {_kept(tokens) for tokens in texts}
    contents = {BUILT_IN.strip(tokens) for tokens in distinct}
    before: dict[Tokens, int] = {}
    after: dict[Tokens, int] = {}
    for tokens in distinct:
        run = min(_polite_run(tokens), LONGEST_LEARNED, len(tokens) - 2)
        for length in range(1, run + 1):
            if tokens[length:] in contents:
                before[tokens[:length]] = before.get(tokens[:length], 0) + 1
        run = min(_polite_run(tokens[::-1]), LONGEST_LEARNED, len(tokens) - 2)
        for length in range(1, run + 1):
            if tokens[:-length] in contents:
                after[tokens[-length:]] = after.get(tokens[-length:], 0) + 1
    return _fillers(
        [*_phrases(_LEADING), *_confirmed(before)], [*_phrases(_TRAILING), *_confirmed(after)]
    )


def _polite_run(tokens: Sequence[str]) -> int:
    return next((i for i, token in enumerate(tokens) if token not in _POLITE), len(tokens))


def _confirmed(counts: Mapping[Tokens, int]) -> list[Tokens]:
    return [
        phrase
        for phrase, n in counts.items()
        if n >= LEARN_CONFIRMATIONS and any(token in _MARKERS for token in phrase)
    ]


def _kept(tokens: Sequence[str]) -> Tokens:
    return tuple(token for i, token in enumerate(tokens) if not _drops(tokens, i))


def _drops(tokens: Sequence[str], i: int) -> bool:
    """Tell whether the token is left out wherever it stands.

    "a" only as an article after a function word ("hepatitis a", "plan a" keep theirs), and no
    article as the last token.
    """
    token = tokens[i]
    if token in _ANYWHERE:
        return token in ("please", "pls", "plz", "kindly") or i + 1 < len(tokens)
    return token == "a" and 0 < i < len(tokens) - 1 and tokens[i - 1] in _ARTICLE_FOLLOWS


def _matched(
    phrases: Mapping[str, tuple[Tokens, ...]],
    tokens: Tokens,
    start: int,
    end: int,
    *,
    front: bool,
) -> int:
    """Return the length of the longest phrase at that end that leaves something, else 0."""
    for phrase in phrases.get(tokens[start] if front else tokens[end - 1], ()):
        n = len(phrase)
        if n < end - start:
            there = tokens[start : start + n] if front else tokens[end - n : end]
            if there == phrase:
                return n
    return 0


def _phrases(text: str) -> list[Tokens]:
    phrases = text.replace("\n", "|").split("|")
    return [tuple(guard_tokens(phrase.strip())) for phrase in phrases]


def _fillers(leading: Iterable[Tokens], trailing: Iterable[Tokens]) -> Fillers:
    return Fillers(_by_edge(leading, 0), _by_edge(trailing, -1))


def _by_edge(phrases: Iterable[Tokens], edge: int) -> dict[str, tuple[Tokens, ...]]:
    """Index by outermost token, longest first."""
    found: dict[str, list[Tokens]] = {}
    for phrase in dict.fromkeys(phrases):
        found.setdefault(phrase[edge], []).append(phrase)
    return {
        token: tuple(sorted(group, key=lambda phrase: (-len(phrase), phrase)))
        for token, group in found.items()
    }


BUILT_IN = _fillers(_phrases(_LEADING), _phrases(_TRAILING))
