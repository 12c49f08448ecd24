"""Visits, results by starting square and search effort, counted from games."""

from dataclasses import replace

import numpy as np
import pytest

from isolarium.analysis.run_statistics import Effort, Starts, Visits
from isolarium.arena.game import Game, is_proven
from isolarium.arena.game_batch import GameBatch
from isolarium.arena.lines import Numbers
from isolarium.game.board import Board, Square
from isolarium.game.position import Player, Reason

# Visits


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


def one(made: Game, cluster: int = 0) -> tuple[GameBatch, Numbers]:
    """A game as columns, with the cluster of its opening."""
    return GameBatch.from_games(BOARD, [made]), np.array([cluster])


def visited(visits: Visits, player: int) -> set[str]:
    counted = visits.own(player).by_opening.sum(axis=0)
    return {str(BOARD.square(int(index))) for index in np.flatnonzero(counted)}


@pytest.mark.parametrize(
    ("opening", "moves", "first", "second"),
    [
        ("a1 e5", "b3 d3 d4", {"b3", "d4"}, {"d3"}),
        ("a1 e5 b3", "d3 d4", {"d4"}, {"d3"}),  # one random move: the second player continues
    ],
)
def test_visits_go_to_the_mover(opening: str, moves: str, first: set[str], second: set[str]) -> None:
    visits = Visits(BOARD, 2)
    visits.add(*one(game(opening, moves), 0))
    assert (visited(visits, 0), visited(visits, 1)) == (first, second)
    assert visits.opponents(0).by_opening.tolist() == visits.own(1).by_opening.tolist()


def test_swapped_seats_swap_visits() -> None:
    visits = Visits(BOARD, 2)
    visits.add(*one(game("a1 e5", "b3 d3", players=(1, 0)), 0))
    assert (visited(visits, 0), visited(visits, 1)) == ({"d3"}, {"b3"})


def test_share_counts_the_games_of_all_openings() -> None:
    visits = Visits(BOARD, 2)
    visits.add(*one(game("a1 e5", "b3 d3"), 0))
    visits.add(*one(game("e1 a5", "c2 b3"), 1))
    visits.add(*one(game("a1 e5", "b3 c4"), 0))
    heat = visits.own(0)
    assert heat.by_opening.shape == (2, 25)
    share = dict(zip(map(str, BOARD.squares), heat.share, strict=True))
    assert (share["b3"], share["c2"], share["a1"]) == pytest.approx((2 / 3, 1 / 3, 0))


def test_against_itself_a_game_counts_once() -> None:
    visits = Visits(BOARD, 1)
    visits.add(*one(game("a1 e5", "b3 d3", players=(0, 0)), 0))
    assert visited(visits, 0) == {"b3", "d3"}
    assert visits.own(0).games == 1


# Starting squares


def test_mirror_images_of_a_square_count_together() -> None:
    starts = Starts(BOARD, 2)
    starts.add(*one(game("a1 c3", "b3 d4"), 0))  # the first mover wins all of these
    starts.add(*one(game("e5 c3", "d3 d4"), 1))
    starts.add(*one(game("b2 a1", "d3 c2"), 2))
    shares = {share.square: share for share in starts.first_mover()}
    corners = {Square(0, 0), Square(0, 4), Square(4, 0), Square(4, 4)}
    assert {square for square, share in shares.items() if share.games == 2} == corners
    assert shares[Square(1, 3)].games == 1  # d2 is an image of b2
    assert Square(2, 2) not in shares


def test_an_agents_share_is_by_its_own_start() -> None:
    starts = Starts(BOARD, 2)
    starts.add(*one(game("a1 c3", "b3 d4", players=(0, 1)), 0))
    starts.add(*one(game("a1 c3", "b3 d4", players=(1, 0)), 0))
    won = {share.square: share.rate.rate for share in starts.agent(0)}
    assert won[Square(0, 0)] == 1.0
    assert won[Square(2, 2)] == 0.0


def test_repeats_of_an_opening_do_not_shrink_the_interval() -> None:
    once, often = Starts(BOARD, 2), Starts(BOARD, 2)
    once.add(*one(game("a1 c3", "b3 d4"), 0))
    for _ in range(50):
        often.add(*one(game("a1 c3", "b3 d4"), 0))
    [a1, *_], [same, *_] = once.first_mover(), often.first_mover()
    assert same.games == 50
    assert same.rate.low == pytest.approx(a1.rate.low, abs=1e-6)


def test_winner_is_a_seat() -> None:
    assert game("a1 c3", "b3").winner is Player.FIRST


# Search effort


def searched(scores: list[float | str | None], depths: list[int]) -> Game:
    plain = game("a1 e5", "b3 d3 d4 c5")
    return replace(plain, scores=scores, depths=depths, nodes=[10 * depth for depth in depths])


def test_moves_are_numbered_from_the_first_placement_on() -> None:
    effort = Effort(2)
    effort.add(one(searched([1.0, 2.0, 0.0, None], [2, 3, 4, 5]))[0])
    assert {move: one.depth for move, one in effort.by_move(0).items()} == {3: 2, 5: 4}
    assert {move: one.nodes for move, one in effort.by_move(1).items()} == {4: 30, 6: 50}


def test_proven_ends_and_agents_that_do_not_search_are_left_out() -> None:
    effort = Effort(2)
    effort.add(one(searched([1.0, "loss 2", "win 3", "-inf"], [2, 2, 1, 0]))[0])
    assert list(effort.by_move(0)) == [3]
    assert list(effort.by_move(1)) == []


def test_moves_that_few_games_reach_are_left_out() -> None:
    effort = Effort(2)
    for _ in range(40):
        effort.add(one(game("a1 e5", "b3"))[0])
    effort.add(one(game("a1 e5", "b3 d3 d4"))[0])
    assert list(effort.by_move(0)) == [3]


def test_only_texts_are_proven_scores() -> None:
    assert [is_proven(score) for score in ("win 5", "loss", "inf", "-inf", 1.0, None)] == [
        True,
        True,
        False,
        False,
        False,
        False,
    ]
