"""Jobs of agents: choosing moves, reading specs, and compiling."""

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
from isolarium.web.jobs.job_worker import Emit
from isolarium.web.quotas import MS, read_any

EVERY_MS: Final = 80
"""The interval between progress messages."""
MOST_AGENTS: Final = 6


def think(request: Mapping[str, Any], emit: Emit, stop: Stop) -> dict[str, Any]:
    """Choose a move for `agent` in `game`, with the random seed `seed`."""
    position = read_any(request["game"]).position
    choice, stopped = choose(request["agent"], position, request["seed"], stop, emit)
    return {"kind": "move", "move": str(choice.move), "report": facts(choice.report), "stopped": stopped}


def read_agent(request: Mapping[str, Any], emit: Emit, stop: Stop) -> dict[str, Any]:
    """Return the full spec of `agent`, loading the files that it names."""
    return {"agent": str(read_spec(request["agent"]))}


def warm(request: Mapping[str, Any], emit: Emit, stop: Stop) -> dict[str, Any]:
    """Compile the code that `agent` needs on boards of the size of `board`."""
    with suppress(AgentFailure):  # The agent's next use reports the failure.
        warm_up(request["agent"], parse_board(request["board"]))
    return {}


def choose(agent: str, position: Position, seed: int, stop: Stop, emit: Emit | None = None) -> tuple[Choice, bool]:
    """Return an agent's choice, and whether the search was stopped.

    The search ends early if `stop` returns true or at the time limit of a request.

    Raises:
        InputError: If the game is over.
        AgentFailure: If the agent fails.
    """
    found = thinker(agent)
    search = found.search if isinstance(found, SearchingAgent) else None
    watch = _Watch(search, stop, emit)
    found.new_game(seed)
    return found.choose(position, watch.is_over), watch.stopped


_thinkers: dict[str, SpecAgent] = {}  # Least recently used first


def thinker(agent: str) -> SpecAgent:
    """Return the agent of a spec, cached for successive requests."""
    found = _thinkers.pop(agent, None) or make_agent(parse_spec(agent))
    _thinkers[agent] = found
    while len(_thinkers) > MOST_AGENTS:
        _thinkers.pop(next(iter(_thinkers))).close()
    return found


def prepare(agent: str, board: Board) -> None:
    """Compile the code that an agent needs on a board of this size."""
    found = thinker(agent)
    found.new_game(0)
    found.prepare(Position.empty(board))


class _Watch:
    """A stop condition that sends progress messages.

    Searches check it about every millisecond.
    """

    def __init__(self, search: Search | None, stop: Stop, emit: Emit | None) -> None:
        self.stopped = False
        self._search, self._stop, self._emit = search, stop, emit
        self._allowance: Allowance | None = None
        self._next_ms: float = EVERY_MS

    def is_over(self) -> bool:
        if self._allowance is None:  # The clock starts after compilation.
            self._allowance = Allowance(Limit(time_ms=MS), self._stop)
        elapsed_ms = self._allowance.elapsed_ms
        if self._emit is not None and self._search is not None and elapsed_ms >= self._next_ms:
            self._next_ms = elapsed_ms + EVERY_MS
            so_far = self._search.best().report
            if so_far.nodes > 0:
                self._emit({"kind": "thinking", "latest": True, **facts(so_far)})
        self.stopped = self.stopped or self._allowance.is_over()
        return self.stopped


def facts(report: Report) -> dict[str, Any]:
    """Return a report as JSON."""
    return {
        "score": score_text(report),
        "depth": report.depth,
        "nodes": report.nodes,
        "ms": round(report.time_ms, 3),
        "pv": [str(square) for square in report.pv],
        "proven": report.proven,
        "plies": report.plies,
    }
