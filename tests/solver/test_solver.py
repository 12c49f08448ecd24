"""The solver agrees with brute force."""

import json
import random
from pathlib import Path

import pytest

from isolarium.game.board import Board, Square
from isolarium.game.notation import parse_position, parse_start
from isolarium.game.position import Player, Position
from isolarium.solver.solver import Solver
from isolarium.solver.start_map import starts
from tests.samples import TRIES_ALL, how_many, sample
from tests.solver.brute_force import BruteForce
from tests.solver.positions import random_position, separated_position

DATA = Path(__file__).parents[1] / "data"
SMALL = [(rows, cols) for rows in (3, 4, 5) for cols in (3, 4, 5)]


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver()


def agree(solver: Solver, truth: BruteForce, position: Position) -> None:
    """Check the winner, and that the winning move wins."""
    solution = solver.solve(position)
    assert solution.wins == truth.wins(position), position
    if solution.wins:
        assert solution.move is not None
        assert not truth.wins(position.play(solution.move)), position
    else:
        assert solution.move is None


@pytest.mark.parametrize(("rows", "cols"), SMALL)
def test_every_start_of_a_small_board(rows: int, cols: int, solver: Solver) -> None:
    board = Board(rows, cols)
    truth = BruteForce(board)
    for start in starts(board):
        agree(solver, truth, start)


@pytest.mark.parametrize(("rows", "cols"), [(3, 3), (3, 4), (4, 3), (3, 5), (4, 4)])
def test_the_length_of_every_start(rows: int, cols: int, solver: Solver) -> None:
    board = Board(rows, cols)
    truth = BruteForce(board)
    for start in starts(board):
        assert solver.solve_distance(start).plies == truth.plies(start), start


@pytest.mark.slow
def test_positions_with_holes_on_mixed_boards(solver: Solver) -> None:
    rng = random.Random(20)
    for _ in range(how_many(10_000, 3_000)):
        position = random_position(rng, most_blanks=20)
        agree(solver, BruteForce(position.board), position)


@pytest.mark.slow
def test_distances_of_positions_with_holes(solver: Solver) -> None:
    rng = random.Random(21)
    for _ in range(how_many(1_500, 500)):
        position = random_position(rng, most_blanks=11)
        truth = BruteForce(position.board)
        solution = solver.solve_distance(position)
        assert solution.plies == truth.plies(position), position
        if solution.move is not None:
            assert truth.plies(position.play(solution.move)) == solution.plies - 1


def test_players_who_cannot_meet(solver: Solver) -> None:
    rng = random.Random(22)
    for _ in range(how_many(1_500, 500)):
        position = separated_position(rng)
        agree(solver, BruteForce(position.board), position)


def test_boards_of_one_width_are_not_confused(solver: Solver) -> None:
    """Equal masks and squares on different boards: the results for one must not be used for the other."""
    rng = random.Random(23)
    for _ in range(300):
        blank = rng.getrandbits(20)
        first, second = rng.sample(range(20), 2)
        blank &= ~(1 << first | 1 << second)
        for rows, cols in ((4, 5), (5, 5), (5, 4), (4, 6), (6, 4), (5, 12)):
            board = Board(rows, cols)
            position = Position(board, blank, board.square(first), board.square(second), Player.FIRST)
            agree(solver, BruteForce(board), position)


@pytest.mark.slow
def test_all_starts_of_7x7(solver: Solver) -> None:
    board = Board(7, 7)
    data = json.loads((DATA / "starts-7x7.json").read_text(encoding="utf-8"))
    nodes = 0
    for first, second, winner in sample(data["starts"], 30):
        start = Position.empty(board).play(Square(*first)).play(Square(*second))
        solution = solver.solve(start)
        assert solution.wins == (winner == 1), start
        nodes += solution.nodes
    assert len(data["starts"]) == 315
    least, most = (80e6, 105e6) if TRIES_ALL else (7.5e6, 9.5e6)
    assert least < nodes < most


@pytest.mark.slow
def test_known_positions_of_7x7_and_how_long_they_last(solver: Solver) -> None:
    lines = (DATA / "positions-7x7.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 300
    for line in sample(lines, 100):
        known = json.loads(line)
        position = Position(
            Board(known["rows"], known["cols"]),
            sum(1 << place for place, blank in enumerate(known["blank"]) if blank == "1"),
            Square(*known["mover"]),
            Square(*known["other"]),
            Player.FIRST,
        )
        assert solver.solve(position).wins == known["wins"], position
        if "plies" in known:
            assert solver.solve_distance(position).plies == known["plies"], position


@pytest.mark.parametrize("text", ["3x3", "3x4", "4x4", "5x4", "5x5", "x2/3/3 a", "4/1x2/4 a", "4/4/2x1/x3 a"])
def test_placements_by_the_starts_they_lead_to(text: str, solver: Solver) -> None:
    """Some of these boards are solved; those with blocked squares are not."""
    empty = parse_start(text)
    truth = BruteForce(empty.board)

    def second_wins(once: Position) -> bool:
        return any(not truth.wins(once.play(square)) for square in once.legal_moves())

    onces = [empty.play(square) for square in empty.legal_moves()]
    solution = solver.solve(empty)
    assert solution.wins == any(not second_wins(once) for once in onces)
    for once in onces:
        found = solver.solve(once)
        assert found.wins == second_wins(once)
        if found.wins:
            assert found.move is not None
            assert not truth.wins(once.play(found.move))


@pytest.mark.parametrize(
    ("text", "wins", "plies"),
    [
        ("xxx/xAx/xBx a", False, 0),  # nobody can move
        ("Axx/xx1/xxB a", True, 1),
        ("xxx/xxx/xxx a", False, None),  # nowhere to be placed
        ("1xx/xxx/xxx a", True, None),  # the other has nowhere to be placed
    ],
)
def test_ends_of_games(text: str, wins: bool, plies: int | None, solver: Solver) -> None:
    solution = solver.solve_distance(parse_position(text))
    assert (solution.wins, solution.plies) == (wins, plies)
