"""What the routes share: made when the server starts, let go of when it ends."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Annotated, Any

from fastapi import Depends
from starlette.requests import HTTPConnection

from isolarium.agents import AgentSpec
from isolarium.arena.live_game import read_live
from isolarium.compat import usable_cores
from isolarium.errors import InputError
from isolarium.game.board import Board
from isolarium.game.record import read_game
from isolarium.game.tables import words_for
from isolarium.processes.permissions import NOTHING, Permit
from isolarium.web.agent_policy import Guests, Trust
from isolarium.web.friends.lobby import Lobby
from isolarium.web.jobs.job_queue import Job, Lane
from isolarium.web.jobs.launcher import Launcher
from isolarium.web.jobs.reports import Reports
from isolarium.web.jobs.websocket_jobs import Followers
from isolarium.web.quotas import cost_s, is_quick
from isolarium.web.rate_limits import Client
from isolarium.web.run_folder import RunNames, study_of
from isolarium.web.settings import Settings

WAITING = 400
WAITING_EACH = 100
"""Jobs that may wait for a lane, and of them from one address: as many as it may have connections."""
MOST_NOTED = 2000
FRIENDS = ".friends"
"""The folder of games between friends, among the runs; no run can be called so."""


class Services:
    """The lanes, the guard of specs, and the runs.

    Attributes:
        settings: the operator's.
        trust: reads specs.
        guests: agents of the course that may be played.
        names: finds runs.
        launcher: plays runs.
        followers: who watch them.
        reports: of them.
        lobby: games between friends.
        quick: for moves that take no time.
        deep: for long searches, exact values, and whatever may have to be compiled first.
        reading: for the records of runs.
    """

    def __init__(self, settings: Settings) -> None:
        cores = len(usable_cores())
        self.settings = settings
        self.trust = Trust(settings.allow)
        self.guests = Guests(self.trust.permit.folders or ())
        self.names = RunNames(settings.runs)
        permit = self.trust.permit
        self.launcher = Launcher(settings.runs, permit)
        self.quick = _lane("quick moves", max(2, cores // 2), permit, kept=1, gives_way=False)
        self.deep = _lane("long searches", max(2, cores), permit)
        self.reading = _lane("runs", 1, NOTHING, gives_way=False)
        self.followers = Followers(self.names, self.reading, self.complete)
        self.reports = Reports()
        self.lobby = Lobby(settings.runs / FRIENDS)
        self._compiled = set[tuple[str, int]]()

    def start(self) -> None:
        """Start the workers, and take up the games between friends."""
        for lane in self.lanes().values():
            lane.start()
        self.lobby.start()

    async def warm(self, agents: Iterable[str]) -> None:
        """Have what most people will ask for, such as these agents, compiled, or loaded where it is, before they do."""
        await self.reading.ask("list_runs", {"runs": str(self.settings.runs)}).answer()
        for spec in map(self.trust.agent, agents):
            request = {"agent": str(spec), "board": "7x7"}
            await self.deep.ask("warm", request).answer()
            if is_quick(spec):
                self.quick.prepare(request)
            self._note(_code(spec, Board(7, 7)))

    def lanes(self) -> dict[str, Lane]:
        """The lanes by name."""
        return {"quick": self.quick, "deep": self.deep, "reading": self.reading}

    async def close(self) -> None:
        """End the workers at once, and runs in good order."""
        self.launcher.interrupt()
        for lane in self.lanes().values():
            lane.close()
        await self.launcher.close()
        self.reports.close()
        self.lobby.close()

    def complete(self, name: str, said: Mapping[str, Any]) -> dict[str, Any]:
        """What a record says of a run with what only the server knows; its process may not have opened it yet."""
        mine = self.launcher.plays(name)
        about = {"name": name, "study": study_of(name), "mine": mine}
        problem = said.get("problem") or self.launcher.problem(name)
        told = {**said, **about, "problem": problem}
        if mine and said["state"] == "stopped" and about["study"] is None:
            told |= {"state": "playing", "stage": "starting"}
        if "board" in said:
            told["live"] = self._live_game(name, said) if said["state"] == "playing" else None
        return told

    def _live_game(self, name: str, said: Mapping[str, Any]) -> dict[str, Any] | None:
        """The game that a run is at, if what is told of it can be."""
        game = read_live(self.names.folder(name))
        if game is None:
            return None
        text = " ".join([f"{said['board']}:", *game.moves])
        with suppress(InputError):
            read_game(text)
            return {"text": text, "labels": [game.first, game.second]}
        return None

    def think(self, spec: AgentSpec, game: str, board: Board, seed: int, client: Client) -> Job:
        """Have an agent think for a client, in the lane that suits it.

        Raises:
            Refused: that lane is busy.
        """
        code = _code(spec, board)
        is_ready = code in self._compiled and not spec.is_third_party  # which may hang
        lane = self.quick if is_quick(spec) and is_ready else self.deep
        request = {"game": game, "agent": str(spec), "seed": seed}
        return lane.ask("think", request, client, lambda: self._note(code), cost_s(spec))

    def _note(self, code: tuple[str, int]) -> None:
        """Remember that code is there; what is forgotten is looked for again."""
        if len(self._compiled) >= MOST_NOTED:
            self._compiled.clear()
        self._compiled.add(code)


def _lane(name: str, workers: int, permit: Permit, **options: Any) -> Lane:
    return Lane(name, workers, WAITING, most_each=WAITING_EACH, permit=permit, **options)


def _code(spec: AgentSpec, board: Board) -> tuple[str, int]:
    """What decides which code is compiled, or a little more."""
    return f"{spec.kind.name}:{spec.body}", words_for(board)


def services_of(connection: HTTPConnection) -> Services:
    """The services of the server that answers."""
    services: Services = connection.app.state.services
    return services


Served = Annotated[Services, Depends(services_of)]
