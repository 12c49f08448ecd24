"""Counts that others have published of this game under the name Joust: every position from two opposite corners.

GamesCrafters (University of California, Berkeley) printed them for boards of four by four and five by four squares.
"""

import pytest

from isolarium.game.board import Board, Square
from isolarium.game.position import Position
from isolarium.limits import Limit
from isolarium.solver.solver import ExactValues


def positions_from(start: Position) -> list[Position]:
    """Every position that can arise, the start included, each once."""
    found, left = {start}, [start]
    while left:
        position = left.pop()
        for move in position.legal_moves():
            after = position.play(move)
            if after not in found:
                found.add(after)
                left.append(after)
    return list(found)


def wins_by_rules(positions: list[Position]) -> dict[Position, bool]:
    """Whether the player to move wins, by the definition alone: later positions first."""
    wins = dict[Position, bool]()
    for position in sorted(positions, key=lambda one: one.blank_count):
        wins[position] = any(not wins[position.play(move)] for move in position.legal_moves())
    return wins


@pytest.mark.parametrize(
    ("rows", "cols", "count", "lost", "won", "terminal"),
    [(4, 4, 521, 287, 234, 154), pytest.param(5, 4, 16_211, 8_986, 7_225, 4_844, marks=pytest.mark.slow)],
)
def test_counts_are_the_published_ones(rows: int, cols: int, count: int, lost: int, won: int, terminal: int) -> None:
    start = Position.empty(Board(rows, cols)).play(Square(0, 0)).play(Square(rows - 1, cols - 1))
    wins = wins_by_rules(positions_from(start))
    assert len(wins) == count
    assert sum(wins.values()) == won
    assert sum(not win for win in wins.values()) == lost
    assert sum(position.outcome() is not None for position in wins) == terminal


def test_the_solver_agrees_on_every_position() -> None:
    start = Position.empty(Board(4, 4)).play(Square(0, 0)).play(Square(3, 3))
    truth = ExactValues(Limit(nodes=100_000))
    wins = wins_by_rules(positions_from(start))
    going = {position: win for position, win in wins.items() if position.outcome() is None}
    assert {position: truth.solve(position).wins for position in going} == going
