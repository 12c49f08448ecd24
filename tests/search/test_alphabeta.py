"""Minimax and alpha-beta find the minimax value, node for node as the plain references do."""

import math
import random
import subprocess
import sys

import pytest

from isolarium.errors import InputError
from isolarium.game.board import Board
from isolarium.game.notation import parse_position
from isolarium.game.position import Position
from isolarium.heuristics.bound_heuristic import parse_heuristic
from isolarium.limits import Limit
from isolarium.search.alphabeta import AlphaBeta
from isolarium.search.protocol import Report
from tests.search.awkward import (
    AMOUNTS,
    DEEPEST,
    KINDS,
    awkward_heuristic,
    played_position,
    small_trees,
    timeless,
    trees,
)
from tests.search.minimax_reference import Node, alphabeta, known_minimax, rank_of

DEPTHS = range(1, DEEPEST + 1)

SEARCHES = {(kind, prune): AlphaBeta(awkward_heuristic(kind), prune=prune) for kind in KINDS for prune in (False, True)}


def search(kind: str, position: Position, seed: int | None = None, *, prune: bool = True, **limits: int) -> Report:
    return SEARCHES[kind, prune].choose(position, Limit(**limits), seed).report


@pytest.mark.slow
def test_the_positions_cover_all_kinds_of_results() -> None:
    """Every kind, with wins, losses, both infinities and finite values among the results, and players to place."""
    values = {kind: {known_minimax(tree, 4).value[0] for k, tree in trees() if k == kind} for kind in KINDS}
    assert all({-2, 0, 2} <= found for found in values.values())
    assert {-1, 1} <= values["infinite"]
    assert -1 in values["no number"]
    assert sum(tree.position.placing for _, tree in trees()) >= 50


@pytest.mark.slow
@pytest.mark.parametrize("words", AMOUNTS)
def test_minimax_equals_the_reference_node_for_node(words: int) -> None:
    for kind, tree in small_trees(words, AMOUNTS[words]):
        for depth in DEPTHS:
            expected = known_minimax(tree, depth)
            report = search(kind, tree.position, prune=False, depth=depth)
            found = rank_of(report), report.pv, report.nodes
            assert found == (expected.value, expected.line, expected.nodes), tree.position


@pytest.mark.slow
@pytest.mark.parametrize("words", AMOUNTS)
def test_alphabeta_equals_minimax_and_visits_what_a_plain_one_does(words: int) -> None:
    for kind, tree in small_trees(words, AMOUNTS[words]):
        for depth in DEPTHS:
            expected, plain = known_minimax(tree, depth), alphabeta(tree, depth)
            report = search(kind, tree.position, depth=depth)
            found = rank_of(report), report.pv, report.nodes
            assert found == (expected.value, expected.line, plain.nodes), tree.position


@pytest.mark.parametrize("shape", [(5, 5), (7, 7), (9, 11), (13, 13)])
def test_open_boards_too_to_a_smaller_depth(shape: tuple[int, int]) -> None:
    chance = random.Random(8)
    for plies in (2, 3, 5, 8):
        position = played_position(Board(*shape), plies, chance)
        kind = chance.choice(list(KINDS))
        tree = Node.root(position, awkward_heuristic(kind).plain)
        for depth in (1, 2, 3, 4):
            full, pruned = known_minimax(tree, depth), alphabeta(tree, depth)
            for prune, nodes in ((False, full.nodes), (True, pruned.nodes)):
                report = search(kind, position, prune=prune, depth=depth)
                assert (rank_of(report), report.pv, report.nodes) == (full.value, full.line, nodes)


def test_iterative_deepening_equals_fixed_depth() -> None:
    for kind, tree in trees():
        for depth in DEPTHS:
            fixed = search(kind, tree.position, depth=depth)
            deepened = search(kind, tree.position, depth=depth, nodes=10**9)
            assert rank_of(deepened) == rank_of(fixed), tree.position
            assert deepened.depth == depth or deepened.proven or not tree.position.blank_count > depth
            assert deepened.pv == fixed.pv


