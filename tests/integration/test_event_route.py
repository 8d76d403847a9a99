"""The event route and the server process around it, by real HTTP."""

import json
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from annotator.app.gate import issue_token
from annotator.storage import leases, tables
from annotator.storage.judgments import all_judgments, all_verdicts, count_events
from annotator.workspace import open_workspace
from tests.fixtures_app import HOSTILE_TEXT, a_workspace
from tests.fixtures_server import RunningServer, a_server, start_server

if sys.platform == "linux":
    import resource

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    folder = tmp_path_factory.mktemp("event-route") / "workspace"
    a_workspace(folder).close()
    with a_server(folder) as running:
        yield running


def a_grade(event_id: str, **changes: object) -> dict[str, object]:
    return {
        "event_id": event_id,
        "type": "grade",
        "query_id": "q-warranty",
        "chunk_id": "manual-pump-c0",
        "grade": 2,
        **changes,
    }


def post(
    server: RunningServer,
    body: object,
    *,
    token: str | None = None,
    headers: dict[str, str] | None = None,
) -> httpx.Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return httpx.post(
        server.events_url,
        content=content,
        headers={
            "Content-Type": "application/json",
            "Authorization": f"Bearer {server.token if token is None else token}",
            **(headers or {}),
        },
    )


def a_token(server: RunningServer, *, scope: str, at: float | None = None) -> str:
    workspace = open_workspace(server.workspace)
    try:
        when = time.time() if at is None else at
        return issue_token(workspace.secret, assessor="bo", scope=scope, at=when)
    finally:
        workspace.close()


def test_a_grade_is_stored_once_however_often_it_is_sent(server: RunningServer) -> None:
    event = a_grade("once", note="见表", spans=[])
    answers = [post(server, {"events": [event]}) for _ in range(3)]
    assert [answer.json() for answer in answers] == [{"acknowledged": ["once"], "rejected": []}] * 3
    workspace = open_workspace(server.workspace)
    with workspace.store.read() as tx:
        found = [j for j in all_judgments(tx) if j.chunk_id == "manual-pump-c0"]
    workspace.close()
    assert [(j.assessor, j.grade, j.note) for j in found] == [("ana", 2, "见表")]


def test_the_assessor_comes_from_the_token_and_never_from_the_body(server: RunningServer) -> None:
    event = a_grade("who", chunk_id="manual-pump-c1", assessor="mallory")
    assert post(server, {"events": [event]}, token=a_token(server, scope="q-warranty")).is_success
    workspace = open_workspace(server.workspace)
    with workspace.store.read() as tx:
        names = {j.assessor for j in all_judgments(tx) if j.chunk_id == "manual-pump-c1"}
    workspace.close()
    assert names == {"bo"}


def test_an_evidence_span_over_an_emoji_is_checked_against_the_text(server: RunningServer) -> None:
    start = HOSTILE_TEXT.index("👨")
    span = {"doc_id": "hostile", "start": start, "end": start + 7, "quote": "👨‍👩‍👧‍👦"}
    right = a_grade("emoji", query_id="q-hostile", chunk_id="hostile-c0", spans=[span])
    wrong = {**right, "event_id": "off", "spans": [{**span, "start": start + 1}]}
    answer = post(server, {"events": [right, wrong]}).json()
    assert answer["acknowledged"] == ["emoji"]
    assert [entry["event_id"] for entry in answer["rejected"]] == ["off"]
    assert "reads" in answer["rejected"][0]["reason"]


def test_a_verdict_is_stored_with_its_groups(server: RunningServer) -> None:
    event = {
        "event_id": "verdict",
        "type": "query",
        "query_id": "q-zh",
        "has_answer": True,
        "answer_groups": [["manual-pump-zh-c0", "manual-pump-zh-c1"]],
    }
    assert post(server, {"events": [event]}).json()["acknowledged"] == ["verdict"]
    workspace = open_workspace(server.workspace)
    with workspace.store.read() as tx:
        groups = {v.query_id: v.answer_groups for v in all_verdicts(tx)}
    workspace.close()
    assert groups["q-zh"] == (("manual-pump-zh-c0", "manual-pump-zh-c1"),)


def test_events_renew_the_lease_of_their_query(server: RunningServer) -> None:
    post(server, {"events": [a_grade("lease", query_id="q-steps", chunk_id="manual-long-c0")]})
    workspace = open_workspace(server.workspace)
    with workspace.store.read() as tx:
        taken = leases.taken_by_others(tx, "somebody else", at=time.time())
    workspace.close()
    assert "q-steps" in taken


