import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers

from annotator.app.gate import (
    ANY_QUERY,
    Grant,
    check_token,
    is_own_host,
    is_same_origin,
    issue_token,
)

SECRET = b"a" * 32


@given(assessor=st.text(max_size=40), scope=st.text(max_size=40))
def test_a_token_says_who_may_write_what(assessor: str, scope: str) -> None:
    token = issue_token(SECRET, assessor=assessor, scope=scope, at=1000, lifetime_s=60)
    assert check_token(SECRET, token, at=1059) == Grant(assessor, scope)


def test_a_token_ends_with_its_lifetime() -> None:
    token = issue_token(SECRET, assessor="ana", scope="q-1", at=1000, lifetime_s=60)
    assert check_token(SECRET, token, at=1060) is None


def test_a_token_of_another_workspace_is_nothing() -> None:
    token = issue_token(b"b" * 32, assessor="ana", scope=ANY_QUERY, at=1000)
    assert check_token(SECRET, token, at=1000) is None


@given(st.data())
def test_a_token_with_any_character_changed_is_nothing(data: st.DataObject) -> None:
    token = issue_token(SECRET, assessor="ana", scope="q-1", at=1000)
    place = data.draw(st.integers(0, len(token) - 1))
    letter = data.draw(st.sampled_from("AZaz09-_.").filter(lambda c: c != token[place]))
    forged = token[:place] + letter + token[place + 1 :]
    grant = check_token(SECRET, forged, at=1000)
    # base64 without padding leaves spare bits in the last letter, which say nothing
    assert grant is None or place == len(token) - 1


@pytest.mark.parametrize("token", ["", ".", "x", "é.ü", "a.b.c", "eyJ9.", "💥"])
def test_what_is_no_token_is_nothing(token: str) -> None:
    assert check_token(SECRET, token, at=1000) is None


@pytest.mark.parametrize("host", ["127.0.0.1:8501", "localhost:8501", "[::1]:8501"])
def test_the_loopback_names_are_ours(host: str) -> None:
    assert is_own_host(host, port=8501)


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "localhost",
        "localhost:8502",
        "evil.example:8501",
        "127.0.0.1.evil.example:8501",
        "user@localhost:8501",
        "localhost:8501/x",
        "localhost:port",
        "192.168.1.4:8501",
    ],
)
def test_every_other_host_is_not(host: str | None) -> None:
    assert not is_own_host(host, port=8501)


@pytest.mark.parametrize(
    ("headers", "is_ours"),
    [
        ({}, True),
        ({"origin": "http://localhost:8501"}, True),
        ({"origin": "http://localhost:8501", "sec-fetch-site": "same-origin"}, True),
        ({"origin": "http://localhost:3000"}, False),
        ({"origin": "https://localhost:8501"}, False),
        ({"origin": "null"}, False),
        ({"sec-fetch-site": "cross-site"}, False),
        ({"sec-fetch-site": "same-site"}, False),
    ],
)
def test_only_our_own_pages_and_scripts_may_write(headers: dict[str, str], is_ours: bool) -> None:
    assert is_same_origin(Headers({"host": "localhost:8501", **headers})) is is_ours
