"""The board: its squares, their numbers, the knight's moves from each, and their text.

A set of squares is an int, its *mask*. Bit ``row * cols + col`` represents the square (row, col),
so the lowest bit is the top left corner and the bits follow reading order. On a 3x4 board:

            a   b   c   d
        1   0   1   2   3
        2   4   5   6   7
        3   8   9  10  11

As text, a square is ``d4``: the column's letter, then the row's number counted from the top. A board is ``7x7``: rows,
then columns. ``format_x`` writes one canonical spelling. ``parse_x`` accepts only this spelling, with optional
surrounding spaces and line ends.
"""

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from numbers import Integral
from typing import NamedTuple

from isolarium.errors import InputError, check_kind, quoted, shown

MIN_SIDE = 3
MAX_SIDE = 13

SIDES = f"sides from {MIN_SIDE} to {MAX_SIDE}"

COLUMN_LETTERS = "abcdefghijklm"
NUMBER = "[1-9][0-9]?"  # ASCII digits only: int() accepts the digits of every script.
_SQUARE = re.compile(f"([a-z])({NUMBER})")
_BOARD = re.compile(f"({NUMBER})[xX]({NUMBER})")

TEXT_AS_SQUARE = "a text; expected a Square, such as Square(0, 0) for a1"
"""The error message for a string passed where a square is expected."""

KNIGHT_STEPS = ((-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1))


class Square(NamedTuple):
    """A square: its row from the top and its column from the left, both from 0.

    In text it is a column letter and a row number counted from the top: ``a1`` is (0, 0).
    """

    row: int
    col: int

    def __str__(self) -> str:
        """Return text such as ``d4``, or ``[row, col]`` if no board has the square."""
        with suppress(TypeError):  # The row or the column may not be a number.
            if 0 <= self.row < MAX_SIDE and 0 <= self.col < MAX_SIDE:
                return f"{COLUMN_LETTERS[self.col]}{self.row + 1}"
        return f"[{quoted(self.row)}, {quoted(self.col)}]"


def shown_square(square: object) -> str:
    """Format an argument that should be a square, for an error message."""
    return shown(str(square)) if isinstance(square, Square) else quoted(square)


class _Geometry(NamedTuple):
    """Data derived from a board's dimensions, computed once for all equal boards."""

    squares: tuple[Square, ...]
    indices: dict[Square, int]
    knight_moves: dict[Square, tuple[Square, ...]]
    knight_masks: dict[Square, int]


@cache
def _geometry(rows: int, cols: int) -> _Geometry:
    squares = tuple(Square(row, col) for row in range(rows) for col in range(cols))
    indices = {square: index for index, square in enumerate(squares)}
    knight_moves = {
        square: tuple(
            Square(square.row + down, square.col + right)
            for down, right in KNIGHT_STEPS
            if (square.row + down, square.col + right) in indices
        )
        for square in squares
    }
    knight_masks = {square: sum(1 << indices[target] for target in targets) for square, targets in knight_moves.items()}
    return _Geometry(squares, indices, knight_moves, knight_masks)


