"""Checks of every request before the application handles it.

* The Host header must name this server, which prevents DNS rebinding.
* WebSockets, and requests that change something, must come from the server's own pages or from
  outside a browser (Origin).
* Bodies must be JSON and small.
* Requests that exceed the rate limit of their address are delayed.

Every response has headers that prevent browsers from running or embedding other content.
"""

import asyncio
from collections.abc import Iterator
from ipaddress import ip_address
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from isolarium.web import LOOPBACK_NAMES, Settings, is_loopback, url_host
from isolarium.web.connection_limits import RateLimiter, network_of
from isolarium.web.http_errors import HttpError, error_response

MOST_BODY: Final = 64 * 1024
BODY_S: Final = 10.0
HTTP_PORT: Final = 80
MOST_TOO_FAST: Final = 100
"""The consecutive messages over the rate limit after which a WebSocket closes."""
REQUESTS_PER_S: Final = 200
REQUESTS_AT_ONCE: Final = 1000
"""The burst of one address: enough for a class that opens the pages at once."""
MESSAGES_PER_S: Final = 20
MESSAGES_AT_ONCE: Final = 40
"""The rate and the burst of one WebSocket."""
MESSAGES_PER_S_EACH: Final = 300
"""The rate limit of all WebSockets of one address."""
SAFE_METHODS: Final = ("GET", "HEAD", "OPTIONS")
POLICY: Final = "Content-Security-Policy"
HEADERS: Final = {
    POLICY: "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; "
    "img-src 'self' blob: data:; connect-src 'self'; font-src 'self'; manifest-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class RequestChecks:
    """Middleware that checks every request.

    Args:
        app: The application.
        settings: The operator's settings.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._hosts = frozenset(known_hosts(settings))
        self._any_address = not is_loopback(settings.host)
        self._requests = RateLimiter(REQUESTS_PER_S, REQUESTS_AT_ONCE)
        self._messages = RateLimiter(MESSAGES_PER_S_EACH, MESSAGES_PER_S_EACH)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to the application, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        address = network_of((scope.get("client") or ("",))[0])
        await _wait(self._requests.delay_s(address))
        if scope["type"] == "websocket":
            receive = _paced(receive, self._messages, address)
        try:
            self._check(scope, Headers(scope=scope))
            if scope["type"] == "http" and scope["method"] == "POST":
                receive = await _with_body(Headers(scope=scope), receive)
        except HttpError as error:
            await _refuse(error, scope, receive, send)
            return
        try:
            await self._app(scope, receive, _with_headers(send))
        except asyncio.CancelledError:
            if scope["type"] == "http":
                raise
            # The server is stopping and this WebSocket was slow to close: nothing to log.

    def _check(self, scope: Scope, headers: Headers) -> None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_ours(hosts[0].lower()):
            raise HttpError(403, f"host {', '.join(hosts)[:100]!r}: expected the server's own name")
        if scope["type"] == "http" and scope["method"] in SAFE_METHODS:
            return
        for origin in headers.getlist("origin"):
            if origin.lower() not in (f"http://{hosts[0].lower()}", f"https://{hosts[0].lower()}"):
                raise HttpError(403, f"origin {origin[:100]!r}: expected one of this server's pages")
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise HttpError(403, "a request from another site: expected one of this server's pages")

    def _is_ours(self, host: str) -> bool:
        """Return whether a Host header names this server.

        Off loopback, any IP address is accepted, because it cannot be rebound.
        """
        return host in self._hosts or (self._any_address and _is_address(host))


def known_hosts(settings: Settings) -> Iterator[str]:
    """Yield the Host headers that name a server."""
    own = [url_host(settings.host)]
    if is_loopback(settings.host) or settings.host in ("0.0.0.0", "::"):
        own += LOOPBACK_NAMES
    for name in own:
        yield f"{name.lower()}:{settings.port}"
    for name in map(str.lower, settings.hosts):
        yield name  # A proxy may use the default port.
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


def _paced(receive: Receive, pace: RateLimiter, address: str) -> Receive:
    """Return `receive` with messages delayed to the rate limits.

    A disconnect is passed on without delay.
    """
    own, in_a_row = RateLimiter(MESSAGES_PER_S, MESSAGES_AT_ONCE), 0

    async def paced() -> Message:
        nonlocal in_a_row
        message = await receive()
        if message["type"] == "websocket.receive":
            delay_s = max(own.delay_s(address), pace.delay_s(address))
            in_a_row = in_a_row + 1 if delay_s else 0
            if in_a_row > MOST_TOO_FAST:
                return {"type": "websocket.disconnect", "code": 1008}
            await _wait(delay_s)
        return message

    return paced


async def _with_body(headers: Headers, receive: Receive) -> Receive:
    """Read the body up to its limit, and return a `receive` that replays it."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" and _has_body(headers):
        raise HttpError(415, "expected Content-Type: application/json")
    try:
        body = await asyncio.wait_for(_read(receive), BODY_S)
    except TimeoutError:
        raise HttpError(408, f"a body that took more than {BODY_S:g} s: expected it whole") from None
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay


def _has_body(headers: Headers) -> bool:
    """Return whether a request has a body or declares its type."""
    names = ("content-type", "transfer-encoding")
    return any(name in headers for name in names) or headers.get("content-length", "0") != "0"


async def _read(receive: Receive) -> bytes:
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)  # False after a disconnect, too
        if len(body) > MOST_BODY:
            raise HttpError(413, f"a body of more than {MOST_BODY // 1024} KB: expected less")
    return body


def _with_headers(send: Send) -> Send:
    """Return `send` with security headers added; a response's own policy is kept."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending


async def _refuse(error: HttpError, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "http":
        await error_response(error)(scope, receive, _with_headers(send))
    else:
        await send({"type": "websocket.close", "code": 1008, "reason": str(error)[:100]})
