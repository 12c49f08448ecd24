"""Solvers in threads do not disturb each other."""

import gc
import random
import weakref
from threading import Barrier, Thread
from typing import Any

import numpy as np
import pytest

from isolab.game.board import Board
from isolab.game.geometry import geometry
from isolab.game.symmetry import Symmetry
from isolab.solver import searching
from isolab.solver.many import solve_many
from isolab.solver.solution import Solution
from isolab.solver.solver import Solver
from isolab.solver.starts import starts

BOARD = Board(6, 6)


def test_tables_live_as_long_as_the_search_that_reads_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads that ask for a board's tables at the same time get some that nothing else keeps alive."""
    alive: list[weakref.ref[Any]] = []

    def tables_of_my_own(board: Board, symmetry: Symmetry) -> Any:
        copy = np.array(geometry(board, symmetry))
        alive.append(weakref.ref(copy))
        return copy

    def stop() -> bool:
        gc.collect()
        assert not alive or alive[-1]() is not None
        return False

    start = starts(BOARD)[3]
    truth = Solver().solve_distance(start, most_nodes=40_000)
    monkeypatch.setattr(searching, "geometry", tables_of_my_own)
    assert Solver().solve_distance(start, most_nodes=40_000, stop=stop) == truth
    assert alive


def test_threads_that_begin_together_agree() -> None:
    rng = random.Random(70)
    truth = {start: Solver().solve(start) for start in rng.sample(starts(BOARD), 12)}
    for _ in range(10):
        geometry.cache_clear()
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
