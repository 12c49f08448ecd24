"""The PettingZoo environment passes PettingZoo's own tests, and says what the rules and the solver say."""

import sys
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from isolarium.env import MoveValues, isolarium_v0, move_values
from isolarium.errors import InputError
from isolarium.game import parse_position, parse_start
from tests.solver.brute_force import BruteForce


# PettingZoo's classic games have observations of the same form, and are left out of these three warnings by name.
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
@pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros")
@pytest.mark.parametrize("start", ["7x7", "3x13", "7/7/2A4/3x3/4B2/7/7 b"])
def test_pettingzoos_api_test_passes(start: str, capsys: pytest.CaptureFixture[str]) -> None:
    from pettingzoo.test import api_test  # takes long to import

    api_test(isolarium_v0.env(start), num_cycles=300)
    assert "Passed API test" in capsys.readouterr().out


def test_pettingzoos_seed_test_passes() -> None:
    from pettingzoo.test import seed_test

    seed_test(lambda: isolarium_v0.env("5x6", random_plies=4, truth=True), num_cycles=100)


def test_pettingzoos_render_test_passes(capsys: pytest.CaptureFixture[str]) -> None:
    from pettingzoo.test import render_test

    render_test(lambda render_mode: isolarium_v0.env("4x5", render_mode=render_mode))
    assert "(A)" in capsys.readouterr().out


def test_a_seed_decides_the_random_plies() -> None:
    env = isolarium_v0.env("7x7", random_plies=2)
    drawn = []
    for seed in (5, 6, 5):
        env.reset(seed=seed)
        drawn.append(env.unwrapped.position)
    assert drawn[0] == drawn[2] != drawn[1]
    assert drawn[0].first is not None
    assert drawn[0].second is not None


def test_both_players_are_rewarded_at_the_end_and_only_the_mover_has_actions() -> None:
    env = isolarium_v0.env("3x3")
    env.reset()
    while not env.terminations[env.agent_selection]:
        [waiting] = set(env.agents) - {env.agent_selection}
        assert not env.observe(waiting)["action_mask"].any()
        env.step(int(np.argmax(env.last()[0]["action_mask"])))
    outcome = env.unwrapped.position.outcome()
    assert env.rewards[f"player_{int(outcome.winner)}"] == 1
    assert env.rewards[f"player_{int(outcome.loser)}"] == -1


def test_an_illegal_action_loses() -> None:
    env = isolarium_v0.env("7x7")
    env.reset()
    env.step(24)
    env.step(24)
    assert env.rewards == {"player_0": 0, "player_1": -1}
    assert all(env.terminations.values())


def test_without_wrappers_an_illegal_action_is_an_error() -> None:
    env = isolarium_v0.raw_env("7x7")
    env.reset()
    env.step(24)
    with pytest.raises(InputError, match="d4: blocked; expected a blank square"):
        env.step(24)


@pytest.mark.parametrize("action", [-1, 9, 1.5, np.nan, "a", [3]])
def test_an_invalid_action_is_an_error(action: Any) -> None:
    env = isolarium_v0.raw_env("3x3")
    message = r"expected the number of a square, 0 to 8"
    env.reset()
    with pytest.raises(InputError, match=message):
        env.step(action)
    with pytest.raises(InputError, match=message):
        move_values("3x3").regret(action)


def test_without_wrappers_an_action_outside_a_game_is_an_error() -> None:
    env = isolarium_v0.raw_env("A1B/xxx/3 a")
    with pytest.raises(InputError, match="action 0: there is no game"):
        env.step(0)
    env.reset()
    for action in (7, None, None):
        env.step(action)
    with pytest.raises(InputError, match="action 0: there is no game"):
        env.step(0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"start": "40x2"}, "start '40x2'"),
        ({"truth": 5}, "truth 5: expected True, False or an ExactValues"),
        ({"render_mode": "video"}, "render_mode 'video': expected one of human, ansi, rgb_array"),
    ],
)
def test_invalid_arguments_are_errors(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        isolarium_v0.env(**arguments)


def test_an_invalid_seed_is_an_error() -> None:
    with pytest.raises(InputError, match="seed=-1: expected a number from 0 to 2"):
        isolarium_v0.env("3x3").reset(seed=-1)


def test_infos_have_the_exact_values_along_a_game() -> None:
    env = isolarium_v0.env("A4/5/5/3B1 a", truth=True)
    env.reset()
    brute_force = BruteForce(env.unwrapped.position.board)
    while not env.terminations[env.agent_selection]:
        position, info = env.unwrapped.position, env.infos[env.agent_selection]
        moves = {position.board.index(move): move for move in position.legal_moves()}
        assert info["wins"] == brute_force.wins(position)
        assert set(np.flatnonzero(info["move_values"]).tolist()) == set(moves)
        for action, move in moves.items():
            assert (info["move_values"][action] == -1) == brute_force.wins(position.play(move))
        env.step(int(np.argmax(env.last()[0]["action_mask"])))


def test_regret_is_two_for_giving_up_a_win_and_otherwise_zero() -> None:
    position = parse_start("5x5")
    while not (known := move_values(position)).wins or -1 not in known.values:
        position = position.play(position.legal_moves()[0])
    assert {known.regret(a) for a in range(25) if known.values[a] == 1} == {0.0}
    assert {known.regret(a) for a in range(25) if known.values[a] == -1} == {2.0}


def test_regret_is_unknown_if_the_exact_value_is() -> None:
    known = MoveValues(None, np.zeros(169, dtype=np.int8))
    assert known.regret(3) is None
    assert MoveValues(True, known.values).regret(3) is None
    assert MoveValues(False, known.values).regret(3) == 0.0


def test_a_picture_shows_the_players_where_they_stand() -> None:
    env = isolarium_v0.raw_env("7/7/2A4/3x3/4B2/7/7 a", render_mode="rgb_array")
    env.reset()
    picture = env.render()
    assert isinstance(picture, np.ndarray)
    assert picture.shape == (7 * 44 + 24, 7 * 44 + 24, 3)
    body = (12 + 2 * 44 + 10, 12 + 2 * 44 + 14)  # left of the knight's head, within the disc
    assert tuple(picture[body]) == (0x2B, 0x80, 0xD8)


def test_text_numbers_the_actions() -> None:
    env = isolarium_v0.raw_env(parse_position("3/3/A1B a"), render_mode="ansi")
    env.reset()
    assert " 1 " in str(env.render())
    assert " 5 " in str(env.render())


def test_without_pettingzoo_the_error_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pettingzoo", None)  # as if it could not be found
    monkeypatch.delitem(sys.modules, "isolarium.env.isolarium_v0")
    with pytest.raises(ImportError, match=r"PettingZoo is not installed; run pip install '\.\[rl\]' in a clone"):
        import_module("isolarium.env.isolarium_v0")
