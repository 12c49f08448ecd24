"""The squares that each player can get to, and how soon."""

from collections.abc import Callable, Mapping
from math import atan, copysign, exp, pi
from typing import Any, Final

from isolarium.heuristics import (
    UNREACHABLE,
    PlainView,
    Tabulated,
    distances,
    heuristic,
    just,
    reachable,
    spread,
    squares,
)


@heuristic(name="reachable", report="003", formula="|R(own)| - |R(opp)|")
def reachable_squares(view: PlainView, own: int, opp: int) -> float:
    """Count the squares that a player could ever reach, however many moves it takes.

    The report's second. A single move that leads from a dead end into a large area counts as that
    area.
    """
    return len(reachable(view, own)) - len(reachable(view, opp))


@heuristic(
    report="003",
    formula="v = |A - C| - |C - A| with A = R(own), C = R(opp); "
    "W*H more with v's sign if none is in both",
)
def cut_off_reachable(view: PlainView, own: int, opp: int) -> float:
    """Count the squares that only one player can reach, and be cut off with the larger share.

    The report's third and its choice. Where the players share no square, the size of the board is
    added with the sign of the difference; equal shares count as good.
    """
    ours, theirs = reachable(view, own), reachable(view, opp)
    value = len(ours - theirs) - len(theirs - ours)
    if ours & theirs:
        return value
    return value + view.rows * view.cols if value >= 0 else value - view.rows * view.cols


BILLION: Final = 1_000_000_000

LONGEST: Final = 168
"""No path through blanks is longer, on 13x13 or below."""

CURVES: Final[Mapping[str, Callable[[float], float]]] = {
    "arctan": lambda x: 2 / pi * atan(x),
    "sigmoid": lambda x: 2 / (1 + exp(-x)) - 1,
}


def tabulate(curve: str, numbers: Mapping[str, float]) -> list[float]:
    """List f(scale * x) for x from -LONGEST to LONGEST.

    In whole billionths, so that sums are exact in any order.
    """
    scale = numbers["scale"]
    half = [
        copysign(round(CURVES[curve](abs(scale) * x) * BILLION), scale) for x in range(LONGEST + 1)
    ]
    return [*(-value for value in reversed(half[1:])), *half]


@heuristic(
    report="001",
    formula="z + alpha * sum of f(scale * (d(opp, s) - d(own, s))) "
    "over the blanks s that either reaches",
    names={"f": Tabulated(tuple(CURVES), tabulate, LONGEST)},
)
def distance(
    view: PlainView,
    own: int,
    opp: int,
    z: float = -0.5,
    alpha: float = 2.0,
    f: Any = "sigmoid",
    scale: float = 1.0,
) -> float:
    """Be nearer than the opponent to as many squares as possible, counted in moves.

    The report's D(z, alpha, f). `f` is arctan, (2/pi) * atan(x), or sigmoid, 2 / (1 + e^-x) - 1; a
    square that only one player can reach counts as 1 or -1. The report says 'suitably rescaled',
    which leaves the steepness open: `scale`. `f` is tabulated once, to nine decimal places, so that
    the mathematics library of a machine cannot change a game.

    The report's variants 1 to 4 are `distance(z=0, alpha=1, f=arctan)`, `(alpha=1, f=arctan)`,
    `(f=arctan)` and the default, its choice. `z` and a positive `alpha` are a linear map and change
    no move: the first three play alike, and what the report measured between them is chance.
    """
    near = distances(view, own)
    total = 0.0
    edge, left, far = just(view, opp), view.blank, 0
    while edge:
        far += 1
        edge = spread(view, edge) & left
        left = left - edge
        for square in squares(edge):
            total += f(view, far - near[square]) if near[square] < UNREACHABLE else -BILLION
    for square in squares(left):
        if near[square] < UNREACHABLE:
            total += BILLION
    return z + alpha * (total / BILLION)
