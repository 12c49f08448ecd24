"""The solver as Python uses it: one position in, its exact value out, or 'unknown' at a limit, never a guess."""

from collections.abc import Iterator
from typing import Final

from isolab.game.board import Square
from isolab.game.position import Position
from isolab.game.symmetry import canonical
from isolab.solver.frontier import Frontier
from isolab.solver.mirror import is_mirror
from isolab.solver.searching import (
    DistanceSearch,
    WinLossSearch,
    compiled_distance,
    compiled_slice,
)
from isolab.solver.solution import Allowance, Solution, Stop
from isolab.solver.starts import law_says_win

__all__ = ["Solution", "Solver", "Stop", "compiled_distance", "compiled_slice"]

PLAIN_NODES: Final = 2_000_000
"""Nodes of depth-first search before the first plies are searched in rounds: every start of 7x7 needs fewer."""


class Solver:
    """Solves positions, one at a time; not to be shared between threads.

    The same position costs the same nodes whatever was solved before it.
    """

    def __init__(self) -> None:
        self._winloss = WinLossSearch()
        self._distance = DistanceSearch()

    def solve(
        self,
        position: Position,
        most_nodes: int | None = None,
        most_ms: float | None = None,
        stop: Stop | None = None,
    ) -> Solution:
        """Find out who wins.

        Args:
            position: any position, also with players not yet placed.
            most_nodes: give up at so many nodes.
            most_ms: give up after so many milliseconds.
            stop: asked every few milliseconds whether to give up.
        """
        return self._solve(position, Allowance(most_nodes, most_ms, stop))

    def solve_distance(
        self,
        position: Position,
        most_nodes: int | None = None,
        most_ms: float | None = None,
        stop: Stop | None = None,
    ) -> Solution:
        """Find out who wins and how soon; the limits are those of `solve`, and are for both questions together.

        If they end the search after the winner was found, `plies` alone is unknown. So it is where a player is not yet
        placed.
        """
        allowance = Allowance(most_nodes, most_ms, stop)
        solution = self._solve(position, allowance)
        if solution.wins is None or position.second is None:
            return solution
        exact = self._distance.run(position, solution.wins, allowance)
        return Solution(
            position, solution.wins, exact.move or solution.move, allowance.spent, exact.plies
        )

    def _solve(self, position: Position, allowance: Allowance) -> Solution:
        if position.second is None:
            return self._solve_placement(position, allowance)
        before = allowance.spent
        if is_mirror(position):
            allowance.spent += 1
            return Solution(position, False, None, 1)
        plain = self._winloss.run(position, allowance, PLAIN_NODES)
        if plain.wins is not None or allowance.is_over():
            return plain
        rest = self._solve_in_rounds(position, allowance)
        return Solution(position, rest.wins, rest.move, allowance.spent - before)

    def _solve_in_rounds(self, position: Position, allowance: Allowance) -> Solution:
        """Solve a position that depth-first search was given up on."""
        before = allowance.spent
        frontier = Frontier(position, self._winloss.look)
        while leaf := frontier.next_leaf():
            solution = self._winloss.run(leaf.position, allowance, frontier.budget)
            if solution.wins is None and allowance.is_over():
                break
            frontier.tell(leaf, solution, frontier.budget)
        allowance.spent += frontier.looks
        root = frontier.root
        return Solution(position, root.wins, root.move, allowance.spent - before)

    def _solve_placement(self, position: Position, allowance: Allowance) -> Solution:
        """Try every placement up to symmetry: one after which the other loses wins."""
        before = allowance.spent
        for square, after in _placements(position):
            solution = self._solve(after, allowance)
            if solution.wins is not True:
                wins = None if solution.wins is None else True
                move = square if wins else None
                return Solution(position, wins, move, allowance.spent - before)
        return Solution(position, False, None, allowance.spent - before)


def _placements(position: Position) -> Iterator[tuple[Square, Position]]:
    """The placements up to symmetry, those that the colour law recommends first."""
    found: dict[Position, tuple[Square, Position]] = {}
    for square in position.legal_moves():
        after = position.play(square)
        found.setdefault(canonical(after)[0], (square, after))
    return iter(
        sorted(found.values(), key=lambda each: not each[1].placing and law_says_win(each[1]))
    )
