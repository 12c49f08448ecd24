"""Jobs and live runs over HTTP and WebSocket."""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from json import JSONDecodeError, loads
from typing import Any, Final, Literal

from fastapi import Request
from pydantic import BaseModel, ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from isolarium.errors import InputError
from isolarium.web.http_errors import BUSY, RETRY_S, Refused, status_of, told
from isolarium.web.jobs.job_queue import Job, Lane
from isolarium.web.run_folder import RunNames
from isolarium.web.schema import MOST_ID, JobId, RequestBody

MOST_AT_ONCE: Final = 4
GONE: Final = 499
"""What some servers write down for a client that has left; nobody reads it."""


class StopRequest(RequestBody):
    """End what was asked under an id."""

    id: JobId
    stop: Literal[True]


async def answer_unless_gone(job: Job, request: Request) -> Mapping[str, Any]:
    """A job's answer; it is abandoned if the client leaves.

    Raises:
        Refused: the client has left.
    """
    answer = asyncio.ensure_future(job.answer())
    gone = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait((answer, gone), return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            raise Refused(GONE, "the client has left")
        return answer.result()
    finally:
        answer.cancel()
        gone.cancel()


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


class Conversation:
    """One connection.

    Args:
        socket: the connection.
        wanted: the shape of what may be asked for, besides to stop.
        begin: from that to a job; raises what is wrong with it.
        one_at_a_time: whether something new ends what goes on.
    """

    def __init__(
        self,
        socket: WebSocket,
        wanted: type[BaseModel],
        begin: Callable[[Any], Job],
        *,
        one_at_a_time: bool = False,
    ) -> None:
        self._socket = socket
        self._wanted = wanted
        self._begin = begin
        self._one_at_a_time = one_at_a_time
        self._jobs: dict[Any, tuple[Job, asyncio.Task[None]]] = {}

    async def run(self) -> None:
        """Talk until the other side has gone; what goes on then is stopped."""
        await self._socket.accept()
        try:
            while True:
                message = await self._socket.receive()
                if message["type"] == "websocket.disconnect":
                    return
                await self._hear(message.get("text"))
        except WebSocketDisconnect:
            return
        finally:
            for job, task in self._jobs.values():
                job.abandon()
                task.cancel()

    async def _hear(self, text: str | None) -> None:
        name = None
        try:
            data = read_json(text)
            name = data.get("id") if isinstance(data, dict) else None
            if isinstance(data, dict) and "stop" in data:
                self._stop(StopRequest.model_validate(data))
            else:
                self._start(self._wanted.model_validate(data))
        except (InputError, Refused, ValidationError) as error:
            await self._send(name if _is_id(name) else None, _problem(error))
            if status_of(error) == BUSY:
                await asyncio.sleep(RETRY_S)  # who asks again at once is not heard

    def _stop(self, message: StopRequest) -> None:
        if message.id in self._jobs:
            self._jobs[message.id][0].stop()

    def _start(self, message: Any) -> None:
        if self._one_at_a_time:
            for job, task in self._jobs.values():
                job.abandon()
                task.cancel()
            self._jobs.clear()
        if message.id in self._jobs:
            raise InputError(f"id {message.id!r}: still at work; expected another id")
        if len(self._jobs) >= MOST_AT_ONCE:
            raise Refused(
                BUSY, f"The server is busy: {MOST_AT_ONCE} requests of this connection are at work."
            )
        job = self._begin(message)
        self._jobs[message.id] = job, asyncio.create_task(self._follow(message.id, job))

    async def _follow(self, name: Any, job: Job) -> None:
        """Pass on what a job says."""
        try:
            if job.is_waiting:
                await self._send(name, {"kind": "queued"})
            async for content in job.words():
                await self._send(name, content)
        except (InputError, Refused) as error:
            await self._send(name, _problem(error))
        finally:
            if self._jobs.get(name, (None,))[0] is job:
                del self._jobs[name]

    async def _send(self, name: Any, content: Mapping[str, Any]) -> None:
        if self._socket.client_state is WebSocketState.CONNECTED:
            shown = {key: value for key, value in content.items() if key != "latest"}
            with suppress(WebSocketDisconnect, RuntimeError):  # gone, as `run` will hear
                await self._socket.send_json({"id": name, **shown})


def _is_id(name: object) -> bool:
    """Whether something can be said back as an id."""
    is_text = isinstance(name, str) and len(name) <= MOST_ID and name.isprintable()
    return is_text or isinstance(name, int)


def read_json(text: str | None) -> Any:
    """What a message says.

    Raises:
        InputError: it is not JSON.
    """
    if text is None:
        raise InputError("a message in bytes: expected text")
    try:
        return loads(text)
    except (JSONDecodeError, RecursionError, ValueError) as error:
        raise InputError(f"not JSON: {error}") from None


def _problem(error: Exception) -> dict[str, Any]:
    status = status_of(error)
    if status == BUSY:
        return {"kind": "busy", "error": told(error), "retry_ms": 1000 * RETRY_S}
    return {"kind": "error", "error": told(error), "status": status}


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
