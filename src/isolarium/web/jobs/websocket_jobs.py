"""Jobs over HTTP and WebSocket, and live updates of runs.

Over HTTP, a job returns a single response. Over a WebSocket, jobs have ids, report progress and can
be stopped. In both cases, a client's jobs end when the client disconnects.
"""

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
from isolarium.web.http_errors import BUSY, RETRY_S, HttpError, error_text, status_of
from isolarium.web.jobs.job_queue import Job, JobQueue
from isolarium.web.run_folder import RunNames
from isolarium.web.schema import MOST_ID, JobId, RequestBody

MOST_AT_ONCE: Final = 4
GONE: Final = 499
"""The status that some servers log when a client disconnects; it is never sent."""


class StopRequest(RequestBody):
    """A request to stop the job with an id."""

    id: JobId
    stop: Literal[True]


async def answer_unless_gone(job: Job, request: Request) -> Mapping[str, Any]:
    """Return a job's result; the job is abandoned if the client disconnects.

    Raises:
        HttpError: If the client disconnects.
    """
    answer = asyncio.ensure_future(job.answer())
    gone = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait((answer, gone), return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            raise HttpError(GONE, "the client has disconnected")
        return answer.result()
    finally:
        answer.cancel()
        gone.cancel()


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


class JobSocket:
    """A WebSocket for jobs.

    Args:
        socket: The connection.
        wanted: The schema of requests, other than requests to stop.
        begin: A function that starts the job for a request.
        one_at_a_time: Whether a new request ends the current job.
    """

    def __init__(
        self, socket: WebSocket, wanted: type[BaseModel], begin: Callable[[Any], Job], *, one_at_a_time: bool = False
    ) -> None:
        self._socket = socket
        self._wanted = wanted
        self._begin = begin
        self._one_at_a_time = one_at_a_time
        self._jobs: dict[Any, tuple[Job, asyncio.Task[None]]] = {}

    async def run(self) -> None:
        """Handle requests until the client disconnects; then stop all jobs."""
        await self._socket.accept()
        try:
            while True:
                message = await self._socket.receive()
                if message["type"] == "websocket.disconnect":
                    return
                await self._handle(message.get("text"))
        except WebSocketDisconnect:
            return
        finally:
            for job, task in self._jobs.values():
                job.abandon()
                task.cancel()

    async def _handle(self, text: str | None) -> None:
        name = None
        try:
            data = read_json(text)
            name = data.get("id") if isinstance(data, dict) else None
            if isinstance(data, dict) and "stop" in data:
                self._stop(StopRequest.model_validate(data))
            else:
                self._start(self._wanted.model_validate(data))
        except (InputError, HttpError, ValidationError) as error:
            await self._send(name if _is_id(name) else None, _problem(error))
            if status_of(error) == BUSY:
                await asyncio.sleep(RETRY_S)  # Slow down clients that retry immediately.

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
            raise InputError(f"id {message.id!r}: its job is still running; use another id")
        if len(self._jobs) >= MOST_AT_ONCE:
            raise HttpError(BUSY, f"The server is busy: {MOST_AT_ONCE} requests of this connection are running.")
        job = self._begin(message)
        self._jobs[message.id] = job, asyncio.create_task(self._follow(message.id, job))

    async def _follow(self, name: Any, job: Job) -> None:
        """Send a job's messages."""
        try:
            if job.is_waiting:
                await self._send(name, {"kind": "queued"})
            async for content in job.messages():
                await self._send(name, content)
        except (InputError, HttpError) as error:
            await self._send(name, _problem(error))
        finally:
            if self._jobs.get(name, (None,))[0] is job:
                del self._jobs[name]

    async def _send(self, name: Any, content: Mapping[str, Any]) -> None:
        if self._socket.client_state is WebSocketState.CONNECTED:
            shown = {key: value for key, value in content.items() if key != "latest"}
            with suppress(WebSocketDisconnect, RuntimeError):  # The client has disconnected, as `run` will notice.
                await self._socket.send_json({"id": name, **shown})


def _is_id(name: object) -> bool:
    """Return whether a value is valid as an id."""
    is_text = isinstance(name, str) and len(name) <= MOST_ID and name.isprintable()
    return is_text or isinstance(name, int)


def read_json(text: str | None) -> Any:
    """Parse a message.

    Raises:
        InputError: If the message is not JSON.
    """
    if text is None:
        raise InputError("a binary message: expected text")
    try:
        return loads(text)
    except (JSONDecodeError, RecursionError, ValueError) as error:
        raise InputError(f"not JSON: {error}") from None


def _problem(error: Exception) -> dict[str, Any]:
    status = status_of(error)
    if status == BUSY:
        return {"kind": "busy", "error": error_text(error), "retry_ms": 1000 * RETRY_S}
    return {"kind": "error", "error": error_text(error), "status": status}


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
