"""The four parts of `isolarium bench`: searches, student, heuristics and plies.

Speeds are in nodes per second of the searching thread's own time, so that other work on the machine hardly affects
them. The best of several rounds is reported. The compared programs take turns in each round, so that a slow moment
affects all of them.

One of them is alpha-beta in plain Python, as a competent student of the course would write it. As in the course, a
board consists of a set of blank squares and the players' squares, and a move returns a new board. Knight moves are
computed once. The heuristic is a function of board and player. The search visits the same positions as Isolarium's
`alphabeta` without a seed, which tries moves row by row.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from statistics import fmean
from time import thread_time_ns
from typing import Final, NamedTuple

from isolarium.game.notation import parse_position
from isolarium.game.position import Position
from isolarium.heuristics.lookup import catalogue
from isolarium.limits import Limit, per_second
from isolarium.search.protocol import Search
from isolarium.spec.registry import SEARCHES, SearchKind
from isolarium.spec.spec import parse_spec

Square = tuple[int, int]

KNIGHT: Final = ((-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1))
WIN: Final = 1e9


@cache
def knight_moves(rows: int, cols: int) -> dict[Square, list[Square]]:
    """Return the knight moves from each square of an empty board, row by row."""
    return {
        (row, col): [
            (row + down, col + right) for down, right in KNIGHT if 0 <= row + down < rows and 0 <= col + right < cols
        ]
        for row in range(rows)
        for col in range(cols)
    }


class StudentBoard(NamedTuple):
    """A position in which both players, 0 and 1, are placed."""

    knight_moves: dict[Square, list[Square]]
    blank: frozenset[Square]
    places: tuple[Square, Square]
    active: int

    def legal_moves(self, player: int) -> list[Square]:
        """Return the legal moves of a player."""
        blank = self.blank
        return [square for square in self.knight_moves[self.places[player]] if square in blank]

    def forecast_move(self, square: Square) -> "StudentBoard":
        """Return the board after a move of the active player."""
        first, second = self.places
        places = (square, second) if self.active == 0 else (first, square)
        return StudentBoard(self.knight_moves, self.blank - {square}, places, 1 - self.active)


Score = Callable[[StudentBoard, int], float]


def improved_score(board: StudentBoard, player: int) -> float:
    """Return the number of the player's moves minus the opponent's."""
    return len(board.legal_moves(player)) - len(board.legal_moves(1 - player))


class StudentAlphaBeta:
    """A search for one player.

    Attributes:
        nodes: positions entered so far, including the root and leaves.
    """

    def __init__(self, player: int, score: Score) -> None:
        self.player = player
        self.score = score
        self.nodes = 0

    def max_value(self, board: StudentBoard, depth: int, alpha: float, beta: float, ply: int) -> float:
        """Return the value of a position with the searching player to move."""
        self.nodes += 1
        moves = board.legal_moves(board.active)
        if not moves:
            return ply - WIN
        if depth == 0:
            return self.score(board, self.player)
        best = -2 * WIN
        for move in moves:
            value = self.min_value(board.forecast_move(move), depth - 1, alpha, beta, ply + 1)
            best = max(best, value)
            if best >= beta:
                break
            alpha = max(alpha, best)
        return best

    def min_value(self, board: StudentBoard, depth: int, alpha: float, beta: float, ply: int) -> float:
        """Return the value of a position with the opponent to move."""
        self.nodes += 1
        moves = board.legal_moves(board.active)
        if not moves:
            return WIN - ply
        if depth == 0:
            return self.score(board, self.player)
        best = 2 * WIN
        for move in moves:
            value = self.max_value(board.forecast_move(move), depth - 1, alpha, beta, ply + 1)
            best = min(best, value)
            if best <= alpha:
                break
            beta = min(beta, best)
        return best


def student_search(position: Position, depth: int) -> tuple[float, int]:
    """Search with `improved`, and return the value and the number of positions entered.

    Both players must be placed.
    """
    first, second = position.first, position.second
    assert first is not None
    assert second is not None
    board = position.board
    blank = frozenset(square for square in board.squares if position.is_blank(square))
    moves = knight_moves(board.rows, board.cols)
    root = StudentBoard(moves, blank, (first, second), int(position.to_move))
    search = StudentAlphaBeta(root.active, improved_score)
    return search.max_value(root, depth, -2 * WIN, 2 * WIN, 0), search.nodes


# Positions

POSITIONS: Final = {
    "7x7": ("7/2A4/7/7/7/7/2B4 a", "3x3/1x5/4xB1/2A4/4x2/6x/4x2 a", "2x1x2/6x/3x3/4xB1/7/1x1A1x1/3x3 a"),
    "9x11": (
        "11/1B9/11/11/11/7A3/11/11/11 a",
        "11/11/4x3A2/2x3x4/1x9/11/x1x8/11/1B9 a",
        "2x8/x1x1x6/4x1x4/1x6A2/11/11/9xx/6xxx2/6B1xx1 a",
    ),
    "13x13": (
        "13/11B1/13/13/13/13/13/13/13/8A4/13/13/13 a",
        "7x5/5A7/8x4/13/7x5/9x3/13/10x2/13/1x11/1x1x9/2B10/x1x10 a",
        "13/7x5/7x1x3/6A1xx3/6x1x1x2/8x4/5x7/7x5/6x1x4/8x4/7x1xx1x/7x2B1x/10xx1 a",
    ),
}
"""Positions from early and late in random games, for measuring speed, by board."""

TURNS: Final = (
    "7/2A4/7/7/7/7/2B4 a",
    "6B/7/7/7/3A3/7/7 a",
    "5x1/3A3/7/5x1/7/4B2/7 a",
    "x5x/3Ax2/1xB4/7/7/7/7 a",
    "3x3/1x5/4xB1/2A4/4x2/6x/4x2 a",
    "2x1x2/6x/3x3/4xB1/7/1x1A1x1/3x3 a",
)
"""Positions on 7x7 after 2 to 10 moves, for measuring the mean search depth."""


@cache
def positions_of(board: str) -> tuple[Position, ...]:
    """Return the positions for measuring speed on a board."""
    return tuple(map(parse_position, POSITIONS[board]))


@cache
def turns() -> tuple[Position, ...]:
    """Return the positions for measuring the mean search depth."""
    return tuple(map(parse_position, TURNS))


# Speed

Run = Callable[[], int]


@dataclass(frozen=True, slots=True)
class Effort:
    """The effort of a measurement.

    Attributes:
        rounds: the number of rounds; the best one counts.
        least_ms: the minimum time of a turn; shorter runs are repeated.
        student_depth: the search depth of the student's program, which takes most of the time.
    """

    rounds: int = 5
    least_ms: float = 60.0
    student_depth: int = 12


THOROUGH = Effort()
QUICK = Effort(rounds=2, least_ms=15.0, student_depth=10)


def speeds(runs: Sequence[Run], effort: Effort) -> list[float]:
    """Measure runs in turns, and return the nodes per second of each.

    Call each run once before, to compile it and warm up the caches.

    Args:
        runs: functions that do some work and return its number of nodes.
        effort: the effort of the measurement.
    """
    best = [0.0] * len(runs)
    for _ in range(effort.rounds):
        for place, run in enumerate(runs):
            best[place] = max(best[place], _speed(run, effort.least_ms))
    return best


def _speed(run: Run, least_ms: float) -> float:
    nodes, began, now = 0, thread_time_ns(), 0
    until = began + int(least_ms * 1e6)
    while now < until:
        nodes += run()
        now = thread_time_ns()
    return per_second(nodes, (now - began) / 1e9)


# The four parts

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
"""A progress callback: receives the next measurement, the number done and the total."""


@dataclass(frozen=True, slots=True)
class SearchSpeed:
    """A search's nodes per second with `improved`, by board."""

    search: str
    limit: str
    speeds: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class HeuristicSpeed:
    """The nodes per second of `alphabeta` with a heuristic on 7x7."""

    heuristic: str
    speed: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """The speeds of `alphabeta:improved` and a student's program on the same nodes."""

    depth: int
    nodes: int
    ours: float
    student: float

    @property
    def ratio(self) -> float:
        """The factor by which Isolarium is faster."""
        return self.ours / self.student


