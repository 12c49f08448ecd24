"""The game passes OpenSpiel's own simulation test, and plays by the rules of `isolarium.game.position`."""

import pickle
import random
import sys
from importlib import import_module

import pyspiel
import pytest
from open_spiel.python.algorithms.minimax import alpha_beta_search
from open_spiel.python.observation import make_observation

from isolarium.env import openspiel
from isolarium.env.observation import observe
from isolarium.game import Board, Player, Position
from isolarium.solver.solver import ExactValues

GAME = "isolarium(rows=5,cols=6)"


@pytest.mark.parametrize(
    ("name", "games"), [("isolarium(rows=3,cols=4)", 10), ("isolarium", 3), ("isolarium(rows=13,cols=13)", 1)]
)
def test_openspiels_own_test_passes(name: str, games: int) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=games, serialize=True, verbose=False)


def test_a_random_game_equals_the_reference() -> None:
    game = pyspiel.load_game(GAME)
    state, position = game.new_initial_state(), Position.empty(Board(5, 6))
    observation = make_observation(game)
    chance = random.Random(4)
    while position.outcome() is None:
        assert state.current_player() == position.to_move
        assert state.legal_actions() == list(map(position.board.index, position.legal_moves()))
        for player in Player:
            observation.set_from(state, player)
            assert (observation.dict["observation"] == observe(position, player)).all()
        action = chance.choice(state.legal_actions())
        square = position.board.square(action)
        assert state.action_to_string(action) == str(square)
        state.apply_action(action)
        position = position.play(square)
    assert state.is_terminal()
    winner = position.to_move.other
    assert state.returns() == [1.0 if player is winner else -1.0 for player in Player]


def test_a_state_survives_cloning_and_pickling() -> None:
    state = pyspiel.load_game(GAME).new_initial_state()
    for action in (0, 29, 8):
        state.apply_action(action)
    assert str(pickle.loads(pickle.dumps(state))) == str(state)
    other = state.clone()
    other.apply_action(other.legal_actions()[0])
    assert str(other) != str(state)


def test_openspiels_alpha_beta_agrees_with_the_solver() -> None:
    state = pyspiel.load_game("isolarium(rows=4,cols=3)").new_initial_state()
    for action in (0, 5):
        state.apply_action(action)
    value, _ = alpha_beta_search(state.get_game(), state=state, maximizing_player_id=0)
    assert isinstance(state, openspiel.IsolariumState)
    assert (value == 1) == ExactValues().wins(state.position)


def test_without_openspiel_the_error_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)  # as if it could not be found
    monkeypatch.delitem(sys.modules, "isolarium.env.openspiel")
    with pytest.raises(ImportError, match=r"OpenSpiel is not installed; run pip install '\.\[openspiel\]'"):
        import_module("isolarium.env.openspiel")