def test_iterations_cost_what_they_cost_alone() -> None:
    for kind, tree in trees():
        deepened = search(kind, tree.position, depth=DEEPEST, nodes=10**9)
        alone = [search(kind, tree.position, depth=depth) for depth in DEPTHS[: deepened.depth]]
        assert deepened.nodes == sum(report.nodes for report in alone)


def test_every_symmetry_and_order_gives_the_same_value() -> None:
    for kind, tree in trees():
        fixed = search(kind, tree.position, depth=4)
        full = search(kind, tree.position, depth=4, prune=False)
        for seed in range(12):
            report = search(kind, tree.position, seed, depth=4)
            assert rank_of(report) == rank_of(fixed)
            shuffled = search(kind, tree.position, seed, prune=False, depth=4)
            assert (rank_of(shuffled), shuffled.nodes) == (rank_of(full), full.nodes)


def test_the_principal_variation_is_legal_and_ends_in_the_score() -> None:
    for kind, tree in trees():
        for seed in (None, 3):
            report = search(kind, tree.position, seed, depth=5)
            end = tree.after(report.pv)
            assert end.static == rank_of(report)
            assert len(report.pv) == 5 or end.position.outcome() is not None


@pytest.mark.parametrize("prune", [False, True])
def test_slices_do_not_affect_the_result(prune: bool) -> None:
    chance = random.Random(1)
    limit = Limit(depth=5, nodes=2000)
    for kind, tree in trees():
        position, seed = tree.position, chance.choice([None, 5])
        sliced = AlphaBeta(awkward_heuristic(kind), prune=prune)
        sliced.start(position, limit, seed)
        quota, finished = 0, False
        while quota < 2000 and not finished:
            quota = min(2000, quota + chance.choice([1, 2, 9, 100]))
            finished = sliced.extend(quota)
            assert sliced.best().report.nodes <= quota
        whole = SEARCHES[kind, prune].choose(position, limit, seed)
        assert timeless(sliced.best()) == timeless(whole), position


def test_the_limit_of_nodes_is_never_passed() -> None:
    positions = [tree.position for _, tree in small_trees(1, AMOUNTS[1])[:40]]
    for position in [*positions, Position.empty(Board(5, 5)), Position.empty(Board(13, 13))]:
        for nodes in [*range(1, 60), 200, 1234]:
            report = search("uneven", position, 1, nodes=nodes)
            assert 1 <= report.nodes <= nodes
            assert position.is_legal(report.pv[0])
            if report.depth:  # a whole iteration was done, and what it found is reported
                same = search("uneven", position, 1, depth=report.depth)
                assert (rank_of(same), same.pv) == (rank_of(report), report.pv)


def test_one_node_is_the_root_and_no_opinion() -> None:
    report = search("uneven", Position.empty(Board(7, 7)), 4, nodes=1)
    assert (report.nodes, report.depth, report.score, report.proven) == (1, 0, None, False)
    assert len(report.pv) == 1


def test_infinities_come_proven_and_not() -> None:
    reports = [search(kind, tree.position, depth=3) for kind, tree in trees()]
    found = {(report.score, report.proven) for report in reports}
    for score in (-math.inf, math.inf):
        assert {(score, False), (score, True)} <= found


def test_no_number_counts_as_minus_infinity() -> None:
    found = [
        search(kind, tree.position, depth=1)
        for kind, tree in trees()
        if kind == "no number" and known_minimax(tree, 1).value == (-1, 0)
    ]
    assert len(found) > 3
    assert {(report.score, report.proven) for report in found} == {(-math.inf, False)}


@pytest.mark.parametrize("prune", [False, True])
def test_a_forced_move_is_played(prune: bool) -> None:
    forced = [tree.position for _, tree in trees() if len(tree.position.legal_moves()) == 1]
    assert len(forced) > 20
    for position in forced:
        for limits in ({"nodes": 1}, {"nodes": 2}, {"depth": 5}, {"nodes": 5000}):
            report = search("infinite", position, 2, prune=prune, **limits)
            assert report.pv[0] == position.legal_moves()[0]


