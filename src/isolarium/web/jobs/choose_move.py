"""Thinking, in a worker: an agent's choice, and how far it is meanwhile."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from isolarium.agents import SpecAgent, make_agent, parse_spec, read_spec, warm_up
from isolarium.agents.agent import AgentFailure
from isolarium.agents.search_agent import SearchingAgent
from isolarium.arena.game import score_text
from isolarium.game.board import Board
from isolarium.game.notation import parse_board
from isolarium.game.position import Position
from isolarium.limits import Allowance, Limit, Stop
from isolarium.search.protocol import Choice, Report, Search
from isolarium.web.jobs.job_worker import Tell
from isolarium.web.quotas import MS, read_any

EVERY_MS: Final = 80
"""How often it is told how far a search is."""
MOST_AGENTS: Final = 6


def think(request: Mapping[str, Any], tell: Tell, stop: Stop) -> dict[str, Any]:
    """Choose a move for `agent` in `game`, with `seed`."""
    position = read_any(request["game"]).position
    choice, stopped = choose(request["agent"], position, request["seed"], stop, tell)
    return {
        "kind": "move",
        "move": str(choice.move),
        "report": facts(choice.report),
        "stopped": stopped,
    }


def read_agent(request: Mapping[str, Any], tell: Tell, stop: Stop) -> dict[str, Any]:
    """The spec `agent` in full, after loading the files that it names."""
    return {"agent": str(read_spec(request["agent"]))}


def warm(request: Mapping[str, Any], tell: Tell, stop: Stop) -> dict[str, Any]:
    """Have everything compiled that `agent` needs on boards like `board`."""
    with suppress(AgentFailure):  # it will fail again where it counts
        warm_up(request["agent"], parse_board(request["board"]))
    return {}


def choose(
    agent: str, position: Position, seed: int, stop: Stop, tell: Tell | None = None
) -> tuple[Choice, bool]:
    """An agent's choice, and whether it was stopped: by `stop`, or since a request may take no longer.

    Raises:
        InputError: the game is over.
        AgentFailure: it cannot go on.
    """
    found = thinker(agent)
    search = found.search if isinstance(found, SearchingAgent) else None
    watch = _Watch(search, stop, tell)
    found.new_game(seed)
    return found.choose(position, watch.is_over), watch.stopped


_thinkers: dict[str, SpecAgent] = {}  # the one used last at the end


def thinker(agent: str) -> SpecAgent:
    """The agent of that spec, made once for a few questions in a row."""
    found = _thinkers.pop(agent, None) or make_agent(parse_spec(agent))
    _thinkers[agent] = found
    while len(_thinkers) > MOST_AGENTS:
        _thinkers.pop(next(iter(_thinkers))).close()
    return found


def prepare(agent: str, board: Board) -> None:
    """Have everything compiled that the agent of that spec needs on boards of this size."""
    found = thinker(agent)
    found.new_game(0)
    found.prepare(Position.empty(board))


class _Watch:
    """Is asked every millisecond or so whether to stop, and tells now and then how far the search is."""

    def __init__(self, search: Search | None, stop: Stop, tell: Tell | None) -> None:
        self.stopped = False
        self._search, self._stop, self._tell = search, stop, tell
        self._allowance: Allowance | None = None
        self._next_ms: float = EVERY_MS

    def is_over(self) -> bool:
        if self._allowance is None:  # compiling does not count
            self._allowance = Allowance(Limit(time_ms=MS), self._stop)
        elapsed_ms = self._allowance.elapsed_ms
        if self._tell is not None and self._search is not None and elapsed_ms >= self._next_ms:
            self._next_ms = elapsed_ms + EVERY_MS
            so_far = self._search.best().report
            if so_far.nodes > 0:
                self._tell({"kind": "thinking", "latest": True, **facts(so_far)})
        self.stopped = self.stopped or self._allowance.is_over()
        return self.stopped


def facts(report: Report) -> dict[str, Any]:
    """A report as JSON has it."""
    return {
        "score": score_text(report),
        "depth": report.depth,
        "nodes": report.nodes,
        "ms": round(report.time_ms, 3),
        "pv": [str(square) for square in report.pv],
        "proven": report.proven,
        "plies": report.plies,
    }
