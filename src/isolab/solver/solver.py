"""The solver: one position in, its exact value out, or 'unknown' at a limit, never a guess.

Most positions are settled by one depth-first search. That has no way back from a wrong first move: proving that it does
not win can cost fifty times a proof that another does. So the first plies of a hard position become a tree in Python,
whose leaves are searched in rounds of growing budgets: each leaf gets a budget of nodes; a move that is not settled
within it has to wait, and the next one is tried; when none is left, the budget is tripled.

The tree only decides which leaf is searched next. What it says of the root follows from what was proved of the leaves.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import exp
from typing import Final

from isolab.game.board import Board, Square
from isolab.game.position import Position
from isolab.game.symmetry import canonical
from isolab.game.tables import words_for
from isolab.limits import Allowance, Limit, Stop
from isolab.native.entry import is_cached
from isolab.solver.distance import DistanceSearch, compiled_distance, distance_entry
from isolab.solver.proof.mirror import is_mirror
from isolab.solver.starts import law_says_win, start_wins
from isolab.solver.winloss import Answer, WinLossSearch, compiled_winloss, winloss_entry

PLAIN_NODES: Final = 2_000_000
"""Nodes of depth-first search before the first plies are searched in rounds: every start of 7x7 needs fewer."""
LEAF_DEPTH: Final = 3
"""Leaves are the first positions so many plies down, or one more, with the stealer to move."""
FIRST_SHARE: Final = 1 / 3
"""The first budget is this much of what the whole position is likely to take: 20 million nodes for a start of 8x8,"""
LEAST_BUDGET: Final = 100_000
"""and no less than this. The few starts of 6x8 that stall take a sixth of the nodes that they take with 20 million."""
GROWTH: Final = 3


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


def likely_nodes(position: Position) -> float:
    """About how many nodes the solver needs, from the squares that are blank and those that are not.

    Fitted to the medians measured on 7x7, 8x8, 9x9 and 9x11: e times as many for each 2.8 more blanks, and as much less
    for each 4.6 more blocked squares. Every placement that is still to come multiplies it.
    """
    blocked = position.board.size - position.blank_count - 2
    starts = 10.0 ** ((position.first is None) + (position.second is None))
    return starts * exp(12.5 + 0.36 * (position.blank_count - 47) - 0.216 * blocked)


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
        self, position: Position, limit: Limit | None = None, stop: Stop | None = None
    ) -> Solution:
        """Find out who wins.

        Args:
            position: any position, also with players not yet placed; where the board is solved, that costs nothing.
            limit: give up at so many nodes, or after so much time; a depth means nothing here.
            stop: asked every few milliseconds whether to give up.
        """
        return self._solve(position, Allowance(limit, stop))

    def solve_distance(
        self, position: Position, limit: Limit | None = None, stop: Stop | None = None
    ) -> Solution:
        """Find out who wins and how soon; the limit is that of `solve`, and is for both questions together.

        If it ends the search after the winner was found, `plies` alone is unknown. So it is where a player is not yet
        placed.
        """
        allowance = Allowance(limit, stop)
        solution = self._solve(position, allowance)
        if solution.wins is None or position.second is None:
            return solution
        plies, move = self._distance.run(position, solution.wins, allowance)
        return Solution(position, solution.wins, move or solution.move, allowance.spent, plies)

    def _solve(self, position: Position, allowance: Allowance) -> Solution:
        if position.second is None:
            return self._solve_placement(position, allowance)
        before = allowance.spent
        if is_mirror(position):
            allowance.spent += 1
            return Solution(position, False, None, 1)
        plain = self._winloss.run(position, allowance, PLAIN_NODES)
        if plain.wins is not None or allowance.is_over():
            return Solution(position, *plain)
        root = self._solve_in_rounds(position, allowance)
        return Solution(position, root.wins, root.move, allowance.spent - before)

    def _solve_in_rounds(self, position: Position, allowance: Allowance) -> "Node":
        """Solve a position that depth-first search was given up on; the root, which may know it."""
        frontier = Frontier(position, self._winloss.look)
        while leaf := frontier.next_leaf():
            answer = self._winloss.run(leaf.position, allowance, frontier.budget)
            if answer.wins is None and allowance.is_over():
                break
            frontier.tell(leaf, answer, frontier.budget)
        allowance.spent += frontier.looks
        return frontier.root

    def _solve_placement(self, position: Position, allowance: Allowance) -> Solution:
        """Try every placement up to symmetry: one after which the other loses wins. On a solved board the map knows."""
        if start_wins(position) is not None:
            winning = (square for square, after in _placements(position) if not start_wins(after))
            move = next(winning, None)
            return Solution(position, move is not None, move, 0)
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


Look = Callable[[Position], tuple[Answer, tuple[Square, ...]]]


class Node:
    """A position near the root.

    Attributes:
        wins: whether its mover wins, once that is known.
        move: a move that wins.
        running: whether somebody is searching it.
        tried: the nodes it was given up after.
    """

    def __init__(self, position: Position, parent: "Node | None" = None) -> None:
        self.position = position
        self.parent = parent
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.stealer = law_says_win(position)  # it does so of the stealer, start or not
        self.wins: bool | None = None
        self.move: Square | None = None
        self.running = False
        self.tried = 0
        self.children: list[Node] | None = None
        if is_mirror(position):
            self.wins = False

    @property
    def is_leaf(self) -> bool:
        """Whether it is searched as a whole."""
        return self.depth >= LEAF_DEPTH and self.stealer

    @property
    def settled(self) -> bool:
        """Whether its value matters no more: it, or a node above it, is known."""
        node: Node | None = self
        while node is not None:
            if node.wins is not None:
                return True
            node = node.parent
        return False

    def settle(self, wins: bool, move: Square | None) -> None:
        """Keep what was proved, and what follows for the nodes above: a lost child wins, all children won lose."""
        self.wins, self.move = wins, move
        above = self.parent
        if above is None or above.wins is not None:
            return
        if not wins:
            above.settle(True, self.position.other)
        elif all(child.wins for child in above.children or ()):
            above.settle(False, None)

    def waits(self, budget: int) -> bool:
        """Whether nothing that could be done within the budget can settle it."""
        if self.wins is not None or self.running:
            return False
        if self.is_leaf:
            return self.tried >= budget
        if self.children is None:
            return False
        waiting = [child.waits(budget) for child in self.children if child.wins is None]
        return all(waiting) if self.stealer else any(waiting)


class Frontier:
    """The tree above the leaves, and which of them to search next.

    Args:
        position: the root, both players placed.
        look: what is seen of a position at once, as `WinLossSearch.look`.

    Attributes:
        budget: the nodes that each leaf may cost in this round.
        looks: how many positions were looked at, a node each.
    """

    def __init__(self, position: Position, look: Look) -> None:
        self.root = Node(position)
        self.budget = max(LEAST_BUDGET, int(FIRST_SHARE * likely_nodes(position)))
        self._look = look
        self.looks = 0
        self._grown = False

    def next_leaf(self, others_running: bool = False) -> Node | None:
        """The leaf to search next, for `budget` nodes.

        None if the root is known, or the next choice has to wait for leaves that others are searching.
        """
        while self.root.wins is None:
            self._grown = False
            leaf = self._pick(self.root)
            if leaf is not None:
                return leaf
            if self._grown:
                continue  # what was seen on the way may have settled more than the way was chosen by
            if others_running:
                return None
            self.budget *= GROWTH
        return None

    def tell(self, leaf: Node, answer: Answer, budget: int) -> None:
        """Take in what a search of a leaf found out within a budget."""
        if answer.wins is None:
            leaf.tried = budget
        elif not leaf.settled:
            leaf.settle(answer.wins, answer.move)

    def _pick(self, node: Node) -> Node | None:
        if node.is_leaf:
            return None if node.running or node.tried >= self.budget else node
        if node.children is None:
            self._grow(node)
        for child in node.children or ():
            if node.settled:
                return None
            if child.wins is not None:
                continue
            leaf = self._pick(child)
            if leaf is not None:
                return leaf
            if not node.stealer and child.waits(self.budget):
                return None  # in this round the runner will not be beaten here
        return None

    def _grow(self, node: Node) -> None:
        """Look at a position: settle it, or add a child for each move left, symmetric ones once."""
        self._grown = True
        self.looks += 1
        answer, moves = self._look(node.position)
        node.children = []
        if answer.wins is not None:
            node.settle(answer.wins, answer.move)
            return
        seen = set[Position]()
        for after in map(node.position.play, moves):
            image = canonical(after)[0]
            if image not in seen:
                seen.add(image)
                node.children.append(Node(after, node))
        for child in node.children:
            if child.wins is False:
                node.settle(True, child.position.other)
                return
