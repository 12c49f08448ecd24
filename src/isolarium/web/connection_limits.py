"""Clients, their request rates, and limits on connections before any request is read.

A client is identified by its address and connection. The address is that of the peer, or the
address that a trusted proxy reports. Addresses are used only to share connections and places in
queues fairly.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from itertools import count
from time import monotonic
from typing import Any, Final

import h11
from starlette.requests import HTTPConnection
from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState

from isolarium.web.http_errors import BUSY, RETRY_S

MOST_KNOWN: Final = 2000
NETWORK_BITS: Final = 64
"""The network part of an IPv6 address; the client can choose the rest freely."""

_numbers = count(1 << 16)  # Above all port numbers


@dataclass(frozen=True, slots=True)
class Client:
    """The sender of a request.

    Attributes:
        address: Its address.
        connection: Identifies the connection among those of the address.
    """

    address: str
    connection: int = 0


SERVER: Final = Client("")
"""The server itself, for work that all clients share."""


def client_of(connection: HTTPConnection) -> Client:
    """Return the client of a connection.

    Every request through a proxy counts as a new connection.
    """
    host, port = connection.scope.get("client") or ("", 0)
    return Client(network_of(host), port or next(_numbers))


@lru_cache(maxsize=4096)
def network_of(host: str) -> str:
    """Return the address under which a host is counted.

    For IPv6, this is the network of one household or machine.
    """
    try:
        found = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if not isinstance(found, IPv6Address):
        return host
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    network = int(found) >> (128 - NETWORK_BITS) << (128 - NETWORK_BITS)
    return f"{IPv6Address(network)}/{NETWORK_BITS}"


class RateLimiter:
    """A rate limit for each key, with a burst allowance.

    Args:
        per_s: The allowed rate.
        at_once: The allowed burst.
        clock: A function that returns the time in seconds.
    """

    def __init__(self, per_s: float, at_once: int, clock: Callable[[], float] = monotonic) -> None:
        self._step_s, self._slack_s, self._clock = 1 / per_s, at_once / per_s, clock
        self._next: dict[str, float] = {}

    def delay_s(self, who: str) -> float:
        """Count an event for `who`, and return its delay in seconds."""
        now = self._clock()
        if len(self._next) > MOST_KNOWN:
            self._next = {one: due for one, due in self._next.items() if due > now}
        due = max(self._next.get(who, now), now) + self._step_s
        self._next[who] = due
        return max(0.0, due - now - self._slack_s)


MOST: Final = 500
MOST_EACH: Final = 100
"""The maximum number of connections, in total and per address: enough for a class behind one
router."""
ARRIVAL_S: Final = 15.0
"""The time limit for a request to arrive, from the connection or its first byte."""

_log = logging.getLogger(__name__)


class ConnectionCounter(ServerState):
    """Counts the connections of a server by address.

    Args:
        proxies: Addresses without a limit of their own, because clients connect through them.
    """

    def __init__(self, proxies: Collection[str] = ()) -> None:
        super().__init__()
        self._proxies = frozenset(map(network_of, proxies))
        self._open = Counter[str]()

    def enter(self, address: str) -> str:
        """Count a new connection from an address.

        Return the reason for refusing the connection; empty if it is accepted.
        """
        if self._open.total() >= MOST:
            return f"The server is busy: it has {MOST} connections."
        if self._open[address] >= MOST_EACH and address not in self._proxies:
            return f"The server is busy: your address has {MOST_EACH} connections."
        self._open[address] += 1
        return ""

    def leave(self, address: str) -> None:
        """Count a closed connection."""
        self._open[address] -= 1
        if not self._open[address]:
            del self._open[address]


class HttpConnection(H11Protocol):
    """An HTTP connection, until it is upgraded to a WebSocket."""

    server_state: ConnectionCounter
    _deadline: asyncio.TimerHandle | None = None
    _address: str | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as in h11_impl
        """Accept the connection, or refuse it without reading the request."""
        super().connection_made(transport)
        address = network_of(self.client[0] if self.client else "")
        refusal = self.server_state.enter(address)
        if refusal:
            _log.warning("connection from %s refused: %s", address, refusal)
            transport.write(_answer(refusal))
            transport.close()
            return
        self._address = address
        self._begin_arrival()

    def connection_lost(self, exc: Exception | None) -> None:
        """Count the connection as closed."""
        self._end_arrival()
        if self._address is not None:
            self.server_state.leave(self._address)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Process data, unless the connection was refused.

        A complete request ends the deadline.
        """
        if self._address is None:
            return
        super().data_received(data)
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._end_arrival()
        elif self._deadline is None and self.transport.get_protocol() is self:
            self._begin_arrival()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Stop the deadline, and hand over to the WebSocket."""
        self._end_arrival()
        super().handle_websocket_upgrade(event)

    def _begin_arrival(self) -> None:
        self._deadline = self.loop.call_later(ARRIVAL_S, self._too_late)

    def _end_arrival(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_late(self) -> None:
        _log.warning("connection from %s closed: no complete request in time", self._address)
        self.transport.abort()


class WebSocketConnection(WebSocketsSansIOProtocol):
    """A WebSocket connection, already counted as an HTTP connection."""

    def __init__(self, config: Config, server_state: ConnectionCounter, app_state: dict[str, Any]) -> None:
        super().__init__(config, server_state, app_state)
        self._counter = server_state

    def connection_lost(self, exc: Exception | None) -> None:
        """Count the connection as closed."""
        self._counter.leave(network_of(self.client[0] if self.client else ""))
        super().connection_lost(exc)


def _answer(refusal: str) -> bytes:
    body = f'{{"error": "{refusal}"}}'
    return (
        f"HTTP/1.1 {BUSY} Service Unavailable\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nRetry-After: {RETRY_S}\r\nConnection: close\r\n\r\n{body}"
    ).encode()
