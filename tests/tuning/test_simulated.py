"""Tuning under a known truth: what is chosen, and whether the interval that is the answer can be believed."""

from dataclasses import replace

import numpy as np
import pytest

from tests.tuning.simulations import CURVES, SMALL, Simulated, hill, simulations

pytestmark = pytest.mark.slow

RUNS = 40


@pytest.fixture(scope="module")
def found() -> dict[str, list[Simulated]]:
    return {name: simulations(SMALL, curve, RUNS) for name, curve in CURVES.items()}


def test_the_confirmed_interval_holds_the_truth(found: dict[str, list[Simulated]]) -> None:
    held = [one.truth in one.interval for runs in found.values() for one in runs]
    assert np.mean(held) >= 0.92  # 95% but for the luck of 120 draws


@pytest.mark.parametrize("name", CURVES)
def test_what_is_chosen_is_within_the_noise_of_the_best(
    name: str, found: dict[str, list[Simulated]]
) -> None:
    within = [one.lost <= one.noise for one in found[name]]
    assert np.mean(within) >= 0.95


def test_the_best_trial_s_own_score_promises_too_much(found: dict[str, list[Simulated]]) -> None:
    for runs in found.values():
        assert np.mean([one.luck for one in runs]) > 0.03


def test_more_games_choose_better() -> None:
    few = np.mean([one.lost for one in simulations(replace(SMALL, trials=8, pairs=20), hill, 20)])
    many = np.mean([one.lost for one in simulations(replace(SMALL, pairs=3000), hill, 20)])
    assert many < 0.2 * few
