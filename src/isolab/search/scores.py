"""The order of values: proven loss < heuristic -inf < finite < heuristic +inf < proven win.

Values are doubles. A heuristic's finite values lie within `FINITE`, its infinities become `INFINITE`, and the end of
the game lies beyond: a win at ply p is `WIN - p`, so that the winner hurries and the loser delays. All are exact.
"""

from typing import Final

from isolab.native.jit import kernel

FINITE: Final = 1e12
INFINITE: Final = 2e12
PROVEN: Final = 3e12
WIN: Final = 4e12
NOTHING: Final = 9e12
"""Outside all values: a window's open end."""


@kernel
def ranked(value: float) -> float:
    """A heuristic's value at its place in the order; a value that is not a number counts as -inf."""
    if not value >= -FINITE:
        return -INFINITE
    return INFINITE if value > FINITE else value


def is_proven(score: float) -> bool:
    """Whether the score is the end of the game."""
    return abs(score) > PROVEN


def plies_to_end(score: float) -> int:
    """The ply at which a proven score ends the game."""
    return round(WIN - abs(score))


def public_score(score: float) -> float:
    """The score as people see it: infinities as such."""
    if abs(score) > FINITE:
        return float("inf") if score > 0 else float("-inf")
    return score
