"""The limit of `go`, and the time for a move on a clock."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isolarium.agents import parse_spec
from isolarium.agents.ugi_session import Clock, read_go, time_for_move
from isolarium.game.board import Board
from isolarium.game.position import Position
from isolarium.limits import Limit

EMPTY = Position.empty(Board(7, 7))
SPEC = parse_spec("alphabeta:improved")


@given(left_ms=st.integers(1, 10**9), increment_ms=st.integers(0, 10**6))
def test_a_move_never_takes_all_that_is_left(left_ms: int, increment_ms: int) -> None:
    assert time_for_move(Clock(left_ms, increment_ms), EMPTY) <= max(1.0, 0.8 * left_ms)


def test_more_time_is_spent_where_there_is_more() -> None:
    spent = [time_for_move(Clock(left, add), EMPTY) for left, add in ((1e4, 0), (1e5, 0), (1e5, 1e3))]
    assert spent == sorted(set(spent))


@pytest.mark.parametrize(("moves", "time_ms"), [((), 10_000), (("d4",), 60_000)])
def test_the_clock_is_that_of_the_player_to_move(moves: tuple[str, ...], time_ms: int) -> None:
    position = EMPTY
    for move in moves:
        position = position.play(move)
    words = ["p1time", "10000", "p2time", "60000", "p1inc", "0", "p2inc", "0"]
    expected = time_for_move(Clock(time_ms, 0), position)
    assert read_go(words, position, SPEC) == Limit(time_ms=expected)


def test_a_depth_that_never_ends_a_search_stands_beside_its_nodes() -> None:
    assert read_go(["depth", "3"], EMPTY, parse_spec("mcts@nodes=700")) == Limit(3, 700)
