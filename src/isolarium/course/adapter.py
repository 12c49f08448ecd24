"""Our positions and moves as the course's interfaces have them, and back.

The first one names squares as we do: (row, col), row 0 at the top. Its `Board` keeps them column by column in one list.
The later one, on 9x11 only, counts cells from the bottom right, to the left and then up, 13 a row, and a move is what
it adds to the mover's cell.

Both count the moves that have been made. A position of ours may have any squares blocked: it counts as if each had been
stood on, and one more where the turn would not fit otherwise.
"""

from collections.abc import Callable
from typing import Any, Final, Protocol, TypeVar

from isolarium.errors import InputError
from isolarium.game.board import Board, Square
from isolarium.game.outcome import Player
from isolarium.game.position import Position

LATER_BOARD: Final = Board(9, 11)
"""The only board of the later project."""
LATER_STRIDE: Final = LATER_BOARD.cols + 2
"""How many numbers of cells make a row."""


class CourseBoard(Protocol):
    """What is used here of the first interface's `Board`."""

    width: int
    height: int
    move_count: int
    _board_state: list[Any]
    _active_player: Any
    _inactive_player: Any


AnyBoard = TypeVar("AnyBoard", bound=CourseBoard)


class CourseState(Protocol):
    """What is used here of the later interface's `Isolation`."""

    @property
    def board(self) -> int:
        """The open cells."""

    @property
    def ply_count(self) -> int:
        """How many actions led here."""

    @property
    def locs(self) -> tuple[int | None, int | None]:
        """The players' cells."""


def _moves_made(position: Position) -> int:
    made = position.board.size - position.blank_count
    return made if made % 2 == position.to_move else made + 1


def board_state(position: Position) -> list[int | None]:
    """Return the list that a `Board` in this position keeps: squares, whose turn, second player's place, first's."""
    rows, cols = position.board.rows, position.board.cols
    blank = [position.is_blank(Square(row, col)) for col in range(cols) for row in range(rows)]
    places = [
        None if square is None else square.row + square.col * rows
        for square in (position.second, position.first)
    ]
    return [*(0 if is_blank else 1 for is_blank in blank), int(position.to_move), *places]


def make_board(
    board_class: Callable[..., AnyBoard], position: Position, first: object, second: object
) -> AnyBoard:
    """Make a `Board` of a position for two players."""
    board = board_class(first, second, width=position.board.cols, height=position.board.rows)
    board._board_state = board_state(position)
    board.move_count = _moves_made(position)
    if position.to_move == Player.SECOND:
        board._active_player, board._inactive_player = second, first
    return board


def position_of_board(board: CourseBoard) -> Position:
    """Return the position of a `Board`.

    Raises:
        InputError: it is none: its size, or what it says of the players.
    """
    size = Board(board.height, board.width)
    *cells, turn, second, first = board._board_state
    first, second = (
        None if place is None else Square(place % board.height, place // board.height)
        for place in (first, second)
    )
    blank = size.mask_of(
        Square(entry % board.height, entry // board.height)
        for entry, stood_on in enumerate(cells)
        if not stood_on
    )
    return Position(size, blank, first, second, Player(turn))


def cell_of(square: Square) -> int:
    """Return a square's number in the later project."""
    up, left = LATER_BOARD.rows - 1 - square.row, LATER_BOARD.cols - 1 - square.col
    return up * LATER_STRIDE + left


def square_of(cell: int) -> Square | None:
    """Return the square with a number of the later project; None for numbers off the board or between its rows."""
    up, left = divmod(cell, LATER_STRIDE)
    square = Square(LATER_BOARD.rows - 1 - up, LATER_BOARD.cols - 1 - left)
    return square if square in LATER_BOARD else None


def state_fields(position: Position) -> tuple[int, int, tuple[int | None, int | None]]:
    """Return the three fields of an `Isolation` in this position: `board`, `ply_count` and `locs`.

    Raises:
        InputError: the board is not 9x11.
    """
    if position.board != LATER_BOARD:
        raise InputError(
            f"board {position.board}: the course's later project knows {LATER_BOARD} alone"
        )
    board = sum(1 << cell_of(square) for square in LATER_BOARD.squares_in(position.blank))
    first, second = (
        None if square is None else cell_of(square) for square in (position.first, position.second)
    )
    return board, _moves_made(position), (first, second)


def position_of_state(state: CourseState) -> Position:
    """Return the position of an `Isolation`.

    Raises:
        InputError: it is none: what it says of the players does not fit together.
    """
    squares = LATER_BOARD.squares
    blank = LATER_BOARD.mask_of(s for s in squares if state.board >> cell_of(s) & 1)
    first, second = (None if cell is None else _standing(cell) for cell in state.locs)
    return Position(LATER_BOARD, blank, first, second, Player(state.ply_count % 2))


def _standing(cell: int) -> Square:
    square = square_of(cell)
    if square is None:
        raise InputError(f"cell {cell}: a player stands there, and it is none of {LATER_BOARD}")
    return square


def action_of(position: Position, square: Square) -> int:
    """Return the action of the later project by which the player to move goes to a square."""
    mover = position.mover
    return cell_of(square) if mover is None else cell_of(square) - cell_of(mover)


def square_of_action(position: Position, action: int) -> Square | None:
    """Return the square to which an action of the later project takes the player to move; None if it is off the board.

    Nobody looks whether it is a legal move.
    """
    mover = position.mover
    return square_of(int(action) if mover is None else cell_of(mover) + int(action))
