"""Rivest's min/max approximation: what it finds is true, and it keeps to its limits."""

import math
import random
from dataclasses import replace
from functools import cache

import pytest

from isolarium.errors import InputError
from isolarium.game import Board, Position, parse_position, parse_start
from isolarium.game.board import Square
from isolarium.heuristics.bound_heuristic import Bound
from isolarium.limits import Limit
from isolarium.search.minmax_approximation import MinMaxApproximation, Tree
from isolarium.search.protocol import Choice
from tests.search.rivest_reference import Rule
from tests.search.rivest_searches import (
    BALANCE,
    EXCITED,
    FLAT,
    MEANS,
    REVERSE,
    UNEVEN,
    Settings,
    after,
    bound,
    every_node,
    grown_lines,
    play_randomly,
    sample,
    search,
)

# Against brute force


@cache
def wins(position: Position) -> bool:
    """Whether the player to move wins with best play."""
    return any(not wins(position.play(move)) for move in position.legal_moves())


@pytest.mark.parametrize("settings", [REVERSE, MEANS], ids=str)
@pytest.mark.parametrize("evaluator", [FLAT, BALANCE, EXCITED], ids=str)
def test_finds_the_winning_moves_of_small_positions(evaluator: Bound, settings: Settings) -> None:
    searching = MinMaxApproximation(evaluator, **settings)
    choices = 0
    positions = sample("4x4 4x5 5x4", 100, seed=7, most_plies=6)
    for number, position in enumerate(positions):
        winning = [m for m in position.legal_moves() if not wins(position.play(m))]
        choice = searching.choose(position, Limit(nodes=200_000), number)
        assert choice.report.proven
        assert (choice.report.score == math.inf) == bool(winning)
        assert choice.move in (winning or position.legal_moves())
        choices += 0 < len(winning) < len(position.legal_moves())
        assert_line_ends_the_game(position, choice)
    assert choices > 10


def assert_line_ends_the_game(position: Position, choice: Choice) -> None:
    end = after(position, choice.report.pv)
    outcome = end.outcome()
    assert outcome is not None
    assert (outcome.winner == position.to_move) == (choice.report.score == math.inf)
    assert choice.report.plies == len(choice.report.pv)
    assert choice.move == choice.report.pv[0]


@pytest.mark.parametrize("nodes", [20, 100, 500])
@pytest.mark.parametrize("settings", [REVERSE, MEANS], ids=str)
def test_a_verdict_is_always_true(settings: Settings, nodes: int) -> None:
    searching = MinMaxApproximation(EXCITED, **settings)
    for number, position in enumerate(sample("4x4 4x5", 60, seed=8, most_plies=7)):
        choice = searching.choose(position, Limit(nodes=nodes), number)
        assert choice.report.nodes <= nodes
        if choice.report.proven:
            assert (choice.report.score == math.inf) == wins(position)


def test_without_proven_nodes_it_ends_with_the_whole_tree_and_claims_nothing() -> None:
    for position in sample("3x4 4x4", 20, seed=9):
        on = MinMaxApproximation(BALANCE).choose(position, Limit())
        off = MinMaxApproximation(BALANCE, proven=False).choose(position, Limit())
        assert on.report.proven
        assert not off.report.proven
        assert off.report.plies is None
        assert off.report.score == on.report.score
        assert off.report.nodes >= on.report.nodes


# The score


@cache
def minimax(position: Position, depth: int, rule: Rule) -> float:
    outcome = position.outcome()
    if outcome is not None:
        return math.inf if outcome.winner == rule.max_player else -math.inf
    if depth == 0:
        return rule.heuristic(position)
    values = [minimax(position.play(move), depth - 1, rule) for move in position.legal_moves()]
    return max(values) if position.to_move == rule.max_player else min(values)


@pytest.mark.parametrize("evaluator", [BALANCE, UNEVEN], ids=str)
def test_to_a_depth_alone_the_score_is_minimaxs(evaluator: Bound) -> None:
    for position in sample("5x5 4x6", 8, seed=10):
        rule = Rule(evaluator.plain, position.to_move)
        for depth in (1, 2, 3):
            report = MinMaxApproximation(evaluator).choose(position, Limit(depth=depth)).report
            assert report.score == pytest.approx(minimax(position, depth, rule), abs=1e-6)
            assert report.depth <= depth


def test_the_score_of_whole_numbers_is_a_whole_number() -> None:
    position = play_randomly(Board(7, 7), 2, random.Random(11))
    for seed in range(20):
        score = search(position, BALANCE, 500 + seed, seed=seed).choice.report.score
        assert score is not None
        assert score == int(score)


@pytest.mark.parametrize(("kind", "score"), [("sure to win", math.inf), ("sure to lose", -math.inf)])
@pytest.mark.parametrize("settings", [REVERSE, MEANS], ids=str)
def test_a_heuristics_infinity_is_not_proven(settings: Settings, kind: str, score: float) -> None:
    position = play_randomly(Board(7, 7), 2, random.Random(12))
    report = search(position, bound(kind), 300, settings).choice.report
    assert report.score == score
    assert not report.proven
    assert report.plies is None


# Limits, slices and memory