@dataclass(frozen=True, slots=True)
class Board:
    """An empty board of ``rows`` x ``cols`` squares, each side from 3 to 13.

    Raises:
        InputError: If a side is out of range.
    """

    rows: int
    cols: int
    _geometry: _Geometry = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the sides."""
        for side in (self.rows, self.cols):
            check_kind("board: side", side, (int, Integral), "a whole number")
        if not (MIN_SIDE <= self.rows <= MAX_SIDE and MIN_SIDE <= self.cols <= MAX_SIDE):
            sides = f"{quoted(self.rows)}x{quoted(self.cols)}"
            raise InputError(f"board {sides}: expected sides from {MIN_SIDE} to {MAX_SIDE}")
        object.__setattr__(self, "_geometry", _geometry(self.rows, self.cols))

    def __reduce__(self) -> tuple[type["Board"], tuple[int, int]]:
        """Pickle only the sides; the tables are rebuilt."""
        return Board, (self.rows, self.cols)

    def __str__(self) -> str:
        """Return ROWSxCOLS."""
        return f"{self.rows}x{self.cols}"

    @property
    def size(self) -> int:
        """The number of squares."""
        return self.rows * self.cols

    @property
    def full(self) -> int:
        """The mask of all squares."""
        return (1 << self.size) - 1

    @property
    def squares(self) -> tuple[Square, ...]:
        """All squares, in ascending order of number: row by row from the top left."""
        return self._geometry.squares

    def __contains__(self, square: object) -> bool:
        """Return whether the square is on the board."""
        try:
            return square in self._geometry.indices
        except TypeError:  # Unhashable, such as a list
            return False

    def index(self, square: Square) -> int:
        """Return the number of a square, which is also its bit in a mask.

        Raises:
            InputError: If the square is off the board.
        """
        try:
            return self._geometry.indices[square]
        except (KeyError, TypeError):
            raise self._not_on_board(square) from None

    def square(self, index: int) -> Square:
        """Return the square with this number, from 0 to ``size - 1``.

        Raises:
            InputError: If there is no square with this number.
        """
        if type(index) is not int:  # The full check would take longer than the lookup.
            check_kind("square", index, (int, Integral), "its number")
        squares = self._geometry.squares
        if not 0 <= index < len(squares):
            raise InputError(f"square {quoted(index)}: expected a number from 0 to {len(squares) - 1}")
        return squares[index]

    def mask_of(self, squares: Iterable[Square]) -> int:
        """Return the mask of the given squares.

        Raises:
            InputError: If a square is off the board.
        """
        check_kind("squares", squares, Iterable, "squares")
        mask = 0
        for square in squares:
            mask |= 1 << self.index(square)
        return mask

    def squares_in(self, mask: int) -> tuple[Square, ...]:
        """Return the squares of a mask, in ascending order of number.

        Raises:
            InputError: If the mask has bits beyond this board.
        """
        if type(mask) is not int:
            check_kind("mask", mask, (int, Integral), f"a mask of squares of {self}")
        squares, rest = self._geometry.squares, int(mask)
        found = []
        try:
            while rest:
                lowest = rest & -rest
                found.append(squares[lowest.bit_length() - 1])
                rest ^= lowest
        except IndexError:
            raise InputError(f"mask {quoted(mask)}: expected a mask of squares of {self}") from None
        return tuple(found)

    def knight_moves(self, square: Square) -> tuple[Square, ...]:
        """Return the squares a knight's move away, in ascending order of number.

        Raises:
            InputError: If the square is off the board.
        """
        try:
            return self._geometry.knight_moves[square]
        except (KeyError, TypeError):
            raise self._not_on_board(square) from None

    def knight_mask(self, square: Square) -> int:
        """Return the mask of the squares a knight's move away.

        Raises:
            InputError: If the square is off the board.
        """
        try:
            return self._geometry.knight_masks[square]
        except (KeyError, TypeError):
            raise self._not_on_board(square) from None

    def _not_on_board(self, square: object) -> InputError:
        if isinstance(square, str):
            return InputError(f"square {quoted(square)}: {TEXT_AS_SQUARE}")
        return InputError(f"{shown_square(square)}: {self.off_board}")

    @property
    def off_board(self) -> str:
        """The error message for a square off the board."""
        return f"off the {self} board, whose squares are a1 to {self.squares[-1]}"


# Text


def parse_square(text: str, board: Board) -> Square:
    """Parse a square of the board, such as ``d4``.

    Raises:
        InputError: If the text does not name a square of the board.
    """
    match = _SQUARE.fullmatch(text.strip())
    if match:
        square = Square(int(match[2]) - 1, ord(match[1]) - ord("a"))
        if square in board:
            return square
    raise InputError(f"square {quoted(text)}: expected a1 to {board.squares[-1]} on {board}")


def format_square(square: Square) -> str:
    """Format a square, such as ``d4``."""
    return str(square)


def parse_board(text: str) -> Board:
    """Parse a board such as ``7x7``, rows first.

    Raises:
        InputError: If the text does not name a board.
    """
    check_kind("board", text, str, "text such as 7x7")
    board = board_named(text)
    if board is None:
        raise InputError(f"board {quoted(text)}: expected ROWSxCOLS such as 7x7, {SIDES}")
    return board


def board_named(text: str) -> Board | None:
    """Return the board that a text names, or None."""
    match = _BOARD.fullmatch(text.strip())
    if match is None:
        return None
    rows, cols = int(match[1]), int(match[2])
    if not (MIN_SIDE <= rows <= MAX_SIDE and MIN_SIDE <= cols <= MAX_SIDE):
        return None
    return Board(rows, cols)


def format_board(board: Board) -> str:
    """Format a board, such as ``7x7``, rows first."""
    return str(board)
