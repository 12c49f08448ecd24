"""The first plies of a hard position as a tree in Python, whose leaves are searched in rounds of growing budgets.

Depth first alone has no way back from a wrong first move: proving that it does not win can cost fifty times a proof
that another does. So each leaf gets a budget of nodes; a move that is not settled within it has to wait, and the next
one is tried; when none is left, the budget is tripled.

The tree only decides which leaf is searched next. What it says of the root follows from what was proved of the leaves.
"""

from collections.abc import Callable
from typing import Final

from isolab.game.board import Square
from isolab.game.position import Position
from isolab.game.symmetry import canonical
from isolab.solver.mirror import is_mirror
from isolab.solver.reach import likely_nodes
from isolab.solver.solution import Solution
from isolab.solver.starts import law_says_win

LEAF_DEPTH: Final = 3
"""Leaves are the first positions so many plies down, or one more, with the stealer to move."""
FIRST_SHARE: Final = 1 / 3
"""The first budget is this much of what the whole position is likely to take: 20 million nodes for a start of 8x8,"""
LEAST_BUDGET: Final = 100_000
"""and no less than this. The few starts of 6x8 that stall take a sixth of the nodes that they take with 20 million."""
GROWTH: Final = 3

Look = Callable[[Position], tuple[Solution, tuple[Square, ...]]]


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

    def tell(self, leaf: Node, solution: Solution, budget: int) -> None:
        """Take in what a search of a leaf found out within a budget."""
        if solution.wins is None:
            leaf.tried = budget
        elif not leaf.settled:
            leaf.settle(solution.wins, solution.move)

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
        solution, moves = self._look(node.position)
        node.children = []
        if solution.wins is not None:
            node.settle(solution.wins, solution.move)
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
