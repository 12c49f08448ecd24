"""What a hard position was solved in: the positions on the way that are proved, in memory or in a file.

With a file, whatever ends the work, it goes on from there later.
"""

from collections.abc import Callable, Iterator
from math import log
from pathlib import Path
from typing import Final

from isolarium.errors import InputError
from isolarium.game.board import Board, Square
from isolarium.game.position import Position
from isolarium.game.symmetry import canonical
from isolarium.solver.mirror import is_mirror
from isolarium.solver.solution import Check, Solution, SolutionFile, contradiction, read_solutions
from isolarium.solver.start_map import law_says_win
from isolarium.solver.winloss import Answer, likely_nodes


class SubproblemStore:
    """What is proved of positions, of all images of each: kept here as long as the root is being solved."""

    def __init__(self) -> None:
        self._known: dict[Position, Answer] = {}

    def find(self, position: Position) -> Answer | None:
        """What is known of a position; its nodes are told once, so that nobody counts them twice."""
        image, symmetry = canonical(position)
        found = self._known.get(image)
        if found is None:
            return None
        self._known[image] = found._replace(nodes=0)
        if found.move is None:
            return found
        return found._replace(move=symmetry.inverse.square(found.move, image.board))

    def keep(self, position: Position, answer: Answer) -> None:
        """Keep what was proved of a position, and has been counted."""
        image, move = _image(position, answer.move)
        self._known[image] = Answer(answer.wins, move, 0)


class SubproblemFile(SubproblemStore):
    """What is proved of positions of one board, kept in a file.

    Args:
        path: where it is, or is to be.
        board: the board.

    Raises:
        InputError: it is something else, cannot be written to, or somebody is writing to it.
    """

    def __init__(self, path: Path, board: Board) -> None:
        super().__init__()
        self._file = SolutionFile(path, _check_on(board))
        for solution in self._file.solutions.values():
            image, move = _image(solution.position, solution.move)
            self._known[image] = Answer(solution.wins, move, solution.nodes)

    def __len__(self) -> int:
        """How many positions it holds."""
        return len(self._known)

    def keep(self, position: Position, answer: Answer) -> None:
        """Keep what was proved of a position; it is on disk when this returns."""
        if canonical(position)[0] not in self._known:
            self._file.add(Solution(position, *answer))
        super().keep(position, answer)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def read_subproblems(path: Path, board: Board) -> list[Solution]:
    """What a file of parts holds.

    Raises:
        InputError: it is something else, or cannot be read.
    """
    known = read_solutions(path, _check_on(board), "a record of solved positions")
    return list(known.values())


def _image(position: Position, move: Square | None) -> tuple[Position, Square | None]:
    """The least image of a position, and that of a move."""
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


class ProofTree:
    """The tree above the leaves, and which of them to search next.

    Args:
        position: the root, both players placed.
        look: what is seen of a position at once, as `WinLossSearch.look`.
        store: what is known of positions already, and where to keep more.

    Attributes:
        budget: the nodes that a leaf may cost.
        looks: how many positions were looked at, a node each.
        found: the nodes that somebody once spent on what was known already.
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

    def record(self, leaf: Node, answer: Answer) -> None:
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
                self._store.keep(each.position, Answer(each.wins, each.move, each.nodes))

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
