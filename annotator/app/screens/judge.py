"""The judge: take the lease of a query, and hand it with its candidates to the component.

Blind: of a candidate only its text, title and place in its document reach the browser; no score,
no rank, no retriever's name.
"""

import hashlib
import hmac
import time
from collections.abc import Sequence

import streamlit as st

from annotator.app.components.judge.component import (
    ChunkView,
    SpanView,
    TaskView,
    judge_component,
)
from annotator.app.gate import issue_token
from annotator.app.i18n.catalogue import section
from annotator.app.screens.frame import command, failures_as_pages, go_to, nothing_here
from annotator.app.state import (
    language,
    open_query,
    opened_query,
    served,
    t,
    want_token,
    wanted_tokens,
)
from annotator.storage import samples
from annotator.workflows import judge
from annotator.workflows.judge import Candidate, JudgeTask, QueueEntry

_KEY = "judge.component"
_URL_NAME = "query"
_VARIANTS_SHOWN = 4
_SHORT_KEYS = (
    ("2 1 0", "grade"),
    ("j k", "move"),
    ("e", "evidence"),
    ("n", "around"),
    ("x", "cannot"),
    ("u", "undo"),
    ("h", "help"),
)
_ALL_KEYS = (
    ("2 1 0", "grade_long"),
    ("j k", "move_long"),
    ("e", "evidence_long"),
    ("n", "around_long"),
    ("m", "note_long"),
    ("x", "cannot_long"),
    ("u", "undo_long"),
    ("g", "first_long"),
    ("s", "split_long"),
    ("Enter", "next_long"),
    ("Shift Enter", "previous_long"),
    ("h", "help_long"),
)


def draw() -> None:
    """Draw the screen."""
    from_url = st.query_params.get(_URL_NAME)
    if from_url and opened_query() is None:
        open_query(from_url)
    _judge()


@st.fragment
def _judge() -> None:
    with failures_as_pages():
        _draw_query()


def _draw_query() -> None:
    store, assessor = served().workspace.store, served().assessor
    entries = judge.queue(store, assessor=assessor)
    if not any(entry.n_pool for entry in entries):
        _nothing_here(t("judge.no_queue"), t("queue.no_sample_help"))
        _button("judge.to_home", "home")
        return
    query_id = opened_query() or judge.next_query_id(entries)
    entry = next((e for e in entries if e.query.query_id == query_id), None)
    if query_id is None:
        _nothing_here(t("judge.all_done"), t("judge.all_done_help"))
        _button("judge.to_queue", "queue")
        return
    if entry is None:
        _nothing_here(t("judge.gone"), t("judge.all_done_help"))
        _button("judge.to_queue", "queue")
        return
    if not entry.n_pool:
        _nothing_here(t("judge.no_pool"), t("step.pool_help"))
        command("pool")
        return
    if judge.take(store, query_id, assessor=assessor) is None:
        _nothing_here(t("judge.taken"), t("judge.taken_help"))
        following = judge.next_query_id(entries, after=query_id)
        if following and st.button(t("judge.next_free"), type="primary"):
            open_query(following)
            st.rerun(scope="fragment")
        return
    open_query(query_id)
    st.query_params[_URL_NAME] = query_id
    _mount(judge.task(store, query_id, assessor=assessor), entries)


def _mount(task: JudgeTask, entries: Sequence[QueueEntry]) -> None:
    query_id = task.query.query_id
    judge_component(
        task=_task_view(task, entries),
        chunks=[_chunk_view(candidate) for candidate in task.candidates],
        space=_space(),
        events_url="/api/events",
        tokens={wanted: _token(wanted) for wanted in {query_id, *wanted_tokens()}},
        strings=_strings(),
        language="zh-Hans" if language() == "zh" else "en",
        key=_KEY,
        on_go=_go,
        on_tokens=_give_tokens,
    )


def _task_view(task: JudgeTask, entries: Sequence[QueueEntry]) -> TaskView:
    query, verdict = task.query, task.verdict
    number = 1 + [entry.query.query_id for entry in entries].index(query.query_id)
    others = [variant.text for variant in query.variants if variant.text != query.text]
    return TaskView(
        query_id=query.query_id,
        query=query.text,
        lang=query.lang,
        place=t(
            "judge.place",
            bucket=query.bucket.name,
            stratum=t(f"judge.{query.stratum}"),
            n=number,
            total=len(entries),
        ),
        variants=tuple(others[:_VARIANTS_SHOWN]),
        has_answer=verdict.has_answer if verdict else None,
        answer_groups=verdict.answer_groups if verdict else (),
    )


def _chunk_view(candidate: Candidate) -> ChunkView:
    chunk, said = candidate.chunk, candidate.judgment
    return ChunkView(
        id=chunk.chunk_id,
        doc_id=chunk.doc_id,
        start=chunk.start,
        text=chunk.text,
        title=chunk.title or chunk.doc_id,
        lang=candidate.lang,
        before=candidate.before,
        after=candidate.after,
        grade=said.grade if said else None,
        spans=tuple(SpanView(s.doc_id, s.start, s.end) for s in said.spans) if said else (),
        note=said.note if said else "",
        cannot_judge=said.cannot_judge if said else "",
    )


def _strings() -> dict[str, object]:
    return {
        **section(language(), "judge.page."),
        "keys": [[keys, t(f"key.{name}")] for keys, name in _SHORT_KEYS],
        "all_keys": [[keys, t(f"key.{name}")] for keys, name in _ALL_KEYS],
    }


def _go() -> None:
    """Open the query that the page asked for, unless it has asked before."""
    wish = st.session_state[_KEY].go
    if not isinstance(wish, dict) or wish.get("from") != opened_query():
        return
    store, assessor = served().workspace.store, served().assessor
    here = opened_query()
    entries = judge.queue(store, assessor=assessor)
    if wish.get("where") == "previous":
        ids = [entry.query.query_id for entry in entries if entry.n_pool and not entry.is_taken]
        before = ids[: ids.index(here)] if here in ids else []
        if before:
            open_query(before[-1])
        return
    if here is not None:
        judge.give_back(store, here, assessor=assessor)
    open_query(judge.next_query_id(entries, after=here) or "")


def _give_tokens() -> None:
    """Remember which queries' events the page still holds, as far as the sample knows them."""
    wanted = st.session_state[_KEY].tokens
    if not isinstance(wanted, list):
        return
    with served().workspace.store.read() as tx:
        for query_id in wanted[:100]:
            if isinstance(query_id, str) and samples.query(tx, query_id) is not None:
                want_token(query_id)


def _token(query_id: str) -> str:
    return issue_token(
        served().workspace.secret, assessor=served().assessor, scope=query_id, at=time.time()
    )


def _space() -> str:
    """Return a name for what the browser keeps: other for each workspace and assessor."""
    who = f"browser space\n{served().assessor}".encode()
    return hmac.new(served().workspace.secret, who, hashlib.sha256).hexdigest()[:16]


def _nothing_here(title: str, help_text: str) -> None:
    st.title(t("nav.judge"), anchor=False)
    nothing_here(title, help_text)


def _button(label: str, screen: str) -> None:
    if st.button(t(label), type="primary"):
        go_to("queue" if screen == "queue" else "home")
