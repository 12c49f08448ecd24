"""The solver: one position in, its exact value out, or 'unknown' at a limit, never a guess.

Most positions are settled by one depth-first search; those that are not, by a tree of such searches.
"""

from collections.abc import Iterator
from typing import Final

from isolarium.errors import InputError
from isolarium.game.board import Board, Square
from isolarium.game.position import Position
from isolarium.game.symmetry import canonical
from isolarium.game.tables import words_for
from isolarium.limits import Allowance, Limit, Stop
from isolarium.native.entry_points import is_cached
from isolarium.solver.certificate import Notice, Strategy, follow, packed
from isolarium.solver.depth_to_win import DistanceSearch, compiled_distance, distance_entry
from isolarium.solver.mirror import is_mirror
from isolarium.solver.proof_tree import ProofTree, SubproblemStore
from isolarium.solver.solution import Solution
from isolarium.solver.start_map import law_says_win, start_wins
from isolarium.solver.winloss import Answer, WinLossSearch, compiled_winloss, winloss_entry

PLAIN_NODES: Final = 2_000_000
"""Nodes of depth-first search before the first plies become a tree: every start of 7x7 needs fewer."""


def load_solver(board: Board, distance: bool = True) -> None:
    """Load what solving on a board needs, or compile it; without `distance`, only what tells who wins."""
    compiled_winloss(words_for(board))
    if distance:
        compiled_distance(words_for(board))


def is_compiled(board: Board, distance: bool = True) -> bool:
    """Whether `load_solver` would find it in the cache."""
    words = words_for(board)
    return is_cached(*winloss_entry(words)) and (not distance or is_cached(*distance_entry(words)))


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
        limit: Limit | None = None,
        stop: Stop | None = None,
        store: SubproblemStore | None = None,
    ) -> Solution:
        """Find out who wins.

        Args:
            position: any position, also with players not yet placed; where the board is solved, that costs nothing.
            limit: give up at so many nodes, or after so much time; a depth means nothing here.
            stop: asked every few milliseconds whether to give up.
            store: what is known of positions already, and where to keep more: the answer's nodes count theirs.
        """
        return self._solve(
            position, Allowance(limit, stop), SubproblemStore() if store is None else store
        )

    def solve_distance(
        self, position: Position, limit: Limit | None = None, stop: Stop | None = None
    ) -> Solution:
        """Find out who wins and how soon; the limit is that of `solve`, and is for both questions together.

        If it ends the search after the winner was found, `plies` alone is unknown. So it is where a player is not yet
        placed.
        """
        allowance = Allowance(limit, stop)
        solution = self._solve(position, allowance, SubproblemStore())
        if solution.wins is None or position.second is None:
            return solution
        plies, move = self._distance.run(position, solution.wins, allowance)
        return Solution(position, solution.wins, move or solution.move, allowance.spent, plies)

    def _solve(self, position: Position, allowance: Allowance, store: SubproblemStore) -> Solution:
        if position.second is None:
            return self._solve_placement(position, allowance, store)
        before = allowance.spent
        if is_mirror(position):
            allowance.spent += 1
            return Solution(position, False, None, 1)
        known = store.find(position)
        if known is not None:
            return Solution(position, *known)
        answer = self._winloss.run(position, allowance, PLAIN_NODES)
        if answer.wins is None and not allowance.is_over():
            tree = ProofTree(position, self._look, store)
            self._search_leaves(tree, allowance)
            allowance.spent += tree.looks
            nodes = allowance.spent - before + tree.found
            answer = Answer(tree.root.wins, tree.root.move, nodes)
        if answer.wins is not None:
            store.keep(position, answer)
        return Solution(position, *answer)

    def _look(self, position: Position) -> tuple[Answer, tuple[Square, ...]]:
        """What is seen of a position at once, and the moves left to search in the order to try them."""
        return self._winloss.look(position)

    def _search_leaves(self, tree: ProofTree, allowance: Allowance) -> None:
        """Search leaves until the root is known or the allowance is over."""
        while leaf := tree.next_leaf():
            answer = self._winloss.run(leaf.position, allowance, tree.budget)
            tree.record(leaf, answer)
            if answer.wins is None and allowance.is_over():
                break

    def _solve_placement(
        self, position: Position, allowance: Allowance, store: SubproblemStore
    ) -> Solution:
        """Try every placement up to symmetry: one after which the other loses wins. On a solved board the map knows."""
        if start_wins(position) is not None:
            winning = (square for square, after in _placements(position) if not start_wins(after))
            move = next(winning, None)
            return Solution(position, move is not None, move, 0)
        nodes = 0
        for square, after in _placements(position):
            solution = self._solve(after, allowance, store)
            nodes += solution.nodes
            if solution.wins is not True:
                wins = None if solution.wins is None else True
                return Solution(position, wins, square if wins else None, nodes)
        return Solution(position, False, None, nodes)


def _placements(position: Position) -> Iterator[tuple[Square, Position]]:
    """The placements up to symmetry, those that the colour law recommends first."""
    found: dict[Position, tuple[Square, Position]] = {}
    for square in position.legal_moves():
        after = position.play(square)
        found.setdefault(canonical(after)[0], (square, after))
    return iter(
        sorted(found.values(), key=lambda each: not each[1].placing and law_says_win(each[1]))
    )


def certify(
    solution: Solution, solver: Solver, notice: Notice | None = None
) -> tuple[bytes, Strategy]:
    """The certificate of a solved position, which the checker accepts, and what is in it.

    Raises:
        InputError: nobody knows who wins.
    """
    position = solution.position
    if solution.wins is None:
        raise InputError(
            f"{position}: unknown within the limit; expected a position that is solved"
        )
    winner = position.to_move if solution.wins else position.to_move.other
    replies = bytearray()

    def reply_of(here: Position, number: int) -> Square:
        move = solver.solve(here).move
        assert move is not None  # the winner is to move
        replies.append(here.legal_moves().index(move))
        return move

    strategy = follow(position, winner, reply_of, notice)
    return packed(position, winner, bytes(replies)), strategy
