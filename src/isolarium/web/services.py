"""The objects that the routes share, from the start of the server to its end, and the live updates of runs."""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Annotated, Any, Final

from fastapi import Depends
from starlette.requests import HTTPConnection
from starlette.websockets import WebSocket, WebSocketDisconnect

from isolarium.agents import AgentSpec
from isolarium.arena.live_game import read_live
from isolarium.arena.run_store import REPORT_PAGE
from isolarium.compat import usable_cores
from isolarium.errors import InputError
from isolarium.game.board import Board
from isolarium.game.record import read_game
from isolarium.game.tables import words_for
from isolarium.processes.code_loader import NOTHING, Permit
from isolarium.web import Settings
from isolarium.web.agent_policy import AgentPolicy, Drafts, FileAgents
from isolarium.web.connection_limits import Client
from isolarium.web.http_errors import BUSY, HttpError, error_text, status_of
from isolarium.web.jobs.commands import Launcher, Reports
from isolarium.web.jobs.fair_queue import LIGHT_S
from isolarium.web.jobs.job_queue import Job, JobQueue
from isolarium.web.lobby import Lobby
from isolarium.web.run_folder import RunNames, study_of
from isolarium.web.schema import cost_s

WAITING = 400
WAITING_EACH = 100
"""The maximum number of waiting jobs in a queue, in total and per address.

The limit per address equals its maximum number of connections."""
MOST_NOTED = 2000
FRIENDS = ".friends"
"""The folder of friend matches within the folder of runs; no run can have this name."""


class Services:
    """The job queues, the agent policy and the runs.

    Attributes:
        settings: The operator's settings.
        policy: Reads specs.
        file_agents: The agents in files that may be played.
        drafts: The heuristics written in the browser.
        run_names: The lookup of runs by name.
        launcher: Plays runs.
        live_runs: Sends updates of runs.
        reports: Writes reports of runs.
        lobby: Games between friends.
        searches: The queue for moves, exact values and everything else that agents and the solver do.
        reading: The queue that reads the databases of runs.
    """

    def __init__(self, settings: Settings) -> None:
        cores = len(usable_cores())
        self.settings = settings
        self.policy = AgentPolicy(settings.allow, settings.drafts if settings.may_write else None)
        self.file_agents = FileAgents(folder.resolve() for folder in settings.allow)
        self.drafts = Drafts(settings.drafts)
        self.run_names = RunNames(settings.runs)
        permit = self.policy.permit
        self.launcher = Launcher(settings.runs, permit, self._on_run_end)
        self._reporting = set[asyncio.Task[None]]()
        self.searches = _queue("searches", 1 + max(2, cores), permit, kept=1)
        self.reading = _queue("runs", 1, NOTHING, gives_way=False)
        self.live_runs = LiveRuns(self.run_names, self.reading, self.complete)
        self.reports = Reports()
        self.lobby = Lobby(settings.runs / FRIENDS)
        self._compiled = set[tuple[str, int]]()

    def start(self) -> None:
        """Start the workers, and load the games between friends."""
        for queue in self.queues().values():
            queue.start()
        self.lobby.start()

    async def read_runs(self) -> None:
        """Read the list of runs once, which takes longer the first time."""
        await self.reading.ask("list_runs", {"runs": str(self.settings.runs)}).answer()

    def queues(self) -> dict[str, JobQueue]:
        """Return the queues by name."""
        return {"searches": self.searches, "reading": self.reading}

    async def close(self) -> None:
        """Stop the workers at once, and let runs save their progress."""
        self.launcher.interrupt()
        for task in self._reporting:
            task.cancel()
        for queue in self.queues().values():
            queue.close()
        await self.launcher.close()
        self.reports.close()
        self.lobby.close()

    def _on_run_end(self, name: str) -> None:
        task = asyncio.create_task(self.write_report(name))
        self._reporting.add(task)
        task.add_done_callback(self._reporting.discard)

    async def write_report(self, name: str) -> None:
        """Write the report of a finished run, so that no request has to wait for it.

        A study writes its own reports. If a report cannot be written, requests for it return the
        error.
        """
        with suppress(HttpError, InputError):
            folder = self.run_names.folder(name)
            found = await self.reading.ask("read_run", {"folder": str(folder)}).answer()
            if found["run"]["state"] == "finished":
                await self.reports.file(folder, found["mark"], REPORT_PAGE, is_finished=True)

    def complete(self, name: str, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Add the server's own data to the facts of a run.

        The run's process may not have opened the database yet.
        """
        mine = self.launcher.plays(name)
        study = study_of(name)
        about = {
            "name": name,
            "study": study,
            "study_report": study is not None and (self.settings.runs / study / REPORT_PAGE).is_file(),
            "mine": mine,
        }
        problem = facts.get("problem") or self.launcher.problem(name)
        complete = {**facts, **about, "problem": problem}
        if mine and facts["state"] == "stopped" and about["study"] is None:
            complete |= {"state": "playing", "stage": "starting"}
        if "board" in facts:
            is_playing = facts["state"] == "playing"
            complete["live"] = self._live_game(name, facts) if is_playing else None
        return complete

    def _live_game(self, name: str, facts: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the game in progress of a run, if it can be read."""
        game = read_live(self.run_names.folder(name))
        if game is None:
            return None
        text = " ".join([f"{facts['board']}:", *game.moves])
        with suppress(InputError):
            read_game(text)
            return {"text": text, "labels": [game.first, game.second]}
        return None

    def think(self, spec: AgentSpec, game: str, board: Board, seed: int, client: Client) -> Job:
        """Request an agent's move; it counts as a long search until the agent's code is compiled.

        Raises:
            HttpError: If the queue is full.
        """
        code = _code(spec, board)
        is_ready = code in self._compiled and not spec.is_third_party  # Third-party code may hang.
        request = {"game": game, "agent": str(spec), "seed": seed}
        cost = cost_s(spec) if is_ready else max(LIGHT_S, cost_s(spec))
        return self.searches.ask("think", request, client, lambda: self._note(code), cost)

    def _note(self, code: tuple[str, int]) -> None:
        """Record that code has been compiled; a lost record only costs speed."""
        if len(self._compiled) >= MOST_NOTED:
            self._compiled.clear()
        self._compiled.add(code)


def _queue(name: str, workers: int, permit: Permit, **options: Any) -> JobQueue:
    return JobQueue(name, workers, WAITING, most_each=WAITING_EACH, permit=permit, **options)


def _code(spec: AgentSpec, board: Board) -> tuple[str, int]:
    """Return a key for the code that a spec needs on a board."""
    return f"{spec.kind.name}:{spec.body}", words_for(board)


def services_of(connection: HTTPConnection) -> Services:
    """Return the services of a connection's server."""
    services: Services = connection.app.state.services
    return services


ServicesDep = Annotated[Services, Depends(services_of)]


# Live updates of runs over WebSockets


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
