"""Tuning under a known truth: what is chosen, and whether the interval that is the answer can be believed.

Every run has its seed, so the figures are the same each time; `tools.proofs.tuning_truth` has them from many more runs.
"""

from typing import Any

import numpy as np
import pytest

from tests.studies.simulations import TRUTHS, Simulated, simulations

pytestmark = pytest.mark.slow

RUNS = 20
SMALL: dict[str, Any] = {"trials": 24, "round": 8, "pairs": 100, "confirm": 1000}


@pytest.fixture(scope="module")
def found() -> dict[str, list[Simulated]]:
    return {name: simulations(truth, RUNS, **SMALL) for name, truth in TRUTHS.items()}


def test_the_confirmed_interval_holds_the_truth(found: dict[str, list[Simulated]]) -> None:
    held = [one.truth in one.interval for runs in found.values() for one in runs]
    assert np.mean(held) >= 0.92  # 95% but for the luck of 80 draws


def test_where_nothing_is_to_be_had_a_gain_is_hardly_ever_claimed(found: dict[str, list[Simulated]]) -> None:
    assert sum(one.is_claimed_falsely for one in found["flat"]) <= 2  # 2.5% of 20, but for luck
    assert sum(one.is_claimed for one in found["steep"]) > 2


@pytest.mark.parametrize("name", TRUTHS)
def test_what_is_chosen_is_within_the_noise_of_the_best(name: str, found: dict[str, list[Simulated]]) -> None:
    within = [one.lost <= one.noise for one in found[name]]
    assert np.mean(within) >= 0.95


def test_the_best_trial_s_own_score_promises_too_much(found: dict[str, list[Simulated]]) -> None:
    for runs in found.values():
        assert np.mean([one.luck for one in runs]) > 0.03


def test_more_games_choose_better() -> None:
    few = simulations(TRUTHS["hill"], 6, **{**SMALL, "trials": 8, "pairs": 20})
    many = simulations(TRUTHS["hill"], 6, **{**SMALL, "pairs": 3000})
    assert np.mean([one.lost for one in many]) < 0.2 * np.mean([one.lost for one in few])
