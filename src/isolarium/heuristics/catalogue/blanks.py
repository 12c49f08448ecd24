"""Which squares are still blank, on the whole board."""

from math import inf
from typing import Any

from isolarium.heuristics import PlainView, col, heuristic, mobility, row, squares
from isolarium.heuristics.catalogue.building_blocks import CENTERS, options, safe_moves


@heuristic(
    report="000",
    formula="sum of dist(s) over blanks if k >= enough; options(3) - penalty if k = enough - 1; "
    "else -inf",
    names={"center": CENTERS},
)
def fill_center(
    view: PlainView,
    own: int,
    opp: int,
    enough: int = 3,
    penalty: float = 200.0,
    center: Any = "true",
) -> float:
    """Fill the middle of the board: blanks near the edges count for more.

    The report's custom_score_4. With one safe move fewer than `enough`, 2 in the report, the squares
    three moves away count, every value `penalty` lower; with still fewer it is -inf. `center` is
    where dist is measured from: the true centre, or the course's biased one (H/2, W/2), which the
    report used first and found by its lopsided heat map.
    """
    safe = len(safe_moves(view, own, opp))
    if safe >= enough:
        total = 0.0
        for square in squares(view.blank):
            total += center(view, square)
        return total
    return options(view, own, opp, 3) - penalty if safe == enough - 1 else -inf


@heuristic(report="000", formula="sign * sum of |row - col| over blanks if m >= enough; else -inf")
def fill_diagonal(
    view: PlainView, own: int, opp: int, enough: int = 2, sign: float = -1.0
) -> float:
    """Fill the board away from the diagonal through the top left corner, as printed.

    The report's custom_score_6. Its prose likes a filled diagonal, but the minus that it prints
    rewards a blank one, and its printed scores, -87 and -70, confirm the minus. That is the
    default; `sign=1` is the prose. With fewer than `enough` moves it is -inf.
    """
    if mobility(view, own) < enough:
        return -inf
    total = 0
    for square in squares(view.blank):
        total += abs(row(view, square) - col(view, square))
    return sign * total
