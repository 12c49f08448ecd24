"""The student's plain-Python alpha-beta is right, and visits what Isolarium's does."""

import random

import pytest

from isolarium.bench import POSITIONS, WIN, positions_of, student_search, turns
from isolarium.game.board import Board
from isolarium.heuristics.bound_heuristic import parse_heuristic
from isolarium.limits import Limit
from isolarium.search.alphabeta import AlphaBeta
from tests.search.awkward import played_position, small_trees
from tests.search.minimax_reference import Node, Value, minimax, rank_of

IMPROVED = parse_heuristic("improved")


def rank(value: float) -> Value:
    """A student's value in the order of values."""
    if abs(value) < WIN / 2:
        return 0, value
    return (2, value - WIN) if value > 0 else (-2, value + WIN)


def test_equals_the_reference() -> None:
    for _, tree in small_trees(1, 120):
        position = tree.position
        if position.first is not None and position.second is not None:
            plain = Node.root(position, IMPROVED.plain)
            for depth in (1, 2, 3, 4):
                value, _ = student_search(position, depth)
                assert rank(value) == minimax(plain, depth).value, position


@pytest.mark.parametrize("shape", [(4, 5), (5, 5), (7, 7)])
def test_visits_the_same_nodes_as_isolarium(shape: tuple[int, int]) -> None:
    chance, ours = random.Random(1), AlphaBeta(IMPROVED)
    for _ in range(30):
        position = played_position(Board(*shape), chance.randrange(2, 9), chance)
        for depth in (1, 2, 5, 7):
            value, nodes = student_search(position, depth)
            report = ours.choose(position, Limit(depth=depth)).report
            assert (rank(value), nodes) == (rank_of(report), report.nodes), position


def test_positions_are_on_their_boards_and_far_from_over() -> None:
    for board in POSITIONS:
        for position in positions_of(board):
            assert str(position.board) == board
            assert len(position.legal_moves()) > 1
    for position in turns():
        assert position.board == Board(7, 7)
        assert position.blank_count >= 39
