"""The first plies of a hard position as a tree, whose leaves are searched in turn.

Depth-first search cannot recover from a wrong move: proving that a move does not win can take fifty times as many nodes
as proving that another move wins. The tree therefore extends to positions that are likely to be solved quickly, and
each of these leaves gets a budget of nodes. A leaf that exceeds its budget is opened: its moves become nodes of the
tree. If the stealer has a choice, the search follows the most promising move until many nodes have been abandoned below
it, then the next move, and so on in rounds.

The tree only decides which leaf is searched next. The value of the root follows from the proved values of the leaves.
Proved positions are kept in a `SubproblemStore`, either in memory or in a file from which a later search resumes.
`likely_nodes` estimates the cost of a position.
"""

from collections.abc import Callable, Iterator
from math import exp, log
from pathlib import Path
from typing import Final

from isolarium.errors import InputError
from isolarium.game.board import Board, Square
from isolarium.game.position import Position
from isolarium.game.symmetry import canonical, is_mirror
from isolarium.solver.solution import Check, Solution, SolutionFile, contradiction, read_solutions
from isolarium.solver.start_map import law_says_win
from isolarium.solver.winloss import Answer


class SubproblemStore:
    """Proved positions, up to symmetry, kept in memory while a root is solved."""

    def __init__(self) -> None:
        self._known: dict[Position, Answer] = {}

    def find(self, position: Position) -> Answer | None:
        """Return the known answer for a position; only the first call returns its nodes.

        Later calls return 0 nodes, so that nodes are not counted twice.
        """
        image, symmetry = canonical(position)
        found = self._known.get(image)
        if found is None:
            return None
        self._known[image] = found._replace(nodes=0)
        if found.move is None:
            return found
        return found._replace(move=symmetry.inverse.square(found.move, image.board))

    def keep(self, position: Position, answer: Answer) -> None:
        """Keep the answer for a position whose nodes have been counted."""
        image, move = _image(position, answer.move)
        self._known[image] = Answer(answer.wins, move, 0)


class SubproblemFile(SubproblemStore):
    """Proved positions of one board, kept in a file.

    Args:
        path: The file; created if it does not exist.
        board: The board.

    Raises:
        InputError: If the file does not contain subproblems, cannot be written, or is open in another process.
    """

    def __init__(self, path: Path, board: Board) -> None:
        super().__init__()
        self._file = SolutionFile(path, _check_on(board))
        for solution in self._file.solutions.values():
            image, move = _image(solution.position, solution.move)
            self._known[image] = Answer(solution.wins, move, solution.nodes)

    def __len__(self) -> int:
        """Return the number of positions."""
        return len(self._known)

    def keep(self, position: Position, answer: Answer) -> None:
        """Keep the answer for a position, and write it to disk before returning."""
        if canonical(position)[0] not in self._known:
            self._file.add(Solution(position, *answer))
        super().keep(position, answer)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read_subproblems(path: Path, board: Board) -> list[Solution]:
    """Read a file of solved subproblems.

    Raises:
        InputError: If the file does not contain subproblems or cannot be read.
    """
    known = read_solutions(path, _check_on(board), "a record of solved positions")
    return list(known.values())


def _image(position: Position, move: Square | None) -> tuple[Position, Square | None]:
    """Return the canonical image of a position, and the move mapped to it."""
    image, symmetry = canonical(position)
    return image, None if move is None else symmetry.square(move, position.board)


def _check_on(board: Board) -> Check:
    def check(solution: Solution) -> None:
        position = solution.position
        if position.board != board or position.placing:
            raise InputError(f"{position}: expected a position of {board}, both players placed")
        if solution.wins and is_mirror(position):
            raise contradiction(solution)

    return check


LEAF_DEPTH: Final = 3
"""The minimum depth of leaves, which have the stealer to move."""
LEAF_NODES: Final = 10_000_000
"""The maximum estimate of nodes for a leaf.

Estimates fall below this number after three or four plies on 8x8, and after fourteen or fifteen on 9x9."""
BUDGET_SHARE: Final = 1 / 3
"""A leaf's budget as a share of the root's estimated nodes, within bounds.

The few starts of 6x8 that stall take a sixth of the nodes that they take with 20 million for every leaf.
"""
LEAST_BUDGET: Final = 100_000
MOST_BUDGET: Final = 2 * LEAF_NODES
GROWTH: Final = 3
"""The factor by which the nodes to spend in vain below a move grow each round."""

Look = Callable[[Position], tuple[Answer, tuple[Square, ...]]]
"""Returns the answer without a search, or the moves left to search (`WinLossSearch.look`)."""


