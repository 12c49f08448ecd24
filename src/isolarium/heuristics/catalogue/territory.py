"""The squares that each player can reach, and who reaches them first."""

from collections.abc import Callable, Mapping
from math import atan, copysign, exp, pi
from typing import Any, Final

from isolarium.heuristics import (
    UNREACHABLE,
    PlainView,
    Squares,
    Tabulated,
    distances,
    helper,
    heuristic,
    just,
    legal_moves,
    reachable,
    spread,
    squares,
)
from isolarium.heuristics.catalogue.mobility import improved
from isolarium.heuristics.catalogue.placement import coverage


@heuristic(name="reachable", report="003", formula="|R(own)| - |R(opp)|")
def reachable_squares(view: PlainView, own: int, opp: int) -> float:
    """Count the squares a player can ever reach, minus the opponent's.

    The report's second heuristic. A large area counts in full even if only one narrow path leads into it.
    """
    return len(reachable(view, own)) - len(reachable(view, opp))


@heuristic(
    report="003",
    formula="v = |A - C| - |C - A| with A = R(own), C = R(opp); "
    "if A and C share no square: v + W*H if v >= 0, else v - W*H",
)
def cut_off_reachable(view: PlainView, own: int, opp: int) -> float:
    """Count the squares that only one player can reach.

    The report's third heuristic, and the one it chose. Once the players share no reachable square, the one with more
    squares should outlast the other, so the size of the board is added with the sign of the difference; equal numbers
    count as a lead for the player.
    """
    ours, theirs = reachable(view, own), reachable(view, opp)
    value = len(ours - theirs) - len(theirs - ours)
    if ours & theirs:
        return value
    return value + view.rows * view.cols if value >= 0 else value - view.rows * view.cols


BILLION: Final = 1_000_000_000

LONGEST: Final = 168
"""An upper bound on the length of any path through blanks, on boards up to 13x13."""

CURVES: Final[Mapping[str, Callable[[float], float]]] = {
    "arctan": lambda x: 2 / pi * atan(x),
    "sigmoid": lambda x: 2 / (1 + exp(-x)) - 1,
}


def tabulate(curve: str, numbers: Mapping[str, float]) -> list[float]:
    """List f(scale * x) for x from -LONGEST to LONGEST in whole billionths.

    Whole numbers make sums exact in any order.
    """
    scale = numbers["scale"]
    half = [copysign(round(CURVES[curve](abs(scale) * x) * BILLION), scale) for x in range(LONGEST + 1)]
    return [*(-value for value in reversed(half[1:])), *half]


@heuristic(
    report="001",
    formula="z + alpha * sum of f(scale * (d(opp, s) - d(own, s))) over the blanks s that either reaches",
    names={"f": Tabulated(tuple(CURVES), tabulate, LONGEST)},
)
def distance(
    view: PlainView, own: int, opp: int, z: float = -0.5, alpha: float = 2.0, f: Any = "sigmoid", scale: float = 1.0
) -> float:
    """Be nearer than the opponent to as many squares as possible.

    The report's D(z, alpha, f). Distances are counted in moves. `f` is arctan, (2/pi) * atan(x), or sigmoid, 2 / (1 +
    e^-x) - 1. A square that only one player can reach counts 1 or -1. The report calls f 'suitably rescaled' without
    stating how steep it is; `scale` sets the steepness. `f` is tabulated once to nine decimal places, so differences
    between mathematics libraries cannot change a game.

    The report's variants 1 to 4 are `distance(z=0, alpha=1, f=arctan)`, `(alpha=1, f=arctan)`, `(f=arctan)` and the
    default, which it chose. `z` and a positive `alpha` only rescale the values, which does not change any move, so the
    first three variants play the same games. Any difference that the report measured between them is due to chance.
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


@helper
def worth(view: PlainView, area: Squares, cost: float) -> float:
    """Count the moves that stay within an area, minus `cost` for each of its squares."""
    moves = 0
    for square in squares(area):
        moves += len(legal_moves(view, square) & area)
    return moves - cost * len(area)


@heuristic(
    formula="sum of n(s) - cost over the squares s that own reaches first, minus the same for opp; "
    "n(s): moves from s to other squares of the same owner; the player to move wins ties"
)
def stealer(view: PlainView, own: int, opp: int, cost: float = 0.5) -> float:
    """Reach many squares first, preferably squares that connect to one another.

    Each square belongs to the player who can reach it in fewer plies, counting whose turn it is, so no square is tied.
    A knight changes colour with every move, so the players keep their roles for the whole game. The stealer is the
    player whose turn it is whenever both knights stand on squares of the same colour. The stealer can take a square
    that the other player, the runner, needs next: when both need the same number of moves to a square, only the stealer
    can get there first.

    A square is worth the number of moves from it to other squares of the same owner, minus `cost`: dead ends are a
    burden, because the player who can keep moving wins. This heuristic is not in any report; docs/research/stealer.md
    explains how it was found and how it performs.
    """
    mine, theirs = just(view, own), just(view, opp)
    first, second = (mine, theirs) if view.own_to_move else (theirs, mine)
    free, ours, others = view.blank, view.blank - view.blank, view.blank - view.blank
    while first or second:
        first = spread(view, first) & free
        free = free - first
        second = spread(view, second) & free
        free = free - second
        ours, others = ours | first, others | second
    lead = worth(view, ours, cost) - worth(view, others, cost)
    return lead if view.own_to_move else -lead


@heuristic(report="003", formula="first if coverage < at, else then")
def staged(
    view: PlainView, own: int, opp: int, first: Any = improved, then: Any = cut_off_reachable, at: float = 0.5
) -> float:
    """Use one heuristic early in the game and another late.

    The report suggests this: a quick heuristic such as `improved` while the board is open, and `cut_off_reachable` once
    players can be cut off. `first` and `then` may be any heuristics, with parameters. `then` takes over when the filled
    share of the board reaches `at`.
    """
    return float(first(view, own, opp) if coverage(view) < at else then(view, own, opp))
