"""Whether somebody else's heuristic may run on mirror images of a board.

A search draws an image of the board to run on. A heuristic that asks `row` and `col` for coordinates does not notice;
one that computes with square numbers would be wrong there. So it is tried out on random positions of the very board:
where an image changes any value, or the trial fails, the search keeps to the board as it is.
"""

import math
import random
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from isolab.game.board import Board
from isolab.game.outcome import Player
from isolab.game.position import Position
from isolab.game.symmetry import symmetries
from isolab.heuristics.binding import Bound
from isolab.heuristics.evaluation import value_of

TRIALS: Final = 40


class Foreign:
    """Somebody else's bound heuristic, compiled, as a search takes it."""

    def __init__(self, bound: Bound) -> None:
        self._bound = bound
        self._mirrors: dict[Board, bool] = {}

    @property
    def compiled(self) -> Callable[..., Any]:
        """See `Bound`."""
        return self._bound.compiled

    @property
    def parameters(self) -> NDArray[np.float64]:
        """See `Bound`."""
        return self._bound.parameters

    def mirrors(self, board: Board) -> bool:
        """Whether no image of the board changed a value in a number of trials."""
        if board not in self._mirrors:
            self._mirrors[board] = _same_on_images(self._bound, board)
        return self._mirrors[board]

    def raise_failure(self) -> None:
        """Do nothing: what compiled code raises, it raises at once."""


def _same_on_images(bound: Bound, board: Board) -> bool:
    chance = random.Random(0)
    images = symmetries(board)
    try:
        for trial in range(TRIALS):
            position = _random_position(board, 0.8 * trial / TRIALS, chance)
            for player in Player:
                first, *others = (value_of(bound, position, player, image) for image in images)
                if not all(_same(first, other) for other in others):
                    return False
    except Exception:  # whatever it may raise, on positions that need not occur
        return False
    return True


def _random_position(board: Board, blocked: float, chance: random.Random) -> Position:
    """A position in which about that share of the squares is blocked, and somebody can move."""
    while True:
        first, second, *rest = chance.sample(board.squares, board.size)
        blank = sum(1 << board.index(square) for square in rest if chance.random() >= blocked)
        position = Position(board, blank, first, second, chance.choice(list(Player)))
        if position.outcome() is None:
            return position


def _same(one: float, other: float) -> bool:
    return (
        one == other
        or math.isclose(one, other, rel_tol=1e-12)
        or (math.isnan(one) and math.isnan(other))
    )
