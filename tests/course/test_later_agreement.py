"""The later project's `Isolation`, a slow reference and our own rules agree on thousands of positions."""

from math import inf

import pytest

from isolarium.course.adapter import LATER_BOARD, action_of, cell_of, square_of, square_of_action, state_fields
from isolarium.course.modules.later.isolation import Isolation
from isolarium.errors import InputError
from isolarium.game.board import Board, Square
from isolarium.game.notation import parse_position
from isolarium.game.position import Outcome, Position
from tests.course.random_games import random_games
from tests.course.reference import Reference

POSITIONS = 10_000


def assert_agree(state: Isolation, reference: Reference, position: Position) -> None:
    """Assert that all three are the same position."""
    assert state == Isolation(*state_fields(position))
    assert state.player() == reference.active == position.to_move
    assert state.ply_count == reference.moves_made
    assert sorted(state.liberties(None)) == sorted(map(reference.cell, reference.blanks()))
    for player in (0, 1):
        wanted = sorted(map(reference.cell, reference.legal(player)))
        assert sorted(state.liberties(state.locs[player])) == wanted
    actions = [square_of_action(position, action) for action in state.actions()]
    assert sorted(filter(None, actions)) == sorted(reference.legal(reference.active))
    assert [action_of(position, square) for square in actions if square] == state.actions()
    assert state.terminal_test() == reference.is_terminal()


def assert_value_is_the_outcome(state: Isolation, ended: Outcome) -> None:
    winner = int(ended.winner)
    assert (state.utility(winner), state.utility(1 - winner)) == (inf, -inf)


@pytest.mark.slow
def test_all_agree_on_every_position_of_random_games() -> None:
    seen = 0
    for game in random_games(LATER_BOARD, seed=2):
        state, reference = Isolation(), Reference(LATER_BOARD.rows, LATER_BOARD.cols)
        outcome = game[-1][0].outcome()
        assert outcome is not None
        for position, move in game:
            assert_agree(state, reference, position)
            if state.terminal_test():  # the same player wins by our rules, perhaps a move later
                assert_value_is_the_outcome(state, outcome)
            else:
                assert state.utility(0) == state.utility(1) == 0
            if move is not None:
                state, reference = state.result(action_of(position, move)), reference.play(move)
        seen += len(game)
        if seen >= POSITIONS:
            break


def test_cells_are_counted_from_the_bottom_right() -> None:
    assert cell_of(Square(8, 10)) == 0
    assert cell_of(Square(8, 0)) == 10
    assert cell_of(Square(7, 10)) == 13
    assert cell_of(Square(4, 5)) == 57
    assert cell_of(Square(0, 0)) == 114


def test_cells_and_squares_are_inverse() -> None:
    assert [square_of(cell_of(square)) for square in LATER_BOARD.squares] == list(LATER_BOARD.squares)


@pytest.mark.parametrize("cell", [-1, 11, 12, 24, 115, 117, 1000])
def test_numbers_between_rows_and_off_the_board_are_no_squares(cell: int) -> None:
    assert square_of(cell) is None


def test_only_9x11_can_be_a_state() -> None:
    with pytest.raises(InputError, match="board 7x7: the course's later project has only 9x11"):
        state_fields(Position.empty(Board(7, 7)))


def test_turns_fit_the_count_of_plies_where_squares_are_missing() -> None:
    position = parse_position("11/11/2A8/3x7/4B6/11/11/11/11 a")
    state = Isolation(*state_fields(position))
    assert (state.ply_count, state.player()) == (4, 0)
