"""The view that a plain heuristic receives equals the one of a compiled heuristic."""

import pytest

from isolarium.errors import InputError
from isolarium.game.board import Board
from isolarium.game.outcome import Player
from isolarium.game.position import Position
from isolarium.heuristics import seen
from isolarium.heuristics.bound_heuristic import parse_heuristic
from isolarium.heuristics.catalogue.lookahead import free_moves
from isolarium.heuristics.compiler import value_of
from tests.heuristics.sampling import random_positions


def test_plain_and_compiled_agree() -> None:
    compiled = parse_heuristic("free_moves")  # it uses squares, blanks and the side to move
    for position in random_positions(Board(5, 8), 30):
        for player in Player:
            assert free_moves(*seen(position, player)) == value_of(compiled, position, player)


def test_the_player_to_move_is_the_default() -> None:
    for position in random_positions(Board(7, 7), 3):
        assert seen(position) == seen(position, position.to_move)


def test_both_players_must_be_placed() -> None:
    with pytest.raises(InputError, match="both players placed"):
        seen(Position.empty(Board(7, 7)))
