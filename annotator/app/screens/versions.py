"""The released versions: what each holds, where it lies, and which may be compared."""

from collections.abc import Mapping
from datetime import datetime

import pandas as pd
import streamlit as st

from annotator.app.screens.frame import command, nothing_here
from annotator.app.state import served, t
from annotator.domain.json import Json
from annotator.storage import pools, releases
from annotator.storage.releases import StoredRelease

_KEY_CHARS = 8
_ROW_PX = 36


def draw() -> None:
    """Draw the screen."""
    workspace = served().workspace
    with workspace.store.read() as tx:
        stored = releases.listed(tx)
        has_pool = pools.count(tx) > 0
    st.title(t("nav.versions"), anchor=False)
    if not stored:
        nothing_here(t("versions.empty"), t("versions.empty_help"))
        if not has_pool:
            st.caption(t("versions.empty_wait"))
        command("release NAME")
        return
    newest_first = stored[::-1]
    names = ", ".join(sorted({entry.name for entry in stored}))
    st.caption(t("versions.line", n=len(stored), names=names))
    folders = [workspace.datasets_folder / entry.name / entry.version for entry in newest_first]
    frame = pd.DataFrame(
        {
            "name": [entry.name for entry in newest_first],
            "version": [entry.version for entry in newest_first],
            "created": [datetime.fromisoformat(entry.created_at) for entry in newest_first],
            "tuning": [_count(entry, "tuning") for entry in newest_first],
            "test": [_count(entry, "test") for entry in newest_first],
            "open": [_count(entry, "open") for entry in newest_first],
            "chunks": [_count(entry, "chunks") for entry in newest_first],
            "key_tuning": [_key(entry, "tuning") for entry in newest_first],
            "key_test": [_key(entry, "test") for entry in newest_first],
            "folder": [str(folder.relative_to(workspace.path)) for folder in folders],
        }
    )
    st.dataframe(
        frame,
        hide_index=True,
        row_height=_ROW_PX,
        column_config={
            "name": st.column_config.TextColumn(t("versions.name")),
            "version": st.column_config.TextColumn(t("versions.version"), width="small"),
            "created": st.column_config.DatetimeColumn(
                t("versions.created"), format="YYYY-MM-DD HH:mm"
            ),
            "tuning": st.column_config.NumberColumn(t("versions.tuning"), width="small"),
            "test": st.column_config.NumberColumn(t("versions.test"), width="small"),
            "open": st.column_config.NumberColumn(
                t("versions.open"), help=t("versions.open_help"), width="small"
            ),
            "chunks": st.column_config.NumberColumn(t("versions.chunks"), width="small"),
            "key_tuning": st.column_config.TextColumn(
                t("versions.key_tuning"), help=t("versions.key_help")
            ),
            "key_test": st.column_config.TextColumn(
                t("versions.key_test"), help=t("versions.key_help")
            ),
            "folder": st.column_config.TextColumn(t("versions.folder")),
        },
    )
    st.caption(t("versions.verify"))
    st.code(f"annotator verify {folders[0]}", language=None, wrap_lines=True)


def _count(entry: StoredRelease, name: str) -> int | None:
    """Return a count of the manifest; a split's is that of its queries."""
    counts = entry.manifest.get("counts")
    found = counts.get(name) if isinstance(counts, Mapping) else None
    if isinstance(found, Mapping):
        found = found.get("queries")
    return found if isinstance(found, int) else None


def _key(entry: StoredRelease, split: str) -> str:
    keys: Json = entry.manifest.get("comparability_key")
    return str(keys.get(split, ""))[:_KEY_CHARS] if isinstance(keys, dict) else ""
