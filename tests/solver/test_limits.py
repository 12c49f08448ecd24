"""A limit ends a search with 'unknown', and the nodes of an answer depend on the position alone."""

import random
from collections.abc import Callable
from itertools import count

import pytest

from isolarium import limits
from isolarium.game.notation import parse_position
from isolarium.limits import Limit
from isolarium.solver import depth_to_win, winloss
from isolarium.solver.solution import Solution
from isolarium.solver.solver import Solver
from tests.agents.foreign import after_calls
from tests.solver.positions import random_position

SIGNATURE = {
    "7/7/2A4/7/4B2/7/7 a": 119_617,
    "B6/2A4/7/7/7/7/7 a": 783_435,
    "3x3/1x5/4xB1/2A4/4x2/6x/4x2 a": 6_922,
    "5/5/1A3/5/4B a": 476,
    "1xx1x6/3xx3x2/xxxxxxxx3/3x1xxx3/xx1xxxxxx2/2xxxx2x2/1xBx1A2x2/10x/11 b": 38_019,
}
"""The nodes of five positions. They change with every change of the search, which has to be announced."""

HARD = parse_position("9/9/2A6/9/9/9/9/6B2/9 a")


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver()


@pytest.mark.parametrize("text", SIGNATURE)
def test_node_counts_are_the_signature(text: str, solver: Solver) -> None:
    assert solver.solve(parse_position(text)).nodes == SIGNATURE[text]


def test_node_counts_do_not_depend_on_earlier_positions(solver: Solver) -> None:
    rng = random.Random(30)
    positions = [random_position(rng, 25) for _ in range(300)]
    before = [solver.solve(position).nodes for position in positions]
    assert [Solver().solve(position).nodes for position in positions[:20]] == before[:20]
    assert [solver.solve(position).nodes for position in reversed(positions)] == before[::-1]


@pytest.mark.parametrize("slice_nodes", [1, 7, 1000])
def test_slices_change_nothing(slice_nodes: int, monkeypatch: pytest.MonkeyPatch, solver: Solver) -> None:
    rng = random.Random(31)
    positions = [random_position(rng, 14) for _ in range(200)]
    whole = [(solver.solve(each), solver.solve_distance(each)) for each in positions]
    monkeypatch.setattr(winloss, "SLICE_NODES", slice_nodes)
    monkeypatch.setattr(winloss, "SLICE_STEPS", slice_nodes)
    monkeypatch.setattr(depth_to_win, "SLICE_NODES", slice_nodes)
    assert [(solver.solve(each), solver.solve_distance(each)) for each in positions] == whole


@pytest.mark.slow
@pytest.mark.parametrize("most", [1, 2, 100, 20_000, 30_001, 2_000_001, 2_500_000])
def test_a_limit_in_nodes_gives_unknown_and_is_kept(most: int, solver: Solver) -> None:
    solution = solver.solve(HARD, Limit(nodes=most))
    assert (solution.wins, solution.move) == (None, None)
    assert most <= solution.nodes <= most + 50  # a few are looked at to choose what to search


def test_answers_within_a_limit_are_right(solver: Solver) -> None:
    rng = random.Random(32)
    unknown = 0
    for _ in range(400):
        position = random_position(rng, 18)
        truth = solver.solve_distance(position)
        for most in (1, 3, 10, 40):
            limited = solver.solve_distance(position, Limit(nodes=most))
            unknown += limited.wins is None
            assert limited.wins in (None, truth.wins)
            assert limited.plies in (None, truth.plies)
    assert unknown > 50


@pytest.mark.parametrize(
    "limited",
    [
        lambda solver: solver.solve(HARD, Limit(time_ms=20)),
        lambda solver: solver.solve_distance(HARD, Limit(time_ms=20)),
        lambda solver: solver.solve(HARD, stop=after_calls(20)),
    ],
    ids=["time", "time of a distance", "being told to"],
)
def test_other_limits_give_unknown_after_as_many_checks(
    limited: Callable[[Solver], Solution], solver: Solver, monkeypatch: pytest.MonkeyPatch
) -> None:
    milliseconds = count()  # the clock advances by one at every look
    monkeypatch.setattr(limits, "perf_counter_ns", lambda: next(milliseconds) * 1_000_000)
    found = limited(solver)
    assert found.wins is None
    assert 0 < found.nodes <= 20 * winloss.SLICE_NODES
