"""Who is asked for a move, and what is said when everybody is busy."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from isolab.web.app import create_app
from isolab.web.jobs.pool import Job, Lane
from isolab.web.jobs.worker import Word
from isolab.web.services import Services
from isolab.web.settings import Settings
from tests.web.in_process import run, visiting

GAME = "7x7: d4 b3"
LONG = {"game": GAME, "agent": "strong:distance@ms=9000"}
QUICK = {"game": GAME, "agent": "alphabeta:improved@nodes=8000"}
REPORT = {"score": 1.0, "depth": 2, "nodes": 3, "ms": 0.5, "pv": [], "proven": False, "plies": None}
DEEP, AT_ONCE = "f5", "b5"


class Prompt(Lane):
    """Has the same move for everybody, at once."""

    def __init__(self, move: str) -> None:
        super().__init__("tests", workers=0, most_waiting=10)
        self._move = move

    def ask(
        self, task: str, request: Mapping[str, Any], when_done: Callable[[], None] = lambda: None
    ) -> Job:
        job = super().ask(task, request, when_done)
        answer = {"kind": "move", "move": self._move, "report": REPORT, "stopped": False}
        job.hear(Word("done", answer))
        return job


@pytest.fixture
def app(tmp_path: Path) -> Iterator[FastAPI]:
    """The application, with lanes that can be told apart by their moves."""
    settings = Settings(tmp_path)
    app = create_app(settings)
    services = app.state.services = Services(settings)
    services.deep, services.quick = Prompt(DEEP), Prompt(AT_ONCE)
    yield app
    services.reports.close()


async def answer(app: FastAPI, wanted: Mapping[str, str]) -> httpx.Response:
    address = app.state.services.settings.address
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=address) as client:
        return await client.post("/api/move", json=wanted)


async def move(app: FastAPI, wanted: Mapping[str, str]) -> str:
    return str((await answer(app, wanted)).json()["move"])


def test_what_is_quick_passes_long_searches_once_it_is_compiled(app: FastAPI) -> None:
    async def test() -> None:
        assert [await move(app, QUICK) for _ in range(2)] == [DEEP, AT_ONCE]
        assert [await move(app, LONG) for _ in range(2)] == [DEEP, DEEP]

    run(test)


def test_a_full_queue_is_busy_for_long_searches_and_not_for_quick_ones(app: FastAPI) -> None:
    async def test() -> None:
        await move(app, QUICK)
        app.state.services.deep = Lane("long searches", workers=0, most_waiting=0)
        busy = await answer(app, LONG)
        assert (busy.status_code, busy.headers["retry-after"]) == (503, "1")
        assert busy.json()["error"].startswith("busy: ")
        assert await move(app, QUICK) == AT_ONCE

    run(test)


def test_a_full_queue_is_busy_over_a_websocket_too(app: FastAPI) -> None:
    app.state.services.deep = Lane("long searches", workers=0, most_waiting=0)

    async def test() -> None:
        async with visiting(app, "/api/think", host="127.0.0.1:8000") as line:
            await line.say(id=1, **LONG)
            busy = await line.hear()
            assert (busy["kind"], busy["id"], busy["retry_ms"]) == ("busy", 1, 1000)

    run(test)
