"""The truth about a position: who wins, how soon, and which move keeps it. Exact, or not known; never a guess.

Whoever wants to know asks here, and is answered by the cheapest source that knows: the rules, if the game is over; the
map of the starts; the mirror theorem; the opening book; and the solver, where it is likely to finish within what may be
spent. Only the last costs anything. Map and theorem name no move, so a move comes from the book or the solver.
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
"""What one position may cost: every position of 7x7 costs less, the hardest start 1.6 million."""
WITHIN_REACH: Final = 4.0
"""The solver is tried where it is likely to need no more than so many times what it may: many positions need far less
than the median, which is what can be told beforehand."""
HOW_SOON_BLANKS: Final = 36
"""With no more blanks than this, how long the game lasts can be found out beside who wins,"""
EVERY_MOVE_BLANKS: Final = 30
"""and with no more than this, several times over: after each move of a position, or along a whole line."""


def looked_up(position: Position) -> bool | None:
    """Whether the player to move wins, as far as that is known without any search."""
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
    """Answers questions about positions; not to be shared between threads.

    Every question may be asked on an allowance, which is then charged with what the answer costs; once that is over,
    only what can be looked up is known.

    Args:
        each: what one position may cost, whatever the allowance.
        within_reach: how many times that, or the whole allowance if it is less, a position may be likely to cost.
        workers: how many threads solve one that is hard. With more than one, a limit of nodes may be passed.
    """

    def __init__(
        self, each: Limit = ONE_POSITION, within_reach: float = WITHIN_REACH, workers: int = 1
    ) -> None:
        self._each = each
        self._within_reach = within_reach
        self._solver = Solver() if workers == 1 else SplittingSolver(workers)

    def wins(self, position: Position, allowance: Allowance | None = None) -> bool | None:
        """Whether the player to move wins; None if not known."""
        known = looked_up(position)
        if known is not None or not self.reaches(position, allowance):
            return known
        return self.solve(position, allowance).wins

    def moves(
        self, position: Position, allowance: Allowance | None = None
    ) -> Iterator[tuple[Square, bool | None]]:
        """Every legal move in order, and whether it wins; each is looked into when it is asked for."""
        for move in position.legal_moves():
            loses = self.wins(position.play(move), allowance)
            yield move, None if loses is None else not loses

    def winning_move(self, position: Position, allowance: Allowance | None = None) -> Square | None:
        """A move that wins; None if there is none, or none is known."""
        if looked_up(position) is False:
            return None
        if position.placing and start_wins(position):
            return next(move for move, wins in self.moves(position) if wins)
        entry = book_entry(position)
        if entry is not None and entry.move is not None:
            return entry.move
        return self.solve(position, allowance).move

    def plies(self, position: Position, allowance: Allowance | None = None) -> int | None:
        """Moves to the end when the winner hurries and the loser delays.

        None if not known; so it always is with players to be placed, or more than `EVERY_MOVE_BLANKS` blanks.
        """
        if position.outcome() is not None:
            return 0
        if position.placing or position.blank_count > EVERY_MOVE_BLANKS:
            return None
        return self.solve(position, allowance, distance=True).plies

    def reaches(self, position: Position, allowance: Allowance | None = None) -> bool:
        """Whether the solver is likely to answer, had the allowance not been touched yet."""
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
        """The solver's answer, which nothing is looked up for.

        Args:
            position: any position.
            allowance: what is charged.
            most: what it may cost at most, instead of what each position may.
            distance: whether to find out how long the game lasts, too.
        """
        allowance = allowance or Allowance()
        if allowance.is_over():
            return Solution(position, None, None, 0)
        ask = self._solver.solve_distance if distance else self._solver.solve
        solution = ask(position, allowance.rest(most or self._each), allowance.stop)
        allowance.spent += solution.nodes
        return solution
