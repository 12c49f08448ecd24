"""Exact values of positions: the winner, the length of the game, and the winning moves.

`ExactValues` uses the cheapest source that has the answer: the rules, if the game is over; the
start map; the mirror theorem; the opening book; and the solver, if it is likely to finish within
the limit. Only the solver uses nodes. The start map and the theorem do not give a move, so moves
come from the book or the solver. If the exact value is unknown, the answer is None.
"""

from collections.abc import Iterator
from typing import Final

from isolarium.game.board import Square
from isolarium.game.position import Position
from isolarium.game.symmetry import is_mirror
from isolarium.limits import NO_LIMIT, Allowance, Limit
from isolarium.solver.book import book_entry
from isolarium.solver.proof_tree import likely_nodes
from isolarium.solver.solution import Solution
from isolarium.solver.solver import Solver, SplittingSolver
from isolarium.solver.start_map import start_wins

ONE_POSITION: Final = Limit(nodes=2_000_000)
"""The limit for one position.

Every 7x7 position takes fewer nodes; the hardest start takes 1.6 million."""
WITHIN_REACH: Final = 4.0
"""The maximum ratio of the estimate to the limit at which the solver is tried.

The estimate predicts the median number of nodes, and many positions need far fewer."""
HOW_SOON_BLANKS: Final = 36
"""The maximum number of blanks for which the length of the game can be computed as well."""
EVERY_MOVE_BLANKS: Final = 30
"""The maximum number of blanks for computing the lengths of many games.

Examples are the games after each move in a position, or after each move of a line."""


def looked_up(position: Position) -> bool | None:
    """Return whether the player to move wins, if this is known without a search."""
    if position.outcome() is not None:
        return False
    wins = start_wins(position)
    if wins is not None:
        return wins
    if is_mirror(position):
        return False
    entry = book_entry(position)
    return None if entry is None else entry.wins


class ExactValues:
    """Exact values of positions, computed within limits; not thread-safe.

    Every method accepts an allowance, from which the nodes spent on the answer are deducted. Once
    the allowance is used up, only values that can be looked up are known.

    Args:
        each: The limit for one position, regardless of the allowance.
        within_reach: A position is tried only if its estimated nodes are at most this factor times
            the limit, or times the whole allowance if that is smaller.
        workers: The number of threads for a hard position. With more than one, a node limit may be
            exceeded.
    """

    def __init__(self, each: Limit = ONE_POSITION, within_reach: float = WITHIN_REACH, workers: int = 1) -> None:
        self._each = each
        self._within_reach = within_reach
        self._solver = Solver() if workers == 1 else SplittingSolver(workers)

    def wins(self, position: Position, allowance: Allowance | None = None) -> bool | None:
        """Return whether the player to move wins; None if unknown."""
        known = looked_up(position)
        if known is not None or not self.reaches(position, allowance):
            return known
        return self.solve(position, allowance).wins

    def moves(self, position: Position, allowance: Allowance | None = None) -> Iterator[tuple[Square, bool | None]]:
        """Yield every legal move in order with whether it wins, solving each on demand."""
        for move in position.legal_moves():
            loses = self.wins(position.play(move), allowance)
            yield move, None if loses is None else not loses

    def winning_move(self, position: Position, allowance: Allowance | None = None) -> Square | None:
        """Return a winning move, or None if no winning move exists or is known."""
        if looked_up(position) is False:
            return None
        if position.placing and start_wins(position):
            return next(move for move, wins in self.moves(position) if wins)
        entry = book_entry(position)
        if entry is not None and entry.move is not None:
            return entry.move
        return self.solve(position, allowance).move

    def plies(self, position: Position, allowance: Allowance | None = None) -> int | None:
        """Return the number of plies to the end of the game with perfect play.

        The number is None if unknown, as it always is for positions with unplaced players or with
        more than `EVERY_MOVE_BLANKS` blanks.
        """
        if position.outcome() is not None:
            return 0
        if position.placing or position.blank_count > EVERY_MOVE_BLANKS:
            return None
        return self.solve(position, allowance, distance=True).plies

    def reaches(self, position: Position, allowance: Allowance | None = None) -> bool:
        """Return whether the solver would probably find the answer with the allowance."""
        whole = (self._each, NO_LIMIT if allowance is None else allowance.limit)
        nodes = [limit.nodes for limit in whole if limit.nodes is not None]
        return not nodes or likely_nodes(position) <= self._within_reach * min(nodes)

    def solve(
        self,
        position: Position,
        allowance: Allowance | None = None,
        most: Limit | None = None,
        *,
        distance: bool = False,
    ) -> Solution:
        """Return the solver's answer without using the map, the theorem or the book.

        Args:
            position: Any position.
            allowance: The allowance from which the nodes are deducted.
            most: The limit for this position, which overrides `each`.
            distance: Whether to compute the length of the game as well.
        """
        allowance = allowance or Allowance()
        if allowance.is_over():
            return Solution(position, None, None, 0)
        ask = self._solver.solve_distance if distance else self._solver.solve
        solution = ask(position, allowance.rest(most or self._each), allowance.stop)
        allowance.spent += solution.nodes
        return solution
