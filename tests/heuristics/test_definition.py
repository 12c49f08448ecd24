"""The view that a plain heuristic receives equals the one of a compiled heuristic."""

from pathlib import Path

import pytest

from isolarium.errors import InputError
from isolarium.game.board import Board
from isolarium.game.position import Player, Position
from isolarium.heuristics import seen
from isolarium.heuristics.bound_heuristic import parse_heuristic
from isolarium.heuristics.catalogue.lookahead import free_moves
from isolarium.heuristics.compiler import value_of
from isolarium.heuristics.lookup import catalogue
from tests.heuristics.sampling import random_positions


def test_plain_and_compiled_agree() -> None:
    compiled = parse_heuristic("free_moves")  # it uses squares, blanks and the side to move
    for position in random_positions(Board(5, 8), 30):
        for player in Player:
            assert free_moves(*seen(position, player)) == value_of(compiled, position, player)


def test_the_player_to_move_is_the_default() -> None:
    for position in random_positions(Board(7, 7), 3):
        assert seen(position) == seen(position, position.to_move)


@pytest.mark.parametrize("name", catalogue())
def test_a_heuristic_of_the_catalogue_is_called_with_a_position(name: str) -> None:
    known = catalogue()[name]
    for position in random_positions(Board(7, 7), 3):
        for player in Player:
            value = value_of(parse_heuristic(name), position, player)
            assert known(position, player) == pytest.approx(value)
        assert known(position) == known(position, position.to_move)


def test_parameters_of_a_call_are_those_of_the_spec() -> None:
    position = next(iter(random_positions(Board(7, 7), 1)))
    value = value_of(parse_heuristic("balanced(weight=2)"), position, position.to_move)
    assert catalogue()["balanced"](position, weight=2) == pytest.approx(value)
    with pytest.raises(InputError, match="balanced: no parameter named 'wieght'"):
        catalogue()["balanced"](position, wieght=2)


def test_both_players_must_be_placed() -> None:
    with pytest.raises(InputError, match="both players placed"):
        seen(Position.empty(Board(7, 7)))


def test_files_with_the_former_name_of_the_helper_decorator_load(tmp_path: Path) -> None:
    file = tmp_path / "older.py"
    file.write_text(
        "from isolarium.heuristics import heuristic, mobility, word\n\n"
        "@word\ndef twice(number):\n    return 2 * number\n\n"
        "@heuristic\ndef older(view, own, opp):\n    return twice(mobility(view, own))\n"
    )
    compiled = parse_heuristic(f"{file}:older")
    for position in random_positions(Board(7, 7), 3):
        assert value_of(compiled, position, position.to_move) == 2 * position.legal_mask.bit_count()
