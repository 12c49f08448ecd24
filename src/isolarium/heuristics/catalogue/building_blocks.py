"""What several heuristics are made of, after report 000's building blocks."""

from typing import Final

from isolarium.heuristics import (
    PlainView,
    Squares,
    center_distance,
    col,
    filled,
    legal_moves,
    row,
    spread,
    word,
)


@word
def safe_moves(view: PlainView, own: int, opp: int) -> Squares:
    """L(own) less L(opp): own's moves that the opponent cannot take; `k` is how many."""
    return legal_moves(view, own) - legal_moves(view, opp)


@word
def options(view: PlainView, own: int, opp: int, n: int) -> int:
    """Count where own may be after n moves, the first of them safe, if the opponent waits.

    The set is replaced at each step and not united, so that a square left behind counts again when
    it is met again.
    """
    reached = safe_moves(view, own, opp)
    for _ in range(n - 1):
        reached = spread(view, reached)
    return len(reached)


@word
def coverage(view: PlainView) -> float:
    """The filled share of the board, from 0 to 1."""
    return filled(view) / (view.rows * view.cols)


@word
def biased_center_distance(view: PlainView, square: int) -> float:
    """Rows plus columns from the square to the course's centre (H/2, W/2), half a square off."""
    return abs(row(view, square) - view.rows / 2) + abs(col(view, square) - view.cols / 2)


CENTERS: Final = {"true": center_distance, "biased": biased_center_distance}
"""What a parameter `center` may be: where dist(s) is measured from."""
