"""Lanes of workers: bounded, fair to who comes next, and none the worse for a worker's death."""

import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from isolab.errors import InputError
from isolab.search.driver import FIRST_SLICE
from isolab.web.jobs.pool import Lane
from isolab.web.jobs.worker import Word
from isolab.web.problems import Refused
from tests.web.in_process import run

pytestmark = pytest.mark.slow

ENDLESS = {"game": "7x7: d4 b3", "agent": "mcts@nodes=1e15", "seed": 1}
QUICK = {"game": "7x7: d4 b3", "agent": "random", "seed": 1}


@asynccontextmanager
async def started(workers: int = 1, most_waiting: int = 2) -> AsyncIterator[Lane]:
    lane = Lane("tests", workers, most_waiting)
    lane.start()
    try:
        yield lane
    finally:
        lane.close()


def test_a_full_queue_says_that_it_is_busy_and_empties() -> None:
    async def test() -> None:
        async with started() as lane:
            working = lane.ask("think", ENDLESS)
            waiting = [lane.ask("think", QUICK) for _ in range(2)]
            with pytest.raises(Refused, match="busy: 2 requests wait for tests") as busy:
                lane.ask("think", QUICK)
            assert busy.value.status == 503
            waiting[0].abandon()
            later = lane.ask("think", QUICK)
            working.stop()
            assert (await working.answer())["stopped"] is True
            assert (await later.answer())["move"] == (await waiting[1].answer())["move"]

    run(test)


def test_what_is_stopped_before_its_turn_is_brief() -> None:
    async def test() -> None:
        async with started() as lane:
            # Of another agent: one that has searched before begins with a slice that fits its speed.
            fresh = {**ENDLESS, "agent": "mcts@nodes=9e14"}
            first, second = lane.ask("think", ENDLESS), lane.ask("think", fresh)
            second.stop()
            first.abandon()
            answer = await second.answer()
            assert answer["stopped"] is True
            assert answer["report"]["nodes"] <= FIRST_SLICE

    run(test)


def test_a_worker_that_dies_is_replaced_and_its_client_told() -> None:
    async def test() -> None:
        async with started() as lane:
            job = lane.ask("think", ENDLESS)
            async for _ in job.words():  # it is at work
                break
            os.kill(lane.process_ids()[0], signal.SIGKILL)
            with pytest.raises(Refused, match="its process ended; try again"):
                await job.answer()
            assert "move" in await lane.ask("think", QUICK).answer()

    run(test)


def test_mistakes_of_people_come_back_as_such() -> None:
    async def test() -> None:
        async with started() as lane:
            with pytest.raises(InputError, match="the game is over"):
                await lane.ask("think", {**QUICK, "game": "3x3: b2 a1"}).answer()

    run(test)


def test_a_bug_is_no_answer_but_the_worker_lives(capfd: pytest.CaptureFixture[str]) -> None:
    async def test() -> None:
        async with started() as lane:
            with pytest.raises(Refused, match="a bug in Isolab"):
                await lane.ask("think", {}).answer()
            assert "move" in await lane.ask("think", QUICK).answer()

    run(test)
    assert "KeyError" in capfd.readouterr().err


def test_who_reads_late_gets_only_the_last_of_what_was_told() -> None:
    async def test() -> None:
        job = Lane("tests", workers=0, most_waiting=1).ask("think", QUICK)
        for nodes in (100, 200, 300):
            job.hear(Word("told", {"kind": "thinking", "latest": True, "nodes": nodes}))
        job.hear(Word("done", {"kind": "move"}))
        heard = [(words["kind"], words.get("nodes")) async for words in job.words()]
        assert heard == [("thinking", 300), ("move", None)]

    run(test)
