"""The package's maps agree with the solver, and the docs name every solved board."""

import json
import random
import re
import subprocess
import sys
from itertools import permutations
from pathlib import Path

import pytest

from isolarium.errors import InputError
from isolarium.game.board import Board, Square, parse_square
from isolarium.game.position import Position
from isolarium.solver.solver import Solver
from isolarium.solver.start_map import FILE, StartMap, solved_boards, start_map, starts
from isolarium.solver.survey import summarize_survey
from tests.command import run_isolarium

pytestmark = pytest.mark.slow

SEVEN = Board(7, 7)


def map_of(board: Board) -> StartMap:
    found = start_map(board)
    assert found is not None
    return found


def start(board: Board, first: Square, second: Square) -> Position:
    return Position.empty(board).play(first).play(second)


def test_every_board_up_to_7x7_has_a_map_both_ways() -> None:
    boards = solved_boards()
    assert {Board(rows, cols) for rows in range(3, 8) for cols in range(3, 8)} <= set(boards)
    assert all(Board(board.cols, board.rows) in boards for board in boards)
    assert start_map(Board(13, 13)) is None


@pytest.mark.parametrize("board", [Board(3, 3), Board(4, 3), Board(4, 4), Board(3, 5)], ids=str)
def test_small_boards_are_right_in_every_start(board: Board) -> None:
    solver, known = Solver(), map_of(board)
    for first, second in permutations(board.squares, 2):
        truth = known.start(first, second)
        assert truth.first_wins is solver.solve(start(board, first, second)).wins
        assert truth.exception or not truth.mirror


def test_a_sample_of_every_map_agrees_with_the_solver() -> None:
    solver, rng = Solver(), random.Random(5)
    for board in (board for board in solved_boards() if board.size <= 42):
        for _ in range(4):
            first, second = rng.sample(board.squares, 2)
            output = map_of(board).first_wins(first, second)
            assert output is solver.solve(start(board, first, second)).wins, (board, first, second)


def test_every_exception_agrees_with_solver_and_theorem() -> None:
    solver = Solver()
    for line in FILE.read_text().splitlines():
        said = json.loads(line)
        board = Board(*map(int, said["board"].split("x")))
        known = map_of(board)
        broken = {
            first_second for first_second in permutations(board.squares, 2) if known.start(*first_second).exception
        }
        asked = [one for one in starts(board) if (one.first, one.second) in broken]
        found = summarize_survey(board, map(solver.solve, asked))
        assert known.starts == said["solved"] == len(starts(board))
        assert len(found.exceptions) == known.exceptions == len(asked)
        assert sum(upset.mirror for upset in found.exceptions) == known.mirrors


def test_seven_by_seven_is_the_table_of_its_starts() -> None:
    known = map_of(SEVEN)
    output = [known.start(one.first, one.second) for one in starts(SEVEN) if one.first and one.second]
    assert (known.starts, known.wins, known.exceptions, known.mirrors) == (315, 160, 1, 1)
    assert sum(truth.first_wins for truth in output) == 160
    [upset] = [truth for truth in output if truth.exception]
    assert upset.mirror
    assert upset.first == parse_square("d4", SEVEN)
    assert str(upset.second) in {"c2", "b3"}


def test_the_second_player_has_an_answer_to_every_first_placement() -> None:
    for board in solved_boards():
        for first in board.squares if min(board.rows, board.cols) >= 5 else ():
            answers = map_of(board).answers(first)
            assert answers
            assert {square for square, lost in map_of(board).from_first(first).items() if not lost} == {*answers}


@pytest.mark.parametrize(("first", "second"), [((0, 0), (0, 0)), ((0, 0), (7, 0)), ((-1, 0), (1, 1))])
def test_an_invalid_start_is_refused(first: tuple[int, int], second: tuple[int, int]) -> None:
    with pytest.raises(InputError):
        map_of(SEVEN).first_wins(Square(*first), Square(*second))


def test_the_command_prints_a_line_of_the_file() -> None:
    line = FILE.read_text().splitlines()[2]
    board = json.loads(line)["board"]
    assert run_isolarium("solve", "--board", board, "--all", "--json").stdout == line + "\n"


def test_looking_up_loads_no_compiler() -> None:
    ask = (
        "import sys; from isolarium.solver.start_map import solved_boards; solved_boards();"
        "sys.exit('numba' in sys.modules or 'numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", ask], check=False).returncode == 0


DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "explanation" / "exact-values.md").read_text(encoding="utf-8")


def test_every_solved_board_is_on_the_page() -> None:
    table = PAGE.partition("<!-- boards -->")[2].partition("<!-- end -->")[0]
    shown = set(re.findall(r"^\| (\d+x\d+) \|", table, re.MULTILINE))
    assert shown == {str(board) for board in solved_boards() if board.rows <= board.cols}


def test_every_picture_is_there() -> None:
    names = re.findall(r"\(\.\./images/(theory-[\w-]+\.svg)\)", PAGE)
    assert names
    assert [name for name in names if not (DOCS / "images" / name).is_file()] == []
