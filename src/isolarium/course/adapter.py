"""Positions, moves and limits as the course's two interfaces have them.

The first interface names squares as Isolarium does: (row, col), with row 0 at the top. Its `Board` stores them column
by column in one list. The later interface, on 9x11 only, numbers cells from the bottom right, leftwards and then
upwards, 13 to a row; a move is the difference from the mover's cell.

Both count the moves made so far. Isolarium's positions may have any squares blocked: each blocked square counts as a
move, plus one more if needed for the right side to move.

A move is limited by time, or by the number of positions generated.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, Protocol, TypeVar

from isolarium.compat import raised_after
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


# Limits


CLOCK_MS: Final = 150.0
"""The initial value of `time_left` when positions are counted.

It is the course's time per move."""
PATIENCE: Final = 10
"""A search is interrupted after this many times the allowed positions."""
FREE_QUESTIONS: Final = 1000
"""The number of free calls of `time_left` between two positions.

Each further call counts as a position, so that a search that generates no positions ends too. A search that generates
positions makes far fewer calls.
"""
REPEAT_S: Final = 0.05
"""The time after which the exception is raised again, in case it was caught."""


class TimeUp(BaseException):  # Not an error
    """Raised in an agent whose time is up.

    It is not an `Exception`, so that fewer agents catch it.
    """


class Clock:
    """Measures the cost of a move.

    Args:
        ms: The time limit in milliseconds.
        calls: The maximum number of positions generated.

    Attributes:
        generated: The number of positions generated so far.
    """

    def __init__(self, ms: float | None = None, calls: int | None = None) -> None:
        self._ms = ms
        self._calls = calls
        self._most = None if calls is None else PATIENCE * calls
        self._made = self._deepest = 0
        self._started_ns = 0
        self._questions = self._charged = 0
        self.generated = 0

    def start(self, made: int) -> None:
        """Start the clock in a position after `made` moves."""
        self._made = self._deepest = made
        self._started_ns = time.perf_counter_ns()

    def on_position(self, made: int) -> None:
        """Count a position generated from a position after `made` moves.

        Raises:
            TimeUp: If far more positions are generated than allowed.
        """
        self.generated += 1
        self._questions = 0
        if made >= self._deepest:
            self._deepest = made + 1
        if self._most is not None and self.generated > self._most:
            raise TimeUp

    def time_left(self) -> float:
        """Return the milliseconds left; if positions are counted, calls count as well."""
        self._questions += 1
        if self._questions > FREE_QUESTIONS:
            self._charged += 1
        by_clock = by_calls = CLOCK_MS
        if self._ms is not None:
            by_clock = self._ms - (time.perf_counter_ns() - self._started_ns) / 1e6
        if self._calls is not None:
            by_calls = CLOCK_MS * (1 - (self.generated + self._charged) / self._calls)
        return by_clock if self._calls is None else min(by_clock, by_calls)

    @contextmanager
    def interrupting(self, made: int) -> Iterator[None]:
        """Start the clock, and raise `TimeUp` in the block once the limit is reached.

        For a time limit it is raised repeatedly, since the agent may catch it.
        """
        self._most = self._calls
        self.start(made)
        if self._ms is None:
            yield
            return
        with raised_after(self._ms / 1e3, REPEAT_S, TimeUp):
            yield

    @property
    def plies(self) -> int:
        """The greatest depth of the positions generated, in plies."""
        return self._deepest - self._made


class Queue:
    """The queue of a later-project agent; the last choice in time counts.

    Attributes:
        last: The last choice in time.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.last: Any = None

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """Choose an action.

        Raises:
            TimeUp: If time is up.
        """
        if self._clock.time_left() < 0:
            raise TimeUp
        self.last = item

    put_nowait = put
