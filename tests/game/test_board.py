import pickle
from typing import Any

import pytest
from hypothesis import given

from isolarium.errors import InputError
from isolarium.game import Board, Square
from tests.strategies import boards


def is_knights_move(one: Square, two: Square) -> bool:
    return {abs(one.row - two.row), abs(one.col - two.col)} == {1, 2}


@given(boards())
def test_squares_run_row_by_row_from_the_top_left(board: Board) -> None:
    assert list(board.squares) == [(r, c) for r in range(board.rows) for c in range(board.cols)]


@given(boards())
def test_index_is_row_times_cols_plus_col(board: Board) -> None:
    for index, square in enumerate(board.squares):
        assert board.index(square) == square.row * board.cols + square.col == index
        assert board.square(index) == square


@given(boards())
def test_full_has_one_bit_for_each_square(board: Board) -> None:
    assert board.full == board.mask_of(board.squares)
    assert board.full.bit_count() == board.size == len(board.squares)


@given(boards(max_side=7))
def test_knight_moves_are_the_squares_of_the_board_a_knights_move_away(board: Board) -> None:
    for square in board.squares:
        expected = [target for target in board.squares if is_knights_move(square, target)]
        assert list(board.knight_moves(square)) == expected
        assert board.knight_mask(square) == board.mask_of(expected)


@given(boards())
def test_squares_in_undoes_mask_of(board: Board) -> None:
    some = board.squares[::3]
    assert board.squares_in(board.mask_of(reversed(some))) == some


@pytest.mark.parametrize("square", [(-1, 0), (0, -1), (5, 0), (0, 6), (60, 60)])
def test_a_square_off_the_board_is_not_in_it_and_has_no_index(square: tuple[int, int]) -> None:
    board = Board(5, 6)
    assert square not in board
    with pytest.raises(InputError, match="off the 5x6 board, whose squares are a1 to f5"):
        board.index(Square(*square))


@pytest.mark.parametrize("sides", [(2, 2), (2, 7), (7, 2), (14, 7), (7, 14), (500, 500), (-7, 7)])
def test_sides_are_from_3_to_13(sides: tuple[int, int]) -> None:
    with pytest.raises(InputError, match=rf"{sides[0]}x{sides[1]}: expected sides from 3 to 13"):
        Board(*sides)


def test_boards_are_equal_by_their_sides() -> None:
    assert Board(3, 4) == Board(3, 4) != Board(4, 3)
    assert len({Board(3, 4), Board(3, 4), Board(4, 3)}) == 2


def test_a_pickled_board_is_small_and_comes_back() -> None:
    pickled = pickle.dumps(Board(13, 13))
    assert len(pickled) < 100
    assert pickle.loads(pickled) == Board(13, 13)


@pytest.mark.parametrize(
    ("square", "text"), [((0, 0), "a1"), ((0, 3), "d1"), ((12, 12), "m13"), ((-1, 0), "[-1, 0]"), ((0, 13), "[0, 13]")]
)
def test_a_square_as_text(square: tuple[int, int], text: str) -> None:
    assert str(Square(*square)) == text


@pytest.mark.parametrize("ask", ["index", "knight_moves", "knight_mask"])
def test_a_text_is_not_a_square(ask: str) -> None:
    with pytest.raises(InputError, match=r"square 'a1': a text; expected a Square"):
        getattr(Board(5, 5), ask)("a1")


@pytest.mark.parametrize("number", ["a1", 1.0, True, 25, -1])
def test_bad_square_numbers_are_refused(number: Any) -> None:
    with pytest.raises(InputError, match=r"^square .*: expected "):
        Board(5, 5).square(number)


@pytest.mark.parametrize("mask", [1 << 25, -1, "a1", 1.0, None])
def test_bad_masks_are_refused(mask: Any) -> None:
    with pytest.raises(InputError, match=r"^mask .*: expected a mask of squares of 5x5$"):
        Board(5, 5).squares_in(mask)
