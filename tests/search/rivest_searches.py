"""Heuristics, positions and trees for the tests of min/max approximation."""

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from isolarium.game import Board, Position, parse_start
from isolarium.game.view import PlainView, col, mobility, row, squares
from isolarium.heuristics.bound_heuristic import Bound, bind, parse_heuristic
from isolarium.heuristics.definition import heuristic, heuristic_of
from isolarium.limits import Limit
from isolarium.search.minmax_approximation import MinMaxApproximation, Node, Tree
from isolarium.search.protocol import Choice
from tests.search.rivest_reference import Line

Settings = dict[str, Any]

REVERSE: Settings = {}
MEANS: Settings = {"reverse": False}


KINDS = {"flat": 0, "uneven": 1, "excited": 2, "sure to win": 3, "sure to lose": 4}


@heuristic
def opinion(view: PlainView, own: int, opp: int, kind: int = 0) -> float:
    """Heuristics of several kinds in one function, which is compiled once."""
    if kind == 1:
        # Values are never equal, so rounding decides no ties, and not antisymmetric.
        value = mobility(view, own) - 1.37 * mobility(view, opp)
        value += 0.1237 * row(view, own) - 0.0719 * col(view, opp) ** 2
        value += 0.517 if view.own_to_move else 0.0
        for s in squares(view.blank):
            value += 0.00613 * row(view, s) ** 3 - 0.00331 * col(view, s) ** 2
        return value
    if kind == 2:  # infinities in unfinished games
        if mobility(view, own) == 1:
            return -math.inf
        return math.inf if mobility(view, opp) == 1 else row(view, own)
    if kind >= 3:  # an infinity everywhere
        return math.inf if kind == 3 else -math.inf
    return 0.0  # the same everywhere


def bound(kind: str) -> Bound:
    found = heuristic_of(opinion)
    assert found is not None
    return bind(found, {"kind": KINDS[kind]})


FLAT, UNEVEN, EXCITED = map(bound, ("flat", "uneven", "excited"))
BALANCE = parse_heuristic("improved")
"""Small whole numbers, so ties are frequent."""


def play_randomly(board: Board, plies: int, draw: random.Random) -> Position:
    """Return an unfinished position after up to `plies` plies of random play."""
    position = Position.empty(board)
    for _ in range(plies):
        unfinished = [p for p in map(position.play, position.legal_moves()) if not p.outcome()]
        if not unfinished:
            break
        position = draw.choice(unfinished)
    return position


def sample(sizes: str, count: int, seed: int, most_plies: int = 12) -> list[Position]:
    """Return unfinished positions with both players placed, on boards such as `4x4 5x5`."""
    draw = random.Random(seed)
    boards = [parse_start(size).board for size in sizes.split()]
    return [play_randomly(draw.choice(boards), draw.randrange(2, most_plies), draw) for _ in range(count)]


@dataclass
class Search:
    """A finished search: its tree and its choice."""

    tree: Tree
    choice: Choice

    @property
    def root(self) -> Node:
        return self.tree.read()


def search(
    position: Position, evaluator: Bound, nodes: int, settings: Settings = REVERSE, seed: int | None = None
) -> Search:
    searching = MinMaxApproximation(evaluator, **settings)
    choice = searching.choose(position, Limit(nodes=nodes), seed)
    return Search(searching.tree, choice)


def grown_lines(root: Node, board: Board) -> list[Line]:
    """Return the lines to the expanded nodes, in the order of expansion."""
    found: list[tuple[tuple[int, int], Line]] = []

    def visit(node: Node, line: Line) -> None:
        if node.grown is not None:
            found.append((node.grown, line))
        for child in node.children:
            visit(child, (*line, board.square(child.move)))

    visit(root, ())
    return [line for _, line in sorted(found)]


def every_node(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from every_node(child)


def after(position: Position, line: Line) -> Position:
    """Return a position after the moves of a line."""
    for move in line:
        position = position.play(move)
    return position
