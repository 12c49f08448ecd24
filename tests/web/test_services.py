"""Who is asked for a move, and what is said when everybody is busy."""

import asyncio
from collections.abc import Iterator, Mapping
from errno import ENOSPC
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from isolarium.arena.plan import Format, Plan
from isolarium.arena.run_db import FILE_NAME
from isolarium.arena.run_store import REPORT_PAGE
from isolarium.processes.rpc import Event, EventKind
from isolarium.web import Settings
from isolarium.web.jobs import commands as launcher
from isolarium.web.jobs.commands import MOST, Launcher
from isolarium.web.jobs.fair_queue import LIGHT_S
from isolarium.web.jobs.job_queue import Job, JobQueue
from isolarium.web.jobs.start_runs import begin_games
from isolarium.web.server import create_app
from isolarium.web.services import FRIENDS, Services
from tests.playing import Wanderer, play_run_here
from tests.web.in_process import Scripted, run

GAME = "7x7: d4 b3"
LONG = {"game": GAME, "agent": "strong:distance@ms=9000"}
QUICK = {"game": GAME, "agent": "alphabeta:improved@nodes=8000"}
REPORT = {"score": 1.0, "depth": 2, "nodes": 3, "ms": 0.5, "pv": [], "proven": False, "plies": None}


class Costed(Scripted):
    """A queue that notes the costs of what it is asked."""

    def ask(self, task: str, request: Mapping[str, Any], *others: Any, **named: Any) -> Job:
        """See `JobQueue`."""
        job = super().ask(task, request, *others, **named)
        self.costs = [*getattr(self, "costs", []), job.cost_s]
        return job


def prompt(move: str) -> Costed:
    """A queue that has the same move for everybody."""
    answer = {"kind": "move", "move": move, "report": REPORT, "stopped": False}
    return Costed(lambda request: Event(1, EventKind.DONE, answer))


@pytest.fixture
def app(tmp_path: Path) -> Iterator[FastAPI]:
    """The application, with a queue that has a move for everybody."""
    settings = Settings(tmp_path)
    app = create_app(settings)
    services = app.state.services = Services(settings)
    services.searches = prompt("f5")
    yield app
    services.reports.close()


async def answer(app: FastAPI, wanted: Mapping[str, Any], path: str = "/api/move") -> httpx.Response:
    address = app.state.services.settings.address
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=address) as client:
        return await client.post(path, json=wanted)


def test_a_folder_that_cannot_be_used_keeps_no_games_between_friends(app: FastAPI, tmp_path: Path) -> None:
    (tmp_path / FRIENDS).write_text("no folder")

    async def test() -> None:
        found = await answer(app, {"board": "7x7"}, "/api/friend")
        assert found.status_code == 507
        assert found.json() == {"error": "File exists: the server cannot write to its disk"}

    run(test)


def test_a_full_disk_is_said_to_be_one(app: FastAPI) -> None:
    full = Event(1, EventKind.FAILED, OSError(ENOSPC, "No space left on device"))
    app.state.services.searches = Scripted(lambda request: full)
    wanted = {"kind": "match", "first": "random", "second": "random", "pairs": 2}

    async def test() -> None:
        found = await answer(app, wanted, "/api/runs")
        assert found.status_code == 507
        assert found.json()["error"].startswith("No space left on device")

    run(test)


def test_twenty_runs_at_once_leave_no_folder_that_nobody_plays(
    app: FastAPI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    services = app.state.services
    begun = list[str]()

    async def play(self: Launcher, name: str, *, has_place: bool = False) -> None:
        begun.append(name)
        await asyncio.sleep(0)  # others come in between
        self._playing[name] = None  # type: ignore[assignment] # no process is started

    monkeypatch.setattr(Launcher, "play", play)

    def begin(request: Mapping[str, Any]) -> Event:
        return Event(1, EventKind.DONE, begin_games(request, lambda: False))

    services.searches = Scripted(begin, most_waiting=50)
    wanted = {"kind": "match", "first": "random", "second": "random", "pairs": 2, "board": "5x5"}

    async def test() -> None:
        answers = await asyncio.gather(*(answer(app, wanted, "/api/runs") for _ in range(20)))
        assert sorted(one.status_code for one in answers) == [201] * MOST + [409] * (20 - MOST)

    run(test)
    services.launcher._playing.clear()
    assert sorted(folder.name for folder in tmp_path.iterdir()) == sorted(begun)


def test_what_is_quick_passes_long_searches_once_it_is_compiled(app: FastAPI) -> None:
    async def test() -> None:
        for wanted in (QUICK, QUICK, LONG, LONG):
            assert (await answer(app, wanted)).json()["move"] == "f5"
        are_light = [cost < LIGHT_S for cost in app.state.services.searches.costs]
        assert are_light == [False, True, False, False]

    run(test)


def test_a_full_queue_is_busy(app: FastAPI) -> None:
    async def test() -> None:
        app.state.services.searches = JobQueue("searches", workers=0, most_waiting=0)
        busy = await answer(app, LONG)
        assert (busy.status_code, busy.headers["retry-after"]) == (503, "1")
        assert busy.json()["error"].startswith("The server is busy: ")

    run(test)


@pytest.mark.slow
def test_a_report_is_written_when_its_run_ends(tmp_path: Path) -> None:
    plan = Plan(Format.MATCH, ("random", "greedy:open"), board="5x5", pairs=2)
    folder = play_run_here(tmp_path / "ended", plan, [Wanderer(), Wanderer()])

    async def test() -> None:
        services = Services(Settings(tmp_path))
        services.reading = Scripted(
            lambda request: Event(1, EventKind.DONE, {"mark": "4", "run": {"state": "finished"}})
        )
        try:
            await services.write_report("ended")
            (folder / FILE_NAME).unlink()  # so that another one cannot be written
            page, _ = await services.reports.file(folder, "4", REPORT_PAGE)
            assert b"<body" in page
            await services.write_report("nothing")  # nor is that an error
        finally:
            services.reports.close()

    run(test)


def test_the_end_of_a_run_is_reported_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[str] = []

    class Done:
        async def read(self) -> bytes:
            return b""

        async def wait(self) -> int:
            return 0

    async def start(*_: object) -> Done:
        return Done()

    monkeypatch.setattr(launcher, "start_command", start)

    async def test() -> None:
        playing = Launcher(tmp_path, on_end=ended.append)
        await playing.play("match")
        while playing.plays("match"):
            await asyncio.sleep(0)
        assert ended == ["match"]

    run(test)
