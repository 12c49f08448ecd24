"""The board: its squares, their numbers, and the squares a knight reaches from each.

A set of squares is an int, its *mask*. Bit ``row * cols + col`` stands for the square (row, col),
so the lowest bit is the top left corner and the bits run like reading. On a 3x4 board:

            a   b   c   d
        1   0   1   2   3
        2   4   5   6   7
        3   8   9  10  11
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from numbers import Integral
from typing import NamedTuple

from isolarium.errors import InputError, check_kind, quoted, shown

MIN_SIDE = 3
MAX_SIDE = 13

COLUMN_LETTERS = "abcdefghijklm"

NO_TEXT = "a text; expected a Square, such as Square(0, 0) for a1"
"""What to tell a person who gave a text where a square belongs."""

KNIGHT_STEPS = ((-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1))


class Square(NamedTuple):
    """A square by its row and column; row 0 is at the top, column 0 at the left.

    For people it is a column letter and a row number counted from the top: ``a1`` is (0, 0).
    """

    row: int
    col: int

    def __str__(self) -> str:
        """Return ``d4``, or ``[row, col]`` for a square that no board has."""
        with suppress(TypeError):  # what is no number is no square either
            if 0 <= self.row < MAX_SIDE and 0 <= self.col < MAX_SIDE:
                return f"{COLUMN_LETTERS[self.col]}{self.row + 1}"
        return f"[{quoted(self.row)}, {quoted(self.col)}]"


def written(square: object) -> str:
    """What was given as a square, in a message."""
    return shown(str(square)) if isinstance(square, Square) else quoted(square)


class _Geometry(NamedTuple):
    """What follows from a board's sides, computed once for all equal boards."""

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
    knight_masks = {
        square: sum(1 << indices[target] for target in targets)
        for square, targets in knight_moves.items()
    }
    return _Geometry(squares, indices, knight_moves, knight_masks)


@dataclass(frozen=True, slots=True)
class Board:
    """An empty board of ``rows`` x ``cols`` squares, each side from 3 to 13.

    Raises:
        InputError: A side is out of range.
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
        """Pickle the sides alone; the tables are rebuilt."""
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
        """All squares, row by row from the top left, which is ascending index."""
        return self._geometry.squares

    def __contains__(self, square: object) -> bool:
        """Whether the square is on the board."""
        try:
            return square in self._geometry.indices
        except TypeError:  # a list, for instance, cannot be looked up
            return False

    def index(self, square: Square) -> int:
        """Return the number of a square: its bit in a mask.

        Raises:
            InputError: The square is off the board.
        """
        try:
            return self._geometry.indices[square]
        except (KeyError, TypeError):
            raise self._stray(square) from None

    def square(self, index: int) -> Square:
        """Return the square with this number, from 0 to ``size - 1``.

        Raises:
            InputError: There is no such number.
        """
        if type(index) is not int:  # to ask for more takes longer than the answer
            check_kind("square", index, (int, Integral), "its number")
        squares = self._geometry.squares
        if not 0 <= index < len(squares):
            raise InputError(
                f"square {quoted(index)}: expected a number from 0 to {len(squares) - 1}"
            )
        return squares[index]

    def mask_of(self, squares: Iterable[Square]) -> int:
        """Return the mask of some squares.

        Raises:
            InputError: One of them is off the board.
        """
        check_kind("squares", squares, Iterable, "squares")
        mask = 0
        for square in squares:
            mask |= 1 << self.index(square)
        return mask

    def squares_in(self, mask: int) -> tuple[Square, ...]:
        """Return the squares of a mask, by ascending index.

        Raises:
            InputError: It is no mask of this board.
        """
        if type(mask) is not int:
            check_kind("mask", mask, (int, Integral), f"one of squares of {self}")
        squares, rest = self._geometry.squares, int(mask)
        found = []
        try:
            while rest:
                lowest = rest & -rest
                found.append(squares[lowest.bit_length() - 1])
                rest ^= lowest
        except IndexError:
            raise InputError(f"mask {quoted(mask)}: expected one of squares of {self}") from None
        return tuple(found)

    def knight_moves(self, square: Square) -> tuple[Square, ...]:
        """Return the squares of the board a knight's move away, by ascending index.

        Raises:
            InputError: The square is off the board.
        """
        try:
            return self._geometry.knight_moves[square]
        except (KeyError, TypeError):
            raise self._stray(square) from None

    def knight_mask(self, square: Square) -> int:
        """Return the mask of the squares of the board a knight's move away.

        Raises:
            InputError: The square is off the board.
        """
        try:
            return self._geometry.knight_masks[square]
        except (KeyError, TypeError):
            raise self._stray(square) from None

    def _stray(self, square: object) -> InputError:
        if isinstance(square, str):
            return InputError(f"square {quoted(square)}: {NO_TEXT}")
        return InputError(f"{written(square)}: {self.off_board}")

    @property
    def off_board(self) -> str:
        """What to tell a person who named a square off the board."""
        return f"off the {self} board, whose squares are a1 to {self.squares[-1]}"
