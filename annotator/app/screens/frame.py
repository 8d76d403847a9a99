"""What all screens share: how to get from one to another, and what is shown when one fails."""

import logging
import re
import secrets
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal, TypeAlias

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from annotator.app.state import served, t
from annotator.domain.errors import AnnotatorError

ScreenName: TypeAlias = Literal["home", "queue", "judge", "versions"]

_LOG = logging.getLogger(__name__)
_pages: dict[ScreenName, StreamlitPage] = {}  # Streamlit knows a page by its path alone


def page(name: ScreenName, draw: Callable[[], None], *, icon: str) -> StreamlitPage:
    """Return the navigation's entry of a screen, home being the first."""

    def guarded() -> None:
        with failures_as_pages():
            draw()

    made = st.Page(
        guarded,
        title=t(f"nav.{name}"),
        icon=icon,
        url_path="" if name == "home" else name,
        default=name == "home",
    )
    _pages[name] = made
    return made


def go_to(name: ScreenName) -> None:
    """Leave for another screen."""
    st.switch_page(_pages[name])


@contextmanager
def failures_as_pages() -> Iterator[None]:
    """Show a failure as a short page: our own errors by their sentence, others by a number."""
    try:
        yield
    except AnnotatorError as error:
        st.subheader(t("error.title"))
        sentence(str(error))
        st.button(t("error.again"), key="error.again")
    except Exception:  # noqa: BLE001 - the outermost border: anything else is our own mistake
        incident = secrets.token_hex(4)
        _LOG.exception("Incident %s", incident)
        st.subheader(t("error.unexpected"))
        sentence(t("error.incident", incident=incident))
        st.button(t("error.again"), key="error.again")


def sentence(text: str) -> None:
    """Show a text as it is; it may hold names from files, so it is never read as Markdown."""
    st.text(text)


def plain(text: str) -> str:
    """Return the text so that Markdown reads none of its characters as a sign."""
    return re.sub(r"([\\`*_{}\[\]()#+!<>|~:$&-])", r"\\\1", text)


def command(arguments: str) -> None:
    """Show a command of ours, ready to copy, for the workspace that is open."""
    st.code(
        f"annotator -w {shlex.quote(str(served().workspace.path))} {arguments}",
        language=None,
        wrap_lines=True,
    )


def nothing_here(title: str, help_text: str) -> None:
    """Show why a screen is empty and what fills it."""
    st.subheader(title)
    st.caption(help_text)
