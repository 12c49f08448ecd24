"""Solvers in threads do not disturb each other."""

import random
import subprocess
import sys
from threading import Barrier, Thread

import pytest

from isolarium.game.board import Board
from isolarium.solver.solution import Solution
from isolarium.solver.solver import Solver
from isolarium.solver.start_map import starts
from isolarium.solver.survey import solve_many
from tests.samples import how_many

pytestmark = pytest.mark.slow

BOARD = Board(6, 6)


def test_threads_that_begin_together_agree() -> None:
    rng = random.Random(70)
    truth = {start: Solver().solve(start) for start in rng.sample(starts(BOARD), 12)}
    for _ in range(how_many(10, 4)):
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


ON_FRESH_BOARDS = """
import sys
from threading import Barrier, Thread
from isolarium.game.notation import parse_position
from isolarium.solver.solver import Solver

def solve(start, together, found):
    solver = Solver()
    together.wait()
    solution = solver.solve(start)
    found.append((solution.wins, str(solution.move), solution.nodes))

for line in sys.stdin.read().splitlines():
    start, together, found = parse_position(line), Barrier(8), []
    threads = [Thread(target=solve, args=(start, together, found)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(len(found), set(found))
"""


def test_threads_that_begin_together_on_a_new_board_agree() -> None:
    """In a process of their own, so that there are no tables of any board yet."""
    rng = random.Random(71)
    boards = [Board(rows, cols) for rows in range(3, 8) for cols in range(3, 8)]
    asked = [rng.choice(starts(board)) for board in boards]
    truth = [Solver().solve(start) for start in asked]
    output = subprocess.run(
        [sys.executable, "-c", ON_FRESH_BOARDS],
        input="\n".join(map(str, asked)),
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert output == [f"8 { ({(one.wins, str(one.move), one.nodes)}) }" for one in truth]


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_many_positions_are_each_answered_once(workers: int) -> None:
    positions = starts(Board(4, 5))
    alone = [Solver().solve(position) for position in positions]
    assert dict(solve_many(positions, workers)) == dict(enumerate(alone))
