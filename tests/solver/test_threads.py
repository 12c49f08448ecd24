"""Solvers in threads do not disturb each other."""

import random
from threading import Barrier, Thread

import pytest

from isolab.game.board import Board
from isolab.solver.many import solve_many
from isolab.solver.solution import Solution
from isolab.solver.solver import Solver
from isolab.solver.starts import starts

BOARD = Board(6, 6)


def test_threads_that_begin_together_agree() -> None:
    rng = random.Random(70)
    truth = {start: Solver().solve(start) for start in rng.sample(starts(BOARD), 12)}
    for _ in range(10):
        found: dict[int, list[Solution]] = {}
        together = Barrier(4)

        def solve(number: int, together: Barrier = together) -> None:
            solver = Solver()
            together.wait()
            found[number] = [solver.solve(start) for start in truth]  # noqa: B023 # joined below

        threads = [Thread(target=solve, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all(solutions == list(truth.values()) for solutions in found.values())
        assert len(found) == 4


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_many_positions_are_each_answered_once(workers: int) -> None:
    positions = starts(Board(4, 5))
    alone = [Solver().solve(position) for position in positions]
    assert dict(solve_many(positions, workers)) == dict(enumerate(alone))
