"""The script that Streamlit runs for every page: the frame around the screens."""

from pathlib import Path

import streamlit as st

from annotator.app.i18n.catalogue import NAMES
from annotator.app.screens import home, judge, queue, versions
from annotator.app.screens.frame import failures_as_pages, page, plain
from annotator.app.state import LANGUAGE_KEY, browser_language, served, t

_ICON = Path(__file__).with_name("assets") / "icon.png"


def main() -> None:
    """Draw navigation, language switch and the chosen screen."""
    st.set_page_config(page_title=t("app.title"), page_icon=str(_ICON), layout="wide")
    chosen = st.navigation(
        {
            t("nav.overview"): [page("home", home.draw, icon=":material/home:")],
            t("nav.label"): [
                page("queue", queue.draw, icon=":material/list_alt:"),
                page("judge", judge.draw, icon=":material/rule:"),
            ],
            t("nav.publish"): [page("versions", versions.draw, icon=":material/inventory_2:")],
        }
    )
    with st.sidebar, failures_as_pages():
        st.segmented_control(
            t("nav.language"),
            list(NAMES),
            default=browser_language(),
            required=True,
            format_func=lambda code: NAMES[code],
            key=LANGUAGE_KEY,
            label_visibility="collapsed",
            bind="query-params",
        )
        st.caption(plain(served().workspace.settings.dataset.name))
        st.caption(t("nav.assessor", assessor=plain(served().assessor)))
    chosen.run()


if __name__ == "__main__":
    main()
