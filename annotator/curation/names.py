"""Name buckets and intents by the words that set them apart.

Class-based TF-IDF (Grootendorst 2022, arXiv:2203.05794, eq. 2): a word's weight in a cluster is
tf · log(1 + A / f), with tf its number of texts in the cluster, f that in all clusters, and A the
average number of words of a cluster.
"""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from annotator.text.language import has_han
from annotator.text.tokens import search_tokens

KEYWORDS = 3
SEPARATOR = " · "
_LONGEST = 60

_STOP_TEXT = """
    a about after again all also am an and any are as at be because been before being but by
    can cannot could did do does doing done don for from get gets getting go going got had has
    have having he hello help her here hey hi him his how i if im in into is it its just know
    let like ll make me more most my need no not now of off ok on once one only or other our out
    over please pls re s same see she should so some still such t tell than thank thanks that the
    their them then there these they this those to too trying up us use using ve very want was we
    were what whats when where which while who whom why will with without won would you your yours
    ain aren couldn couldnt didn didnt doesn doesnt dont hadn hasn haven isn isnt shouldn wasn wasnt
    weren wont wouldn cant im ive
    的 了 吗 呢 吧 啊 和 与 及 或 在 是 有 我 你 您 他 她 它 我们 你们 他们 这 那 这个 那个
    哪 哪个 哪些 哪里 什么 怎么 怎样 怎么样 如何 为什么 为何 多少 几 请问 请 一下 可以 能 能否
    是否 不 没 没有
    不能 想 要 需要 知道 告诉 谢谢 你好 您好 就 都 也 还 还是 被 把 对 从 到 以及 一个 进行 使用
"""
STOP_WORDS = frozenset(_STOP_TEXT.split())

_Labels = npt.NDArray[np.int64]


def name_clusters(
    texts: Sequence[str], *, frequencies: Sequence[int], labelings: Sequence[_Labels]
) -> tuple[dict[int, str], ...]:
    """Return the name of every cluster of every labeling (such as buckets and intents).

    `texts`, `frequencies` (log rows) and each labeling run parallel. A name is up to three
    keywords, the most telling first (ties: alphabetical); one that holds another is taken once,
    and where some word stands in two texts of the cluster, words of one text do not count.
    A cluster of one text, or without keywords, has its most frequent text as its name (ties: the
    smaller string), cut to 60 characters. Two clusters may share a name.
    """
    words = [_keywords(text) for text in texts]
    return tuple(_names(texts, words, frequencies, labels) for labels in labelings)


def _keywords(text: str) -> list[str]:
    """Each token once, without stop words, single characters and bare numbers."""
    return [
        token
        for token in dict.fromkeys(search_tokens(text))
        if len(token) > 1 and token not in STOP_WORDS and not token.replace(".", "").isdigit()
    ]


def _names(
    texts: Sequence[str],
    words: Sequence[Sequence[str]],
    frequencies: Sequence[int],
    labels: _Labels,
) -> dict[int, str]:
    members: dict[int, list[int]] = {}
    for row, label in enumerate(labels.tolist()):
        members.setdefault(label, []).append(row)
    everywhere = Counter(token for tokens in words for token in tokens)
    average = everywhere.total() / max(1, len(members))
    names: dict[int, str] = {}
    for label, rows in members.items():
        counts = Counter(token for row in rows for token in words[row]) if len(rows) > 1 else {}
        shared = min(2, max(counts.values(), default=0))
        weights = {
            token: count * math.log1p(average / everywhere[token])
            for token, count in counts.items()
            if count >= shared
        }
        best = _distinct(sorted(weights, key=lambda token: (-weights[token], token)))
        names[label] = SEPARATOR.join(best) if best else _representative(texts, frequencies, rows)
    return names


def _distinct(ranked: Sequence[str]) -> list[str]:
    """Take the first keywords of which none holds another, as "cards" does "card"."""
    chosen: list[str] = []
    for token in ranked:
        if len(chosen) == KEYWORDS:
            break
        if not any(_holds(token, other) or _holds(other, token) for other in chosen):
            chosen.append(token)
    return chosen


def _holds(longer: str, shorter: str) -> bool:
    return shorter in longer if has_han(shorter) else longer.startswith(shorter)


def _representative(texts: Sequence[str], frequencies: Sequence[int], rows: Sequence[int]) -> str:
    best = min(rows, key=lambda row: (-frequencies[row], texts[row]))
    text = " ".join(texts[best].split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1].rstrip() + "…"
