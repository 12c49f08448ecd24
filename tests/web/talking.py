"""A WebSocket as a page has it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from websockets.sync.client import ClientConnection, connect

from tests.command import PATIENCE_S


class Line:
    """A connection that speaks JSON."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    def say(self, **message: Any) -> None:
        """Send a message."""
        self.connection.send(json.dumps(message))

    def hear(self) -> dict[str, Any]:
        """The next message."""
        heard: dict[str, Any] = json.loads(self.connection.recv(timeout=PATIENCE_S))
        return heard

    def hear_until(self, *kinds: str) -> dict[str, Any]:
        """The next message of one of these kinds; what comes before is passed over."""
        while (heard := self.hear())["kind"] not in kinds:
            pass
        return heard


@contextmanager
def talking(address: str, **options: Any) -> Iterator[Line]:
    """Open a connection for a block."""
    with connect(address, open_timeout=PATIENCE_S, ping_timeout=None, **options) as connection:
        yield Line(connection)
