"""The queue: every sampled query with how far it is, filtered and opened from here."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from annotator.app.i18n.catalogue import LANGUAGES
from annotator.app.screens.frame import command, go_to, nothing_here
from annotator.app.state import open_query, served, t
from annotator.workflows import judge
from annotator.workflows.judge import OPEN_STATES, QueueEntry

_ROW_PX = 36
_MOST_ROWS = 15


def draw() -> None:
    """Draw the screen."""
    entries = judge.queue(served().workspace.store, assessor=served().assessor)
    st.title(t("nav.queue"), anchor=False)
    if not entries:
        nothing_here(t("queue.no_sample"), t("queue.no_sample_help"))
        if st.button(t("judge.to_home"), type="primary"):
            go_to("home")
        return
    if not any(entry.n_pool for entry in entries):
        nothing_here(t("queue.no_pool"), t("step.pool_help"))
        command("pool")
        return
    n_open = sum(entry.state in OPEN_STATES for entry in entries)
    intro = "queue.intro" if n_open else "queue.intro_done"
    st.caption(t(intro, open=n_open, total=len(entries)))
    bar = st.columns([2, 3, 2, 2], vertical_alignment="bottom")
    with bar[0]:
        state = _choice("state", sorted({e.state for e in entries}))
    with bar[1]:
        bucket = _choice("bucket", sorted({e.query.bucket.name for e in entries}))
    with bar[2]:
        lang = _choice("language", sorted({e.query.lang for e in entries}))
    following = judge.next_query_id(entries)
    with bar[3]:
        if st.button(
            t("queue.open_next"),
            icon=":material/skip_next:",
            width="stretch",
            disabled=following is None,
        ):
            _open(following)
    shown = [
        entry
        for entry in entries
        if (state is None or entry.state == state)
        and (bucket is None or entry.query.bucket.name == bucket)
        and (lang is None or entry.query.lang == lang)
    ]
    if not shown:
        st.caption(t("queue.no_match"))
        return
    chosen = _table(shown)
    if st.button(t("queue.open"), type="primary", icon=":material/rule:", disabled=chosen is None):
        _open(chosen)


def _choice(name: str, options: Sequence[str]) -> str | None:
    """Draw a filter; None lets everything through."""

    def label(option: str | None) -> str:
        if option is None:
            return t("queue.any")
        if name == "language":
            return _language_name(option)
        return t(f"state.{option}") if name == "state" else option

    return st.selectbox(
        t(f"queue.{name}"), [None, *options], format_func=label, key=f"queue.filter.{name}"
    )


def _language_name(tag: str) -> str:
    """Return what a language is called, its tag where we have no word for it."""
    return t(f"lang.{tag}") if tag in LANGUAGES else tag


def _table(entries: Sequence[QueueEntry]) -> str | None:
    """Draw the rows and return the query id of the selected one."""
    frame = pd.DataFrame(
        {
            "query": [entry.query.text for entry in entries],
            "bucket": [entry.query.bucket.name for entry in entries],
            "lang": [_language_name(entry.query.lang) for entry in entries],
            "state": [
                t(f"state.{entry.state}") + (f" · {t('queue.taken')}" if entry.is_taken else "")
                for entry in entries
            ],
            "progress": [
                100 * entry.n_judged / entry.n_pool if entry.n_pool else 0.0 for entry in entries
            ],
            "chunks": [f"{entry.n_judged} / {entry.n_pool}" for entry in entries],
            "frequency": [entry.query.frequency for entry in entries],
        }
    )
    event = st.dataframe(
        frame,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key="queue.table",
        row_height=_ROW_PX,
        height=_ROW_PX * (min(len(entries), _MOST_ROWS) + 1) + 2,
        column_config={
            "query": st.column_config.TextColumn(t("queue.query"), width=290),
            "bucket": st.column_config.TextColumn(t("queue.bucket"), width=110),
            "lang": st.column_config.TextColumn(t("queue.language"), width=70),
            "state": st.column_config.TextColumn(t("queue.state"), width=115),
            "progress": st.column_config.ProgressColumn(
                t("queue.progress"), min_value=0, max_value=100, format="%d %%", width=110
            ),
            "chunks": st.column_config.TextColumn(t("queue.chunks"), width=65),
            "frequency": st.column_config.NumberColumn(
                t("queue.frequency"), help=t("queue.frequency_help"), width=50
            ),
        },
    )
    rows = event["selection"]["rows"]
    return entries[rows[0]].query.query_id if rows and rows[0] < len(entries) else None


def _open(query_id: str | None) -> None:
    if query_id is not None:
        open_query(query_id)
        go_to("judge")
