"""Heuristics: the decorator, the functions to write one with, and the catalogue.

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
from isolarium.heuristics.definition import Heuristic, Tabulated, heuristic, seen, word

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
    "word",
]
