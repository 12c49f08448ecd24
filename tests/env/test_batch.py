"""The batched environment plays by the rules of `isolarium.game.position`, and the same seed gives the same games."""

import pickle
from collections.abc import Callable
from copy import copy, deepcopy
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from isolarium.env import Batch, BatchEnv
from isolarium.env.observation import action_mask, observe
from isolarium.errors import InputError
from isolarium.game import Board, Position, parse_start
from isolarium.limits import MOST_SEED
from tests.samples import how_many
from tests.strategies import starts

GAMES = 6


def unfinished_starts() -> st.SearchStrategy[Position]:
    return starts().filter(lambda position: position.outcome() is None)


def check(batch: Batch, positions: list[Position]) -> None:
    """See that a batch shows these positions, each as its mover sees it."""
    for game, position in enumerate(positions):
        assert (batch.observations[game] == observe(position, position.to_move)).all()
        assert (batch.action_masks[game] == action_mask(position)).all()
        assert batch.players[game] == position.to_move


def played(position: Position, action: int) -> tuple[Position | None, float]:
    """By the reference: the position after an action, None after the end, and the mover's reward."""
    board = position.board
    if not 0 <= action < board.size or not position.is_legal(board.square(action)):
        return None, -1.0
    after = position.play(board.square(action))
    return (after, 0.0) if after.outcome() is None else (None, 1.0)


@pytest.mark.slow
@settings(max_examples=how_many(25, 10))
@given(unfinished_starts(), st.integers(0, 3), st.integers(0, MOST_SEED), st.data())
def test_every_step_equals_the_reference(start: Position, random_plies: int, seed: int, data: st.DataObject) -> None:
    env = BatchEnv(start, GAMES, random_plies=random_plies, seed=seed)
    batch = env.reset()
    positions = [env.position(game) for game in range(GAMES)]
    check(batch, positions)
    wrong = data.draw(st.lists(st.tuples(st.integers(0, 39), st.integers(-3, 200)), max_size=3))
    for ply in range(40):
        actions = env.sample()
        for at, action in wrong:  # seldom legal
            if at == ply:
                actions[ply % GAMES] = action
        after = [played(*each) for each in zip(positions, actions.tolist(), strict=True)]
        batch = env.step(actions)
        for game, (position, reward) in enumerate(after):
            assert batch.rewards[game] == reward
            assert batch.terminations[game] == (position is None)
            positions[game] = position or begun(env, game, start, random_plies)
        check(batch, positions)


def begun(env: BatchEnv, game: int, start: Position, random_plies: int) -> Position:
    """A game that has just begun: as many plies from the start as asked for, or one ply from an end."""
    position = env.position(game)
    plies = start.blank_count - position.blank_count
    ends = (position.play(move).outcome() is not None for move in position.legal_moves())
    assert position == start if random_plies == 0 else plies == random_plies or any(ends)
    assert position.blank & ~start.blank == 0
    assert (position.to_move == start.to_move) == (plies % 2 == 0)
    return position


def history(games: int, seed: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    env = BatchEnv("4x5", games, random_plies=2, seed=seed)
    rounds = []
    for _ in range(40):
        rounds.append(env.sample())
        env.step(rounds[-1])
    return np.array(rounds)


def test_a_seed_decides_each_game_whatever_the_number_of_games() -> None:
    assert (history(5, seed=3) == history(9, seed=3)[:, :5]).all()
    assert (history(5, seed=3) != history(5, seed=4)).any()


def test_reset_continues_without_a_seed_and_restarts_with_one() -> None:
    env = BatchEnv("7x7", 50, random_plies=2, seed=8)
    first = env.reset(8).observations.copy()
    assert (env.reset().observations != first).any()
    assert (env.reset(8).observations == first).all()


def test_samples_are_all_the_legal_actions() -> None:
    env = BatchEnv("3x4", 400)
    assert set(env.sample().tolist()) == set(range(12))


@pytest.mark.parametrize("copied", [copy, deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_is_independent(copied: Callable[[BatchEnv], BatchEnv]) -> None:
    env = BatchEnv("4x4", 10, random_plies=1, seed=5)
    env.step(env.sample())
    twin = copied(env)
    before = [env.position(game) for game in range(10)]
    for _ in range(20):
        batch = twin.step(twin.sample())
    check(batch, [twin.position(game) for game in range(10)])
    assert [env.position(game) for game in range(10)] == before
    for _ in range(20):
        env.step(env.sample())
    assert [env.position(game) for game in range(10)] == [twin.position(game) for game in range(10)]


def test_observations_are_read_only() -> None:
    batch = BatchEnv("3x3", 1).reset()
    assert not any(array.flags.writeable for array in batch)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"start": "2x2"}, "start '2x2'"),
        ({"start": parse_start("3/1A1/2B a")}, "the game is over"),
        ({"start": 7}, "start 7: expected a position, or text such as 7x7"),
        ({"games": 0}, "games 0: expected 1 to"),
        ({"random_plies": -1}, "random_plies -1: expected 0 or more"),
        ({"random_plies": 1.5}, "random_plies 1.5: expected a whole number"),
        ({"seed": "one"}, "seed 'one': expected a whole number"),
        ({"seed": -1}, "seed=-1: expected a number from 0 to 2"),
    ],
)
def test_invalid_arguments_are_errors(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        BatchEnv(**arguments)  # type: ignore[arg-type] # that is what is tried


@pytest.mark.parametrize("game", [-1, 3, None, 1.5, True])
def test_an_invalid_game_number_is_an_error(game: Any) -> None:
    with pytest.raises(InputError, match=f"game {game}: expected"):
        BatchEnv(Board(3, 3), 3).position(game)


def test_actions_may_be_read_only() -> None:
    env, same = BatchEnv("5x5", 4), BatchEnv("5x5", 4)
    actions = np.arange(4)
    same.step(actions)
    actions.flags.writeable = False
    env.step(actions)
    assert [env.position(game) for game in range(4)] == [same.position(game) for game in range(4)]


def test_actions_that_are_not_an_array_are_an_error() -> None:
    with pytest.raises(InputError, match="actions: expected 3 whole numbers"):
        BatchEnv("3x3", 3).step([[1], [1, 2], 3])  # type: ignore[arg-type]


@pytest.mark.parametrize("actions", [[1, 2], [[1, 2, 3]], [0.5, 1.0, 2.0], np.zeros(3, "timedelta64[s]")])
def test_actions_of_the_wrong_shape_or_type_are_an_error(actions: ArrayLike) -> None:
    with pytest.raises(InputError, match=r"expected whole numbers of shape \(3,\)"):
        BatchEnv("3x3", 3).step(actions)
