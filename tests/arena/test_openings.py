"""Openings: drawn without replacement up to symmetry, the same from the same seed, and read from files."""

import sys
from itertools import islice
from pathlib import Path

import pytest

from isolarium.arena import openings
from isolarium.arena.openings import (
    Opening,
    all_openings,
    columns_of,
    opening_of,
    openings_from_file,
    position_after,
    random_columns,
    random_openings,
)
from isolarium.errors import InputError
from isolarium.game.board import Board
from isolarium.game.symmetry import symmetries

SEVEN = Board(7, 7)


def draw(count: int, board: Board = SEVEN, seed: int = 1, plies: int = 0) -> list[Opening]:
    return list(islice(random_openings(board, seed, plies), count))


def test_every_placement_comes_once_up_to_symmetry() -> None:
    clusters = [opening.cluster for opening in draw(315)]
    assert len(set(clusters)) == 315
    assert set(clusters) == {opening.cluster for opening in all_openings(SEVEN, seed=2)}


def test_random_moves_follow_once_placements_run_out() -> None:
    drawn = draw(2000)
    lengths = [len(opening.moves) for opening in drawn]
    assert lengths == sorted(lengths)
    assert lengths[:315] == [2] * 315
    assert lengths[315] == 3
    assert len({opening.cluster for opening in drawn}) == 2000


def test_mirror_images_are_one_cluster() -> None:
    opening = draw(1, plies=3)[0]
    for symmetry in symmetries(SEVEN):
        moves = tuple(symmetry.square(move, SEVEN) for move in opening.moves)
        assert opening_of(position_after(SEVEN, moves), moves).cluster == opening.cluster


def test_same_seed_same_openings() -> None:
    assert draw(500, seed=7) == draw(500, seed=7)
    assert draw(500, seed=7) != draw(500, seed=8)


@pytest.mark.parametrize(
    ("board", "count", "plies"),
    [(SEVEN, 6000, 0), (Board(4, 5), 2000, 3), (Board(3, 7), 900, 0), (Board(12, 13), 700, 2), (Board(3, 3), 2000, 1)],
)
def test_compiled_code_draws_the_same_openings(
    board: Board, count: int, plies: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = draw(count, board, 5, plies)
    monkeypatch.setattr(openings, "MOST_IN_PYTHON", count)
    monkeypatch.delitem(sys.modules, "isolarium.arena.opening_kernel", raising=False)
    assert draw(count, board, 5, plies) == compiled
    assert "isolarium.arena.opening_kernel" not in sys.modules
    for most in (count // 3, count):
        lines, clusters = random_columns(board, 5, plies, most)
        expected, numbers = columns_of(board, compiled[:most])
        assert list(lines.texts(board)) == list(expected.texts(board))
        assert clusters.tolist() == numbers.tolist()
    for opening in compiled[::50]:
        assert opening_of(opening.position(board), opening.moves) == opening


def test_no_opening_ends_the_game() -> None:
    board = Board(3, 4)
    for opening in draw(300, board):
        assert opening.position(board).outcome() is None


def test_small_board_runs_out_and_repeats_clusters() -> None:
    board = Board(3, 3)
    drawn = draw(1000, board)
    clusters = {opening.cluster for opening in drawn}
    assert {opening.cluster for opening in all_openings(board, seed=1)} <= clusters
    assert len(clusters) < 1000


def test_random_moves_are_as_many_as_asked_for() -> None:
    assert {len(opening.moves) for opening in draw(200, plies=4)} == {6}


def test_more_random_moves_than_a_game_has() -> None:
    with pytest.raises(InputError, match="plies=30: games on 5x5 are over by then"):
        draw(1, Board(5, 5), plies=30)
    with pytest.raises(InputError, match="plies=23: games on 5x5 are over by then"):
        random_columns(Board(5, 5), 1, plies=23, count=1000)


def test_all_openings_are_distinct_and_seen_from_any_side() -> None:
    found = all_openings(SEVEN, seed=1)
    assert len({opening.cluster for opening in found}) == len(found) == 315
    sides = [0, 0, 0, 0]
    for opening in found:
        row, col = opening.moves[0]
        if 3 not in (row, col):
            sides[2 * (row > 3) + (col > 3)] += 1
    expected = sum(sides) / 4
    assert all(abs(side - expected) < 4 * (expected * 0.75) ** 0.5 for side in sides)


def test_file_of_openings(tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    file.write_text("# two of them\n7x7: d4 b3\n\n  [[0, 0], [3, 3], [1, 2]]\n", encoding="utf-8")
    assert [str(opening) for opening in openings_from_file(file, SEVEN)] == ["d4 b3", "a1 d4 c2"]


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("7x7: d4 b3\n7x7: d4 d9\n", "line 2: move 2: square 'd9'"),
        ("7x7: d4 b3\n\n7x7: d4\n", "line 3: an opening needs both placements"),
        ("9x9: d4 b3\n", "line 1: game: on 9x9; expected 7x7"),
        ("7/7/2A4/3x3/4B2/7/7 a: d5\n", "line 1: an opening has to start from the empty board"),
        ("# nothing\n", "contains no openings"),
        ("\0\n", "line 1: game"),
    ],
)
def test_file_errors_name_the_line(tmp_path: Path, text: str, output: str) -> None:
    file = tmp_path / "openings.txt"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        openings_from_file(file, SEVEN)
    assert str(error.value).startswith(f"{file}: {output}")


def test_file_that_is_no_text(tmp_path: Path) -> None:
    file = tmp_path / "openings.bin"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not a text file"):
        openings_from_file(file, SEVEN)


def test_file_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        openings_from_file(tmp_path / "none", SEVEN)
