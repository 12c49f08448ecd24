"""Who is let in: our own pages, and programs that know our name."""

import socket
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.types import Receive, Scope, Send
from websockets.exceptions import InvalidStatus

from isolarium.web import Settings, request_checks
from isolarium.web.connection_limits import RateLimiter
from isolarium.web.request_checks import RequestChecks
from tests.web.in_process import run, visiting
from tests.web.serving import Server, serving
from tests.web.talking import talking

pytestmark = pytest.mark.slow

MOVE = {"game": "7x7: d4 b3", "agent": "random"}


def port_of(server: Server) -> str:
    return server.address.rpartition(":")[2]


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]", "LOCALHOST"])
def test_the_servers_own_names_are_answered(server: Server, name: str) -> None:
    host = {"Host": f"{name}:{port_of(server)}"}
    assert server.get("/api/agents", headers=host).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:PORT",
        "127.0.0.1:1",
        "localhost",
        "127.0.0.1.evil.example:PORT",
        "",
        "10.0.0.1:PORT",
    ],
)
@pytest.mark.parametrize("path", ["/", "/api/agents", "/pages/main.js", "/api/openapi.json"])
def test_no_other_name_can_be_pointed_at_it(server: Server, host: str, path: str) -> None:
    answer = server.get(path, headers={"Host": host.replace("PORT", port_of(server))})
    assert answer.status_code == 403
    assert answer.json()["error"].startswith("host ")


def test_two_names_are_none(server: Server) -> None:
    place = httpx.URL(server.address)
    with socket.create_connection((place.host, place.port or 0)) as bare:
        host = f"Host: 127.0.0.1:{place.port}\r\n"
        bare.sendall(f"GET /api/agents HTTP/1.1\r\n{host}Host: evil.example\r\n\r\n".encode())
        assert b" 40" in bare.recv(100)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "http://localhost.evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_pages_of_others_can_ask_for_nothing(server: Server, headers: dict[str, str]) -> None:
    for path in ("/api/move", "/api/runs", "/api/read"):
        assert server.post(path, MOVE, headers=headers).status_code == 403
    for path in ("/api/friend", "/api/runs/x/live"):
        origin = headers.get("Origin")
        more = {} if origin else headers
        with (
            pytest.raises(InvalidStatus) as refused,
            talking(server.socket + path, origin=origin, additional_headers=more),
        ):
            pass
        assert refused.value.response.status_code == 403


def test_our_own_pages_can(server: Server) -> None:
    own = {"Origin": server.address, "Sec-Fetch-Site": "same-origin"}
    assert server.post("/api/move", MOVE, headers=own).status_code == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "text/json"])
def test_only_json_is_read(server: Server, kind: str) -> None:
    assert server.post_bytes("/api/move", b"{}", kind).status_code == 415


@pytest.mark.parametrize("chunked", [False, True])
def test_a_large_body_is_refused(server: Server, chunked: bool) -> None:
    body: Any = (b"x" * 1000 for _ in range(100)) if chunked else b"x" * 100_000
    assert server.post_bytes("/api/read", body, "application/json").status_code == 413


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"nul", b"[" * 60_000, b'{"seed": 1e999}'])
def test_what_is_not_json_is_refused(server: Server, body: bytes) -> None:
    answer = server.post_bytes("/api/move", body, "application/json")
    assert answer.status_code in (400, 422)
    assert set(answer.json()) == {"error"}


@pytest.fixture(scope="module")
def open_server(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A server that others can reach."""
    with serving(tmp_path_factory.mktemp("open"), "--host", "0.0.0.0", "--allow-host", "lab.example") as server:
        yield server


def test_off_loopback_numbers_and_the_names_given_are_answered(open_server: Server) -> None:
    port = port_of(open_server)
    for host in (f"127.0.0.1:{port}", f"10.1.2.3:{port}", f"lab.example:{port}", "lab.example"):
        assert open_server.get("/api/agents", headers={"Host": host}).status_code == 200
    for host in (f"evil.example:{port}", "lab.example:1"):
        assert open_server.get("/api/agents", headers={"Host": host}).status_code == 403


def test_off_loopback_runs_need_the_token(open_server: Server) -> None:
    assert open_server.get("/api/agents").json()["needs_token"] is True
    assert len(open_server.token) >= 16
    match = {"kind": "match", "first": "nobody", "second": "random"}
    wanted: list[tuple[str, Any, int]] = [
        ("/api/runs", match, 422),
        ("/api/runs/x/stop", {}, 404),
        ("/api/runs/x/resume", {}, 404),
    ]
    for path, body, otherwise in wanted:
        for token in ("", "wrong", open_server.token[:-1]):
            refused = open_server.post(path, body, headers={"X-Isolarium-Token": token})
            assert refused.status_code == 403
            assert "token" in refused.json()["error"]
        headers = {"X-Isolarium-Token": open_server.token}
        assert open_server.post(path, body, headers=headers).status_code == otherwise
    by_name = {"Host": "lab.example", "Origin": "https://lab.example"}
    assert open_server.post("/api/friend", {}, headers=by_name).status_code == 200  # no run
    assert open_server.get("/api/runs").status_code == 200
    assert open_server.post("/api/move", MOVE).status_code == 200


@pytest.mark.parametrize("option", [("--allow-host", "lab.example"), ("--proxy", "127.0.0.1")])
def test_behind_a_proxy_runs_need_the_token_too(tmp_path: Path, option: tuple[str, str]) -> None:
    with serving(tmp_path / "runs", *option) as server:
        assert len(server.token) >= 16
        refused = server.post("/api/runs", {"kind": "match", "first": "random", "second": "random"})
        assert refused.status_code == 403
    assert not (tmp_path / "runs").exists()


def test_who_asks_too_fast_is_heard_more_slowly() -> None:
    now = 0.0
    pace = RateLimiter(per_s=10, at_once=5, clock=lambda: now)
    assert [pace.delay_s("fast") for _ in range(7)] == pytest.approx([0] * 5 + [0.1, 0.2])
    assert pace.delay_s("another") == 0
    now = 1.0
    assert pace.delay_s("fast") == 0


def test_who_goes_on_too_fast_is_talked_to_no_longer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_checks, "MESSAGES_AT_ONCE", 1)
    monkeypatch.setattr(request_checks, "MOST_TOO_FAST", 2)
    heard = list[str]()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] != "websocket.disconnect":
            heard.append(message["text"])

    async def test() -> None:
        settings = Settings(tmp_path)
        async with visiting(RequestChecks(app, settings), host="127.0.0.1:8000") as line:
            for number in range(10):
                await line.say(number=number)

    run(test)
    assert 1 <= len(heard) <= 3
