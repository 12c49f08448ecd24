"""The champion's search: exact minimax without pruning, and correct proofs with it."""

import random

import pytest

from isolarium.agents.prover import Prover
from isolarium.game.board import Board
from isolarium.game.position import Position
from isolarium.limits import Limit
from isolarium.search import alphabeta_common
from isolarium.search.alphabeta import AlphaBeta
from isolarium.search.champion import Champion
from isolarium.search.protocol import Search
from isolarium.solver.solver import Solver
from tests.search.awkward import (
    DEEPEST,
    KINDS,
    awkward_heuristic,
    played_position,
    scattered_position,
    small_trees,
    timeless,
    trees,
)
from tests.search.minimax_reference import known_minimax, minimax, rank_of

FEWER = {1: 150, 2: 60, 3: 40}


@pytest.fixture(params=["usual table", "tiny table"])
def searches(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> dict[str, Champion]:
    """A non-selective search for each kind of heuristic."""
    if request.param == "tiny table":
        monkeypatch.setattr(alphabeta_common, "LEAST_BITS", 3)
        monkeypatch.setattr(alphabeta_common, "MOST_BITS", 3)
    return {kind: Champion(awkward_heuristic(kind), selective=False) for kind in KINDS}


@pytest.mark.slow
def test_equals_the_reference_at_every_depth(searches: dict[str, Champion]) -> None:
    for kind, tree in trees(FEWER):
        for depth in range(1, DEEPEST + 1):
            report = searches[kind].choose(tree.position, Limit(depth=depth)).report
            assert rank_of(report) == known_minimax(tree, depth).value, tree.position


def test_its_line_leads_to_the_score(searches: dict[str, Champion]) -> None:
    """The line may end early where the table knew the rest."""
    for kind, tree in trees(FEWER):
        report = searches[kind].choose(tree.position, Limit(depth=6), 3).report
        rest = minimax(tree.after(report.pv), report.depth - len(report.pv))
        assert rest.value == rank_of(report), tree.position


@pytest.mark.parametrize(("shape", "depths"), [((5, 5), range(9, 12)), ((9, 11), range(5, 9))])
def test_equals_alphabeta_where_trees_are_large(
    shape: tuple[int, int], depths: range, searches: dict[str, Champion]
) -> None:
    chance = random.Random(2)
    for game in range(40):
        position = played_position(Board(*shape), chance.randrange(2, 12), chance)
        kind = list(KINDS)[game % len(KINDS)]
        plain = AlphaBeta(awkward_heuristic(kind))
        for depth in depths:
            for limit in (Limit(depth=depth), Limit(depth=depth, nodes=10**9)):
                expected = plain.choose(position, limit, game).report
                found = searches[kind].choose(position, limit, game).report
                assert rank_of(found) == rank_of(expected), position


@pytest.mark.parametrize(("shape", "amount"), [((5, 6), 500), ((7, 7), 500), ((9, 11), 60)])
def test_proven_results_are_true(shape: tuple[int, int], amount: int) -> None:
    """It holds for one thread, for several, and with the solver."""
    solver, proven = Solver(), {True: 0, False: 0}
    searches: list[Search] = [
        Champion(awkward_heuristic("fine")),
        Champion(awkward_heuristic("infinite"), threads=3),
        Prover(awkward_heuristic("uneven")),
    ]
    chance = random.Random(amount)
    for seed in range(amount):
        position = scattered_position(Board(*shape), chance)
        wins = solver.solve(position).wins
        for search in searches:
            choice = search.choose(position, Limit(nodes=3000), seed)
            assert position.is_legal(choice.move)
            assert choice.report.nodes <= 3000
            if choice.report.proven:
                assert choice.report.score == (float("inf") if wins else float("-inf")), position
                proven[choice.report.score > 0] += 1
                if wins:
                    assert not solver.solve(position.play(choice.move)).wins, position
    assert min(proven.values()) > amount // 4


def test_slices_do_not_affect_the_result() -> None:
    chance = random.Random(1)
    limit = Limit(nodes=2000)
    for kind, tree in trees(FEWER):
        position, seed = tree.position, chance.choice([None, 5])
        sliced = Champion(awkward_heuristic(kind))
        sliced.start(position, limit, seed)
        quota, finished = 0, False
        while quota < 2000 and not finished:
            quota = min(2000, quota + chance.choice([1, 2, 9, 100]))
            finished = sliced.extend(quota)
            assert sliced.best().report.nodes <= quota
        whole = Champion(awkward_heuristic(kind)).choose(position, limit, seed)
        assert timeless(sliced.best()) == timeless(whole), position


def test_the_limit_of_nodes_is_never_passed() -> None:
    positions = [tree.position for _, tree in small_trees(1, FEWER[1])[:20]]
    for search in (Champion(awkward_heuristic("uneven")), Prover(awkward_heuristic("uneven"))):
        for position in [*positions, Position.empty(Board(5, 5)), Position.empty(Board(13, 13))]:
            for nodes in [*range(1, 40), 200, 1234]:
                report = search.choose(position, Limit(nodes=nodes), 1).report
                assert 1 <= report.nodes <= nodes
                assert position.is_legal(report.pv[0])


def test_it_needs_fewer_nodes_than_alphabeta_and_fewer_still_if_selective() -> None:
    chance = random.Random(6)
    positions = [played_position(Board(9, 11), plies, chance) for plies in range(2, 22)]

    def nodes(search: Search) -> int:
        return sum(search.choose(position, Limit(depth=8)).report.nodes for position in positions)

    heuristic = awkward_heuristic("fine")
    everything = nodes(Champion(heuristic, selective=False))
    assert everything < 0.6 * nodes(AlphaBeta(heuristic))
    assert nodes(Champion(heuristic)) < 0.8 * everything


def test_threads_divide_the_nodes_and_run_only_during_advance() -> None:
    search = Champion(awkward_heuristic("fine"), threads=2)
    position = played_position(Board(9, 11), 6, random.Random(8))
    search.start(position, Limit(nodes=400_000), 1)
    search.advance(lambda: True)
    stopped = search.best().report.nodes
    assert search.best().report.nodes == stopped < 400_000
    search.advance()
    assert 200_000 <= search.best().report.nodes <= 400_000
