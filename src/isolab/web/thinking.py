"""Thinking, in a worker: an agent's choice, and how far it is meanwhile."""

import time
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from isolab.agents import make_agent, parse_spec
from isolab.agents.agent import AgentFailure
from isolab.agents.searching import SearchingAgent
from isolab.agents.warming import warm_up
from isolab.arena.row import score_text
from isolab.game.notation import parse_board
from isolab.game.position import Position
from isolab.search.protocol import Choice, Report, Search
from isolab.web.limits import MS
from isolab.web.reading import read_any
from isolab.web.worker import Stop, Tell

if TYPE_CHECKING:
    from isolab.agents.hosted import HostedAgent

EVERY_S: Final = 0.08
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
    thinker = _thinker(agent)
    search = thinker.search if isinstance(thinker, SearchingAgent) else None
    watch = _Watch(search, stop, tell)
    thinker.new_game(seed)
    return thinker.choose(position, watch.is_over), watch.stopped


_thinkers: "dict[str, SearchingAgent | HostedAgent]" = {}  # the one used last at the end


def _thinker(agent: str) -> "SearchingAgent | HostedAgent":
    thinker = _thinkers.pop(agent, None) or make_agent(parse_spec(agent))
    _thinkers[agent] = thinker
    while len(_thinkers) > MOST_AGENTS:
        _thinkers.pop(next(iter(_thinkers))).close()
    return thinker


class _Watch:
    """Is asked every millisecond or so whether to stop, and tells now and then how far the search is."""

    def __init__(self, search: Search | None, stop: Stop, tell: Tell | None) -> None:
        self.stopped = False
        self._search, self._stop, self._tell = search, stop, tell
        self._end: float | None = None
        self._next = time.monotonic() + EVERY_S

    def is_over(self) -> bool:
        now = time.monotonic()
        if self._end is None:  # compiling does not count
            self._end = now + MS / 1e3
        elif self._tell is not None and self._search is not None and now >= self._next:
            self._next = now + EVERY_S
            so_far = self._search.best().report
            if so_far.nodes > 0:
                self._tell({"kind": "thinking", "latest": True, **facts(so_far)})
        self.stopped = self.stopped or now > self._end or self._stop()
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
