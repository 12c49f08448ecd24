"""Exact values of positions: who wins, how soon, and which moves win.

`ExactValues` uses the cheapest source that has the answer: the rules, if the game is over; the map of the starts; the
mirror theorem; the opening book; and the solver, if it is likely to finish within the limit. Only the solver takes
nodes. Map and theorem name no move, so moves come from the book or the solver. A value that is not exact is never
returned: the answer is then None.
"""

from collections.abc import Iterator
from typing import Final

from isolarium.game.board import Square
from isolarium.game.position import Position
from isolarium.limits import NO_LIMIT, Allowance, Limit
from isolarium.solver.book import book_entry
from isolarium.solver.mirror import is_mirror
from isolarium.solver.parallel import SplittingSolver
from isolarium.solver.solution import Solution
from isolarium.solver.solver import Solver
from isolarium.solver.start_map import start_wins
from isolarium.solver.winloss import likely_nodes

ONE_POSITION: Final = Limit(nodes=2_000_000)
"""The limit for one position: every position of 7x7 takes less, the hardest start 1.6 million."""
WITHIN_REACH: Final = 4.0
"""The solver is tried if the estimate is at most this many times the limit: many positions need far less than the
median, which is what the estimate predicts."""
HOW_SOON_BLANKS: Final = 36
"""The most blanks for which the length of the game can be found besides the winner."""
EVERY_MOVE_BLANKS: Final = 30
"""The most blanks for which it can be found many times: after each move of a position, or along a line."""


def looked_up(position: Position) -> bool | None:
    """Return whether the player to move wins, if that is known without any search."""
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
    """Exact values of positions, computed within limits; not for several threads.

    Every method accepts an allowance, which is charged with the nodes of the answer. Once it is spent,
    only values that can be looked up are known.

    Args:
        each: The limit for one position, whatever the allowance.
        within_reach: The factor on that limit (or on the whole allowance, if it is less) up to which a position is
            tried, by its estimated nodes.
        workers: The threads for a hard position. With more than one, a limit of nodes may be exceeded.
    """

    def __init__(
        self, each: Limit = ONE_POSITION, within_reach: float = WITHIN_REACH, workers: int = 1
    ) -> None:
        self._each = each
        self._within_reach = within_reach
        self._solver = Solver() if workers == 1 else SplittingSolver(workers)

    def wins(self, position: Position, allowance: Allowance | None = None) -> bool | None:
        """Return whether the player to move wins; None if unknown."""
        known = looked_up(position)
        if known is not None or not self.reaches(position, allowance):
            return known
        return self.solve(position, allowance).wins

    def moves(
        self, position: Position, allowance: Allowance | None = None
    ) -> Iterator[tuple[Square, bool | None]]:
        """Yield every legal move in order, and whether it wins; each is solved on demand."""
        for move in position.legal_moves():
            loses = self.wins(position.play(move), allowance)
            yield move, None if loses is None else not loses

    def winning_move(self, position: Position, allowance: Allowance | None = None) -> Square | None:
        """Return a winning move; None if there is none, or none is known."""
        if looked_up(position) is False:
            return None
        if position.placing and start_wins(position):
            return next(move for move, wins in self.moves(position) if wins)
        entry = book_entry(position)
        if entry is not None and entry.move is not None:
            return entry.move
        return self.solve(position, allowance).move

    def plies(self, position: Position, allowance: Allowance | None = None) -> int | None:
        """Return the moves to the end with the winner hurrying and the loser delaying.

        None if unknown, which includes positions with players to place or more than `EVERY_MOVE_BLANKS` blanks.
        """
        if position.outcome() is not None:
            return 0
        if position.placing or position.blank_count > EVERY_MOVE_BLANKS:
            return None
        return self.solve(position, allowance, distance=True).plies

    def reaches(self, position: Position, allowance: Allowance | None = None) -> bool:
        """Return whether the solver is likely to answer, with an unspent allowance."""
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
        """Return the solver's answer, without looking anything up.

        Args:
            position: Any position.
            allowance: The allowance to charge.
            most: The limit for this position, instead of the limit for each.
            distance: Whether to find the length of the game, too.
        """
        allowance = allowance or Allowance()
        if allowance.is_over():
            return Solution(position, None, None, 0)
        ask = self._solver.solve_distance if distance else self._solver.solve
        solution = ask(position, allowance.rest(most or self._each), allowance.stop)
        allowance.spent += solution.nodes
        return solution
