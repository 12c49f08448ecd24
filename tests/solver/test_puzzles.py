"""Every puzzle has one winning move at each turn, and the hard ones come last; `tools.proofs.puzzles` checks all."""

import random
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from isolarium.game.board import Board, parse_square
from isolarium.game.notation import parse_position
from isolarium.game.position import Position
from isolarium.game.symmetry import canonical
from isolarium.solver import puzzles as puzzles_module
from isolarium.solver.puzzles import FILE, Puzzle, choose_puzzles, puzzles, puzzles_in
from isolarium.solver.solver import Solver
from tests.command import run_isolarium
from tests.samples import how_many


def check(puzzle: Puzzle, solver: Solver) -> None:
    assert len(puzzle.position.legal_moves()) >= 3
    for turn, found in zip(puzzle.turns, puzzle.moves, strict=True):
        others_win = {move: solver.solve(turn.play(move)).wins for move in turn.legal_moves()}
        assert len(others_win) > 1
        assert [move for move, wins in others_win.items() if wins is False] == [found], puzzle
    assert solver.solve_distance(puzzle.position).plies == puzzle.plies, puzzle


def test_a_sample_of_the_puzzles_agrees_with_the_solver() -> None:
    solver = Solver()
    for puzzle in puzzles()[:: how_many(10, 30)]:
        check(puzzle, solver)


def test_they_go_from_easy_to_hard_and_are_all_different() -> None:
    found = puzzles()
    assert [puzzle.number for puzzle in found] == list(range(1, len(found) + 1))
    assert [puzzle.difficulty for puzzle in found] == sorted(puzzle.difficulty for puzzle in found)
    assert len({canonical(puzzle.position)[0] for puzzle in found}) == len(found)
    assert found[0].difficulty < 600
    assert found[-1].difficulty > 1800


def test_there_are_a_thousand_on_several_boards_in_a_small_file() -> None:
    boards = Counter(puzzle.position.board for puzzle in puzzles())
    assert boards.total() == 1000
    assert len(boards) >= 6
    assert min(boards.values()) >= 50
    assert sum(len(puzzle.moves) > 1 for puzzle in puzzles()) > 300
    assert FILE.stat().st_size < 70_000


def test_each_missing_heuristic_and_each_move_to_find_makes_it_harder() -> None:
    position = parse_position("5/2xA1/4x/2xB1/5 b")
    line = tuple(parse_square(name, position.board) for name in ("b3", "b1", "d2"))
    one = Puzzle(1, position, line[:1], 11)
    assert replace(one, misses=5).difficulty > one.difficulty
    assert replace(one, line=line).difficulty > one.difficulty
    assert replace(one, plies=13).difficulty > one.difficulty


def test_puzzles_are_found_in_games_and_only_those() -> None:
    solver, rng = Solver(), random.Random(4)
    games = []
    for _ in range(30):
        position = Position.empty(Board(5, 5))
        game = [position]
        while position.legal_mask:
            position = position.play(rng.choice(position.legal_moves()))
            game.append(position)
        games.append(game)
    found = [list(puzzles_in(game, solver)) for game in games]
    assert any(found)
    for game, of_game in zip(games, found, strict=True):
        for position in game:
            moves = position.legal_moves()
            winning = [move for move in moves if solver.solve(position.play(move)).wins is False]
            is_puzzle = position.second is not None and len(moves) >= 3 and len(winning) == 1
            assert is_puzzle == any(puzzle.position == position for puzzle in of_game)
    chosen = choose_puzzles(found, 5, seed=1)
    assert len(chosen) == 5
    assert chosen == choose_puzzles(found, 5, seed=1)
    assert all(sum(puzzle.position in game for puzzle in chosen) <= 1 for game in games)


@pytest.mark.slow
def test_the_command_makes_such_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "puzzles.txt"
    many = how_many(20, 5)
    done = run_isolarium("book", "puzzles", "--many", str(many), "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{out}: {many} puzzles\n"
    assert list(tmp_path.iterdir()) == [out]
    monkeypatch.setattr(puzzles_module, "FILE", out)
    solver = Solver()
    for puzzle in puzzles.__wrapped__():
        check(puzzle, solver)


def test_looking_up_loads_no_compiler() -> None:
    ask = (
        "import sys; from isolarium.solver.puzzles import puzzles; puzzles();"
        "sys.exit('numba' in sys.modules or 'numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", ask], check=False).returncode == 0