@dataclass(frozen=True, slots=True)
class Plies:
    """The mean search depth of `alphabeta` with a heuristic in a turn on 7x7."""

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
    """Measure every heuristic of the catalogue with its defaults."""
    runs = []
    for done, name in enumerate(catalogue()):
        notice(f"alphabeta:{name}", done, len(catalogue()))
        run = partial(_nodes, _search(f"alphabeta:{name}"), positions_of("7x7"), HEURISTIC_LIMIT)
        run()
        runs.append(run)
    notice("all in turns", len(runs), len(runs))
    measured = zip(catalogue(), speeds(runs, effort), strict=True)
    return [HeuristicSpeed(name, speed) for name, speed in measured]


def compare_with_student(effort: Effort, notice: Notice) -> Comparison:
    """Measure Isolarium and the student's program on the same number of nodes."""
    notice("alphabeta:improved and a student's plain-Python program", 0, 1)
    search, depth = _search("alphabeta:improved"), effort.student_depth
    positions, limit, nodes = positions_of("7x7"), Limit(depth=depth), 0
    for position in positions:
        ours, theirs = _nodes(search, (position,), limit), _student_nodes((position,), depth)
        if ours != theirs:
            raise RuntimeError(f"{position}: alphabeta visits {ours} nodes, the student {theirs}")
        nodes += ours
    runs = [partial(_nodes, search, positions, limit), partial(_student_nodes, positions, depth)]
    return Comparison(depth, nodes, *speeds(runs, effort))


def plies_reached(notice: Notice, positions: int | None = None) -> list[Plies]:
    """Measure the mean search depth of every heuristic with its defaults.

    By default, all turns are searched.
    """
    chosen = turns()[:positions]
    found = []
    for done, name in enumerate(catalogue()):
        notice(f"alphabeta:{name}", done, len(catalogue()))
        search = _search(f"alphabeta:{name}")
        search.start(chosen[0], Limit(depth=1))  # Before the clock starts, because it may need compiling
        in_time, in_nodes = (
            fmean(_depths(search, chosen, limit)) for limit in (Limit(time_ms=TURN_MS), Limit(nodes=TURN_NODES))
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
