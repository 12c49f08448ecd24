"""The course's `Board`: two players who move like knights on squares that block once they are stood on.

A board's whole state is a flat list, `_board_state`. Square (row, col) is entry `row + col * height`, 1 where somebody
has stood and 0 where it is blank; three entries follow: whose turn it is (0 or 1), where player 2 stands and where
player 1 does, None before they are placed. Agents read and replace that list, so nothing else says the same thing.
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

from . import counting

if TYPE_CHECKING:
    Square = tuple[int, int]
    Reach = list[tuple[tuple[int, Square], ...]]
    State = list[Any]

TIME_LIMIT_MILLIS = 150

TURN, PLACE_2, PLACE_1 = -3, -2, -1

_KNIGHT = ((-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1))

# Every order of two to six moves, as functions of a list: to draw one of them takes a fraction of what `shuffle` does.
_MOST_ORDERED = 6
_ORDERS = [
    [itemgetter(*order) for order in permutations(range(count))] if count > 1 else []
    for count in range(_MOST_ORDERED + 1)
]
_ORDER_COUNTS = [factorial(count) for count in range(_MOST_ORDERED + 1)]


@lru_cache(maxsize=None)
def _squares(width: int, height: int) -> list[Square]:
    """Return the squares of a board column by column, in the order of the state's entries."""
    return [(row, col) for col in range(width) for row in range(height)]


@lru_cache(maxsize=None)
def _reach(width: int, height: int) -> Reach:
    """Return for each entry what a knight there reaches on an empty board: entries, each with its square."""
    return [
        tuple(
            (row + down + (col + right) * height, (row + down, col + right))
            for down, right in _KNIGHT
            if 0 <= row + down < height and 0 <= col + right < width
        )
        for row, col in _squares(width, height)
    ]


def _in_random_order(moves: list[Square]) -> list[Square]:
    """Return the moves in an order drawn from the `random` module's own generator."""
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
    """A position of the game, and who plays it; moves are (row, col), row 0 at the top.

    Attributes:
        width: how many columns there are.
        height: how many rows.
        move_count: how many moves have been made, placements included.
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
        """Say what is missing.

        Raises:
            AttributeError: always.
        """
        if name == "__board_state__":
            raise AttributeError(
                "Board has no __board_state__[row][col]: the agent is written for a version of the course's Board "
                "older than those played here, which have _board_state[row + col * height]"
            )
        raise AttributeError(f"Board has no attribute {name!r}")

    def __getstate__(self) -> dict[str, Any]:
        """Leave out of deep copies and pickles what follows from the size."""
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
        """The player who waits."""
        return self._inactive_player

    def get_opponent(self, player: Any) -> Any:
        """Return the other player.

        Raises:
            RuntimeError: the player is not in this game.
        """
        if player == self._active_player:
            return self._inactive_player
        if player == self._inactive_player:
            return self._active_player
        raise RuntimeError(f"get_opponent: {player!r} is no player of this game")

    def copy(self) -> Board:
        """Return a board of its own in the same position."""
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
        """Return a board of its own on which the active player has moved."""
        if self.__class__ is not Board:  # a subclass may copy and move in its own way
            forecast = self.copy()
            forecast.apply_move(move)
            return forecast
        if counting.on_position is not None:
            counting.on_position(self.move_count)
        # `copy` and `apply_move` in one: this is what searches spend their time with.
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
        """Move the active player; nobody looks whether the rules allow it."""
        if counting.on_position is not None:
            counting.on_position(self.move_count)
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
        """Whether a square is on the board and blank; not whether anybody can go there."""
        row, col = move[0], move[1]
        if not (0 <= row < self.height and 0 <= col < self.width):
            return False
        return bool(self._board_state[row + col * self.height] == Board.BLANK)

    def get_blank_spaces(self) -> list[Square]:
        """Return the blank squares, column by column."""
        squares = _squares(self.width, self.height)
        return [square for square, stood_on in zip(squares, self._board_state) if not stood_on]

    def get_player_location(self, player: Any) -> Square | None:
        """Return where a player stands, None before it is placed.

        Raises:
            RuntimeError: the player is not in this game.
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
        raise RuntimeError(f"get_player_location: {player!r} is no player of this game")

    def get_legal_moves(self, player: Any = None) -> list[Square]:
        """Return where a player may go, the active one by default.

        A player not yet placed has every blank square, column by column; otherwise the order is random.

        Raises:
            RuntimeError: the player is not in this game.
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
        """Whether a player is to move and cannot."""
        return bool(player == self._active_player) and self._active_is_stuck()

    def is_winner(self, player: Any) -> bool:
        """Whether a player waits for one who cannot move."""
        return bool(player == self._inactive_player) and self._active_is_stuck()

    def utility(self, player: Any) -> float:
        """Return inf for a player who has won, -inf for one who has lost, and 0.0 while the game goes on."""
        if not self._active_is_stuck():
            return 0.0
        if player == self._inactive_player:
            return float("inf")
        if player == self._active_player:
            return float("-inf")
        return 0.0

    def hash(self) -> int:
        """Return a number that depends on the blank squares, on where the players stand and on whose turn it is."""
        return hash(tuple(self._board_state))

    def to_string(self, symbols: Sequence[str] = ("1", "2")) -> str:
        """Return the board as text: a symbol for each player, `-` for other squares that have been stood on."""
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
        """Return what `to_string` does; the name is older, and nothing is printed."""
        return self.to_string()

    def play(self, time_limit: float = TIME_LIMIT_MILLIS) -> tuple[Any, list[list[int]], str]:
        """Have the players move in turn until one of them loses.

        Players are asked by `get_move(game, time_left)`, or `get_move(game, legal_moves, time_left)` where that is how
        theirs is written. The game that they are given is a copy. Whoever cannot move is asked all the same.

        Args:
            time_limit: milliseconds a move.

        Returns:
            The winner, the moves made by this call as lists [row, col], and why the other lost: `timeout` for an answer
            that came late, `forfeit` for one that is no legal move where there was one, `illegal move` where there was
            none, which is how the game normally ends.
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
    """Whether a player's `get_move` has the legal moves between the game and the clock, as in the first generation."""
    try:
        asked = signature(player.get_move)
    except (TypeError, ValueError):  # written in another language, or no function at all
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
