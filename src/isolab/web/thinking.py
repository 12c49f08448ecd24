"""Thinking, in a worker: an agent's choice, and how far it is meanwhile."""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from isolab.agents import AgentSpec, make_agent, parse_spec, read_spec
from isolab.agents.agent import AgentFailure
from isolab.agents.searches import Choose
from isolab.agents.searching import SearchingAgent
from isolab.agents.warming import warm_up
from isolab.arena.record import score_text
from isolab.game.notation import parse_board
from isolab.game.position import Position
from isolab.limits import Stop
from isolab.search.driver import Workspace, choice_of
from isolab.search.report import Choice, Report
from isolab.web.limits import MS
from isolab.web.reading import read_any
from isolab.web.worker import Tell

if TYPE_CHECKING:
    from isolab.agents.hosted import HostedAgent
    from isolab.search.evaluator import Evaluator

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
    thinker = _thinker(agent)
    watch = _Watch(position, thinker.work, stop, tell)
    thinker.agent.new_game(seed)
    return thinker.agent.choose(position, watch.is_over), watch.stopped


class _Thinker:
    """An agent, and where its search keeps what it has found so far."""

    def __init__(self, spec: AgentSpec) -> None:
        self.work: Workspace | None = None
        self.agent: SearchingAgent | HostedAgent = make_agent(
            replace(spec, kind=replace(spec.kind, make=self._made(spec)))
        )

    def _made(self, spec: AgentSpec) -> Callable[..., Choose]:
        def make(evaluator: "Evaluator | None", options: Mapping[str, Any]) -> Choose:
            if spec.kind.name == "mcts":
                return self._explore(options)
            choose = spec.kind.make(evaluator, options)
            self.work = getattr(getattr(choose, "__self__", None), "work", None)
            return choose

        return make

    def _explore(self, options: Mapping[str, Any]) -> Choose:
        from isolab.search.mcts import Explorer, explore

        explorer = Explorer()
        self.work = explorer.work
        return lambda position, limit, seed, stop: explore(
            position, limit, seed, explorer=explorer, stop=stop, **options
        )


_thinkers: dict[str, _Thinker] = {}  # the one used last at the end


def _thinker(agent: str) -> _Thinker:
    thinker = _thinkers.pop(agent, None) or _Thinker(parse_spec(agent))
    _thinkers[agent] = thinker
    while len(_thinkers) > MOST_AGENTS:
        _thinkers.pop(next(iter(_thinkers))).agent.close()
    return thinker


class _Watch:
    """Is asked every millisecond or so whether to stop, and tells now and then how far the search is."""

    def __init__(
        self, position: Position, work: Workspace | None, stop: Stop, tell: Tell | None
    ) -> None:
        self.stopped = False
        self._position, self._work = position, work
        self._stop, self._tell = stop, tell
        self._started_ns: int | None = None
        self._next = time.monotonic() + EVERY_S

    def is_over(self) -> bool:
        now = time.monotonic()
        if self._started_ns is None:  # compiling does not count
            self._started_ns = time.perf_counter_ns()
        elif self._tell is not None and self._work is not None and now >= self._next:
            self._next = now + EVERY_S
            so_far = choice_of(self._work, self._position, self._started_ns)
            self._tell({"kind": "thinking", "latest": True, **facts(so_far.report)})
        late = time.perf_counter_ns() - self._started_ns > MS * 1e6
        self.stopped = self.stopped or late or self._stop()
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