class Node:
    """A position near the root.

    Attributes:
        wins: Whether the player to move wins; None if not yet known.
        move: A winning move.
        nodes: The number of nodes spent on this position and below it.
        given_up: The number of these nodes spent on abandoned leaves.
        likely: The estimated number of nodes for solving the position.
        running: Whether a thread is searching the position.
        opened: Whether the position was abandoned as a leaf.
    """

    def __init__(self, position: Position, parent: "Node | None" = None) -> None:
        self.position = position
        self.parent = parent
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.stealer = law_says_win(position)  # In any position, whether the mover is the stealer
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
        """Whether the node is a leaf, which is searched as a whole."""
        small = self.depth >= LEAF_DEPTH and self.likely <= LEAF_NODES
        return self.stealer and small and not self.opened

    def line(self) -> Iterator["Node"]:
        """Yield this node and those above it, up to the root."""
        node: Node | None = self
        while node is not None:
            yield node
            node = node.parent

    @property
    def settled(self) -> bool:
        """Whether the value of this node, or of a node above it, is known."""
        return any(node.wins is not None for node in self.line())

    def settle(self, wins: bool, move: Square | None) -> Iterator["Node"]:
        """Store a proved value, propagate it upwards, and yield all nodes that it settles.

        A lost child wins for its parent; if all children are won, the parent is lost.
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


class ProofTree:
    """The tree above the leaves, which decides the leaf to search next.

    Args:
        position: The root, both players placed.
        look: Returns the answer for a position without a search, or the moves left, as `WinLossSearch.look` does.
        store: The store of known positions, to which new ones are added.

    Attributes:
        budget: The nodes that a leaf may take.
        looks: The number of positions examined with `look`, one node each.
        found: The number of nodes spent earlier on positions found in the store.
    """

    def __init__(self, position: Position, look: Look, store: SubproblemStore) -> None:
        self.root = Node(position)
        self._look = look
        self._store = store
        share = int(BUDGET_SHARE * self.root.likely)
        self.budget = min(MOST_BUDGET, max(LEAST_BUDGET, share))
        self.looks = 0
        self.found = 0
        self._grown = False

    def next_leaf(self) -> Node | None:
        """Return the leaf to search next, for up to `budget` nodes.

        The result is None if the root is known, or if all remaining leaves are being searched.
        """
        while self.root.wins is None:
            self._grown = False
            leaf = self._pick(self.root, False) or self._pick(self.root, True)
            if leaf is not None or not self._grown:
                return leaf
            # The positions examined during the choice may have settled more nodes, so choose again.
        return None

    def record(self, leaf: Node, answer: Answer) -> None:
        """Record the result of searching a leaf."""
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
                self._store.keep(each.position, Answer(each.wins, each.move, each.nodes))

    def _pick(self, node: Node, speculating: bool) -> Node | None:
        """Return a leaf below a node that no thread is searching.

        With `speculating`, the leaf may be one that the stealer might not need.
        """
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
        """Return the round in which the node is to be searched.

        The round is 0 while few nodes have been abandoned below the node.
        """
        times = node.given_up / max(self.budget, node.likely)
        return 0 if times < 1 else 1 + int(log(times, GROWTH))

    def _is_found(self, node: Node) -> bool:
        """Settle the node if the store holds its position, and return whether it does."""
        known = self._store.find(node.position)
        if known is None or known.wins is None:
            return False
        self._grown = True
        self.found += known.nodes
        for each in node.line():
            each.nodes += known.nodes
        self._settle(node, known.wins, known.move)
        return True

    def _grow(self, node: Node) -> None:
        """Examine a position: settle it, or add a child for each distinct move left."""
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


def likely_nodes(position: Position) -> float:
    """Estimate the nodes the solver needs, from the numbers of blank and blocked squares.

    The estimate is fitted to the medians measured on 7x7, 8x8, 9x9 and 9x11. It grows by a factor of e for every 2.8
    additional blanks and shrinks by the same factor for every 4.6 additional blocked squares. Each remaining placement
    multiplies it by 10.
    """
    starts = 10.0 ** ((position.first is None) + (position.second is None))
    return starts * _likely_nodes(position.board, position.blank_count)


def most_blanks(board: Board, nodes: float) -> int:
    """Return the largest number of blanks for which the solver is likely to need at most `nodes`.

    Both players are placed. The result is -1 if there is none.
    """
    fitting = [n for n in range(board.size - 1) if _likely_nodes(board, n) <= nodes]
    return max(fitting, default=-1)


def _likely_nodes(board: Board, blanks: int) -> float:
    blocked = board.size - blanks - 2
    return exp(12.5 + 0.36 * (blanks - 47) - 0.216 * blocked)