def test_a_lost_position_gets_the_move_that_lasts_longest() -> None:
    lost = [(kind, tree) for kind, tree in trees() if known_minimax(tree, DEEPEST).value[0] == -2]
    assert len(lost) > 20
    for kind, tree in lost:
        report = search(kind, tree.position, 1, nodes=10**7)
        assert (report.score, report.proven) == (-math.inf, True)
        assert report.plies == len(report.pv) == known_minimax(tree, DEEPEST).value[1]
        assert tree.after(report.pv).position.outcome() is not None


def test_a_won_position_is_won_in_the_fewest_moves() -> None:
    won = [(kind, tree) for kind, tree in trees() if known_minimax(tree, DEEPEST).value[0] == 2]
    assert len(won) > 20
    for kind, tree in won:
        report = search(kind, tree.position, 1, nodes=10**7)
        assert (report.score, report.proven) == (math.inf, True)
        assert report.plies == report.depth == -known_minimax(tree, DEEPEST).value[1]


@pytest.mark.parametrize("shape", [(3, 3), (7, 7), (9, 11), (13, 13)])
def test_players_are_placed_from_the_empty_board_on(shape: tuple[int, int]) -> None:
    position = Position.empty(Board(*shape))
    for seed in range(2):
        report = search("turn", position, seed, nodes=40_000)
        assert report.depth >= 1
        assert report.score is not None
        position = position.play(report.pv[0])
    assert position.first is not None
    assert position.second is not None


def test_the_second_player_is_placed_where_the_heuristic_likes_it() -> None:
    position = Position.empty(Board(7, 7)).play(Board(7, 7).squares[24])
    tree = Node.root(position, awkward_heuristic("fine").plain)
    report = search("fine", position, 6, depth=1)
    assert rank_of(report) == known_minimax(tree, 1).value
    assert report.score != 0


def test_a_game_that_is_over_is_refused() -> None:
    with pytest.raises(InputError, match=r"^xxx/xAx/xBx a: the game is over"):
        search("uneven", parse_position("xxx/xAx/xBx a"), depth=1)


def test_a_depth_beyond_the_end_of_the_game_is_no_harm() -> None:
    small = [(kind, tree) for kind, tree in trees() if tree.position.blank_count < 9]
    assert len(small) > 20
    for kind, tree in small:
        deep = search(kind, tree.position, depth=10**6)
        assert deep.proven
        assert rank_of(deep) == known_minimax(tree, 9).value


def test_memory_of_earlier_searches_does_not_affect_the_result() -> None:
    chance = random.Random(3)
    used = AlphaBeta(awkward_heuristic("fine"))
    for board in (Board(13, 13), Board(4, 4), Board(9, 11), Board(7, 7)):
        position = played_position(board, 4, chance)
        fresh = AlphaBeta(awkward_heuristic("fine"))
        limit = Limit(nodes=3000)
        assert timeless(used.choose(position, limit, 1)) == timeless(fresh.choose(position, limit, 1))


SCRIPT = """
from isolarium.game.notation import parse_start
from isolarium.heuristics.bound_heuristic import parse_heuristic
from isolarium.limits import Limit
from isolarium.search.alphabeta import AlphaBeta, Strong
improved = parse_heuristic("improved")
for search in AlphaBeta(improved), AlphaBeta(improved, prune=False), Strong(improved):
    for start in "7x7", "7/7/2A4/3x3/4B2/7/7 a":
        for seed in range(5):
            report = search.choose(parse_start(start), Limit(nodes=20_000), seed).report
            print(seed, report.nodes, report.depth, report.score, *report.pv)
"""


@pytest.mark.slow
def test_two_processes_agree() -> None:
    printed = [
        subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True) for _ in range(2)
    ]
    assert printed[0].stdout == printed[1].stdout
    lines = printed[0].stdout.splitlines()
    assert len(set(lines)) == len(lines) == 30
    improved = AlphaBeta(parse_heuristic("improved"))
    report = improved.choose(Position.empty(Board(7, 7)), Limit(nodes=20_000), 3).report
    assert lines[3].split()[1:3] == [str(report.nodes), str(report.depth)]
