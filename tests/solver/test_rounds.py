"""Searching the first plies in rounds, on one core or several, changes what an answer costs and nothing else."""

import random
from collections.abc import Callable

import pytest

from isolab.game.board import Board
from isolab.game.position import Position
from isolab.limits import Limit
from isolab.solver import solver
from isolab.solver.parallel import SplittingSolver
from isolab.solver.solver import Solver
from isolab.solver.starts import starts
from tests.solver.brute_force import BruteForce

pytestmark = pytest.mark.slow

BOARD = Board(5, 6)


@pytest.fixture
def _hard(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give up at once where it would take millions of nodes, and leave most leaves for a second or third round."""
    monkeypatch.setattr(solver, "PLAIN_NODES", 5)
    monkeypatch.setattr(solver, "FIRST_SHARE", 0.0)
    monkeypatch.setattr(solver, "LEAST_BUDGET", 3)


@pytest.mark.usefixtures("_hard")
@pytest.mark.parametrize("make", [Solver, lambda: SplittingSolver(3)], ids=["one core", "several"])
def test_answers_are_right(make: Callable[[], Solver]) -> None:
    rng = random.Random(40)
    truth, asked = BruteForce(BOARD), make()
    for position in _positions(rng, 120):
        solution = asked.solve(position)
        assert solution.wins == truth.wins(position), position
        if solution.wins:
            assert solution.move is not None
            assert not truth.wins(position.play(solution.move)), position


@pytest.mark.usefixtures("_hard")
def test_node_counts_of_one_core_are_reproducible() -> None:
    positions = _positions(random.Random(41), 30)
    counts = [[Solver().solve(position).nodes for position in positions] for _ in range(2)]
    assert counts[0] == counts[1]


@pytest.mark.usefixtures("_hard")
@pytest.mark.parametrize("make", [Solver, lambda: SplittingSolver(2)], ids=["one core", "several"])
def test_limits_give_unknown_and_never_a_guess(make: Callable[[], Solver]) -> None:
    truth, asked = BruteForce(BOARD), make()
    unknown = 0
    for position in _positions(random.Random(42), 60):
        for most in (1, 6, 10, 40, 150):
            wins = asked.solve(position, Limit(nodes=most)).wins
            unknown += wins is None
            assert wins in (None, truth.wins(position)), position
    assert unknown > 50


def _positions(rng: random.Random, many: int) -> list[Position]:
    """Starts, and what they become after a few random moves."""
    found = []
    for position in rng.choices(starts(BOARD), k=many):
        for _ in range(rng.randint(0, 6)):
            moves = position.legal_moves()
            if moves:
                position = position.play(rng.choice(moves))
        found.append(position)
    return found
