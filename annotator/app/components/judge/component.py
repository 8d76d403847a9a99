"""Mount the judge in a page.

In an installed distribution Streamlit serves the modules from files; in a source tree or an
editable install it knows nothing of them, and they are joined to one text that is sent along.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import streamlit as st
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager

_FRONTEND = Path(__file__).with_name("frontend")
_PACKAGED_NAME = "rag-annotator.judge"
_INLINE_NAME = "rag_annotator_judge_inline"
_MODULES = ("offsets.js", "outbox.js", "view.js", "judge.js")
_IMPORT = re.compile(r'^import\s[^;]*?from "\./[\w.-]+";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SpanView:
    """Evidence, in code points of the document."""

    doc_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ChunkView:
    """A chunk as the page shows it, with what this assessor said; no score, no rank, no source."""

    id: str
    doc_id: str
    start: int
    text: str
    title: str
    lang: str
    before: str
    after: str
    grade: int | None
    spans: tuple[SpanView, ...]
    note: str
    cannot_judge: str


@dataclass(frozen=True, slots=True)
class TaskView:
    """The query as the page shows it; `place` says where in the queue it stands."""

    query_id: str
    query: str
    lang: str
    place: str
    variants: tuple[str, ...]
    has_answer: bool | None
    answer_groups: tuple[tuple[str, ...], ...]


def judge_component(
    *,
    task: TaskView,
    chunks: Sequence[ChunkView],
    space: str,
    events_url: str,
    tokens: Mapping[str, str],
    strings: Mapping[str, object],
    language: str,
    key: str,
    on_go: Callable[[], None],
    on_tokens: Callable[[], None],
) -> None:
    """Draw the judge.

    `space` separates what browsers keep for different workspaces and assessors at one address;
    `tokens` maps query ids to tokens for the event route. `on_go` and `on_tokens` are called when
    the page wants another query or more tokens; what it wants stands in the session state under
    `key`, as `go` {"from", "where"} and `tokens` [query ids].
    """
    mount = _component(_PACKAGED_NAME if is_packaged() else _INLINE_NAME)
    mount(
        key=key,
        data={
            "task": asdict(task),
            "chunks": [asdict(chunk) for chunk in chunks],
            "space": space,
            "events_url": events_url,
            "tokens": dict(tokens),
            "strings": dict(strings),
            "ui_lang": language,
        },
        on_go_change=on_go,
        on_tokens_change=on_tokens,
    )


def is_packaged() -> bool:
    """Tell whether Streamlit found the component's files in an installed distribution."""
    return get_bidi_component_manager().get_component_asset_root(_PACKAGED_NAME) is not None


def joined_modules() -> str:
    """Return all modules as one, in order of dependence, without imports among themselves."""
    texts = [(_FRONTEND / name).read_text("utf-8") for name in _MODULES]
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", text)) for text in texts)


def _component(name: str) -> Callable[..., object]:
    if name == _PACKAGED_NAME:
        return st.components.v2.component(name, css="judge.css", js="judge.js")
    css = (_FRONTEND / "judge.css").read_text("utf-8")
    return st.components.v2.component(name, css=css, js=joined_modules())
