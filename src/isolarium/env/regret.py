"""What each action is really worth: exact where the solver, the book or the map of the starts knows, else unknown."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isolarium.env.observation import action_mask, read_action
from isolarium.game.board import Board
from isolarium.game.notation import read_start
from isolarium.game.position import Position
from isolarium.solver.exact_value import Truth


class MoveValues(NamedTuple):
    """The values of a position's actions with perfect play afterwards, in the rewards of the player to move.

    Attributes:
        wins: whether the player to move wins; None if not known.
        values: for each square 1 if going there wins, -1 if it loses, 0 if it is not known or not legal.
    """

    wins: bool | None
    values: NDArray[np.int8]

    def regret(self, action: int) -> float | None:
        """What a legal action loses beside the best one: 0, or 2 if it gives a won game away; None if not known.

        Raises:
            InputError: it is no action of the position's board.
        """
        action = read_action(action, len(self.values))
        if self.wins is False:
            return 0.0
        value = int(self.values[action])
        return float(1 - value) if self.wins and value else None


def move_values(position: str | Board | Position, truth: Truth | None = None) -> MoveValues:
    """Find out which actions keep the win.

    Args:
        position: any position, or the text of one.
        truth: who is asked, and what may be spent on each position; who asks often keeps one.

    Raises:
        InputError: the text is no position.
    """
    position = read_start("position", position)
    truth = truth or Truth()
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