def test_one_bad_event_does_not_keep_the_others_out(server: RunningServer) -> None:
    events = [
        a_grade("good", chunk_id="manual-pump-c2"),
        a_grade("grade-7", grade=7),
        a_grade("no-chunk", chunk_id="nowhere"),
        a_grade("no-query", query_id="nowhere"),
        "not an object",
        a_grade("half", note="\ud83d"),
    ]
    answer = post(server, {"events": events}).json()
    assert answer["acknowledged"] == ["good"]
    assert [entry["event_id"] for entry in answer["rejected"]] == [
        "grade-7",
        "no-chunk",
        "no-query",
        "",
        "half",
    ]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"[]", 400),
        (b'{"events": {}}', 400),
        (b"\xff\xfe", 400),
        (b"[" * 200_000, 400),
        (json.dumps({"events": [{}] * 501}).encode(), 413),
        (b" " * (1024 * 1024 + 1), 413),
    ],
)
def test_a_body_of_the_wrong_form_or_size_is_refused(
    server: RunningServer, body: bytes, status: int
) -> None:
    answer = post(server, body)
    assert (answer.status_code, list(answer.json())) == (status, ["error"])


def test_a_body_that_is_not_declared_as_json_is_refused(server: RunningServer) -> None:
    headers = {"Content-Type": "text/plain"}
    assert post(server, {"events": []}, headers=headers).status_code == 415


@pytest.mark.parametrize("credentials", [None, "Bearer x.y", "Bearer é", "Basic YTpi"])
def test_nobody_writes_without_a_token(server: RunningServer, credentials: str | None) -> None:
    headers = {} if credentials is None else {"Authorization": credentials.encode()}
    answer = httpx.post(server.events_url, json={"events": []}, headers=headers)
    assert answer.status_code == 401
    assert "token" in answer.json()["error"]


def test_an_expired_token_is_refused(server: RunningServer) -> None:
    old = a_token(server, scope="*", at=time.time() - 13 * 3600)
    assert post(server, {"events": [a_grade("late")]}, token=old).status_code == 401


def test_a_token_for_one_query_writes_no_other(server: RunningServer) -> None:
    token = a_token(server, scope="q-zh")
    events = [a_grade("own", query_id="q-zh", chunk_id="manual-pump-zh-c0"), a_grade("other")]
    answer = post(server, {"events": events}, token=token)
    assert answer.status_code == 403
    workspace = open_workspace(server.workspace)
    with workspace.store.read() as tx:
        stored = tx.execute(tables.events.select().where(tables.events.c.event_id == "own"))
        assert stored.first() is None
    workspace.close()


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Host": "evil.example"},
        {"Host": "localhost:1"},
    ],
)
def test_other_sites_and_other_names_are_refused(
    server: RunningServer, headers: dict[str, str]
) -> None:
    assert post(server, {"events": []}, headers=headers).status_code == 403


def test_a_rebound_name_reads_no_page(server: RunningServer) -> None:
    assert httpx.get(server.url, headers={"Host": "evil.example"}).status_code == 403


def test_health_is_told_without_a_token(server: RunningServer) -> None:
    answer = httpx.get(f"{server.url}/healthz")
    assert (answer.status_code, answer.json()["status"]) == (200, "ok")


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's prlimit")
def test_a_full_disk_gives_503_until_there_is_room_again(tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    a_workspace(folder).close()
    with a_server(folder) as server:
        pid = server.process.pid
        room = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (1, room[1]))
        refused = post(server, {"events": [a_grade("full")]})
        resource.prlimit(pid, resource.RLIMIT_FSIZE, room)
        taken = post(server, {"events": [a_grade("full")]})
    assert refused.status_code == 503
    assert "could not be written" in refused.json()["error"]
    assert taken.json()["acknowledged"] == ["full"]


@pytest.mark.skipif(sys.platform == "win32", reason="has no SIGTERM")
def test_the_server_writes_its_address_and_takes_it_along_when_it_ends(tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    a_workspace(folder).close()
    server = start_server(folder)
    file = folder / "server.json"
    about = json.loads(file.read_text("utf-8"))
    assert about == {
        "url": server.url,
        "events_url": server.events_url,
        "token": server.token,
        "pid": server.process.pid,
    }
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert server.end(signal.SIGTERM) == 0
    assert not file.exists()
    server.process.communicate()


def test_a_port_in_use_is_named_with_the_remedy(tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    a_workspace(folder).close()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        program = (
            "import sys; from pathlib import Path; from annotator.app import server\n"
            "from annotator.domain.errors import InputError\n"
            "try: server.run(Path(sys.argv[1]), port=int(sys.argv[2]), assessor='a', "
            "on_ready=print)\n"
            "except InputError as error: print(error)"
        )
        done = subprocess.run(
            [sys.executable, "-c", program, str(folder), str(port)],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parents[2],
        )
    assert f"Port {port} is in use" in done.stdout
    assert f"--port {port + 1}" in done.stdout
    assert not (folder / "server.json").exists()


def test_a_killed_server_loses_nothing_that_it_acknowledged(tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    a_workspace(folder).close()
    with a_server(folder) as server:
        sent = [f"kill-{n}" for n in range(20)]
        events = [
            a_grade(event_id, query_id="q-steps", chunk_id=f"manual-long-c{n}")
            for n, event_id in enumerate(sent)
        ]
        assert post(server, {"events": events}).json()["acknowledged"] == sent
        server.process.kill()
        server.process.wait()
    workspace = open_workspace(folder)
    with workspace.store.read() as tx:
        assert count_events(tx) == 20
    workspace.close()
