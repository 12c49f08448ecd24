"""Visits are counted to who made them."""

import numpy as np
import pytest

from isolarium.analysis.visit_heatmap import Visits
from isolarium.arena.game import Game
from isolarium.game.board import Board
from isolarium.game.outcome import Player, Reason

BOARD = Board(5, 5)


def game(opening: str, moves: str, players: tuple[int, int] = (0, 1)) -> Game:
    made = tuple(moves.split())
    nothing = [0.0] * len(made)
    return Game(
        encounter=0,
        pair=0,
        leg=0,
        players=players,
        opening=tuple(opening.split()),
        moves=made,
        winner=Player.FIRST,
        reason=Reason.NO_MOVES,
        note="",
        scores=[None] * len(made),
        depths=[1] * len(made),
        nodes=[5] * len(made),
        times_ms=nothing,
        busy_ms=nothing,
    )


def visited(visits: Visits, player: int) -> set[str]:
    counted = visits.own(player).by_opening.sum(axis=0)
    return {str(BOARD.square(int(index))) for index in np.flatnonzero(counted)}


@pytest.mark.parametrize(
    ("opening", "moves", "first", "second"),
    [
        ("a1 e5", "b3 d3 d4", {"b3", "d4"}, {"d3"}),
        ("a1 e5 b3", "d3 d4", {"d4"}, {"d3"}),  # one random move: the second goes on
    ],
)
def test_visits_go_to_the_mover(
    opening: str, moves: str, first: set[str], second: set[str]
) -> None:
    visits = Visits(BOARD, 2)
    visits.add(game(opening, moves), 0)
    assert (visited(visits, 0), visited(visits, 1)) == (first, second)
    assert visits.opponents(0).by_opening.tolist() == visits.own(1).by_opening.tolist()


def test_swapped_seats_swap_visits() -> None:
    visits = Visits(BOARD, 2)
    visits.add(game("a1 e5", "b3 d3", players=(1, 0)), 0)
    assert (visited(visits, 0), visited(visits, 1)) == ({"d3"}, {"b3"})


def test_share_is_of_the_games_of_all_openings() -> None:
    visits = Visits(BOARD, 2)
    visits.add(game("a1 e5", "b3 d3"), 0)
    visits.add(game("e1 a5", "c2 b3"), 1)
    visits.add(game("a1 e5", "b3 c4"), 0)
    heat = visits.own(0)
    assert heat.by_opening.shape == (2, 25)
    share = dict(zip(map(str, BOARD.squares), heat.share, strict=True))
    assert (share["b3"], share["c2"], share["a1"]) == pytest.approx((2 / 3, 1 / 3, 0))


def test_against_itself_a_game_counts_once() -> None:
    visits = Visits(BOARD, 1)
    visits.add(game("a1 e5", "b3 d3", players=(0, 0)), 0)
    assert visited(visits, 0) == {"b3", "d3"}
    assert visits.own(0).games == 1
