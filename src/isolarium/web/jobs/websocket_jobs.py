"""Jobs and those who ask for them.

Over HTTP a job has one answer. Over a WebSocket jobs are asked for under an id, told of as they go on, and ended by a
word. Either way what a client asked for ends with its connection.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from json import JSONDecodeError, loads
from typing import Any, Final

from fastapi import Request
from pydantic import BaseModel, ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from isolarium.errors import InputError
from isolarium.web.http_errors import BUSY, RETRY_S, Refused, status_of, told
from isolarium.web.jobs.job_queue import Job
from isolarium.web.schemas.common import MOST_ID
from isolarium.web.schemas.play_schema import StopRequest

MOST_AT_ONCE: Final = 4
GONE: Final = 499
"""What some servers write down for a client that has left; nobody reads it."""


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
