"""Exact values, in a worker, of several positions within one allowance."""

from typing import Final

from isolab.analysis.placements import start_wins
from isolab.game.position import Position
from isolab.limits import Limit
from isolab.solver.book import book_for
from isolab.solver.solver import Solver, likely_nodes
from isolab.web.worker import Stop

MOST_NODES: Final = 12_000_000
"""What one request may cost: about two seconds."""
ONE_POSITION: Final = 2_000_000
"""What one position may cost; every position of 7x7 costs less."""
WITHIN_REACH: Final = 4.0
"""A position is tried where it is likely to cost no more than so many times that."""
DISTANCE_BLANKS: Final = 30
"""How soon the game ends is found out with no more blanks than this."""

_solver = Solver()


class Truth:
    """Who wins, and how soon, as far as the allowance goes."""

    def __init__(self, stop: Stop) -> None:
        self.nodes = 0
        self._stop = stop

    def wins(self, position: Position) -> bool | None:
        """Whether the player to move wins; None if not known."""
        if position.outcome() is not None:
            return False
        known = start_wins(position)
        if known is not None:
            return known
        book = book_for(position.board)
        entry = None if book is None else book.entry(position)
        if entry is not None:
            return entry.wins
        if likely_nodes(position) > WITHIN_REACH * ONE_POSITION or not self._left:
            return None
        solution = _solver.solve(position, Limit(nodes=self._left), self._stop)
        self.nodes += solution.nodes
        return solution.wins

    def plies(self, position: Position) -> int | None:
        """Moves to the end when the winner hurries and the loser delays; None if not known."""
        if position.outcome() is not None:
            return 0
        if position.placing or position.blank_count > DISTANCE_BLANKS or not self._left:
            return None
        solution = _solver.solve_distance(position, Limit(nodes=self._left), self._stop)
        self.nodes += solution.nodes
        return solution.plies

    @property
    def _left(self) -> int:
        return 0 if self._stop() else max(0, min(ONE_POSITION, MOST_NODES - self.nodes))
