"""A position as an array of pixels, drawn with NumPy only.

The picture is that of `isolarium.game.svg` without the letters.
"""

import re
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from isolarium.game.board import Square
from isolarium.game.outcome import Player
from isolarium.game.position import Position
from isolarium.game.svg import (
    BLANK_COLOUR,
    BLOCKED_COLOUR,
    CELL,
    FRAME_COLOUR,
    GRID_COLOUR,
    KNIGHT_PATH,
    MARGIN,
    PIECE_COLOUR,
    PLAYER_COLOURS,
)

FINER: Final = 4
"""Samples per side of a pixel, for smooth edges."""
CURVE_POINTS: Final = 8

Pixels = NDArray[np.uint8]
Coverage = NDArray[np.float64]
"""The share of each pixel that a shape covers, with shape (CELL, CELL, 1)."""


def draw_pixels(position: Position, last_move: Square | None = None) -> Pixels:
    """Draw a position, of shape (height, width, 3), with a ring around the last move."""
    board = position.board
    height, width = (side * CELL + 2 * MARGIN for side in (board.rows, board.cols))
    picture = np.full((height, width, 3), _colour(FRAME_COLOUR))
    standing = {position.first: Player.FIRST, position.second: Player.SECOND}
    for square in board.squares:
        cell = _cell(picture, square)
        cell[:] = _colour(GRID_COLOUR)
        free = position.is_blank(square) or square in standing
        cell[1:, 1:] = _colour(BLANK_COLOUR if free else BLOCKED_COLOUR)
        if square in standing:
            player = standing[square]
            _paint(cell, _body(player), PLAYER_COLOURS[player])
            _paint(cell, _knight(), PIECE_COLOUR)
    for square in position.legal_moves():
        _paint(_cell(picture, square), _disc(5.5), PLAYER_COLOURS[position.to_move])
    if last_move is not None:
        ring = _disc(21.5) - _disc(19.5)
        _paint(_cell(picture, last_move), ring, PLAYER_COLOURS[position.to_move.other])
    return picture


def _cell(picture: Pixels, square: Square) -> Pixels:
    top, left = MARGIN + square.row * CELL, MARGIN + square.col * CELL
    return picture[top : top + CELL, left : left + CELL]


def _paint(cell: Pixels, covered: Coverage, colour: str) -> None:
    cell[:] = np.round(cell * (1 - covered) + _colour(colour) * covered)


def _colour(text: str) -> Pixels:
    return np.frombuffer(bytes.fromhex(text.removeprefix("#")), dtype=np.uint8)


# Shapes, centred on a square


@cache
def _points() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the x and y of every sample."""
    places = (np.arange(CELL * FINER) + 0.5) / FINER - CELL / 2
    return places[None, :], places[:, None]


def _covered(inside: NDArray[np.bool_]) -> Coverage:
    covered: Coverage = inside.reshape(CELL, FINER, CELL, FINER).mean(axis=(1, 3))
    return covered[:, :, None]


@cache
def _disc(radius: float) -> Coverage:
    x, y = _points()
    return _covered(x**2 + y**2 <= radius**2)


@cache
def _body(player: Player) -> Coverage:
    """Return a disc for the first player, and a rounded square for the second."""
    if player is Player.FIRST:
        return _disc(16.5)
    x, y = _points()
    beyond = np.maximum(abs(x) - 9, 0) ** 2 + np.maximum(abs(y) - 9, 0) ** 2
    return _covered(beyond <= 6**2)


@cache
def _knight() -> Coverage:
    """Return the inside of the knight's outline.

    A ray to the left from a point inside crosses the outline an odd number of times.
    """
    x, y = _points()
    inside = np.zeros((CELL * FINER, CELL * FINER), dtype=bool)
    outline = _outline()
    for (from_x, from_y), (to_x, to_y) in zip(outline, outline[1:] + outline[:1], strict=True):
        if from_y != to_y:
            crossing = from_x + (y - from_y) * (to_x - from_x) / (to_y - from_y)
            inside ^= ((from_y > y) != (to_y > y)) & (crossing < x)
    return _covered(inside)


def _outline() -> list[tuple[float, float]]:
    """Return the points of the knight's path, with points along its Bézier curves."""
    outline: list[tuple[float, float]] = []
    for letter, numbers in re.findall(r"([MCL])([^MCLZ]*)", KNIGHT_PATH):
        values = [float(number) for number in numbers.split()]
        ends = list(zip(values[::2], values[1::2], strict=True))
        if letter != "C":
            outline += ends
            continue
        for one, two, end in zip(ends[::3], ends[1::3], ends[2::3], strict=True):
            begin = outline[-1]
            for step in range(1, CURVE_POINTS + 1):
                t = step / CURVE_POINTS
                weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3)
                corners = (begin, one, two, end)
                x, y = (sum(w * corner[axis] for w, corner in zip(weights, corners, strict=True)) for axis in range(2))
                outline.append((x, y))
    return outline
