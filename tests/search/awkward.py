"""Difficult heuristics in one compiled function, and positions small enough for a slow reference."""

import math
import random
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from itertools import count

from isolarium.game.board import Board
from isolarium.game.position import Player, Position
from isolarium.game.view import PlainView, col, filled, mobility, row
from isolarium.heuristics.bound_heuristic import Bound, bind
from isolarium.heuristics.definition import heuristic, heuristic_of
from isolarium.search.protocol import Choice
from tests.search.minimax_reference import Node

KINDS = {"uneven": 0, "infinite": 1, "turn": 2, "no number": 3, "fine": 4}


@heuristic
def awkward(view: PlainView, own: int, opp: int, kind: int = 0) -> float:
    """Heuristics of several kinds, none of them antisymmetric."""
    m, o = mobility(view, own), mobility(view, opp)
    if kind == 1:  # infinities of both signs in unfinished games
        if m == 1:
            return -math.inf
        return math.inf if o == 1 else m - o
    if kind == 2:  # depends on whose turn it is
        return m + 0.5 if view.own_to_move else filled(view) % 3 - 2 * o
    if kind == 3:
        return math.nan if (m + o) % 3 == 0 else m - 0.75 * o
    if kind == 4:  # almost never equal, and dependent on coordinates
        edge = 0.0071 * row(view, own) ** 3 - 0.0193 * col(view, opp) ** 2
        return m - 1.37 * o + edge + 0.011 * col(view, own)
    return m - 3 * o  # small whole numbers: ties abound


@cache
def awkward_heuristic(kind: str) -> Bound:
    found = heuristic_of(awkward)
    assert found is not None
    return bind(found, {"kind": KINDS[kind]})


def scattered_position(board: Board, chance: random.Random) -> Position:
    """Return a position on a board of which about half is blocked, more of it if it is large."""
    for _ in count():
        share = chance.uniform(0.1, 0.6) if board.size < 40 else chance.uniform(0.4, 0.65)
        blank = sum(1 << i for i in range(board.size) if chance.random() > share)
        first, second = chance.sample(range(board.size), 2)
        blank &= ~(1 << first | 1 << second)
        players = board.square(first), board.square(second)
        position = Position(board, blank, *players, chance.choice(list(Player)))
        if position.legal_moves():
            return position
    raise AssertionError


def scattered_start(board: Board, chance: random.Random) -> Position:
    """Return a position with few blanks in which at most one player is placed."""
    squares = chance.sample(range(board.size), chance.randrange(3, 7))
    start = Position(board, sum(1 << i for i in squares), None, None, Player.FIRST)
    return start if chance.random() < 0.5 else start.play(chance.choice(start.legal_moves()))


def played_position(board: Board, plies: int, chance: random.Random) -> Position:
    """Return an unfinished position after up to `plies` random moves."""
    for _ in count():
        position = Position.empty(board)
        for _ in range(plies):
            moves = position.legal_moves()
            if not moves:
                break
            position = position.play(chance.choice(moves))
        if position.legal_moves():
            return position
    raise AssertionError


def corridors(board: Board, chance: random.Random) -> Position:
    """Return a position in which each player has a single path without branches."""
    near = [{board.index(target) for target in board.knight_moves(s)} for s in board.squares]
    first, second = chance.sample(range(board.size), 2)
    if first in near[second]:
        return corridors(board, chance)
    paths, grows = ([first], [second]), [True, True]
    while any(grows):
        for player, path in enumerate(paths):
            taken = {*paths[0], *paths[1]}
            ways = [s for s in near[path[-1]] - taken if near[s] & taken == {path[-1]}]
            grows[player] = bool(ways)
            path += [chance.choice(ways)] if ways else []
    blank = sum(1 << square for path in paths for square in path[1:])
    return Position(board, blank, board.square(first), board.square(second), Player.FIRST)


BOARDS = {
    1: [Board(3, 5), Board(4, 4), Board(5, 4), Board(5, 5), Board(6, 6), Board(7, 7), Board(8, 8)],
    2: [Board(5, 13), Board(9, 11), Board(11, 11), Board(10, 8)],
    3: [Board(13, 10), Board(13, 13), Board(12, 13)],
}
"""Boards by the number of words in a set of their squares."""

DEEPEST = 6
MOST_NODES = 5000
AMOUNTS = {1: 180, 2: 60, 3: 60}
"""The number of small trees, by the words of their boards."""


@cache
def small_trees(words: int, amount: int) -> tuple[tuple[str, Node], ...]:
    """Return small trees, each with a kind of heuristic; in one of six, players are still to be placed."""
    chance = random.Random(words)
    found: list[tuple[str, Node]] = []
    while len(found) < amount:
        board = chance.choice(BOARDS[words])
        placing = len(found) % 6 == 5
        position = (scattered_start if placing else scattered_position)(board, chance)
        kind = chance.choice(list(KINDS))
        tree = Node.root(position, awkward_heuristic(kind).plain)
        if 40 < size_of(tree, DEEPEST) <= MOST_NODES:
            found.append((kind, tree))
    return tuple(found)


def trees(amounts: Mapping[int, int] = AMOUNTS) -> list[tuple[str, Node]]:
    """Return the given number of small trees for each number of words."""
    return [case for words, amount in amounts.items() for case in small_trees(words, amount)]


def size_of(node: Node, depth: int) -> int:
    """Return the number of positions within a depth, or a number above `MOST_NODES`."""
    size = 1
    if depth > 0:
        for _, child in node.children:
            size += size_of(child, depth - 1)
            if size > MOST_NODES:
                break
    return size


def timeless(choice: Choice) -> Choice:
    """Return the choice without its time, which differs from run to run."""
    return replace(choice, report=replace(choice.report, time_ms=0))
