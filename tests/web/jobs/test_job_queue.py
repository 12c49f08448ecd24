"""Lanes of workers: bounded, fair to who comes next, and none the worse for a worker's death."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from errno import EMFILE
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.types import Message

from isolarium.errors import InputError
from isolarium.processes.worker import Worker
from isolarium.web.connection_limits import Client
from isolarium.web.http_errors import HttpError
from isolarium.web.jobs import job_queue
from isolarium.web.jobs.job_queue import GONE, Job, JobQueue, answer_unless_gone
from tests.command import PATIENCE_S
from tests.web.in_process import run

pytestmark = pytest.mark.slow

ENDLESS = {"game": "7x7: d4 b3", "agent": "mcts@nodes=1e15", "seed": 1}
QUICK = {"game": "7x7: d4 b3", "agent": "random", "seed": 1}


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine may take any time to compile."""
    monkeypatch.setattr(job_queue, "GIVE_UP_S", PATIENCE_S)


@asynccontextmanager
async def started(workers: int = 1, most_waiting: int = 2, **options: Any) -> AsyncIterator[JobQueue]:
    queue = JobQueue("tests", workers, most_waiting, **options)
    queue.start()
    try:
        yield queue
    finally:
        queue.close()


def test_a_full_queue_says_that_it_is_busy_and_empties() -> None:
    async def test() -> None:
        async with started() as queue:
            working = queue.ask("think", ENDLESS)
            waiting = [queue.ask("think", QUICK) for _ in range(2)]
            with pytest.raises(HttpError, match="The server is busy: 2 requests wait for tests") as busy:
                queue.ask("think", QUICK)
            assert busy.value.status == 503
            waiting[0].abandon()
            later = queue.ask("think", QUICK)
            working.abandon()
            assert (await later.answer())["move"] == (await waiting[1].answer())["move"]

    run(test)


async def begun(job: Job) -> None:
    """Wait until a worker has taken a job."""
    while job.is_waiting:
        await asyncio.sleep(0.01)


def test_a_worker_that_dies_is_replaced_and_its_client_told() -> None:
    async def test() -> None:
        async with started() as queue:
            job = queue.ask("think", ENDLESS)
            await begun(job)
            os.kill(queue.process_ids()[0], signal.SIGKILL)
            with pytest.raises(HttpError, match="its process ended; try again"):
                await job.answer()
            assert "move" in await queue.ask("think", QUICK).answer()

    run(test)


def test_what_waits_too_long_is_told_that_the_server_is_busy() -> None:
    async def test() -> None:
        queue = JobQueue("tests", workers=0, most_waiting=1, wait_s=0)
        with pytest.raises(HttpError, match="The server is busy: this waited 0 s for tests") as busy:
            await queue.ask("think", QUICK).answer()
        assert busy.value.status == 503
        queue.ask("think", QUICK)  # whose place is free again

    run(test)


def test_one_client_cannot_take_every_place() -> None:
    queue = JobQueue("tests", workers=0, most_waiting=4, most_each=2)
    abuser, other = Client("192.0.2.1", 1), Client("192.0.2.2", 1)
    for _ in range(2):
        queue.ask("think", QUICK, abuser)
    with pytest.raises(HttpError, match="The server is busy"):
        queue.ask("think", QUICK, abuser)
    queue.ask("think", QUICK, other)


def test_who_loses_a_place_is_told() -> None:
    async def test() -> None:
        queue = JobQueue("tests", workers=0, most_waiting=2)
        _, lost = (queue.ask("think", QUICK, Client("192.0.2.1", 1)) for _ in range(2))
        queue.ask("think", QUICK, Client("192.0.2.2", 1))
        with pytest.raises(HttpError, match="The server is busy: 2 requests wait"):
            await lost.answer()

    run(test)


def test_what_cannot_be_stopped_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_queue, "GIVE_UP_S", 0.0)

    async def test() -> None:
        async with started() as queue:
            job = queue.ask("think", ENDLESS)
            await begun(job)
            [deaf] = queue.process_ids()
            os.kill(deaf, signal.SIGSTOP)  # as deaf as one that hangs
            job.abandon()
            assert "move" in await queue.ask("think", QUICK).answer()
            assert queue.process_ids() != [deaf]

    run(test)


def test_what_is_compiled_for_the_first_time_is_told_and_not_lost(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ISOLARIUM_CACHE", str(tmp_path / "nothing compiled"))
    monkeypatch.setattr(job_queue, "GIVE_UP_S", 0.1)

    async def test() -> None:
        async with started(wait_s=PATIENCE_S, gives_way=False) as queue:
            job = queue.ask("think", ENDLESS)
            while not queue._workers[0]._is_compiling:
                await asyncio.sleep(0.01)
            compiling = queue.process_ids()
            job.abandon()
            assert "move" in await queue.ask("think", QUICK).answer()
            assert queue.process_ids() == compiling

    run(test)


def test_a_worker_with_too_much_memory_is_renewed() -> None:
    async def test() -> None:
        async with started(most_mb=0) as queue:
            used = list[int]()
            for _ in range(2):
                used += queue.process_ids()
                await queue.ask("think", QUICK).answer()
            assert len(set(used)) == 2

    run(test)


def test_a_worker_that_cannot_be_started_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(job_queue, "RETRY_S", 0.0)
    refusals = iter(range(2))

    def start(*arguments: Any, **named: Any) -> Worker:
        if next(refusals, None) is not None:
            raise OSError(EMFILE, "Too many open files")
        return Worker(*arguments, **named)

    monkeypatch.setattr(job_queue, "Worker", start)

    async def test() -> None:
        async with started() as queue:
            assert queue.facts()["ready"] == 0
            assert "move" in await queue.ask("think", QUICK).answer()

    run(test)
    assert caplog.text.count("a worker for tests cannot be started") == 2


def test_a_lane_says_how_it_is() -> None:
    async def test() -> None:
        async with started() as queue:
            working, waiting = queue.ask("think", ENDLESS), queue.ask("think", QUICK)
            assert queue.facts() == {"workers": 1, "ready": 1, "at_work": 1, "waiting": 1}
            working.abandon()
            await waiting.answer()
            assert queue.facts() == {"workers": 1, "ready": 1, "at_work": 0, "waiting": 0}

    run(test)


def test_mistakes_of_people_come_back_as_such() -> None:
    async def test() -> None:
        async with started() as queue:
            with pytest.raises(InputError, match="the game is over"):
                await queue.ask("think", {**QUICK, "game": "3x3: b2 a1"}).answer()

    run(test)


def test_a_bug_is_no_answer_but_the_worker_lives(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        async with started() as queue:
            with pytest.raises(HttpError, match="a bug in Isolarium"):
                await queue.ask("think", {}).answer()
            assert "move" in await queue.ask("think", QUICK).answer()

    run(test)
    assert "KeyError" in caplog.text


def test_who_hangs_up_is_worked_for_no_longer() -> None:
    queue = JobQueue("tests", workers=0, most_waiting=1)

    async def hang_up() -> Message:
        return {"type": "http.disconnect"}

    async def test() -> None:
        with pytest.raises(HttpError) as refused:
            await answer_unless_gone(queue.ask("think", QUICK), Request({"type": "http"}, hang_up))
        assert refused.value.status == GONE

    run(test)
    queue.ask("think", QUICK)
