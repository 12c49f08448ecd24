"""The course's `Board`: knights move, and every visited square stays blocked.

A board's whole state is a flat list, `_board_state`. Square (row, col) is entry `row + col *
height`: 1 if visited, 0 if blank. Three entries follow: whose turn it is (0 or 1), and the squares
of player 2 and of player 1, None before they are placed. Agents read and replace this list, so the
state is stored nowhere else.
"""

from __future__ import annotations

from functools import lru_cache
from inspect import signature
from itertools import permutations
from math import factorial
from operator import itemgetter
from random import random
from timeit import default_timer
from typing import TYPE_CHECKING, Any, Callable, Sequence

if TYPE_CHECKING:
    Square = tuple[int, int]
    Reach = list[tuple[tuple[int, Square], ...]]
    State = list[Any]

TIME_LIMIT_MILLIS = 150

on_position: Callable[[int], object] | None = None
"""A function called with the number of moves made so far, before each position is generated.

`Board.apply_move` and `Board.forecast_move` generate a position; `Board.copy` does not. An exception
of the function propagates into the agent. The program that runs an agent sets it, so that
`time_left` can count positions instead of time, which makes games reproducible on every machine.
"""

OLDEST_NAMES = frozenset(
    {
        "__board_state__",
        "__last_player_move__",
        "__player_symbols__",
        "__player_1__",
        "__player_2__",
        "__active_player__",
        "__inactive_player__",
    }
)
"""Attributes that only the oldest version has, whose board state is a list of rows."""

TURN, PLACE_2, PLACE_1 = -3, -2, -1

_KNIGHT = ((-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1))

# Every order of two to six moves, as functions of a list: drawing one of them is much faster than
# `shuffle`.
_MOST_ORDERED = 6
_ORDERS = [
    [itemgetter(*order) for order in permutations(range(count))] if count > 1 else []
    for count in range(_MOST_ORDERED + 1)
]
_ORDER_COUNTS = [factorial(count) for count in range(_MOST_ORDERED + 1)]


@lru_cache(maxsize=None)
def _squares(width: int, height: int) -> list[Square]:
    """Return a board's squares column by column, in the order of the state's entries."""
    return [(row, col) for col in range(width) for row in range(height)]


@lru_cache(maxsize=None)
def _reach(width: int, height: int) -> Reach:
    """Return the knight's moves from each entry, as pairs of entry and square."""
    return [
        tuple(
            (row + down + (col + right) * height, (row + down, col + right))
            for down, right in _KNIGHT
            if 0 <= row + down < height and 0 <= col + right < width
        )
        for row, col in _squares(width, height)
    ]


def _in_random_order(moves: list[Square]) -> list[Square]:
    """Return the moves in random order, using the generator of the `random` module."""
    count = len(moves)
    if count < 2:
        return moves
    if count <= _MOST_ORDERED:
        return list(_ORDERS[count][int(random() * _ORDER_COUNTS[count])](moves))
    ordered = _in_random_order(moves[:_MOST_ORDERED])
    for place in range(_MOST_ORDERED, count):
        ordered.insert(int(random() * (place + 1)), moves[place])
    return ordered


