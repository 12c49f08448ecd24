"""Heuristics: here the words they are written in, and in `catalogue` those that come with Isolab.

A heuristic is a plain function with `@heuristic` above it, written in the words of
`isolab.game.view`:

    from isolab.heuristics import heuristic, mobility

    @heuristic
    def improved(view, own, opp):
        return mobility(view, own) - mobility(view, opp)
"""

from isolab.game.view import (
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
from isolab.heuristics.definition import Heuristic, Tabulated, heuristic, seen, word

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
