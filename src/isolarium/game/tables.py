"""Tables of boards for compiled code, and conversions of positions and squares.

Each board and symmetry has one array of 64-bit words, the table. A search may run on the image of the board under a
symmetry, so that its move order does not favour any side of the board. Compiled code then sees the image's square
numbers; the table gives their true rows, columns and numbers.

Layout in words, where `W` words hold one set of squares and `n` is the number of squares (at most 169):

    0  rows          1  cols          2  n
    INFO   + s       true row | true column << 8 | true number << 16   of the image's square s
    IMAGE  + t       the image's square of the true number t
    SETS   + k*W     the squares that the sideways part of a knight's move may land on without leaving the board:
                     k = 0: not in the first column, 1: not in the first two, 2: not in the last, 3: not in the last two
    KNIGHT           from SETS + 4*W on, s*W: a knight's targets from square s; for s = n, a player not yet placed:
                     every square
    UPPER            next, for r = 0 to rows: the squares whose true row is less than r
    LEFT             next, for c = 0 to cols: the squares whose true column is less than c
"""

from functools import cache
from threading import Lock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from isolarium.game.board import Board
from isolarium.game.position import Position
from isolarium.game.symmetry import Symmetry
from isolarium.native.arithmetic import mixed
from isolarium.native.jit import kernel
from isolarium.native.memory import load_constant
from isolarium.native.squareset import fold, is_empty, lowest, single, without_lowest

MOST_SQUARES: Final = 169
INFO: Final = 3
IMAGE: Final = INFO + MOST_SQUARES
SETS: Final = IMAGE + MOST_SQUARES
WORD_MASK: Final = (1 << 64) - 1


def words_for(board: Board) -> int:
    """Return the number of 64-bit words in a set of the board's squares."""
    return (board.size + 63) // 64


@cache
def permutation(board: Board, symmetry: Symmetry) -> tuple[int, ...]:
    """Return the image's square number for each true square number."""
    return tuple(board.index(symmetry.square(square, board)) for square in board.squares)


_tables: dict[tuple[Board, Symmetry], tuple[NDArray[np.uint64], int]] = {}
_building = Lock()


def table_address(board: Board, symmetry: Symmetry) -> int:
    """Return the address of the table of a board under one of its symmetries.

    Each board and symmetry has only one table, even if several threads request it at once. Tables are never freed,
    because compiled code keeps their addresses.
    """
    key = (board, symmetry)
    if key not in _tables:
        with _building:
            if key not in _tables:
                table = _table(board, symmetry)
                _tables[key] = table, table.ctypes.data
    return _tables[key][1]


def _table(board: Board, symmetry: Symmetry) -> NDArray[np.uint64]:
    words = words_for(board)
    image_of = permutation(board, symmetry)
    sets = [_columns(board, 1, 0), _columns(board, 2, 0), _columns(board, 0, 1), _columns(board, 0, 2)]
    # A symmetry maps knight's moves to knight's moves, so the image's targets are the board's own.
    sets += [board.knight_mask(square) for square in board.squares]
    sets.append(board.full)
    for side in range(2):
        for end in range((board.rows, board.cols)[side] + 1):
            sets.append(sum(1 << image_of[t] for t, s in enumerate(board.squares) if s[side] < end))

    table = np.zeros(SETS + len(sets) * words, dtype=np.uint64)
    table[0:3] = board.rows, board.cols, board.size
    for true, square in enumerate(board.squares):
        table[INFO + image_of[true]] = square.row | square.col << 8 | true << 16
        table[IMAGE + true] = image_of[true]
    for place, squares in enumerate(sets):
        for word in range(words):
            table[SETS + place * words + word] = squares >> 64 * word & WORD_MASK
    table.setflags(write=False)
    return table


def _columns(board: Board, skip_first: int, skip_last: int) -> int:
    """Return the mask of the board without the given numbers of edge columns."""
    return sum(
        1 << board.index(square) for square in board.squares if skip_first <= square.col < board.cols - skip_last
    )


# Positions as words for compiled code


def pack_words(mask: int, words: int) -> list[int]:
    """Return a mask of squares as 64-bit words, lowest first."""
    return [mask >> 64 * word & WORD_MASK for word in range(words)]


def pack_squares(position: Position) -> tuple[int, int]:
    """Return the square numbers of the mover and the other player.

    For a player not yet placed, the number is the size of the board.
    """
    board = position.board
    mover, other = position.mover, position.other
    return (board.size if mover is None else board.index(mover), board.size if other is None else board.index(other))


# True square numbers and the image's square numbers, in compiled code


@kernel
def image_of(table: int, squares: Any) -> Any:
    """Map a set of true square numbers to the image's."""
    image = squares - squares
    while not is_empty(squares):
        image = image | single(image, load_constant(table, IMAGE + lowest(squares)))
        squares = without_lowest(squares)
    return image


@kernel
def image_square(table: int, square: int) -> int:
    """Map a true square number to the image's; keep an unplaced player's number."""
    size = load_constant(table, 2)
    return load_constant(table, IMAGE + square) if square < size else square


@kernel
def true_square(table: int, square: int) -> int:
    """Map the image's square number to the true one."""
    return load_constant(table, INFO + square) >> 16


# Transposition tables


@kernel
def entry_address(entries: int, mask: int, entry_words: int, blank: Any, mover: int, other: int) -> int:
    """Return the address of a position's entry in a table of `mask` + 1 entries."""
    place = mixed(fold(blank) ^ mixed(mover << 8 | other)) & mask
    return entries + place * entry_words * 8
