"""Results by starting square."""

import pytest

from isolarium.analysis.start_results import Starts
from isolarium.game.board import Square
from isolarium.game.outcome import Player
from tests.analysis.test_visit_heatmap import BOARD, game


def test_mirror_images_of_a_square_count_together() -> None:
    starts = Starts(BOARD, 2)
    starts.add(game("a1 c3", "b3 d4"), 0)  # the first mover wins all of these
    starts.add(game("e5 c3", "d3 d4"), 1)
    starts.add(game("b2 a1", "d3 c2"), 2)
    shares = {share.square: share for share in starts.first_mover()}
    corners = {Square(0, 0), Square(0, 4), Square(4, 0), Square(4, 4)}
    assert {square for square, share in shares.items() if share.games == 2} == corners
    assert shares[Square(1, 3)].games == 1  # d2 is an image of b2
    assert Square(2, 2) not in shares


def test_an_agents_share_is_by_its_own_start() -> None:
    starts = Starts(BOARD, 2)
    starts.add(game("a1 c3", "b3 d4", players=(0, 1)), 0)
    starts.add(game("a1 c3", "b3 d4", players=(1, 0)), 0)
    won = {share.square: share.rate.rate for share in starts.agent(0)}
    assert won[Square(0, 0)] == 1.0
    assert won[Square(2, 2)] == 0.0


def test_repeats_of_an_opening_do_not_make_it_surer() -> None:
    once, often = Starts(BOARD, 2), Starts(BOARD, 2)
    once.add(game("a1 c3", "b3 d4"), 0)
    for _ in range(50):
        often.add(game("a1 c3", "b3 d4"), 0)
    [a1, *_], [same, *_] = once.first_mover(), often.first_mover()
    assert same.games == 50
    assert same.rate.low == pytest.approx(a1.rate.low, abs=1e-6)


def test_winner_is_a_seat() -> None:
    assert game("a1 c3", "b3").winner is Player.FIRST