class Board:
    """A position and its players; moves are (row, col), row 0 at the top.

    Attributes:
        width: The number of columns.
        height: The number of rows.
        move_count: The number of moves made, placements included.
    """

    BLANK = 0
    NOT_MOVED = None

    def __init__(self, player_1: Any, player_2: Any, width: int = 7, height: int = 7) -> None:
        self.width = width
        self.height = height
        self.move_count = 0
        self._player_1 = self._active_player = player_1
        self._player_2 = self._inactive_player = player_2
        self._board_state: State = [Board.BLANK] * (width * height) + [0, None, None]
        self._reach = _reach(width, height)

    def __getattr__(self, name: str) -> Any:
        """Explain a missing attribute.

        Raises:
            AttributeError: Always.
        """
        if name in OLDEST_NAMES:
            raise AttributeError(
                f"Board has no {name}: the agent is written for the course's oldest version of Board, which is not "
                "supported; newer ones have _board_state[row + col * height]"
            )
        raise AttributeError(f"Board has no attribute {name!r}")

    def __getstate__(self) -> dict[str, Any]:
        """Leave derived data out of deep copies and pickles."""
        return {name: value for name, value in self.__dict__.items() if name != "_reach"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._reach = _reach(self.width, self.height)

    @property
    def active_player(self) -> Any:
        """The player to move."""
        return self._active_player

    @property
    def inactive_player(self) -> Any:
        """The player not to move."""
        return self._inactive_player

    def get_opponent(self, player: Any) -> Any:
        """Return the other player.

        Raises:
            RuntimeError: If the player is not in this game.
        """
        if player == self._active_player:
            return self._inactive_player
        if player == self._inactive_player:
            return self._active_player
        raise RuntimeError(f"get_opponent: {player!r} is not a player of this game")

    def copy(self) -> Board:
        """Return a copy of the board."""
        board = Board.__new__(Board)
        board.width = self.width
        board.height = self.height
        board.move_count = self.move_count
        board._player_1 = self._player_1
        board._player_2 = self._player_2
        board._active_player = self._active_player
        board._inactive_player = self._inactive_player
        board._board_state = self._board_state[:]
        board._reach = self._reach
        return board

    def forecast_move(self, move: Square) -> Board:
        """Return a copy of the board on which the active player has moved."""
        if self.__class__ is not Board:  # a subclass may copy and move in its own way
            forecast = self.copy()
            forecast.apply_move(move)
            return forecast
        if on_position is not None:
            on_position(self.move_count)
        # `copy` and `apply_move` in one: searches spend their time here.
        board = Board.__new__(Board)
        board.width = self.width
        board.height = height = self.height
        board.move_count = self.move_count + 1
        board._player_1 = self._player_1
        board._player_2 = player_2 = self._player_2
        board._inactive_player = active = self._active_player
        board._active_player = self._inactive_player
        board._reach = self._reach
        board._board_state = state = self._board_state[:]
        entry = move[0] + move[1] * height
        state[PLACE_2 if active is player_2 else PLACE_1] = entry
        state[entry] = 1
        state[TURN] ^= 1
        return board

    def apply_move(self, move: Square) -> None:
        """Move the active player; the move is not checked."""
        if on_position is not None:
            on_position(self.move_count)
        state = self._board_state
        active = self._active_player
        entry = move[0] + move[1] * self.height
        state[PLACE_2 if active is self._player_2 else PLACE_1] = entry
        state[entry] = 1
        state[TURN] ^= 1
        self._active_player = self._inactive_player
        self._inactive_player = active
        self.move_count += 1

    def move_is_legal(self, move: Square) -> bool:
        """Whether a square is on the board and blank; not whether a player can reach it."""
        row, col = move[0], move[1]
        if not (0 <= row < self.height and 0 <= col < self.width):
            return False
        return bool(self._board_state[row + col * self.height] == Board.BLANK)

    def get_blank_spaces(self) -> list[Square]:
        """Return the blank squares, column by column."""
        squares = _squares(self.width, self.height)
        return [square for square, stood_on in zip(squares, self._board_state) if not stood_on]

    def get_player_location(self, player: Any) -> Square | None:
        """Return a player's square, or None before it is placed.

        Raises:
            RuntimeError: If the player is not in this game.
        """
        place = self._place_of(player)
        if place is None:
            return None
        return place % self.height, place // self.height

    def _place_of(self, player: Any) -> Any:
        if player == self._player_1:
            return self._board_state[PLACE_1]
        if player == self._player_2:
            return self._board_state[PLACE_2]
        raise RuntimeError(f"get_player_location: {player!r} is not a player of this game")

    def get_legal_moves(self, player: Any = None) -> list[Square]:
        """Return the legal moves of a player, by default the active one.

        A player not yet placed may take any blank square, in the order of columns; other moves are
        in random order.

        Raises:
            RuntimeError: If the player is not in this game.
        """
        state = self._board_state
        if player is None:
            player = self._active_player
        if player is self._player_1:
            place = state[PLACE_1]
        elif player is self._player_2:
            place = state[PLACE_2]
        else:
            place = self._place_of(player)
        if place is None:
            return self.get_blank_spaces()
        moves = [square for entry, square in self._reach[place] if not state[entry]]
        return _in_random_order(moves)

    def __get_moves(self, loc: Square | None) -> list[Square]:
        """Return the blank squares a knight's move from a square, in random order; all blank ones for None.

        Agents call it by its full name, `_Board__get_moves`, although it is private.
        """
        if loc == Board.NOT_MOVED:
            return self.get_blank_spaces()
        reach = self._reach[loc[0] + loc[1] * self.height]
        return _in_random_order([square for entry, square in reach if not self._board_state[entry]])

    def __get_moves__(self, loc: Square | None) -> list[Square]:
        """Return the same moves, under the name of older versions."""
        return self.__get_moves(loc)

    def _active_is_stuck(self) -> bool:
        state = self._board_state
        place = state[PLACE_2 if self._active_player is self._player_2 else PLACE_1]
        if place is None:
            return not self.get_blank_spaces()
        for entry, _ in self._reach[place]:  # noqa: SIM110 - `all` with a generator takes twice as long
            if not state[entry]:
                return False
        return True

    def is_loser(self, player: Any) -> bool:
        """Whether a player is to move and has no legal move."""
        return bool(player == self._active_player) and self._active_is_stuck()

    def is_winner(self, player: Any) -> bool:
        """Whether the opponent is to move and has no legal move."""
        return bool(player == self._inactive_player) and self._active_is_stuck()

    def utility(self, player: Any) -> float:
        """Return inf if the player has won, -inf if it has lost, and 0.0 before the end."""
        if not self._active_is_stuck():
            return 0.0
        if player == self._inactive_player:
            return float("inf")
        if player == self._active_player:
            return float("-inf")
        return 0.0

    def hash(self) -> int:
        """Return a hash of the blank squares, the players' squares and the turn."""
        return hash(tuple(self._board_state))

    def to_string(self, symbols: Sequence[str] = ("1", "2")) -> str:
        """Return the board as text, with `-` for visited squares without a player."""
        margin = len(str(self.height - 1)) + 1
        columns = "   ".join(str(col) for col in range(self.width))
        lines = [" " * (margin + 3) + columns]
        for row in range(self.height):
            cells = [self._symbol(row + col * self.height, symbols) for col in range(self.width)]
            lines.append(f"{row:<{margin}} | " + "".join(f"{cell} | " for cell in cells))
        return "".join(line + "\n\r" for line in lines)

    def _symbol(self, entry: int, symbols: Sequence[str]) -> str:
        state = self._board_state
        if not state[entry]:
            return " "
        if entry == state[PLACE_1]:
            return symbols[0]
        return symbols[1] if entry == state[PLACE_2] else "-"

    def print_board(self) -> str:
        """Return the same text as `to_string`, under its older name; nothing is printed."""
        return self.to_string()

    def play(self, time_limit: float = TIME_LIMIT_MILLIS) -> tuple[Any, list[list[int]], str]:
        """Let the players move in turn until one of them loses.

        Calls `get_move(game, time_left)`, or `get_move(game, legal_moves, time_left)` if the method has that signature,
        with a copy of the game, even if the player has no legal move.

        Args:
            time_limit: Milliseconds per move.

        Returns:
            The winner, the moves made by this call as lists [row, col], and why the other player lost: `timeout` for
            a late answer, `forfeit` for an illegal move although there was a legal one, and `illegal move` if there
            was none, which is how a game normally ends.
        """
        history: list[list[int]] = []
        while True:
            player, legal_moves, game = self._active_player, self.get_legal_moves(), self.copy()
            with_moves = [legal_moves[:]] if _takes_legal_moves(player) else []
            time_left = _countdown(time_limit)
            move = player.get_move(game, *with_moves, time_left)
            if time_left() < 0:
                return self._inactive_player, history, "timeout"
            if move not in legal_moves:
                reason = "forfeit" if legal_moves else "illegal move"
                return self._inactive_player, history, reason
            history.append(list(move))
            self.apply_move(move)


def _countdown(time_limit: float) -> Callable[[], float]:
    began = default_timer()
    return lambda: time_limit - 1000 * (default_timer() - began)


def _takes_legal_moves(player: Any) -> bool:
    """Whether a player's `get_move` takes the legal moves, as in generation 1."""
    try:
        asked = signature(player.get_move)
    except (TypeError, ValueError):  # a built-in, or not a function
        return False
    if not _binds(asked, 3):
        return False
    names = list(asked.parameters)
    return not _binds(asked, 2) or (len(names) > 1 and names[1] == "legal_moves")


def _binds(asked: Any, count: int) -> bool:
    try:
        asked.bind(*[None] * count)
    except TypeError:
        return False
    return True
