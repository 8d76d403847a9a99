"""What a page may know: the open workspace, who sits before it, and what they are looking at.

The first part is set once per process by the server; the rest lives in Streamlit's session and
holds ids, filters and toggles only. Nothing that a person made is kept here.
"""

from dataclasses import dataclass

import streamlit as st

from annotator.app.i18n.catalogue import LANGUAGES, Language, translate
from annotator.domain.errors import StageOrderError
from annotator.workspace import Workspace

LANGUAGE_KEY = "language"
_QUERY_KEY = "judge.query_id"
_WANTED_KEY = "judge.wanted_tokens"


@dataclass(frozen=True, slots=True)
class Served:
    """What this process serves, and to whom."""

    workspace: Workspace
    assessor: str


_served: Served | None = None


def serve(workspace: Workspace, *, assessor: str) -> None:
    """Set what this process serves; one workspace per process."""
    global _served
    _served = Served(workspace, assessor)


def served() -> Served:
    """Return what this process serves.

    Raises StageOrderError where a page runs without a server of ours.
    """
    if _served is None:
        raise StageOrderError("No workspace is open. Start the application with: annotator serve")
    return _served


def language() -> Language:
    """Return the language of the labels: the chosen one, else the browser's."""
    chosen = st.session_state.get(LANGUAGE_KEY)
    if chosen in LANGUAGES:
        return "zh" if chosen == "zh" else "en"
    return browser_language()


def browser_language() -> Language:
    """Return the language that the browser asks for, English where it is neither."""
    return "zh" if str(st.context.locale or "").lower().startswith("zh") else "en"


def t(key: str, **values: str | int) -> str:
    """Return the label `key` in the user's language."""
    return translate(language(), key, **values)


def open_query(query_id: str) -> None:
    """Let the judge screen show this query when it is drawn next."""
    st.session_state[_QUERY_KEY] = query_id


def opened_query() -> str | None:
    """Return the query that was opened in this session."""
    found = st.session_state.get(_QUERY_KEY)
    return found if isinstance(found, str) else None


def want_token(query_id: str) -> None:
    """Remember that the page holds unsent events of this query."""
    st.session_state[_WANTED_KEY] = sorted({*wanted_tokens(), query_id})


def wanted_tokens() -> list[str]:
    """Return the queries, beside the open one, of which the page holds unsent events."""
    found = st.session_state.get(_WANTED_KEY, [])
    return [entry for entry in found if isinstance(entry, str)]
