"""Home: one line of what stands, the figures, the next step of the loop, and running jobs."""

import re

import streamlit as st

from annotator.app.screens.frame import command, failures_as_pages, go_to, plain, sentence
from annotator.app.screens.loop import Step, is_empty, n_settled, steps
from annotator.app.state import open_query, served, t
from annotator.storage import jobs
from annotator.workflows import judge
from annotator.workflows.status import Status, status

_JOBS_SHOWN = 5
_WHILE_RUNNING = "2s"
_WHILE_QUIET = "20s"


def draw() -> None:
    """Draw the screen."""
    workspace, assessor = served().workspace, served().assessor
    entries = judge.queue(workspace.store, assessor=assessor)
    now = status(workspace.store)
    loop = steps(now, dataset=_dataset_name(workspace.settings.dataset.name))
    todo = next((step for step in loop if not step.is_done), None)
    following = judge.next_query_id(entries)
    _headline(now, todo, following)
    if now.sampled_queries:
        _figures(now)
    left, right = st.columns([3, 2], gap="medium")
    with right, st.container(border=True):
        st.subheader(t("home.loop"), anchor=False)
        for step in loop:
            _line(step, is_next=step is todo)
    with left:
        if todo is not None:
            _next_step(todo, following)
        _jobs()


def _headline(now: Status, todo: Step | None, following: str | None) -> None:
    words, action = st.columns([3, 1], vertical_alignment="center")
    with words:
        st.title(t("nav.home"), anchor=False)
        if is_empty(now):
            st.caption(t("home.empty"))
        elif not now.sampled_queries or not now.pool_pairs:
            st.caption(t("home.line_prepare", step=t(f"step.{todo.key}")) if todo else "")
        else:
            sampled, judged = now.sampled_queries, n_settled(now)
            parts = [t("home.line", judged=judged, sampled=sampled)]
            if judged < sampled:
                parts.append(t("home.line_open", open=sampled - judged))
            if now.states.get("disputed"):
                parts.append(t("home.line_disputed", n=now.states["disputed"]))
            st.caption(" ".join(parts))
    if following is not None and action.button(
        t("home.continue"), type="primary", icon=":material/play_arrow:", width="stretch"
    ):
        open_query(following)
        go_to("judge")


def _figures(now: Status) -> None:
    sampled, judged = now.sampled_queries, n_settled(now)
    share = t("home.metric_share", percent=100 * judged // sampled)
    buckets = t("home.metric_buckets", n=now.buckets) if now.buckets else t("home.metric_plan")
    latest = now.versions[-1].partition("@")[2] if now.versions else ""
    figures = [
        ("sampled", sampled, buckets),
        ("judged", judged, share),
        ("chunks", now.chunks, t("home.metric_documents", n=now.documents)),
        ("pairs", now.pool_pairs, t("home.metric_pairs_judged", n=f"{now.judged_pairs:,}")),
        (
            "versions",
            len(now.versions),
            t("home.metric_latest", version=latest) if latest else t("home.metric_none"),
        ),
    ]
    for column, (name, number, detail) in zip(st.columns(len(figures)), figures, strict=True):
        column.metric(
            t(f"home.metric_{name}"),
            f"{number:,}",
            detail,
            delta_color="off",
            delta_arrow="off",
            border=True,
        )


def _next_step(step: Step, following: str | None) -> None:
    with st.container(border=True):
        st.subheader(f"{t('home.next')}: {t(f'step.{step.key}')}", anchor=False)
        st.write(t(f"step.{step.key}_help"))
        if step.command:
            command(step.command)
            st.caption(t("home.next_run"))
        elif following is not None:
            st.caption(t("home.next_judge"))


def _line(step: Step, *, is_next: bool) -> None:
    name = t(f"step.{step.key}")
    is_counted = not step.counts or any(step.counts.values())
    counts = t(f"step.{step.key}_done", **step.counts)
    if step.is_done:
        detail = f"  \n:gray[{counts}]" if is_counted else ""
        st.markdown(f":green[:material/check_circle:] {name}{detail}")
    elif is_next:
        begun = f"  \n:gray[{counts}]" if step.key == "judge" and step.counts["sampled"] else ""
        st.markdown(f":blue[:material/arrow_circle_right:] **{name}**{begun}")
    else:
        st.markdown(f":gray[:material/radio_button_unchecked: {name}]")


def _jobs() -> None:
    """Draw the latest jobs, again and again: often while one is running, else now and then."""
    with served().workspace.store.read() as tx:
        is_running = any(job.status not in jobs.ENDED for job in jobs.listed(tx, limit=_JOBS_SHOWN))
    st.fragment(_draw_jobs, run_every=_WHILE_RUNNING if is_running else _WHILE_QUIET)()


def _draw_jobs() -> None:
    with failures_as_pages():
        with served().workspace.store.read() as tx:
            latest = jobs.listed(tx, limit=_JOBS_SHOWN)
        if not latest:
            return
        with st.container(border=True):
            st.subheader(t("home.jobs"), anchor=False)
            for job in latest:
                sentence("annotator " + " ".join(job.arguments))
                if job.status in jobs.ENDED or job.status == "starting":
                    code = "?" if job.exit_code is None else job.exit_code
                    st.caption(t(f"home.job_{job.status}", code=code))
                else:
                    share = min(1.0, job.done / job.total) if job.total else 0.0
                    figures = f" · {job.done:,} / {job.total:,}" if job.total else ""
                    st.progress(share, text=plain(job.step) + figures)


def _dataset_name(title: str) -> str:
    """Return a name for `release` made from the dataset's title."""
    name = re.sub(r"[^a-z0-9_-]+", "-", title.lower()).strip("-_")
    return name if re.match(r"[a-z]", name) and name != "default" else "my-dataset"
