"""Who is let in: checks that hold for every request before anything else looks at it.

* The Host header must name this server, so that no other name can be pointed at it (DNS rebinding).
* What changes something, and every WebSocket, must come from our own pages or from no page at all (Origin).
* A body is JSON and small.
* An address that asks too fast is heard more slowly.

Every answer carries the headers that keep a browser from running or showing anything but our own.
"""

import asyncio
from collections.abc import Iterator
from ipaddress import ip_address
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from isolarium.web.http_errors import Refused, answer
from isolarium.web.rate_limits import Pace, home_of
from isolarium.web.settings import LOOPBACK_NAMES, Settings, is_loopback, url_host

MOST_BODY: Final = 64 * 1024
BODY_S: Final = 10.0
HTTP_PORT: Final = 80
MOST_IN_A_ROW: Final = 100
"""Who says so many messages too fast, one after the other, is talked to no longer."""
REQUESTS_PER_S: Final = 200
REQUESTS_AT_ONCE: Final = 1000
"""Of one address: what a class does that opens its pages at the same time."""
MESSAGES_PER_S: Final = 20
MESSAGES_AT_ONCE: Final = 40
"""Of one WebSocket."""
MESSAGES_PER_S_EACH: Final = 300
"""Over all WebSockets of one address."""
READS: Final = ("GET", "HEAD", "OPTIONS")
POLICY: Final = "Content-Security-Policy"
HEADERS: Final = {
    POLICY: "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' blob: data:; connect-src 'self'; font-src 'self'; manifest-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class Guard:
    """Stands before the application.

    Args:
        app: the application.
        settings: the operator's.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._hosts = frozenset(known_hosts(settings))
        self._any_address = not is_loopback(settings.host)
        self._requests = Pace(REQUESTS_PER_S, REQUESTS_AT_ONCE)
        self._messages = Pace(MESSAGES_PER_S_EACH, MESSAGES_PER_S_EACH)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        address = home_of((scope.get("client") or ("",))[0])
        await _wait(self._requests.delay_s(address))
        if scope["type"] == "websocket":
            receive = _paced(receive, self._messages, address)
        try:
            self._check(scope, Headers(scope=scope))
            if scope["type"] == "http" and scope["method"] == "POST":
                receive = await _with_body(Headers(scope=scope), receive)
        except Refused as refused:
            await _refuse(refused, scope, receive, send)
            return
        try:
            await self._app(scope, receive, _guarded(send))
        except asyncio.CancelledError:
            if scope["type"] == "http":
                raise
            # The server is ending, and this line was not quick to: nothing to write down.

    def _check(self, scope: Scope, headers: Headers) -> None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_ours(hosts[0].lower()):
            raise Refused(403, f"host {', '.join(hosts)[:100]!r}: expected the server's own name")
        if scope["type"] == "http" and scope["method"] in READS:
            return
        for origin in headers.getlist("origin"):
            if origin.lower() not in (f"http://{hosts[0].lower()}", f"https://{hosts[0].lower()}"):
                raise Refused(403, f"origin {origin[:100]!r}: expected one of this server's pages")
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise Refused(403, "a request from another site: expected one of this server's pages")

    def _is_ours(self, host: str) -> bool:
        """Whether a Host header names this server; off loopback its number may be any: no name leads to a number."""
        return host in self._hosts or (self._any_address and _is_address(host))


def known_hosts(settings: Settings) -> Iterator[str]:
    """The Host headers that name a server."""
    own = [url_host(settings.host)]
    if is_loopback(settings.host) or settings.host in ("0.0.0.0", "::"):
        own += LOOPBACK_NAMES
    for name in own:
        yield f"{name.lower()}:{settings.port}"
    for name in map(str.lower, settings.hosts):
        yield name  # whoever stands before the server may be on a port that goes without saying
        if not _has_port(name):
            yield f"{name}:{settings.port}"
    if settings.port == HTTP_PORT:
        yield from map(str.lower, own)


def _has_port(host: str) -> bool:
    return ":" in host.rpartition("]")[2]


def _is_address(host: str) -> bool:
    name = host.rpartition(":")[0] if _has_port(host) else host
    try:
        ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


async def _wait(seconds: float) -> None:
    if seconds > 0:
        await asyncio.sleep(seconds)


def _paced(receive: Receive, pace: Pace, address: str) -> Receive:
    """The same, no faster than a connection and an address may go; that the other side has gone is heard at once."""
    own, in_a_row = Pace(MESSAGES_PER_S, MESSAGES_AT_ONCE), 0

    async def paced() -> Message:
        nonlocal in_a_row
        message = await receive()
        if message["type"] == "websocket.receive":
            delay_s = max(own.delay_s(address), pace.delay_s(address))
            in_a_row = in_a_row + 1 if delay_s else 0
            if in_a_row > MOST_IN_A_ROW:
                return {"type": "websocket.disconnect", "code": 1008}
            await _wait(delay_s)
        return message

    return paced


async def _with_body(headers: Headers, receive: Receive) -> Receive:
    """Read the body, up to what is allowed, and give back what hands it out again."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" and _has_body(headers):
        raise Refused(415, "expected Content-Type: application/json")
    try:
        body = await asyncio.wait_for(_read(receive), BODY_S)
    except TimeoutError:
        raise Refused(408, f"a body that took more than {BODY_S:g} s: expected it whole") from None
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return pending.pop() if pending else await receive()

    return again


def _has_body(headers: Headers) -> bool:
    """Whether there is anything to read, or somebody says what kind of thing."""
    names = ("content-type", "transfer-encoding")
    return any(name in headers for name in names) or headers.get("content-length", "0") != "0"


async def _read(receive: Receive) -> bytes:
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)  # not after a disconnect either
        if len(body) > MOST_BODY:
            raise Refused(413, f"a body of more than {MOST_BODY // 1024} KB: expected less")
    return body


def _guarded(send: Send) -> Send:
    """The same with the headers that every answer has; one that comes with a policy of its own keeps it."""

    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return guarded


async def _refuse(refused: Refused, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "http":
        await answer(refused)(scope, receive, _guarded(send))
    else:
        await send({"type": "websocket.close", "code": 1008, "reason": str(refused)[:100]})
