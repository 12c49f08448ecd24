from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isolarium.game import Board, Position, Square, Symmetry, canonical, format_position, parse_position, symmetries
from tests.strategies import boards, positions

ALL = list(Symmetry)


@given(boards())
def test_a_square_board_has_8_symmetries_and_others_4(board: Board) -> None:
    kept = symmetries(board)
    assert kept[0] is Symmetry.IDENTITY
    assert len(set(kept)) == len(kept) == (8 if board.rows == board.cols else 4)
    assert all(symmetry.board(board) == board for symmetry in kept)


@given(boards(max_side=6), st.sampled_from(ALL))
def test_a_symmetry_maps_the_squares_one_to_one(board: Board, symmetry: Symmetry) -> None:
    images = {symmetry.square(square, board) for square in board.squares}
    assert images == set(symmetry.board(board).squares)


@given(boards())
def test_the_eight_are_different_on_every_board(board: Board) -> None:
    images = [tuple(symmetry.square(s, board) for s in board.squares[:2]) for symmetry in ALL]
    boards_and_images = {(s.board(board), i) for s, i in zip(ALL, images, strict=True)}
    assert len(boards_and_images) == 8


@given(boards(max_side=6))
def test_one_symmetry_then_another_is_a_symmetry(board: Board) -> None:
    for one, two in product(ALL, ALL):
        both = one.then(two)
        between = one.board(board)
        assert both.board(board) == two.board(between)
        for square in board.squares:
            assert both.square(square, board) == two.square(one.square(square, board), between)


def test_the_symmetries_of_each_shape_are_closed() -> None:
    for board in (Board(5, 5), Board(5, 6)):
        kept = set(symmetries(board))
        assert {one.then(two) for one, two in product(kept, kept)} == kept


@pytest.mark.parametrize("symmetry", ALL)
def test_the_inverse_undoes(symmetry: Symmetry) -> None:
    assert symmetry.then(symmetry.inverse) is Symmetry.IDENTITY
    assert symmetry.inverse.then(symmetry) is Symmetry.IDENTITY
    board = Board(4, 6)
    for square in board.squares:
        image = symmetry.square(square, board)
        assert symmetry.inverse.square(image, symmetry.board(board)) == square


@given(positions(), st.sampled_from(ALL))
def test_the_inverse_gives_the_position_back(position: Position, symmetry: Symmetry) -> None:
    assert symmetry.inverse.position(symmetry.position(position)) == position


@given(positions(), st.sampled_from(ALL))
def test_a_position_is_mapped_square_by_square(position: Position, symmetry: Symmetry) -> None:
    image, board = symmetry.position(position), position.board
    assert image.board == symmetry.board(board)
    assert image.to_move is position.to_move
    for square in board.squares:
        mapped = symmetry.square(square, board)
        assert image.is_blank(mapped) == position.is_blank(square)
        assert (image.first == mapped) == (position.first == square)
        assert (image.second == mapped) == (position.second == square)


@given(positions(), st.sampled_from(ALL))
def test_moves_commute_with_symmetries(position: Position, symmetry: Symmetry) -> None:
    image = symmetry.position(position)
    mapped = {move: symmetry.square(move, position.board) for move in position.legal_moves()}
    assert set(image.legal_moves()) == set(mapped.values())
    for move, there in mapped.items():
        assert symmetry.position(position.play(move)) == image.play(there)


@given(positions())
def test_all_images_have_the_same_canonical_one(position: Position) -> None:
    images = [symmetry.position(position) for symmetry in symmetries(position.board)]
    least, symmetry = canonical(position)
    assert {canonical(image)[0] for image in images} == {least}
    assert symmetry.position(position) == least


@given(positions())
def test_the_canonical_image_is_the_least_in_the_documented_order(position: Position) -> None:
    def order(image: Position) -> tuple[int, int, int]:
        players = (image.first, image.second)
        first, second = (-1 if s is None else image.board.index(s) for s in players)
        return first, second, image.blank

    images = [symmetry.position(position) for symmetry in symmetries(position.board)]
    assert order(canonical(position)[0]) == min(map(order, images))


def test_315_starts_of_7x7_are_different() -> None:
    empty = Position.empty(Board(7, 7))
    starts = {
        canonical(placed.play(second))[0]
        for placed in map(empty.play, empty.legal_moves())
        for second in placed.legal_moves()
    }
    assert len(starts) == 315


DRAWN = {
    Symmetry.IDENTITY: "A2B/x3/4 a",
    Symmetry.HALF_TURN: "4/3x/B2A a",
    Symmetry.TOP_BOTTOM: "4/x3/A2B a",
    Symmetry.LEFT_RIGHT: "B2A/3x/4 a",
    Symmetry.DIAGONAL: "Ax1/3/3/B2 a",
    Symmetry.ANTIDIAGONAL: "2B/3/3/1xA a",
    Symmetry.TURN_LEFT: "B2/3/3/Ax1 a",
    Symmetry.TURN_RIGHT: "1xA/3/3/2B a",
}


@pytest.mark.parametrize("symmetry", ALL)
def test_each_symmetry_does_what_its_name_says(symmetry: Symmetry) -> None:
    image = symmetry.position(parse_position("A2B/x3/4 a"))
    assert format_position(image) == DRAWN[symmetry]


def test_a_move_goes_to_the_canonical_image_and_back() -> None:
    position = parse_position("7/7/7/7/4x2/5B1/6A a")
    least, symmetry = canonical(position)
    assert least.first == Square(0, 0)
    for move in position.legal_moves():
        there = symmetry.square(move, position.board)
        assert least.is_legal(there)
        assert symmetry.inverse.square(there, position.board) == move
