"""The mirror theorem and the colour law agree with the solver."""

import random

import pytest

from isolarium.game.board import Board, Square
from isolarium.game.notation import parse_position
from isolarium.game.position import Player, Position
from isolarium.game.symmetry import Symmetry, is_mirror, symmetries
from isolarium.solver.solver import Solver
from isolarium.solver.start_map import law_says_win, mirror_exception, starts
from tests.solver.brute_force import BruteForce

OWN_INVERSES = [each for each in Symmetry if each.inverse is each and each.value != (0, 0, 0)]


def _mirrored(rng: random.Random, symmetry: Symmetry) -> Position | None:
    """A position that a symmetry exchanges the players of; blanks that are their own images are left in some."""
    side = rng.randint(3, 6)
    board = Board(side, side) if symmetry.swaps_sides else Board(side, rng.randint(3, 6))
    first = rng.choice(board.squares)
    second = symmetry.square(first, board)
    if second == first:
        return None
    half = {square for square in board.squares if rng.random() < 0.3}
    around = half | {symmetry.square(square, board) for square in half}
    if rng.random() < 0.7:
        around = {square for square in around if symmetry.square(square, board) != square}
    blank = board.mask_of(around - {first, second})
    return Position(board, blank, first, second, rng.choice(list(Player)))


@pytest.mark.parametrize("symmetry", OWN_INVERSES)
def test_the_player_not_to_move_wins_a_mirror_position(symmetry: Symmetry) -> None:
    rng = random.Random(50)
    mirrors = 0
    for _ in range(400):
        position = _mirrored(rng, symmetry)
        if position is not None and position.blank_count <= 18 and is_mirror(position):
            mirrors += 1
            assert not BruteForce(position.board).wins(position), position
    assert mirrors > 50


@pytest.mark.parametrize(
    ("text", "mirror"),
    [
        ("A5/6/6/6/6/5B a", True),
        ("A4/5/5/5/4B a", False),  # the middle is blank
        ("A4/5/2x2/5/4B a", True),
        ("A4/x4/2x2/5/4B a", False),  # one blank has no image
        ("A4B/6/6/6 a", True),  # left and right, in the axis between two columns
        ("A3B/5/5/5 a", False),  # the axis goes through blanks
        ("A1x1B/2x2/2x2/2x2 a", True),
        ("A5/6/6/6/6/4B1 a", False),
        ("6/6/6 a", False),
    ],
)
def test_what_is_a_mirror_position(text: str, mirror: bool) -> None:
    assert is_mirror(parse_position(text)) == mirror


@pytest.mark.parametrize(
    ("rows", "cols", "exceptions", "mirrors"),
    [(3, 3, 4, 2), (5, 5, 1, 1), (5, 6, 0, 0), (6, 6, 6, 6), (4, 4, 10, 3), (5, 7, 2, 2)],
)
def test_exceptions_to_the_colour_law(rows: int, cols: int, exceptions: int, mirrors: int) -> None:
    solver, found = Solver(), []
    for start in starts(Board(rows, cols)):
        wins = solver.solve(start).wins
        assert wins is not None
        if wins != law_says_win(start):
            found.append(mirror_exception(start, wins))
    assert (len(found), sum(found)) == (exceptions, mirrors)


def test_every_start_is_there_once() -> None:
    board = Board(4, 5)
    found = starts(board)
    images = {symmetry.position(start) for start in found for symmetry in symmetries(board)}
    placements = {
        Position.empty(board).play(Square(*first)).play(Square(*second))
        for first in board.squares
        for second in board.squares
        if first != second
    }
    assert images == placements
    assert len(found) == 98
