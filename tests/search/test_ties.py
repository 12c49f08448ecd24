"""Only the seed decides between equal moves: over many games no side of the board is favoured."""

import random
from collections import Counter
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray

from isolarium.game.board import Board, Square
from isolarium.game.notation import parse_position
from isolarium.game.position import Position
from isolarium.game.symmetry import symmetries
from isolarium.heuristics.bound_heuristic import parse_heuristic
from isolarium.limits import Limit
from isolarium.search.alphabeta import AlphaBeta, Strong

Choose = Callable[[Position, int], Square]
Visits = NDArray[np.float64]

GAMES = 1500
NODES = 100


def choose(search: AlphaBeta | Strong, position: Position, seed: int) -> Square:
    return search.choose(position, Limit(nodes=NODES), seed).move


def choose_in_fixed_order(search: AlphaBeta | Strong, position: Position, seed: int) -> Square:
    return search.choose(position, Limit(nodes=NODES)).move


def play_games(board: Board, choose: Choose, games: int = GAMES) -> Visits:
    """The visits of each game, a row of squares each; the players are placed at random."""
    chance = random.Random(1)
    visits = np.zeros((games, board.size))
    for game in range(games):
        position = Position.empty(board)
        for _ in range(2):
            position = position.play(chance.choice(position.legal_moves()))
        while position.legal_mask:
            position = position.play(choose(position, game))
        visits[game] = [not position.blank >> i & 1 for i in range(board.size)]
    return visits


def orbits(board: Board) -> list[list[int]]:
    """The squares that the symmetries of the board lead to one another."""
    found = {
        frozenset(board.index(image.square(square, board)) for image in symmetries(board)) for square in board.squares
    }
    return [sorted(orbit) for orbit in found]


def asymmetry(visits: Visits, board: Board) -> tuple[float, int]:
    """How far the mean visits of squares that are each other's images differ: Hotelling's T squared, and its freedom.

    Without a lean to any side it is a chi-square of that many degrees of freedom. Squares of one game are not
    independent of each other; games are.
    """
    differences = np.array(
        [
            visits[:, orbit[place]] - visits[:, orbit[:place]].mean(axis=1)
            for orbit in orbits(board)
            for place in range(1, len(orbit))
        ]
    )
    games = visits.shape[0]
    mean, covariance = differences.mean(axis=1), np.cov(differences)
    return float(games * mean @ np.linalg.pinv(covariance) @ mean), len(differences)


def quantile(freedom: int, deviations: float) -> float:
    """The value that a chi-square passes as rarely as a normal variable so many deviations (Wilson, Hilferty)."""
    return float(freedom * (1 - 2 / (9 * freedom) + deviations * (2 / (9 * freedom)) ** 0.5) ** 3)


def search_with(name: str, kind: type[AlphaBeta | Strong]) -> AlphaBeta | Strong:
    return kind(parse_heuristic(name))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("heuristic", "kind", "shape"),
    [
        ("null", AlphaBeta, (7, 7)),
        ("improved", AlphaBeta, (7, 7)),
        ("improved", Strong, (7, 7)),
        ("improved", AlphaBeta, (6, 7)),
    ],
)
def test_a_symmetric_heuristic_visits_the_board_symmetrically(
    heuristic: str, kind: type[AlphaBeta | Strong], shape: tuple[int, int]
) -> None:
    board = Board(*shape)
    search = search_with(heuristic, kind)
    found, freedom = asymmetry(play_games(board, partial(choose, search)), board)
    assert freedom == board.size - len(orbits(board))
    assert found < quantile(freedom, 3.5)


@pytest.mark.slow
@pytest.mark.parametrize(("heuristic", "kind"), [("null", AlphaBeta), ("improved", AlphaBeta), ("improved", Strong)])
def test_in_a_fixed_order_it_would_not(heuristic: str, kind: type[AlphaBeta | Strong]) -> None:
    """The control: the same games without a seed lean to a side, and the same test shows it."""
    board = Board(7, 7)
    search = search_with(heuristic, kind)
    found, freedom = asymmetry(play_games(board, partial(choose_in_fixed_order, search)), board)
    assert found > 3 * quantile(freedom, 3.5)


@pytest.mark.slow
def test_a_lopsided_heuristic_shows_as_such() -> None:
    """The course's `center` measures from half a square off the centre: no trick with images may hide it."""
    board = Board(7, 7)
    visits = play_games(board, partial(choose, search_with("center", AlphaBeta)))
    found, freedom = asymmetry(visits, board)
    assert found > 3 * quantile(freedom, 3.5)
    share = visits.mean(axis=0).reshape(7, 7)
    assert share[:3].sum() > 1.05 * share[4:].sum()  # it likes to be far from the bottom right


def test_seeds_spread_evenly_over_equal_moves() -> None:
    """With nothing known every move is as good: a chi-square over the moves chosen."""
    search = AlphaBeta(parse_heuristic("null"))
    for start in ("7/7/7/3A3/7/5B1/7 a", "7/1A5/7/7/5B1/7/7 a"):
        position = parse_position(start)
        moves = position.legal_moves()
        counts = Counter(search.choose(position, Limit(depth=2), seed).move for seed in range(4000))
        expected = 4000 / len(moves)
        found = sum((counts[move] - expected) ** 2 / expected for move in moves)
        assert set(counts) == set(moves)
        assert found < quantile(len(moves) - 1, 3.5)


def test_the_first_player_is_placed_anywhere() -> None:
    board = Board(5, 5)
    search = AlphaBeta(parse_heuristic("improved"))
    limit = Limit(nodes=30)
    counts = Counter(search.choose(Position.empty(board), limit, seed).move for seed in range(5000))
    found = sum((counts[square] - 200) ** 2 / 200 for square in board.squares)
    assert found < quantile(board.size - 1, 3.5)


def test_a_seed_always_chooses_the_same() -> None:
    position = parse_position("7/7/7/3A3/7/5B1/7 a")
    search = AlphaBeta(parse_heuristic("null"))
    for seed in range(50):
        once = search.choose(position, Limit(nodes=500), seed)
        again = AlphaBeta(parse_heuristic("null")).choose(position, Limit(nodes=500), seed)
        assert (once.move, once.report.nodes) == (again.move, again.report.nodes)
