"""The oracle keeps every position that is won, and asks most of the opponent where it is not."""

import random

import pytest

from isolarium.agents import Agent, parse_agent
from isolarium.agents.search_agent import SearchingAgent
from isolarium.game.board import Board, parse_board
from isolarium.game.notation import parse_position
from isolarium.game.position import Position
from isolarium.solver.proof_tree import likely_nodes
from isolarium.solver.solver import Solver
from isolarium.solver.start_map import same_colour

OPPONENTS = ["random", "greedy:improved", "alphabeta:improved@nodes=2000", "mcts@nodes=500"]


@pytest.fixture(scope="module")
def oracle() -> SearchingAgent:
    agent = parse_agent("oracle")
    assert isinstance(agent, SearchingAgent)
    return agent


def random_start(board: str, chance: random.Random, plies: int = 0) -> Position:
    position = Position.empty(parse_board(board))
    for _ in range(2 + plies):
        if position.outcome() is not None:
            break
        position = position.play(chance.choice(position.legal_moves()))
    return position


@pytest.mark.parametrize("opponent", OPPONENTS)
@pytest.mark.parametrize("board", ["5x5", "6x6", "7x7"])
def test_a_won_position_is_never_given_away(board: str, opponent: str, oracle: SearchingAgent) -> None:
    chance, judge, other = random.Random(board + opponent), Solver(), parse_agent(opponent)
    position = random_start(board, chance, plies=2 if board == "7x7" else 0)
    seat = position.to_move
    if not judge.solve(position).wins:
        seat = seat.other
    other.new_game(1)
    oracle.new_game(1)
    while position.outcome() is None:
        mover: Agent = oracle if position.to_move == seat else other
        position = position.play(mover.choose(position).move)
        if position.to_move != seat and position.blank_count < 44:
            assert judge.solve(position).wins is False
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.winner == seat


def test_the_second_placement_wins_on_the_other_colour(oracle: SearchingAgent) -> None:
    oracle.new_game(1)
    after = Position.empty(Board(6, 6))
    after = after.play(oracle.choose(after).move)
    choice = oracle.choose(after)
    assert choice.report.score == float("inf")
    assert after.first is not None
    assert not same_colour(after.first, choice.move)
    assert Solver().solve(after.play(choice.move)).wins is False


def test_a_lost_position_is_held_as_long_as_can_be(oracle: SearchingAgent) -> None:
    chance, judge = random.Random(3), Solver()
    tried = 0
    while tried < 5:
        position = random_start("5x5", chance, plies=chance.randrange(6))
        solution = judge.solve_distance(position) if position.legal_moves() else None
        if solution is None or solution.wins:
            continue
        tried += 1
        choice = oracle.choose(position)
        after = judge.solve_distance(position.play(choice.move))
        assert choice.report.plies == solution.plies
        assert after.plies == (solution.plies or 0) - 1


def test_of_a_lost_start_the_opponent_is_left_fewest_winning_replies() -> None:
    oracle, judge = parse_agent("oracle"), Solver()
    big = parse_position("7/2A4/7/7/3x3/3x2B/7 a")
    solved = judge.solve(big)
    if solved.wins:
        big = big.play(solved.move)  # type: ignore[arg-type]
    assert judge.solve(big).wins is False
    counts = {}
    for move in big.legal_moves():
        after = big.play(move)
        counts[move] = sum(judge.solve(after.play(reply)).wins is False for reply in after.legal_moves())
    oracle.new_game(1)
    assert counts[oracle.choose(big).move] == min(counts.values())


def test_a_report_says_what_is_known(oracle: SearchingAgent) -> None:
    oracle.new_game(1)
    report = oracle.choose(parse_position("5/1A3/5/3B1/5 a")).report
    solution = Solver().solve_distance(parse_position("5/1A3/5/3B1/5 a"))
    assert report.proven
    assert (report.score == float("inf")) == solution.wins
    assert report.plies == len(report.pv) == solution.plies
    assert 0 < report.nodes <= 2_000_000


def test_past_its_reach_it_searches_with_all_that_it_has() -> None:
    agent = parse_agent("oracle@nodes=3000")
    position = parse_position("11/11/11/4A6/11/6B4/11/11/11 a")
    assert likely_nodes(position) > 1e9
    agent.new_game(1)
    report = agent.choose(position).report
    assert not report.proven
    assert 2900 <= report.nodes <= 3000
    assert report.depth >= 2


def test_the_seed_turns_the_board_but_not_the_truth() -> None:
    position = parse_position("6/1A4/6/6/6/2B3 a")
    agent, judge = parse_agent("oracle"), Solver()
    wins = judge.solve(position).wins
    for seed in range(6):
        agent.new_game(seed)
        after = position.play(agent.choose(position).move)
        assert judge.solve(after).wins is not wins


def test_with_several_threads_it_wins_what_is_won_and_keeps_to_its_nodes() -> None:
    chance, judge = random.Random(6), Solver()
    for spec in ("oracle(threads=2)@ms=200", "oracle(threads=2)@nodes=60000"):
        agent = parse_agent(spec)
        agent.new_game(1)
        for position in (random_start("7x7", chance, plies=12), random_start("9x11", chance, 4)):
            choice = agent.choose(position)
            assert position.is_legal(choice.move)
            if choice.report.proven:
                assert judge.solve(position).wins == (choice.report.score == float("inf"))
            assert "ms=" in spec or choice.report.nodes <= 60_000
