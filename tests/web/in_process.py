"""Parts of the server without a server: an application's WebSockets, and a loop to try them in."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

from starlette.types import ASGIApp, Message

from isolarium.processes.rpc import Event
from isolarium.web.jobs.job_queue import Job, JobQueue
from tests.command import PATIENCE_S


def run(test: Callable[[], Awaitable[None]]) -> None:
    """Run a test in a loop of its own, to its end and that of all it began."""

    async def within() -> None:
        await asyncio.wait_for(test(), PATIENCE_S)

    with ThreadPoolExecutor(1) as thread:  # the tests in a browser leave a loop running in this one
        thread.submit(lambda: asyncio.run(within())).result()


class Scripted(JobQueue):
    """A queue without workers, whose jobs hear at once what a function says to their request."""

    def __init__(self, say: Callable[[Mapping[str, Any]], Event], most_waiting: int = 10) -> None:
        super().__init__("tests", workers=0, most_waiting=most_waiting)
        self._say = say

    def ask(self, task: str, request: Mapping[str, Any], *others: Any, **named: Any) -> Job:
        """See `JobQueue`."""
        job = super().ask(task, request, *others, **named)
        job.receive(self._say(request))
        return job


class Visitor:
    """The other side of a WebSocket, which speaks JSON."""

    def __init__(self) -> None:
        self.said: asyncio.Queue[Message] = asyncio.Queue()
        self.heard: asyncio.Queue[Message] = asyncio.Queue()

    async def say(self, **message: Any) -> None:
        """Send a message."""
        await self.said.put({"type": "websocket.receive", "text": json.dumps(message)})

    async def receive(self) -> dict[str, Any]:
        """The next message."""
        heard: dict[str, Any] = json.loads((await self.heard.get())["text"])
        return heard

    async def hear_until(self, kind: str) -> dict[str, Any]:
        """The next message of a kind; what comes before is passed over."""
        while (heard := await self.receive())["kind"] != kind:
            pass
        return heard


@asynccontextmanager
async def visiting(app: ASGIApp, path: str = "/", host: str = "") -> AsyncIterator[Visitor]:
    """A connection for a block; after it the visitor is gone, and the application is through with it."""
    visitor = Visitor()
    scope = {
        "type": "websocket",
        "path": path,
        "query_string": b"",
        "headers": [(b"host", host.encode())],
        "subprotocols": [],
    }
    serving = asyncio.ensure_future(app(scope, visitor.said.get, visitor.heard.put))
    await visitor.said.put({"type": "websocket.connect"})
    assert (await visitor.heard.get())["type"] == "websocket.accept"
    yield visitor
    await visitor.said.put({"type": "websocket.disconnect", "code": 1006})
    await serving
