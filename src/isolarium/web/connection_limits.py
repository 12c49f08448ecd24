"""Limits on connections, before any request is read.

This module limits the connections of each address, and sets a deadline for each request.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Collection
from typing import Any, Final

import h11
from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState

from isolarium.web.http_errors import BUSY, RETRY_S
from isolarium.web.rate_limits import network_of

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
