"""The first plies of a hard position as a tree, whose leaves are searched one after the other.

Depth-first search has no way back from a wrong move: proving that it does not win can cost fifty times a proof that
another does. So the tree goes down to positions that are likely to be settled soon, and each of these leaves gets a
budget of nodes. One that is not settled within it is given up and opened: its moves become nodes of the tree. Where the
stealer has a choice, it follows the most promising move until much was given up below it, then the next, and so on in
rounds.

The tree only decides which leaf is searched next. What it says of the root follows from what was proved of the leaves.
"""

from collections.abc import Callable, Iterator
from math import log
from typing import Final

from isolarium.game.board import Square
from isolarium.game.position import Position
from isolarium.game.symmetry import canonical
from isolarium.solver.cost_model import likely_nodes
from isolarium.solver.proof.mirror import is_mirror
from isolarium.solver.start_map import law_says_win
from isolarium.solver.subproblem_store import Parts
from isolarium.solver.winloss import Answer

LEAF_DEPTH: Final = 3
"""Leaves are positions with the stealer to move, at least so many plies down,"""
LEAF_NODES: Final = 10_000_000
"""that are likely to take no more nodes than this: on 8x8 three or four plies down, on 9x9 fourteen or fifteen."""
BUDGET_SHARE: Final = 1 / 3
"""The budget of a leaf is this much of what the root is likely to take,"""
LEAST_BUDGET: Final = 100_000
MOST_BUDGET: Final = 2 * LEAF_NODES
"""but between these. The few starts of 6x8 that stall take a sixth of the nodes that they take with 20 million."""
GROWTH: Final = 3
"""In each round so many times as much is given up below a move as in the one before."""

Look = Callable[[Position], tuple[Answer, tuple[Square, ...]]]


class Node:
    """A position near the root.

    Attributes:
        wins: whether its mover wins, once that is known.
        move: a move that wins.
        nodes: what was spent on it and below.
        given_up: what of that was spent on leaves that were given up.
        likely: what the whole of it is likely to take.
        running: whether somebody is searching it.
        opened: whether it was given up as a leaf.
    """

    def __init__(self, position: Position, parent: "Node | None" = None) -> None:
        self.position = position
        self.parent = parent
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.stealer = law_says_win(position)  # it does so of the stealer, start or not
        self.wins: bool | None = None
        self.move: Square | None = None
        self.nodes = self.given_up = 0
        self.likely = likely_nodes(position)
        self.running = self.opened = False
        self.children: list[Node] | None = None
        if is_mirror(position):
            self.wins = False

    @property
    def is_leaf(self) -> bool:
        """Whether it is searched as a whole."""
        small = self.depth >= LEAF_DEPTH and self.likely <= LEAF_NODES
        return self.stealer and small and not self.opened

    def line(self) -> Iterator["Node"]:
        """It and the nodes above it, up to the root."""
        node: Node | None = self
        while node is not None:
            yield node
            node = node.parent

    @property
    def settled(self) -> bool:
        """Whether its value matters no more: it, or a node above it, is known."""
        return any(node.wins is not None for node in self.line())

    def settle(self, wins: bool, move: Square | None) -> Iterator["Node"]:
        """Take in what was proved, and what follows for the nodes above, and name all that are known by that.

        A lost child wins, all children won lose.
        """
        self.wins, self.move = wins, move
        yield self
        above = self.parent
        if above is None or above.wins is not None:
            return
        if not wins:
            yield from above.settle(True, self.position.other)
        elif all(child.wins for child in above.children or ()):
            yield from above.settle(False, None)


class Frontier:
    """The tree above the leaves, and which of them to search next.

    Args:
        position: the root, both players placed.
        look: what is seen of a position at once, as `WinLossSearch.look`.
        parts: what is known of positions already, and where to keep more.

    Attributes:
        budget: the nodes that a leaf may cost.
        looks: how many positions were looked at, a node each.
        found: the nodes that somebody once spent on what was known already.
    """

    def __init__(self, position: Position, look: Look, parts: Parts) -> None:
        self.root = Node(position)
        self._look = look
        self._parts = parts
        share = int(BUDGET_SHARE * self.root.likely)
        self.budget = min(MOST_BUDGET, max(LEAST_BUDGET, share))
        self.looks = 0
        self.found = 0
        self._grown = False

    def next_leaf(self) -> Node | None:
        """The leaf to search next, for as many nodes as the budget.

        None if the root is known, or nothing is left that others are not searching.
        """
        while self.root.wins is None:
            self._grown = False
            leaf = self._pick(self.root, False) or self._pick(self.root, True)
            if leaf is not None or not self._grown:
                return leaf
            # What was seen on the way may have settled more than the way was chosen by.
        return None

    def tell(self, leaf: Node, answer: Answer) -> None:
        """Take in what a search of a leaf found out."""
        gave_up = answer.wins is None and answer.nodes >= self.budget
        leaf.opened |= gave_up
        for node in leaf.line():
            node.nodes += answer.nodes
            node.given_up += answer.nodes * gave_up
        if answer.wins is not None and not leaf.settled:
            self._settle(leaf, answer.wins, answer.move)

    def _settle(self, node: Node, wins: bool, move: Square | None) -> None:
        for each in node.settle(wins, move):
            if each.wins is not None and each.stealer and each is not self.root:
                self._parts.keep(each.position, Answer(each.wins, each.move, each.nodes))

    def _pick(self, node: Node, speculating: bool) -> Node | None:
        """A leaf below a node that nobody is searching; what the stealer might not need, only if `speculating`."""
        if node.running:
            return None
        if node.children is None:
            if node.stealer and self._is_found(node):
                return None
            if node.is_leaf:
                return node
            self._grow(node)
        children = [child for child in node.children or () if child.wins is None]
        if node.stealer:
            children.sort(key=self._round)
            children = children if speculating else children[:1]
        for child in children:
            if node.settled:
                return None
            leaf = self._pick(child, speculating)
            if leaf is not None:
                return leaf
        return None

    def _round(self, node: Node) -> int:
        """How often to turn to other moves before this one; never as long as little was given up below it."""
        times = node.given_up / max(self.budget, node.likely)
        return 0 if times < 1 else 1 + int(log(times, GROWTH))

    def _is_found(self, node: Node) -> bool:
        """Whether the parts know it; then it is settled."""
        known = self._parts.find(node.position)
        if known is None or known.wins is None:
            return False
        self._grown = True
        self.found += known.nodes
        for each in node.line():
            each.nodes += known.nodes
        self._settle(node, known.wins, known.move)
        return True

    def _grow(self, node: Node) -> None:
        """Look at a position: settle it, or add a child for each move left, symmetric ones once."""
        self._grown = True
        self.looks += 1
        answer, moves = self._look(node.position)
        node.children = []
        if answer.wins is not None:
            self._settle(node, answer.wins, answer.move)
            return
        seen = set[Position]()
        for after in map(node.position.play, moves):
            image = canonical(after)[0]
            if image not in seen:
                seen.add(image)
                node.children.append(Node(after, node))
        for child in node.children:
            if child.wins is False:
                self._settle(node, True, child.position.other)
                return
