"""Min/max approximation in plain Python, straight from the paper's rule, and slow.

Before every step the whole tree is evaluated again from its tips, with the values themselves and not their logarithms.
The only part shared with the search is its rounding, because ties depend on it: see `ln`.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from isolarium.game import Player, Position
from isolarium.game.board import Square
from isolarium.game.view import PlainView
from isolarium.native.arithmetic import natural_log

Line = tuple[Square, ...]


def rounded(x: float) -> float:
    """A multiple of 2**-44, the upper one where two are as near: sums of these are exact."""
    return math.floor(x * 2**44 + 0.5) / 2**44


def ln(value: float) -> float:
    return rounded(natural_log(value))


@dataclass(frozen=True)
class Rule:
    """The player that values are for, and the kind of approximation."""

    value: Callable[[PlainView, int, int], float]
    max_player: Player
    reverse: bool = True
    constant: float = 0.05
    p: float = 10.0
    scale: float = 10.0
    proven: bool = True

    def static(self, position: Position) -> float:
        """The value of a position without looking ahead."""
        outcome = position.outcome()
        if outcome is not None:
            return self.of_winner(outcome.winner)
        h = self.heuristic(position)
        if math.isinf(h):
            return 1022.0 if h > 0 else 2.0
        return 512 + 510 * h / (self.scale + abs(h))

    def of_winner(self, winner: Player) -> float:
        return 1023.0 if winner == self.max_player else 1.0

    def heuristic(self, position: Position) -> float:
        own, opp = position.square_of(self.max_player), position.square_of(self.max_player.other)
        if own is None or opp is None:
            return 0.0
        board = position.board
        blank = frozenset(i for i in range(board.size) if position.blank >> i & 1)
        view = PlainView(board, blank, position.to_move == self.max_player)
        return self.value(view, board.index(own), board.index(opp))

    def back_up(self, values: list[float], maximises: bool) -> float:
        if self.reverse:
            return max(values) if maximises else min(values)
        q = self.p if maximises else -self.p
        return float((math.fsum(a**q for a in values) / len(values)) ** (1 / q))

    def edge_penalties(self, values: list[float], maximises: bool) -> list[float]:
        backed_up = self.back_up(values, maximises)
        if self.reverse:
            constant = rounded(self.constant)
            return [constant + abs(ln(a) - ln(backed_up)) for a in values]
        q = self.p if maximises else -self.p
        return [-math.log((a / backed_up) ** (q - 1) / len(values)) for a in values]


@dataclass
class Grown:
    """A node: a position with its successors, none before it is grown."""

    position: Position
    line: Line = ()
    children: list["Grown"] = field(default_factory=list)

    def grow(self) -> None:
        self.children = [Grown(self.position.play(move), (*self.line, move)) for move in self.position.legal_moves()]


@dataclass(frozen=True)
class Judgement:
    """What is known of a node: its value, its winner if proven, the best path's penalty and its tip."""

    value: float
    winner: Player | None
    penalty: float
    tip: Grown


def judge(node: Grown, rule: Rule) -> Judgement:
    """Work a node out from the positions below it."""
    outcome = node.position.outcome()
    if outcome is not None:
        return Judgement(rule.static(node.position), outcome.winner, math.inf, node)
    if not node.children:
        return Judgement(rule.static(node.position), None, 0.0, node)
    below = [judge(child, rule) for child in node.children]
    mover = node.position.to_move
    winners = {child.winner for child in below}
    winner = mover if mover in winners else mover.other if winners == {mover.other} else None
    if rule.proven and winner is not None:
        return Judgement(rule.of_winner(winner), winner, math.inf, node)
    values = [child.value for child in below]
    maximises = mover == rule.max_player
    edges = rule.edge_penalties(values, maximises)
    totals = [child.penalty + edge for child, edge in zip(below, edges, strict=True)]
    first = totals.index(min(totals))
    return Judgement(rule.back_up(values, maximises), winner, totals[first], below[first].tip)


def grow_tree(position: Position, rule: Rule, nodes: int) -> tuple[Grown, list[Line]]:
    """The tree at a limit of nodes, and the lines to the nodes that were grown, in that order."""
    root, grown, entered = Grown(position), list[Line](), 1
    while True:
        known = judge(root, rule)
        width = len(known.tip.position.legal_moves())
        if math.isinf(known.penalty) or entered + width > nodes:
            return root, grown
        known.tip.grow()
        entered += width
        grown.append(known.tip.line)
