"""Heuristics of heuristics."""

from typing import Any

from isolarium.heuristics import PlainView, heuristic
from isolarium.heuristics.catalogue.baseline import improved
from isolarium.heuristics.catalogue.building_blocks import coverage
from isolarium.heuristics.catalogue.territory import cut_off_reachable


@heuristic(report="003", formula="first if coverage < at, else then")
def staged(
    view: PlainView,
    own: int,
    opp: int,
    first: Any = improved,
    then: Any = cut_off_reachable,
    at: float = 0.5,
) -> float:
    """Use one heuristic early and another late in the game.

    The report's wish: something quick such as `improved` while the board is open, and
    `cut_off_reachable` once there is something to cut off. `first` and `then` may be any heuristics
    with their parameters; a filled share of exactly `at` is `then`'s.
    """
    return float(first(view, own, opp) if coverage(view) < at else then(view, own, opp))
