"""Convert positions and moves between Isolarium and the course's two interfaces.

The first interface names squares as Isolarium does: (row, col), with row 0 at the top. Its `Board` stores them column
by column in one list. The later interface, on 9x11 only, numbers cells from the bottom right, leftwards and then
upwards, 13 to a row; a move is the difference from the mover's cell.

Both count the moves made so far. Isolarium's positions may have any squares blocked: each blocked square counts as a
move, plus one more if needed for the right side to move.
"""

from collections.abc import Callable
from typing import Any, Final, Protocol, TypeVar

from isolarium.errors import InputError
from isolarium.game.board import Board, Square
from isolarium.game.position import Player, Position

LATER_BOARD: Final = Board(9, 11)
"""The board of the later project."""
LATER_STRIDE: Final = LATER_BOARD.cols + 2
"""The difference between a cell's number and that of the cell above it."""


class CourseBoard(Protocol):
    """The attributes of the first interface's `Board` that are used here."""

    width: int
    height: int
    move_count: int
    _board_state: list[Any]
    _active_player: Any
    _inactive_player: Any


AnyBoard = TypeVar("AnyBoard", bound=CourseBoard)


def _moves_made(position: Position) -> int:
    made = position.board.size - position.blank_count
    return made if made % 2 == position.to_move else made + 1


def board_state(position: Position) -> list[int | None]:
    """Return the state list of a `Board`.

    The list contains the squares, the turn, and the second and then the first player's square.
    """
    rows, cols = position.board.rows, position.board.cols
    blank = [position.is_blank(Square(row, col)) for col in range(cols) for row in range(rows)]
    places = [
        None if square is None else square.row + square.col * rows for square in (position.second, position.first)
    ]
    return [*(0 if is_blank else 1 for is_blank in blank), int(position.to_move), *places]


def make_board(board_class: Callable[..., AnyBoard], position: Position, first: object, second: object) -> AnyBoard:
    """Return a `Board` with a position and two players."""
    board = board_class(first, second, width=position.board.cols, height=position.board.rows)
    board._board_state = board_state(position)
    board.move_count = _moves_made(position)
    if position.to_move == Player.SECOND:
        board._active_player, board._inactive_player = second, first
    return board


def cell_of(square: Square) -> int:
    """Return a square's cell number in the later project."""
    up, left = LATER_BOARD.rows - 1 - square.row, LATER_BOARD.cols - 1 - square.col
    return up * LATER_STRIDE + left


def square_of(cell: int) -> Square | None:
    """Return the square of a cell number in the later project.

    Return None for numbers off the board or between rows.
    """
    up, left = divmod(cell, LATER_STRIDE)
    square = Square(LATER_BOARD.rows - 1 - up, LATER_BOARD.cols - 1 - left)
    return square if square in LATER_BOARD else None


def state_fields(position: Position) -> tuple[int, int, tuple[int | None, int | None]]:
    """Return the fields `board`, `ply_count` and `locs` of an `Isolation`.

    Raises:
        InputError: If the board is not 9x11.
    """
    if position.board != LATER_BOARD:
        raise InputError(f"board {position.board}: the course's later project has only {LATER_BOARD}")
    board = sum(1 << cell_of(square) for square in LATER_BOARD.squares_in(position.blank))
    first, second = (None if square is None else cell_of(square) for square in (position.first, position.second))
    return board, _moves_made(position), (first, second)


def action_of(position: Position, square: Square) -> int:
    """Return the later project's action that moves the current player to a square."""
    mover = position.mover
    return cell_of(square) if mover is None else cell_of(square) - cell_of(mover)


def square_of_action(position: Position, action: int) -> Square | None:
    """Return the square that an action leads to, or None if it is off the board.

    Whether the move is legal is not checked.
    """
    mover = position.mover
    return square_of(int(action) if mover is None else cell_of(mover) + int(action))
