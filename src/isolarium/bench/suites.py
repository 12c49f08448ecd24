"""The four parts of `isolarium bench`: searches, student, heuristics and plies."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from statistics import fmean
from typing import Final

from isolarium.bench.bench_positions import POSITIONS, positions_of, turns
from isolarium.bench.student import student_search
from isolarium.bench.timing import Effort, speeds
from isolarium.game.position import Position
from isolarium.heuristics.catalogue import catalogue
from isolarium.limits import Limit
from isolarium.search.protocol import Search
from isolarium.spec.registry import SEARCHES, SearchKind
from isolarium.spec.spec import parse_spec

SEARCH_LIMITS: Final[Mapping[str, Limit]] = {
    "minimax": Limit(depth=7),
    "alphabeta": Limit(depth=12),
    "strong": Limit(depth=12),
}
OTHER_LIMIT: Final = Limit(nodes=200_000)
HEURISTIC_LIMIT: Final = Limit(nodes=50_000)
TURN_NODES: Final = 8000
TURN_MS: Final = 150

Notice = Callable[[str, int, int], None]
"""Told what is measured next, how many things are done, and how many there are."""


@dataclass(frozen=True, slots=True)
class SearchSpeed:
    """A search's nodes a second with `improved`, by board."""

    search: str
    limit: str
    speeds: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class HeuristicSpeed:
    """Nodes a second of `alphabeta` with a heuristic on 7x7."""

    heuristic: str
    speed: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """`alphabeta:improved` and a student's plain-Python one: the same nodes, at two speeds, on 7x7."""

    depth: int
    nodes: int
    ours: float
    student: float

    @property
    def ratio(self) -> float:
        """How many times faster ours is."""
        return self.ours / self.student


@dataclass(frozen=True, slots=True)
class Plies:
    """The plies that `alphabeta` with a heuristic looks ahead in a turn on 7x7, on average."""

    heuristic: str
    in_time: float
    in_nodes: float


def search_speeds(effort: Effort, notice: Notice) -> list[SearchSpeed]:
    """Measure every search that takes a limit, on each board."""
    kinds = [kind for kind in SEARCHES.values() if kind.takes_limit]
    found = []
    for done, kind in enumerate(kinds):
        agent = f"{kind.name}:improved" if kind.takes_heuristic else kind.name
        notice(agent, done, len(kinds))
        limit, search = SEARCH_LIMITS.get(kind.name, OTHER_LIMIT), _search(agent)
        runs = [partial(_nodes, search, positions_of(board), limit) for board in POSITIONS]
        for run in runs:
            run()
        measured = dict(zip(POSITIONS, speeds(runs, effort), strict=True))
        found.append(SearchSpeed(kind.name, str(limit), measured))
    return found


def heuristic_speeds(effort: Effort, notice: Notice) -> list[HeuristicSpeed]:
    """Measure every heuristic of ours at its defaults."""
    runs = []
    for done, name in enumerate(catalogue()):
        notice(f"alphabeta:{name}", done, len(catalogue()))
        run = partial(_nodes, _search(f"alphabeta:{name}"), positions_of("7x7"), HEURISTIC_LIMIT)
        run()
        runs.append(run)
    notice("all of them in turns", len(runs), len(runs))
    measured = zip(catalogue(), speeds(runs, effort), strict=True)
    return [HeuristicSpeed(name, speed) for name, speed in measured]


def compare_with_student(effort: Effort, notice: Notice) -> Comparison:
    """Measure both in turns, and make sure that they visit the same number of nodes."""
    notice("alphabeta:improved, and a student's in plain Python", 0, 1)
    search, depth = _search("alphabeta:improved"), effort.student_depth
    positions, limit, nodes = positions_of("7x7"), Limit(depth=depth), 0
    for position in positions:
        ours, theirs = _nodes(search, (position,), limit), _student_nodes((position,), depth)
        if ours != theirs:
            raise RuntimeError(f"{position}: alphabeta visits {ours} nodes, the student's {theirs}")
        nodes += ours
    runs = [partial(_nodes, search, positions, limit), partial(_student_nodes, positions, depth)]
    return Comparison(depth, nodes, *speeds(runs, effort))


def plies_reached(notice: Notice, positions: int | None = None) -> list[Plies]:
    """Measure every heuristic of ours at its defaults, over the first so many of the turns, or all."""
    chosen = turns()[:positions]
    found = []
    for done, name in enumerate(catalogue()):
        notice(f"alphabeta:{name}", done, len(catalogue()))
        search = _search(f"alphabeta:{name}")
        search.start(chosen[0], Limit(depth=1))  # outside the time: it may have to be compiled
        in_time, in_nodes = (
            fmean(_depths(search, chosen, limit))
            for limit in (Limit(time_ms=TURN_MS), Limit(nodes=TURN_NODES))
        )
        found.append(Plies(name, in_time, in_nodes))
    return found


@cache
def _search(agent: str) -> Search:
    spec = parse_spec(agent)
    assert isinstance(spec.kind, SearchKind)
    return spec.kind.make(spec.evaluator(), spec.options)


def _nodes(search: Search, positions: tuple[Position, ...], limit: Limit) -> int:
    return sum(search.choose(position, limit).report.nodes for position in positions)


def _depths(search: Search, positions: tuple[Position, ...], limit: Limit) -> Iterator[int]:
    for position in positions:
        yield search.choose(position, limit).report.depth


def _student_nodes(positions: tuple[Position, ...], depth: int) -> int:
    return sum(student_search(position, depth)[1] for position in positions)
