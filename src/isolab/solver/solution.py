"""What a solver is asked and what it answers."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from isolab.game.board import Square
from isolab.game.position import Position

Stop = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Solution:
    """What is known of a position.

    Attributes:
        position: the position.
        wins: whether the player to move wins against every defence; None if a limit came first.
        move: a move that wins, where there is one.
        nodes: positions entered to find out.
        plies: moves to the end when the winner hurries and the loser delays, where that was asked for; the move is
            then one that keeps to it, also for the loser.
    """

    position: Position
    wins: bool | None
    move: Square | None
    nodes: int
    plies: int | None = None


class Allowance:
    """What one answer may cost, whatever searches it takes.

    Args:
        nodes: positions that may be entered.
        ms: milliseconds from now.
        stop: asked every few milliseconds whether to give up.
    """

    def __init__(
        self, nodes: int | None = None, ms: float | None = None, stop: Stop | None = None
    ) -> None:
        self.spent = 0
        self._nodes = nodes
        self._deadline = None if ms is None else time.perf_counter() + ms / 1e3
        self._stop = stop

    def nodes_left(self, most: int) -> int:
        """How many nodes may still be entered, up to `most`."""
        return most if self._nodes is None else max(0, min(most, self._nodes - self.spent))

    def is_over(self) -> bool:
        """Whether it is time to give up."""
        return (
            (self._nodes is not None and self.spent >= self._nodes)
            or (self._deadline is not None and time.perf_counter() >= self._deadline)
            or (self._stop is not None and self._stop())
        )
