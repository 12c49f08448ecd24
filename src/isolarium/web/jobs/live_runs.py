"""Runs as they go on: one reading serves all who watch, and who reads slowly misses only what is no longer true."""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from starlette.websockets import WebSocket, WebSocketDisconnect

from isolarium.errors import InputError
from isolarium.web.http_errors import BUSY, Refused, status_of, told
from isolarium.web.jobs.job_queue import Lane
from isolarium.web.run_folder import RunNames

EVERY_S: Final = 1.0
SHARE: Final = 2.0
"""After a reading comes a pause of so many times what it took."""

Complete = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
"""From a run's name and what its record says to what pages are told."""


class Followers:
    """Everybody who watches, by run.

    Args:
        names: finds runs.
        reading: the lane that reads records.
        complete: adds what only the server knows.
    """

    def __init__(self, names: RunNames, reading: Lane, complete: Complete) -> None:
        self._names, self._reading, self._complete = names, reading, complete
        self._followers: dict[str, _Follower] = {}

    async def watch(self, name: str, socket: WebSocket) -> None:
        """Tell a client of a run until it has gone or the run cannot be read."""
        await socket.accept()
        follower = self._followers.get(name)
        if follower is None:
            follower = self._followers[name] = _Follower(
                name, self._names, self._reading, self._complete
            )
        follower.watchers += 1
        telling = asyncio.create_task(follower.tell(socket))
        gone = asyncio.create_task(_gone(socket))
        try:
            await asyncio.wait((telling, gone), return_when=asyncio.FIRST_COMPLETED)
        finally:
            telling.cancel()
            gone.cancel()
            follower.watchers -= 1
            if not follower.watchers:
                follower.end()
                self._followers.pop(name, None)


class _Follower:
    """Reads one run again and again while somebody watches it."""

    def __init__(self, name: str, names: RunNames, reading: Lane, complete: Complete) -> None:
        self.watchers = 0
        self._name, self._names = name, names
        self._reading, self._complete = reading, complete
        self._mark = ""
        self._run: Mapping[str, Any] = {}
        self._said: Mapping[str, Any] = {}
        self._news = asyncio.Condition()
        self._task = asyncio.create_task(self._follow())

    def end(self) -> None:
        self._task.cancel()

    async def tell(self, socket: WebSocket) -> None:
        """Send what is said whenever it has changed; after an error, close."""
        last: Mapping[str, Any] = {}
        while last.get("kind") != "error":
            async with self._news:
                while not self._said or self._said is last:
                    await self._news.wait()
                last = self._said
            with suppress(WebSocketDisconnect, RuntimeError):
                await socket.send_json(last)
        with suppress(RuntimeError):
            await socket.close()

    async def _follow(self) -> None:
        while self._said.get("kind") != "error":
            began = time.monotonic()
            try:
                await self._read()
            except (InputError, Refused) as error:
                if status_of(error) != BUSY:
                    problem = {"kind": "error", "error": told(error), "status": status_of(error)}
                    await self._say(problem)
            await asyncio.sleep(max(EVERY_S, SHARE * (time.monotonic() - began)))

    async def _read(self) -> None:
        folder = self._names.folder(self._name)
        request = {"folder": str(folder), "unless": self._mark}
        found = await self._reading.ask("read_run", request).answer()
        self._mark, self._run = found["mark"], found.get("run", self._run)
        said = {"kind": "run", "run": self._complete(self._name, self._run)}
        if said != self._said:
            await self._say(said)

    async def _say(self, said: Mapping[str, Any]) -> None:
        async with self._news:
            self._said = said
            self._news.notify_all()


async def _gone(socket: WebSocket) -> None:
    while (await socket.receive())["type"] != "websocket.disconnect":
        pass
