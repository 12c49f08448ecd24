"""Monte-Carlo tree search once more, slowly, over plain positions: the compiled one is tested equal to it.

It sees the board as it is and tries the root's moves row by row, as the compiled search does without a seed.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from isolarium.game.board import Square
from isolarium.game.position import Position

WORD = (1 << 64) - 1


def mixed(word: int) -> int:
    """SplitMix64's finaliser."""
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & WORD
    word = (word ^ word >> 27) * 0x94D049BB133111EB & WORD
    return word ^ word >> 31


class Generator:
    """SplitMix64, as it begins without a seed."""

    def __init__(self) -> None:
        self.word = mixed(WORD)

    def below(self, bound: int) -> int:
        self.word = (self.word + 0x9E3779B97F4A7C15) & WORD
        return (mixed(self.word) >> 32) * bound >> 32


@dataclass
class Node:
    """A position of the tree; wins are those of the player who moved there, `won` is about the player to move."""

    position: Position
    square: Square | None = None
    visits: int = 0
    wins: int = 0
    children: list["Node"] = field(default_factory=list)
    won: bool | None = None
    plies: int = 0

    def expand(self) -> None:
        self.children = [Node(self.position.play(s), s) for s in self.position.legal_moves()]

    def full_depth(self) -> float:
        """Plies below that have been entered on every line, but where a line ends or is proven."""
        if self.won is not None:
            return math.inf
        if not self.visits:
            return -1
        return 1 + min(child.full_depth() for child in self.children) if self.children else 0

    def choice(self) -> "Node":
        """The child to play."""

        def rank(child: Node) -> tuple[int, int, int]:
            if child.won is None:
                return 1, 0, child.visits
            return (0, child.plies, child.visits) if child.won else (2, 0, 0)

        return max(self.children, key=rank)


@dataclass
class Search:
    """A search of so many nodes; `root` is its tree."""

    root: Node
    budget: int
    c: float
    generator: Generator = field(default_factory=Generator)
    nodes: int = 0

    def run(self) -> None:
        """Iterate until the root is proven or the nodes are spent."""
        self.root.expand()
        self.root.visits = 1
        while self.root.won is None:
            path = list(self.descend())
            end = self.roll_out(path[-1].position) if self.nodes <= self.budget else None
            if end is None or self.nodes > self.budget:
                self.nodes = self.budget
                return
            self.back_up(path, end)

    def descend(self) -> Iterator[Node]:
        node = self.root
        self.nodes += 1
        yield node
        while node.visits > 0 and self.nodes <= self.budget:
            if not node.children:
                node.expand()
                for last in range(len(node.children) - 1, 0, -1):
                    other = self.generator.below(last + 1)
                    children = node.children
                    children[last], children[other] = children[other], children[last]
            node = self.select(node)
            self.nodes += 1
            yield node

    def select(self, node: Node) -> Node:
        for child in node.children:
            if not child.visits:
                return child

        def bound(child: Node) -> float:
            return child.wins / child.visits + self.c * math.sqrt(math.log(node.visits) / child.visits)

        return max((child for child in node.children if child.won is None), key=bound)

    def roll_out(self, position: Position) -> Position:
        while moves := position.legal_moves():
            position = position.play(moves[self.generator.below(len(moves))])
            self.nodes += 1
        return position

    def back_up(self, path: list[Node], end: Position) -> None:
        if path[-1].position is end:
            path[-1].won = False
        for node in reversed(path):
            node.visits += 1
            node.wins += node.position.to_move == end.to_move
            lost = [child for child in node.children if child.won is False]
            if lost:
                node.won, node.plies = True, lost[0].plies + 1
            elif node.children and all(child.won for child in node.children):
                node.won = False
                node.plies = 1 + max(child.plies for child in node.children)


def principal_variation(root: Node) -> tuple[Square, ...]:
    """The moves to play, one by one, as far as they have been entered."""
    line, node = [], root.choice()
    while True:
        assert node.square is not None
        line.append(node.square)
        if not node.children or not node.choice().visits:
            return tuple(line)
        node = node.choice()
