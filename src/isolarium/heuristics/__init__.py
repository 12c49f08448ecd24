"""Heuristics: the decorator, the functions for writing them, and the catalogue.

A heuristic is a plain function decorated with `@heuristic` that calls the functions of
`isolarium.game.view`:

    from isolarium.heuristics import heuristic, mobility

    @heuristic
    def improved(view, own, opp):
        return mobility(view, own) - mobility(view, opp)
"""

from isolarium.game.view import (
    UNREACHABLE,
    PlainView,
    Squares,
    after,
    center_distance,
    col,
    distances,
    filled,
    just,
    legal_moves,
    mobility,
    number,
    reachable,
    rectangle,
    row,
    spread,
    square_at,
    squares,
)
from isolarium.heuristics.definition import Heuristic, Tabulated, helper, heuristic, seen

# The former name of `helper`, for existing heuristic files.
from isolarium.heuristics.definition import word as word

__all__ = [
    "UNREACHABLE",
    "Heuristic",
    "PlainView",
    "Squares",
    "Tabulated",
    "after",
    "center_distance",
    "col",
    "distances",
    "filled",
    "helper",
    "heuristic",
    "just",
    "legal_moves",
    "mobility",
    "number",
    "reachable",
    "rectangle",
    "row",
    "seen",
    "spread",
    "square_at",
    "squares",
]
