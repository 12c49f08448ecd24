"""Connections: so many for each address, none that dawdles, and no flood of them in the log."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from uvicorn import Config
from websockets.asyncio.client import connect

from isolarium.web import connection_limits
from isolarium.web.connection_limits import ConnectionCounter, HttpConnection, WebSocketConnection
from isolarium.web.server import EVERY_S, MOST_LINES, RepeatFilter
from tests.web.in_process import run

REQUEST = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Says where a request comes from; a WebSocket it accepts, and waits for its end."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        while (await receive())["type"] != "websocket.disconnect":
            pass
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": json.dumps(scope["client"][0]).encode()})


class Place:
    """Where a server listens, and the connections that were made to it."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._writers: list[asyncio.StreamWriter] = []

    async def connect(self, source: str = "127.0.0.1") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect from an address of this machine."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(source, 0))
        self._writers.append(writer)
        return reader, writer

    async def status(self, source: str = "127.0.0.1") -> int:
        """How a request is answered; its connection stays open."""
        reader, writer = await self.connect(source)
        writer.write(REQUEST)
        return int((await reader.readline()).split()[1])

    async def until_answered(self) -> None:
        """Ask until the server has noticed that somebody is gone."""
        while True:
            reader, writer = await self.connect()
            writer.write(REQUEST)
            with suppress(ConnectionResetError):
                if b"200" in await reader.readline():
                    return

    async def close(self) -> None:
        """Close them."""
        for writer in self._writers:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()


@asynccontextmanager
async def listening(*proxies: str) -> AsyncIterator[Place]:
    """A server with doors."""
    config = Config(
        app,
        ws=WebSocketConnection,
        log_config=None,
        lifespan="off",
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
    )
    config.load()
    doors = ConnectionCounter(proxies)
    loop = asyncio.get_running_loop()
    async with await loop.create_server(lambda: HttpConnection(config, doors, {}), "127.0.0.1", 0) as server:
        place = Place(server.sockets[0].getsockname()[1])
        yield place
        await place.close()
        while doors.connections:
            await asyncio.sleep(0)
        await asyncio.gather(*doors.tasks)


def test_an_address_has_only_so_many_connections(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(connection_limits, "MOST_EACH", 2)

    async def test() -> None:
        async with listening() as place:
            held = [await place.connect() for _ in range(2)]
            reader, _ = await place.connect()
            head, body = (await reader.read()).split(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 503 ")
            assert "your address has 2 connections" in json.loads(body)["error"]
            assert await place.status("127.0.0.2") == 200
            held[0][1].close()
            await place.until_answered()

    run(test)
    assert "connection from 127.0.0.1 refused" in caplog.text


def test_websockets_count_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_limits, "MOST_EACH", 1)

    async def test() -> None:
        async with listening() as place:
            async with connect(f"ws://127.0.0.1:{place.port}/"):
                assert await place.status() == 503
            await place.until_answered()

    run(test)


def test_a_server_has_only_so_many_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_limits, "MOST", 1)

    async def test() -> None:
        async with listening() as place:
            assert await place.status() == 200
            assert await place.status("127.0.0.2") == 503

    run(test)


def test_a_named_proxy_has_as_many_as_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_limits, "MOST_EACH", 1)

    async def test() -> None:
        async with listening("127.0.0.1") as place:
            assert [await place.status() for _ in range(3)] == [200] * 3

    run(test)


@pytest.mark.parametrize(("proxies", "address"), [((), b'"127.0.0.1"'), (("127.0.0.1",), b'"192.0.2.9"')])
def test_only_a_named_proxy_says_who_asks(proxies: tuple[str, ...], address: bytes) -> None:
    async def test() -> None:
        async with listening(*proxies) as place:
            reader, writer = await place.connect()
            headers = b"X-Forwarded-For: 198.51.100.1, 192.0.2.9\r\nConnection: close\r\n"
            writer.write(REQUEST[:-2] + headers + b"\r\n")
            assert address in await reader.read()

    run(test)


@pytest.mark.parametrize(
    "part", [b"", b"GET / HTTP/1.1\r\nHost: h", b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nx"]
)
def test_a_request_that_does_not_arrive_is_hung_up_on(monkeypatch: pytest.MonkeyPatch, part: bytes) -> None:
    monkeypatch.setattr(connection_limits, "ARRIVAL_S", 0.0)

    async def test() -> None:
        async with listening() as place:
            reader, writer = await place.connect()
            writer.write(part)
            with suppress(ConnectionResetError):
                assert await reader.read() == b""

    run(test)


def test_the_next_request_on_a_connection_has_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        async with listening() as place:
            reader, writer = await place.connect()
            writer.write(REQUEST)
            assert b"200" in await reader.readline()
            monkeypatch.setattr(connection_limits, "ARRIVAL_S", 0.0)
            writer.write(b"G")
            with suppress(ConnectionResetError):
                await reader.read()

    run(test)


def a_record(message: str, *arguments: object) -> logging.LogRecord:
    return logging.LogRecord("tests", logging.WARNING, __file__, 1, message, arguments, None)


def test_the_same_is_said_once_in_a_while_and_then_how_often() -> None:
    now = 0.0
    seldom = RepeatFilter(lambda: now)
    said = [seldom.filter(a_record("refused %s", number)) for number in range(1000)]
    assert said == [True] + [False] * 999
    assert seldom.filter(a_record("something else"))
    now = EVERY_S
    later = a_record("refused %s", 7)
    assert seldom.filter(later)
    assert later.getMessage() == "refused 7 (and 999 more like it before)"


def test_what_is_nothing_but_filled_in_is_told_apart() -> None:
    seldom = RepeatFilter(lambda: 0.0)
    said = [seldom.filter(a_record("%s", f"{'x' * 500} {number % 3}")) for number in range(9)]
    assert said == [True] * 3 + [False] * 6


def test_many_different_things_are_no_flood_either() -> None:
    seldom = RepeatFilter(lambda: 0.0)
    said = [seldom.filter(a_record(f"a bug: {number}")) for number in range(1000)]
    assert sum(said) == MOST_LINES
