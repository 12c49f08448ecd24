"""Levels of play: agents that there are, as strong on every machine, each stronger than the one before."""

from itertools import pairwise

import pytest

import isolarium
from isolarium.agents import parse_spec
from isolarium.agents.levels import LEVELS


def test_no_clock_decides_how_strong_a_level_is() -> None:
    for level in LEVELS:
        assert parse_spec(level.agent).limit.time_ms is None


def test_each_is_measured_and_above_the_one_before() -> None:
    for lower, upper in pairwise(LEVELS):
        assert lower.elo["9x9"] < upper.elo["9x9"]
    for lower, upper in pairwise(LEVELS[:-1]):  # play on 7x7 is nearly perfect below the last
        assert lower.elo["7x7"] < upper.elo["7x7"]


@pytest.mark.slow
def test_every_level_plays_a_game_to_its_end() -> None:
    for lower, upper in pairwise(LEVELS):
        game = isolarium.play(lower.agent, upper.agent, start="5x5", seed=1)
        assert game.outcome() is not None
