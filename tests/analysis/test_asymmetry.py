"""Biased heat maps are detected, and chance alone is not."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from isolarium.analysis.asymmetry import FEWEST_OPENINGS, measure
from isolarium.analysis.run_statistics import Visits
from isolarium.arena.plan import Format, Plan
from isolarium.arena.run_db import Record
from isolarium.game.board import Board, Square
from isolarium.game.symmetry import symmetries
from tests.playing import Careful, Leaner, Wanderer, play_run_here

BOARD = Board(7, 7)


def visits_of(folder: Path) -> Visits:
    record = Record(folder)
    visits, clusters = Visits(record.board, len(record.plan.players)), record.clusters()
    for batch in record.batches():
        visits.add(batch, clusters[batch.pairs])
    record.close()
    return visits


@pytest.fixture(scope="module")
def symmetric(tmp_path_factory: pytest.TempPathFactory) -> Visits:
    """The visits of two unbiased agents."""
    plan = Plan(Format.MATCH, ("greedy:open", "random"), pairs=150, seed=5)
    return visits_of(play_run_here(tmp_path_factory.mktemp("run"), plan, [Careful(), Wanderer()]))


@pytest.fixture(scope="module")
def leaning(tmp_path_factory: pytest.TempPathFactory) -> Visits:
    """The visits of an agent biased to the top left and an unbiased one."""
    plan = Plan(Format.MATCH, ("greedy:center", "random"), pairs=60, seed=5)
    return visits_of(play_run_here(tmp_path_factory.mktemp("run"), plan, [Leaner(), Wanderer()]))


@pytest.mark.parametrize("player", [0, 1])
def test_an_unbiased_agent_is_within_its_interval(symmetric: Visits, player: int) -> None:
    found = measure(symmetric.own(player).by_opening, BOARD)
    assert abs(found.down) < found.down_error
    assert abs(found.right) < found.right_error
    assert found.verdict == "no significant asymmetry"


def test_a_biased_agent_is_found_with_its_direction(leaning: Visits) -> None:
    found = measure(leaning.own(0).by_opening, BOARD)
    assert found.down + found.down_error < 0 > found.right + found.right_error
    assert found.verdict.startswith("leans up and left; differs from its mirror images")
    assert found.centre_p < 0.001
    assert found.uneven > 2 * found.uneven_by_chance


def test_offset_is_the_centre_of_mass() -> None:
    visits = np.zeros((FEWEST_OPENINGS, 9), dtype=np.int64)
    visits[:, 0] = 3  # a1
    visits[:, 2] = 1  # c1
    found = measure(visits, Board(3, 3))
    assert (found.down, found.right) == pytest.approx((-1.0, -0.5))
    assert found.offset == "1.00 ± 0.00 up, 0.50 ± 0.00 left"


def test_a_diagonal_is_asymmetric_but_centred() -> None:
    rng = np.random.default_rng(1)
    diagonal = [BOARD.index(Square(place, place)) for place in range(7)]
    visits = np.zeros((200, BOARD.size), dtype=np.int64)
    for row in visits:
        row[rng.choice(diagonal, 4, replace=False)] = 1
    found = measure(visits, BOARD)
    assert found.broken == ("left-right", "top-bottom")
    assert found.verdict == "differs from its mirror images (left-right, top-bottom)"


def test_a_few_openings_give_no_verdict() -> None:
    found = measure(np.ones((FEWEST_OPENINGS - 1, 49), dtype=np.int64), BOARD)
    assert found.verdict == "too few openings for a verdict (19)"


def lumpy(rng: np.random.Generator, openings: int) -> NDArray[np.int64]:
    """Return visits that are uneven within an opening and randomly rotated between openings."""
    images = [
        [BOARD.index(symmetry.square(square, BOARD)) for square in BOARD.squares] for symmetry in symmetries(BOARD)
    ]
    places = np.array(BOARD.squares)
    rows = np.zeros((openings, BOARD.size), dtype=np.int64)
    for row in rows:
        weights = np.exp(-((places - rng.integers(0, 7, 2)) ** 2).sum(axis=1) / 4)
        visited = rng.choice(BOARD.size, 11, replace=False, p=weights / weights.sum())
        row[visited] = rng.integers(1, 5)  # some openings are played more often
        row[:] = row[images[rng.integers(len(images))]]
    return rows


@pytest.mark.slow
@pytest.mark.parametrize("openings", [FEWEST_OPENINGS, 60])
def test_false_positives_are_as_rare_as_stated(openings: int) -> None:
    rng = np.random.default_rng(openings)
    found = [measure(lumpy(rng, openings), BOARD) for _ in range(300)]
    # Of 300 a true 5% gives from 5 to 28 with 99.9% likelihood.
    assert sum(one.centre_p < 0.05 for one in found) <= 28
    assert sum(one.uneven_p < 0.05 for one in found) <= 28
    assert 5 <= sum(abs(one.down) > one.down_error for one in found) <= 28
