"""Talking over a WebSocket: who asks, who stops, who asks too much, and who goes away, with no worker in sight."""

from contextlib import AbstractAsyncContextManager

import pytest
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from isolarium.processes.rpc import Event, EventKind
from isolarium.web.http_errors import HttpError
from isolarium.web.jobs.job_queue import Job, JobQueue
from isolarium.web.jobs.websocket_jobs import GONE, MOST_AT_ONCE, JobSocket, answer_unless_gone
from isolarium.web.routes.play import ThinkRequest
from tests.web.in_process import Scripted, Visitor, run, visiting

QUESTION = {"game": "7x7: d4 b3", "agent": "random"}


class Idle(JobQueue):
    """A queue without workers: whatever it is asked waits for ever."""

    def __init__(self, most_waiting: int) -> None:
        super().__init__("tests", workers=0, most_waiting=most_waiting)


class Talkative(Scripted):
    """Its jobs are told of at once, and end when they are stopped."""

    def __init__(self, most_waiting: int) -> None:
        output = {"kind": "thinking", "latest": True, "nodes": 7}
        super().__init__(lambda request: Event(1, EventKind.PROGRESS, output), most_waiting)

    def stop(self, job: Job) -> None:
        job.receive(Event(1, EventKind.DONE, {"kind": "move", "stopped": True}))


def begin(queue: JobQueue) -> Job:
    """Ask a queue something."""
    return queue.ask("think", QUESTION)


def talking_to(queue: JobQueue, *, one_at_a_time: bool = False) -> AbstractAsyncContextManager[Visitor]:
    """A connection to a server that has this queue."""

    async def think(scope: Scope, receive: Receive, send: Send) -> None:
        socket = WebSocket(scope, receive, send)
        await JobSocket(socket, ThinkRequest, lambda wanted: begin(queue), one_at_a_time=one_at_a_time).run()

    return visiting(think)


def test_a_job_is_told_of_while_it_goes_on_and_stops_at_a_word() -> None:
    async def test() -> None:
        async with talking_to(Talkative(most_waiting=1)) as line:
            await line.say(id="a", **QUESTION)
            thought = await line.hear_until("thinking")
            assert thought == {"id": "a", "kind": "thinking", "nodes": 7}
            await line.say(id="b", stop=True)  # there is no such job
            await line.say(id="a", stop=True)
            assert await line.receive() == {"id": "a", "kind": "move", "stopped": True}

    run(test)


def test_one_connection_has_only_so_much_at_work() -> None:
    async def test() -> None:
        async with talking_to(Idle(most_waiting=100)) as line:
            for number in range(MOST_AT_ONCE + 1):
                await line.say(id=number, **QUESTION)
            busy = await line.hear_until("busy")
            assert (busy["id"], busy["retry_ms"]) == (MOST_AT_ONCE, 1000)
            await line.say(id=0, **QUESTION)
            assert "still running" in (await line.hear_until("error"))["error"]

    run(test)


def test_where_one_is_answered_at_a_time_the_next_question_takes_its_place() -> None:
    async def test() -> None:
        async with talking_to(Idle(most_waiting=1), one_at_a_time=True) as line:
            for number in (1, 2, 3):
                await line.say(id=number, **QUESTION)
                assert await line.receive() == {"id": number, "kind": "queued"}

    run(test)


def test_who_vanishes_is_worked_for_no_longer() -> None:
    queue = Idle(most_waiting=MOST_AT_ONCE)

    async def test() -> None:
        async with talking_to(queue) as line:
            for number in range(MOST_AT_ONCE):
                await line.say(id=number, **QUESTION)
                await line.hear_until("queued")
            with pytest.raises(HttpError):
                begin(queue)

    run(test)
    for _ in range(MOST_AT_ONCE):
        begin(queue)


def test_who_hangs_up_on_http_is_worked_for_no_longer() -> None:
    queue = Idle(most_waiting=1)

    async def hang_up() -> Message:
        return {"type": "http.disconnect"}

    async def test() -> None:
        with pytest.raises(HttpError) as refused:
            await answer_unless_gone(begin(queue), Request({"type": "http"}, hang_up))
        assert refused.value.status == GONE

    run(test)
    begin(queue)
