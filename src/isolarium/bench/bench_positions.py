"""The positions that everything is measured on: from random games, a few moves old and older."""

from functools import cache
from typing import Final

from isolarium.game.notation import parse_position
from isolarium.game.position import Position

POSITIONS: Final = {
    "7x7": (
        "7/2A4/7/7/7/7/2B4 a",
        "3x3/1x5/4xB1/2A4/4x2/6x/4x2 a",
        "2x1x2/6x/3x3/4xB1/7/1x1A1x1/3x3 a",
    ),
    "9x11": (
        "11/1B9/11/11/11/7A3/11/11/11 a",
        "11/11/4x3A2/2x3x4/1x9/11/x1x8/11/1B9 a",
        "2x8/x1x1x6/4x1x4/1x6A2/11/11/9xx/6xxx2/6B1xx1 a",
    ),
    "13x13": (
        "13/11B1/13/13/13/13/13/13/13/8A4/13/13/13 a",
        "7x5/5A7/8x4/13/7x5/9x3/13/10x2/13/1x11/1x1x9/2B10/x1x10 a",
        "13/7x5/7x1x3/6A1xx3/6x1x1x2/8x4/5x7/7x5/6x1x4/8x4/7x1xx1x/7x2B1x/10xx1 a",
    ),
}
"""What speeds are measured on, by board."""

TURNS: Final = (
    "7/2A4/7/7/7/7/2B4 a",
    "6B/7/7/7/3A3/7/7 a",
    "5x1/3A3/7/5x1/7/4B2/7 a",
    "x5x/3Ax2/1xB4/7/7/7/7 a",
    "3x3/1x5/4xB1/2A4/4x2/6x/4x2 a",
    "2x1x2/6x/3x3/4xB1/7/1x1A1x1/3x3 a",
)
"""What the plies reached in a turn are averaged over: 7x7, from 2 to 10 moves old."""


@cache
def positions_of(board: str) -> tuple[Position, ...]:
    """The positions that speeds are measured on."""
    return tuple(map(parse_position, POSITIONS[board]))


@cache
def turns() -> tuple[Position, ...]:
    """The positions that plies are averaged over."""
    return tuple(map(parse_position, TURNS))
