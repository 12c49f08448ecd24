"""The course's `Board`, a slow reference and our own rules agree on thousands of positions."""

from itertools import chain, islice

import pytest

from isolarium.course.adapter import board_state, make_board
from isolarium.course.modules.first.isolation import Board as CourseBoard
from isolarium.game.board import Board, Square
from isolarium.game.notation import parse_position
from isolarium.game.position import Position
from tests.course.random_games import random_games
from tests.course.reference import Reference

SHAPES = [(3, 3), (4, 6), (7, 7), (9, 5), (6, 11)]
POSITIONS_EACH = 2000

PLAYERS = ("player 1", "player 2")


def assert_agree(board: CourseBoard, reference: Reference, position: Position) -> None:
    """Assert that all three are the same position."""
    assert board._board_state == reference.flat() == board_state(position)
    assert board.get_blank_spaces() == reference.blanks()
    assert board.move_count == reference.moves_made
    for number, player in enumerate(PLAYERS):
        assert sorted(board.get_legal_moves(player)) == sorted(reference.legal(number))
        assert board.get_player_location(player) == reference.places[number]
        assert board.utility(player) == reference.utility(number)
        assert board.is_loser(player) == (reference.utility(number) < 0)
        assert board.is_winner(player) == (reference.utility(number) > 0)
    assert sorted(board.get_legal_moves()) == list(position.legal_moves())
    blank = [square for square in position.board.squares if board.move_is_legal(square)]
    assert blank == list(position.board.squares_in(position.blank))


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_all_agree_on_every_position_of_random_games(shape: tuple[int, int]) -> None:
    rows, cols = shape
    games = islice(chain.from_iterable(random_games(Board(rows, cols), seed=1)), POSITIONS_EACH)
    for position, move in games:
        if position == Position.empty(position.board):
            board = CourseBoard(*PLAYERS, width=cols, height=rows)
            reference = Reference(rows, cols)
        assert_agree(board, reference, position)
        made = make_board(CourseBoard, position, *PLAYERS)
        assert_agree(made, reference, position)
        assert made.hash() == board.hash()
        assert made.active_player == board.active_player
        assert made.inactive_player == board.inactive_player
        if move is not None:
            board, before = board.forecast_move(move), board
            before.apply_move(move)
            assert before._board_state == board._board_state
            reference = reference.play(move)


def test_turns_fit_the_count_of_moves_where_squares_are_missing() -> None:
    position = parse_position("7/7/2A4/3x3/4B2/7/7 a")
    board = make_board(CourseBoard, position, *PLAYERS)
    assert (board.move_count, board.active_player) == (4, PLAYERS[0])


def test_places_are_not_swapped_by_a_turn() -> None:
    position = parse_position("7/7/2A4/7/4B2/7/7 b")
    board = make_board(CourseBoard, position, *PLAYERS)
    assert board.active_player == PLAYERS[1]
    assert [board.get_player_location(player) for player in PLAYERS] == [(2, 2), (4, 4)]


def test_squares_are_moves_as_they_are() -> None:
    board = make_board(CourseBoard, Position.empty(Board(7, 7)), *PLAYERS)
    board.apply_move(Square(2, 3))
    assert board.get_player_location(PLAYERS[0]) == (2, 3)