@pytest.mark.parametrize("step", [1, 7, 1000])
@pytest.mark.parametrize("settings", [REVERSE, MEANS], ids=str)
def test_the_result_does_not_depend_on_the_slices(settings: Settings, step: int) -> None:
    position = play_randomly(Board(6, 7), 6, random.Random(13))
    whole = search(position, BALANCE, 3000, settings, seed=4)
    searching = MinMaxApproximation(BALANCE, **settings)
    searching.start(position, Limit(nodes=3000), 4)
    for quota in [*range(step, 3000, step), 3000]:
        if searching.extend(quota):
            break
    choice = searching.best()
    assert list(every_node(searching.tree.read())) == list(every_node(whole.root))
    assert without_time(choice) == without_time(whole.choice)


def without_time(choice: Choice) -> Choice:
    return Choice(choice.move, replace(choice.report, time_ms=0))


def test_the_choice_so_far_stands_after_every_slice() -> None:
    position = play_randomly(Board(5, 5), 4, random.Random(14))
    searching = MinMaxApproximation(BALANCE)
    searching.start(position, Limit())
    for quota in range(1, 200):
        searching.extend(quota)
        so_far = searching.best()
        assert so_far.report.nodes <= quota
        assert position.is_legal(so_far.move)
        after(position, so_far.report.pv)


def test_the_same_seed_gives_the_same_search_and_memory_leaves_no_trace() -> None:
    used = MinMaxApproximation(BALANCE)
    for seed, position in enumerate(sample("5x5 7x7 9x11 13x13", 12, seed=15)):
        new = search(position, BALANCE, 2000, seed=seed).choice
        again = used.choose(position, Limit(nodes=2000), seed)
        assert without_time(again) == without_time(new)


def test_a_tree_of_many_blocks_is_the_same_tree() -> None:
    position = play_randomly(Board(7, 7), 2, random.Random(16))
    whole = search(position, BALANCE, 5000)
    tree = Tree(block_nodes=170)
    choice = MinMaxApproximation(BALANCE, tree=tree).choose(position, Limit(nodes=5000))
    assert without_time(choice) == without_time(whole.choice)
    board = position.board
    assert grown_lines(tree.read(), board) == grown_lines(whole.root, board)


def test_a_full_tree_ends_the_search() -> None:
    position = play_randomly(Board(7, 7), 2, random.Random(17))
    searching = MinMaxApproximation(BALANCE, tree=Tree(most_nodes=2000, block_nodes=500))
    choice = searching.choose(position, Limit())
    assert 1900 < choice.report.nodes <= 2000
    assert without_time(searching.choose(position, Limit())) == without_time(choice)
    shorter = search(position, BALANCE, choice.report.nodes).choice
    assert without_time(choice) == without_time(shorter)


def test_stops_when_asked_or_when_time_is_over() -> None:
    position = play_randomly(Board(13, 13), 2, random.Random(18))
    asked = MinMaxApproximation(BALANCE).choose(position, Limit(), stop=lambda: True)
    timed = MinMaxApproximation(BALANCE).choose(position, Limit(time_ms=3))
    assert 1 < asked.report.nodes <= 2000
    assert timed.report.nodes > 1
    assert not timed.report.proven


@pytest.mark.parametrize("size", ["3x3", "3x13", "7x7", "9x11", "13x13"])
def test_too_few_nodes_for_the_moves_still_give_a_move(size: str) -> None:
    position = parse_start(size)
    choices = [search(position, BALANCE, 1, seed=seed).choice for seed in range(10)]
    assert {choice.report.nodes for choice in choices} == {1}
    assert {choice.report.score for choice in choices} == {None}
    assert all(position.is_legal(choice.move) for choice in choices)
    assert len({choice.move for choice in choices}) > 1


def test_seeds_lean_to_no_side() -> None:
    start = parse_start("7x9").play(Square(3, 4)).play(Square(6, 6))
    searching = MinMaxApproximation(FLAT)
    moves = [searching.choose(start, Limit(nodes=300), seed).move for seed in range(400)]
    counts = [moves.count(move) for move in start.legal_moves()]
    assert min(counts) > 25  # 50 on average, with a standard deviation of 6.6


def test_a_forced_move_and_a_lost_position_give_a_move() -> None:
    forced = parse_position("A1x/xx1/xxB a")
    assert not wins(forced)
    choice = search(forced, BALANCE, 100).choice
    assert (choice.move,) == forced.legal_moves()
    assert choice.report.score == -math.inf
    assert choice.report.proven


def test_a_finished_game_is_refused() -> None:
    over = parse_position("A1x/xxx/xxB a")
    with pytest.raises(InputError, match="the game is over"):
        search(over, BALANCE, 100)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"constant": -0.1}, "constant=-0.1"),
        ({"constant": math.inf}, "constant=inf"),
        ({"p": 0.5}, "p=0.5"),
        ({"p": math.nan}, "p=nan"),
        ({"scale": 0.0}, "scale=0"),
    ],
)
def test_settings_out_of_bounds_are_refused(settings: Settings, named: str) -> None:
    with pytest.raises(InputError, match=f"^{named}: expected a number from "):
        MinMaxApproximation(BALANCE, **settings)
