"""What a learner sees of a position, and what it may do: the same in every environment.

An observation is four planes of the board, from the point of view of one player:

    0  its own square            2  the blank squares
    1  the other's square        3  every square, if it is to move; else none

An action is the number of the square to go to, row by row from the top left; placements are actions like any other.
"""

from numbers import Integral
from operator import index
from typing import Final

import numpy as np
from numpy.typing import NDArray

from isolarium.errors import InputError, check_kind, quoted
from isolarium.game.board import Board, Square
from isolarium.game.notation import read_start
from isolarium.game.outcome import Player
from isolarium.game.position import Position

OWN, OTHER, BLANK, TURN = range(4)
PLANES: Final = 4

Planes = NDArray[np.int8]


def read_opening(start: str | Board | Position, random_plies: int) -> Position:
    """The position that games begin with, once it is known that they can.

    Raises:
        InputError: it is no position, its game is over, or `random_plies` is no number of plies.
    """
    position = read_start("start", start)
    if position.outcome() is not None:
        raise InputError(
            f"start {position}: the game is over; expected one in which there is a move"
        )
    check_kind("random_plies", random_plies, (int, Integral), "a whole number")
    if random_plies < 0:
        raise InputError(f"random_plies {random_plies}: expected 0 or more")
    return position


def observe(position: Position, player: Player) -> Planes:
    """The planes of a position as one player sees it: 0 and 1, of the shape (4, rows, columns)."""
    board = position.board
    planes = np.zeros((PLANES, board.size), dtype=np.int8)
    for plane, square in (
        (OWN, position.square_of(player)),
        (OTHER, position.square_of(player.other)),
    ):
        if square is not None:
            planes[plane, board.index(square)] = 1
    planes[BLANK] = as_plane(position, position.blank)
    planes[TURN] = player == position.to_move
    return planes.reshape(PLANES, board.rows, board.cols)


def action_mask(position: Position) -> Planes:
    """For each square 1 if the player to move may go there, else 0."""
    return as_plane(position, position.legal_mask)


def as_plane(position: Position, mask: int) -> Planes:
    """A mask of squares as an array with a 1 for each of them."""
    size = position.board.size
    octets = np.frombuffer(mask.to_bytes((size + 7) // 8, "little"), dtype=np.uint8)
    return np.unpackbits(octets, count=size, bitorder="little").view(np.int8)


def read_action(action: object, size: int) -> int:
    """The number of a square, on a board of so many, which may be NumPy's.

    Raises:
        InputError: it is no action of this board.
    """
    try:
        number = index(action)  # type: ignore[arg-type] # whatever was given
    except TypeError:
        number = -1
    if not 0 <= number < size:
        raise InputError(
            f"action {quoted(action)}: expected the number of a square, 0 to {size - 1}"
        )
    return number


def square_of(position: Position, action: object) -> Square:
    """The square that an action goes to.

    Raises:
        InputError: it is no action of this board.
    """
    return position.board.square(read_action(action, position.board.size))
