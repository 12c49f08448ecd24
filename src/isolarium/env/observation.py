"""Observations, actions and exact action values, the same in every environment.

An observation is four planes of the board, from the point of view of one player:

    0  the player's square       2  the blank squares
    1  the opponent's square     3  all ones if the player is to move, else all zeros

An action is the number of the square to move to, row by row from the top left. Placements are ordinary actions.
`PolicyAgent` plays the actions of a trained policy in the arena.
"""

from collections.abc import Callable
from numbers import Integral
from operator import index
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from isolarium.errors import InputError, check_kind, quoted
from isolarium.game.board import Board, Square
from isolarium.game.notation import read_start
from isolarium.game.position import Player, Position
from isolarium.solver.solver import ExactValues

OWN, OTHER, BLANK, TURN = range(4)
PLANES: Final = 4

Planes = NDArray[np.int8]


def read_opening(start: str | Board | Position, random_plies: int) -> Position:
    """Check and return the start position of the games.

    Raises:
        InputError: If the start is not a position or its game is over, or `random_plies` is not a valid number.
    """
    position = read_start("start", start)
    if position.outcome() is not None:
        raise InputError(f"start {position}: the game is over; expected a position with a legal move")
    check_kind("random_plies", random_plies, (int, Integral), "a whole number")
    if random_plies < 0:
        raise InputError(f"random_plies {random_plies}: expected 0 or more")
    return position


def observe(position: Position, player: Player) -> Planes:
    """Return a player's planes: zeros and ones of shape (4, rows, columns)."""
    board = position.board
    planes = np.zeros((PLANES, board.size), dtype=np.int8)
    for plane, square in ((OWN, position.square_of(player)), (OTHER, position.square_of(player.other))):
        if square is not None:
            planes[plane, board.index(square)] = 1
    planes[BLANK] = as_plane(position, position.blank)
    planes[TURN] = player == position.to_move
    return planes.reshape(PLANES, board.rows, board.cols)


def action_mask(position: Position) -> Planes:
    """Return an array with 1 for each legal move of the player to move, else 0."""
    return as_plane(position, position.legal_mask)


def as_plane(position: Position, mask: int) -> Planes:
    """Return an array with 1 for each square of the mask, else 0."""
    size = position.board.size
    octets = np.frombuffer(mask.to_bytes((size + 7) // 8, "little"), dtype=np.uint8)
    return np.unpackbits(octets, count=size, bitorder="little").view(np.int8)


def read_action(action: object, size: int) -> int:
    """Return an action of any integer type as an int.

    Args:
        action: the number of a square.
        size: the number of squares of the board.

    Raises:
        InputError: If the action is not a square of the board.
    """
    try:
        number = index(action)  # type: ignore[arg-type] # raises TypeError if it is not an integer
    except TypeError:
        number = -1
    if not 0 <= number < size:
        raise InputError(f"action {quoted(action)}: expected the number of a square, 0 to {size - 1}")
    return number


def square_of(position: Position, action: object) -> Square:
    """Return the square of an action.

    Raises:
        InputError: If the action is not a square of the board.
    """
    return position.board.square(read_action(action, position.board.size))


# The exact values of actions


class MoveValues(NamedTuple):
    """The exact values of a position's actions, as rewards of the player to move.

    Attributes:
        wins: whether the player to move wins with perfect play; None if unknown.
        values: for each square, 1 if moving there wins, -1 if it loses, 0 if unknown or illegal.
    """

    wins: bool | None
    values: NDArray[np.int8]

    def regret(self, action: int) -> float | None:
        """Return how much worse a legal action is than the best; None if unknown.

        The difference is 0, or 2 if the action gives up a win.

        Raises:
            InputError: If the action is not a square of the board.
        """
        action = read_action(action, len(self.values))
        if self.wins is False:
            return 0.0
        value = int(self.values[action])
        return float(1 - value) if self.wins and value else None


def move_values(position: str | Board | Position, truth: ExactValues | None = None) -> MoveValues:
    """Return the exact values of a position's actions.

    Args:
        position: a position, or its text.
        truth: the source of exact values, with its limit per position; pass the same object again to reuse its table.

    Raises:
        InputError: If the text is not a position.
    """
    position = read_start("position", position)
    truth = truth or ExactValues()
    wins = truth.wins(position)
    if wins is False:
        return MoveValues(False, -action_mask(position))
    values = np.zeros(position.board.size, dtype=np.int8)
    unknown = False
    for move, move_wins in truth.moves(position):
        unknown = unknown or move_wins is None
        if move_wins is not None:
            values[position.board.index(move)] = 1 if move_wins else -1
    if wins is None and (not unknown or 1 in values):
        wins = 1 in values
    return MoveValues(wins, values)


class PolicyAgent:
    """An agent that plays the actions of a policy.

    Args:
        policy: Called with the observation and the action mask of `isolarium.env`, in the form that the player to move
            receives in the PettingZoo environment; returns an action, the number of a square.
    """

    def __init__(self, policy: Callable[..., Any]) -> None:
        if not callable(policy):
            raise InputError(f"policy {quoted(policy)}: expected f(observation, mask) -> action")
        self._policy = policy
        name = getattr(policy, "__name__", None)
        self.__name__ = name if isinstance(name, str) else type(policy).__name__

    def __call__(self, position: Position) -> Square | str:
        """Return the square of the policy's action."""
        action = self._policy(observe(position, position.to_move), action_mask(position))
        try:
            return square_of(position, action)
        except InputError:
            return f"action {quoted(action)}"
