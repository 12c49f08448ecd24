"""Minimax and alpha-beta once more, slowly, over plain positions: the compiled searches are tested equal to them.

Both see the board as it is and try moves row by row, as the compiled searches do without a seed. A value is a pair that
sorts as values should: a loss, the later the better; a heuristic's -inf; a finite number; +inf; a win, the sooner the
better.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property

from isolarium.game.board import Square
from isolarium.game.position import Player, Position
from isolarium.game.view import PlainView
from isolarium.search.protocol import Report

Evaluate = Callable[[PlainView, int, int], float]
Value = tuple[int, float]
Line = tuple[Square, ...]

LOWEST: Value = (-3, 0)
HIGHEST: Value = (3, 0)


@dataclass(eq=False)
class Node:
    """A position `ply` moves after the root, and what the root's player thinks of it."""

    position: Position
    evaluate: Evaluate
    player: Player
    ply: int = 0

    @classmethod
    def root(cls, position: Position, evaluate: Evaluate) -> "Node":
        return cls(position, evaluate, position.to_move)

    @cached_property
    def children(self) -> list[tuple[Square, "Node"]]:
        return [
            (move, Node(self.position.play(move), self.evaluate, self.player, self.ply + 1))
            for move in self.position.legal_moves()
        ]

    @cached_property
    def static(self) -> Value:
        """The value without looking ahead."""
        outcome = self.position.outcome()
        if outcome is not None:
            return (2, -self.ply) if outcome.winner == self.player else (-2, self.ply)
        own = self.position.square_of(self.player)
        opp = self.position.square_of(self.player.other)
        if own is None or opp is None:
            return 0, 0.0
        board, blank = self.position.board, self.position.blank
        squares = frozenset(i for i in range(board.size) if blank >> i & 1)
        view = PlainView(board, squares, self.position.to_move == self.player)
        return rank(self.evaluate(view, board.index(own), board.index(opp)))

    @property
    def maximises(self) -> bool:
        return self.position.to_move == self.player

    def after(self, line: Line) -> "Node":
        """The node at the end of a line of legal moves."""
        node = self
        for move in line:
            node = dict(node.children)[move]
        return node


def rank(value: float) -> Value:
    """A heuristic's value in the order of values."""
    if math.isnan(value) or value == -math.inf:
        return -1, 0
    return (1, 0) if value == math.inf else (0, value)


def rank_of(report: Report) -> Value:
    """What a search reports, in the order of values."""
    assert report.score is not None
    if report.proven:
        assert math.isinf(report.score)
        assert report.plies is not None
        return (2, -report.plies) if report.score > 0 else (-2, report.plies)
    return rank(report.score)


@dataclass(frozen=True)
class Result:
    """The value to a depth, the first line that leads to it, and how many positions were entered."""

    value: Value
    line: Line
    nodes: int


def minimax(node: Node, depth: int) -> Result:
    if depth == 0 or not node.children:
        return Result(node.static, (), 1)
    below = [(move, minimax(child, depth - 1)) for move, child in node.children]
    choose = max if node.maximises else min
    move, best = choose(below, key=lambda found: found[1].value)  # the first of equals
    nodes = 1 + sum(found.nodes for _, found in below)
    return Result(best.value, (move, *best.line), nodes)


@cache
def known_minimax(node: Node, depth: int) -> Result:
    """The same, worked out once for all the tests that ask."""
    return minimax(node, depth)


def alphabeta(node: Node, depth: int, alpha: Value = LOWEST, beta: Value = HIGHEST) -> Result:
    """Fail-hard alpha-beta: no move is tried once the window is empty."""
    if depth == 0 or not node.children:
        return Result(node.static, (), 1)
    nodes, line = 1, Line()
    for move, child in node.children:
        found = alphabeta(child, depth - 1, alpha, beta)
        nodes += found.nodes
        if node.maximises and found.value > alpha:
            alpha, line = found.value, (move, *found.line)
        elif not node.maximises and found.value < beta:
            beta, line = found.value, (move, *found.line)
        if alpha >= beta:
            break
    return Result(alpha if node.maximises else beta, line, nodes)
