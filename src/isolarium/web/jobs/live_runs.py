"""Live updates of runs over WebSockets."""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from starlette.websockets import WebSocket, WebSocketDisconnect

from isolarium.errors import InputError
from isolarium.web.http_errors import BUSY, HttpError, error_text, status_of
from isolarium.web.jobs.job_queue import JobQueue
from isolarium.web.run_folder import RunNames

EVERY_S: Final = 1.0
SHARE: Final = 2.0
"""The pause after reading a run, as a multiple of the reading time."""

Complete = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
"""Adds the server's own data to the facts from a run's database."""


class LiveRuns:
    """Sends live updates of runs; one reader serves all clients of a run.

    Args:
        names: The lookup of runs by name.
        reading: The queue that reads databases.
        complete: Adds the server's own data to the facts of a run.
    """

    def __init__(self, names: RunNames, reading: JobQueue, complete: Complete) -> None:
        self._names, self._reading, self._complete = names, reading, complete
        self._runs: dict[str, _LiveRun] = {}

    async def watch(self, name: str, socket: WebSocket) -> None:
        """Send updates of a run until the client disconnects or the run cannot be read."""
        await socket.accept()
        live_run = self._runs.get(name)
        if live_run is None:
            live_run = self._runs[name] = _LiveRun(name, self._names, self._reading, self._complete)
        live_run.watchers += 1
        sending = asyncio.create_task(live_run.send_updates(socket))
        gone = asyncio.create_task(_gone(socket))
        try:
            await asyncio.wait((sending, gone), return_when=asyncio.FIRST_COMPLETED)
        finally:
            sending.cancel()
            gone.cancel()
            live_run.watchers -= 1
            if not live_run.watchers:
                live_run.end()
                self._runs.pop(name, None)


class _LiveRun:
    """Reads one run repeatedly while clients watch it.

    A slow client skips outdated states.
    """

    def __init__(self, name: str, names: RunNames, reading: JobQueue, complete: Complete) -> None:
        self.watchers = 0
        self._name, self._names = name, names
        self._reading, self._complete = reading, complete
        self._mark = ""
        self._run: Mapping[str, Any] = {}
        self._state: Mapping[str, Any] = {}
        self._news = asyncio.Condition()
        self._task = asyncio.create_task(self._follow())

    def end(self) -> None:
        self._task.cancel()

    async def send_updates(self, socket: WebSocket) -> None:
        """Send the state whenever it changes; after an error, close the connection."""
        last: Mapping[str, Any] = {}
        while last.get("kind") != "error":
            async with self._news:
                while not self._state or self._state is last:
                    await self._news.wait()
                last = self._state
            with suppress(WebSocketDisconnect, RuntimeError):
                await socket.send_json(last)
        with suppress(RuntimeError):
            await socket.close()

    async def _follow(self) -> None:
        while self._state.get("kind") != "error":
            began = time.monotonic()
            try:
                await self._read()
            except (InputError, HttpError) as error:
                if status_of(error) != BUSY:
                    problem = {"kind": "error", "error": error_text(error), "status": status_of(error)}
                    await self._publish(problem)
            await asyncio.sleep(max(EVERY_S, SHARE * (time.monotonic() - began)))

    async def _read(self) -> None:
        folder = self._names.folder(self._name)
        request = {"folder": str(folder), "unless": self._mark}
        found = await self._reading.ask("read_run", request).answer()
        self._mark, self._run = found["mark"], found.get("run", self._run)
        state = {"kind": "run", "run": self._complete(self._name, self._run)}
        if state != self._state:
            await self._publish(state)

    async def _publish(self, state: Mapping[str, Any]) -> None:
        async with self._news:
            self._state = state
            self._news.notify_all()


async def _gone(socket: WebSocket) -> None:
    while (await socket.receive())["type"] != "websocket.disconnect":
        pass
