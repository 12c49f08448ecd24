"""Best play for both from a position to the end of the game, in a worker."""

from collections.abc import Mapping
from typing import Any, Final

from isolarium.game.board import Square
from isolarium.game.position import Position
from isolarium.limits import Allowance, Limit, Stop
from isolarium.search.protocol import Report
from isolarium.solver.exact_value import EVERY_MOVE_BLANKS, Truth, looked_up
from isolarium.web.jobs.choose_move import choose, prepare
from isolarium.web.jobs.job_worker import Tell
from isolarium.web.quotas import MS, read_any

PERFECT: Final = "oracle@nodes=2000000"
"""Who plays for both: every position of 7x7 is solved within this."""
SEED: Final = 1

_truth = Truth()


def best_line(request: Mapping[str, Any], tell: Tell, stop: Stop) -> dict[str, Any]:
    """Play `game` to its end: the winner hurries and the loser resists, as far as that is known."""
    start = read_any(request["game"]).position
    prepare(PERFECT, start.board)  # compiling does not count
    whole = Allowance(Limit(time_ms=MS), stop)
    moves, exact, value = list[Square](), 0, "loses" if start.outcome() else "unknown"
    position = start
    while position.outcome() is None and _is_solvable(position) and not whole.is_over():
        report = choose(PERFECT, position, SEED, whole.is_over)[0].report
        if not report.proven:
            break
        if not moves:
            value = "wins" if (report.score or 0) > 0 else "loses"
        if report.plies is None:
            exact = len(moves) + 1
        moves += _sure(report, position)
        position = _after(start, moves)
    return {
        "position": str(start),
        "to_move": str(start.to_move),
        "value": value,
        "moves": [str(move) for move in moves],
        "exact": exact,
        "ends": position.outcome() is not None,
    }


def _is_solvable(position: Position) -> bool:
    return looked_up(position) is not None or _truth.reaches(position)


def _sure(report: Report, position: Position) -> tuple[Square, ...]:
    """What is proven of a line: all of it where so few blanks are left that it was solved to the end."""
    is_whole = report.plies is not None and position.blank_count <= EVERY_MOVE_BLANKS
    return report.pv if is_whole else report.pv[:1]


def _after(position: Position, moves: list[Square]) -> Position:
    for move in moves:
        position = position.play(move)
    return position
