"""Estimates after a sequential test, and the Brownian motion behind them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isolarium.stats import (
    Pair,
    PairSummary,
    SequentialTest,
    SprtPlan,
    SprtState,
    rate_from_elo,
    sequential_estimate,
    summarize,
)
from isolarium.stats.distributions import normal_cdf
from isolarium.stats.sprt import Motion, reaches_upper
from tests.samples import sample
from tests.stats.simulations.one_match import Truth
from tests.stats.simulations.sequential import SprtRuns, run_sprts
from tests.stats.strategies import pair_lists

RUNS = 800
PLAN = SprtPlan(0, 100)


@pytest.mark.slow
@pytest.mark.parametrize(("elo", "stopping_side"), [(PLAN.elo0, -1), (PLAN.elo1, 1)])
def test_it_is_right_in_the_median_and_covers_the_truth_where_the_naive_rate_exaggerates(
    elo: float, stopping_side: int
) -> None:
    truth = Truth(rate_from_elo(elo), 0.3)
    found = run_sprts(PLAN, truth, RUNS, seed=6, estimates=True)
    naive, corrected = (
        stopping_side * np.array([estimate.rate - truth.mean for estimate in estimates])
        for estimates in (found.naive, found.corrected)
    )
    assert naive.mean() > 3 * naive.std() / math.sqrt(RUNS)
    assert np.mean(corrected > 0) == pytest.approx(0.5, abs=3 * math.sqrt(0.25 / RUNS))
    assert abs(corrected.mean()) < 0.6 * naive.mean()
    assert share_covered(truth, found) >= least_covered(RUNS)


@pytest.mark.slow
@pytest.mark.parametrize(("plan", "split"), sample([(PLAN, 0.0), (SprtPlan(0, 25), 0.9), (SprtPlan(50, 150), 0.1)], 1))
def test_its_interval_covers_the_truth(plan: SprtPlan, split: float) -> None:
    for elo in (plan.elo0, plan.elo1):
        truth = Truth(rate_from_elo(elo), split)
        found = run_sprts(plan, truth, 300, seed=9, estimates=True)
        assert share_covered(truth, found) >= least_covered(300)


def share_covered(truth: Truth, found: SprtRuns) -> float:
    return float(np.mean([truth.mean in estimate for estimate in found.corrected]))


def least_covered(runs: int) -> float:
    return 0.95 - 3 * math.sqrt(0.95 * 0.05 / runs)


def test_a_win_is_corrected_downwards_and_a_loss_upwards() -> None:
    win, loss = PairSummary.distinct(40, 20, 17), PairSummary.distinct(17, 20, 22)
    after_win, after_loss = sequential_estimate(win, PLAN), sequential_estimate(loss, PLAN)
    assert after_win.state is SprtState.ACCEPTS_H1
    assert after_win.rate.rate < after_win.naive.rate
    assert after_loss.state is SprtState.ACCEPTS_H0
    assert after_loss.rate.rate > after_loss.naive.rate


def test_a_test_still_running_has_nothing_to_correct_and_says_so() -> None:
    estimate = sequential_estimate(PairSummary.distinct(30, 100, 20), SprtPlan(-0.5, 0.5))
    assert estimate.state is SprtState.RUNNING
    assert not estimate.corrected
    assert estimate.rate == estimate.naive


def test_an_agent_against_itself_gets_a_narrow_interval() -> None:
    all_split = PairSummary.distinct(0, 1000, 0)
    for plan in (SprtPlan(-5, 5), SprtPlan(0, 5), SprtPlan(0, 10), SprtPlan(-10, 0)):
        estimate = sequential_estimate(all_split, plan)
        assert estimate.rate.rate == pytest.approx(0.5, abs=0.005)
        assert 0 < estimate.rate.width < 0.04


@settings(max_examples=40)
@given(pair_lists, st.floats(-100, 100), st.floats(1, 300))
def test_it_is_in_order_and_never_nan(pairs: list[Pair], elo0: float, more: float) -> None:
    plan = SprtPlan(elo0, elo0 + more)
    test = SequentialTest(plan)
    for number, pair in enumerate(pairs):
        test.add(number, pair)
    estimate = sequential_estimate(test.summary, plan)
    assert 0 <= estimate.rate.low <= estimate.rate.rate <= estimate.rate.high <= 1
    assert estimate.rate.width > 0
    assert 0 <= estimate.superiority <= 1
    assert estimate.state is test.state
    assert estimate.corrected is (test.state is not SprtState.RUNNING)


@settings(max_examples=40)
@given(pair_lists)
def test_swapping_the_agents_mirrors_it(pairs: list[Pair]) -> None:
    plan, mirrored_plan = SprtPlan(-10, 50), SprtPlan(-50, 10)
    here = sequential_estimate(summarize(pairs), plan)
    swapped = summarize(Pair(1 - pair.score, pair.cluster) for pair in pairs)
    there = sequential_estimate(swapped, mirrored_plan)
    mirrored = there.rate.swapped()
    assert (here.rate.rate, here.rate.low, here.rate.high) == pytest.approx(
        (mirrored.rate, mirrored.low, mirrored.high), abs=1e-6
    )
    assert here.superiority == pytest.approx(1 - there.superiority, abs=1e-6)


def test_before_the_first_pair_the_interval_is_full() -> None:
    estimate = sequential_estimate(summarize([]), PLAN)
    assert (estimate.rate.low, estimate.rate.high, estimate.superiority) == (0, 1, 0.5)


drifts = st.floats(-3, 3)
lowers = st.floats(-5, -0.3)
uppers = st.floats(0.3, 5)
times = st.floats(0.01, 30)


def stays_inside(motion: Motion, lower: float, upper: float, time: float) -> float:
    met_lower = reaches_upper(motion.mirrored(), -upper, -lower, time)
    return 1 - met_lower - reaches_upper(motion, lower, upper, time)


@given(drifts, lowers, uppers, times)
def test_the_longer_it_moves_the_likelier_it_has_met_a_line(
    drift: float, lower: float, upper: float, time: float
) -> None:
    motion = Motion(drift, 1.0)
    sooner, later = (stays_inside(motion, lower, upper, t) for t in (time, 1.5 * time))
    assert -1e-9 <= later <= sooner + 1e-9 <= 1 + 1e-8


@given(drifts, lowers, uppers)
def test_given_time_the_lines_divide_it_as_a_gambler_is_ruined(drift: float, lower: float, upper: float) -> None:
    if abs(drift) < 1e-6:
        ruin = -lower / (upper - lower)
    else:
        ruin = math.expm1(-2 * drift * lower) / (math.exp(-2 * drift * lower) - math.exp(-2 * drift * upper))
    assert reaches_upper(Motion(drift, 1.0), lower, upper, 2000) == pytest.approx(ruin, abs=1e-5)


@given(drifts, uppers, times)
def test_with_one_line_far_away_passage_is_inverse_gaussian(drift: float, upper: float, time: float) -> None:
    root = math.sqrt(time)
    passage = normal_cdf((drift * time - upper) / root) + math.exp(2 * drift * upper) * normal_cdf(
        (-drift * time - upper) / root
    )
    assert reaches_upper(Motion(drift, 1.0), -200, upper, time) == pytest.approx(passage, abs=1e-9)


@given(lowers, uppers, st.floats(0.5, 30))
def test_survival_is_the_sine_series_of_the_heat_equation(lower: float, upper: float, time: float) -> None:
    width = upper - lower
    series = sum(
        4 / (math.pi * n) * math.sin(-math.pi * n * lower / width) * math.exp(-0.5 * time * (math.pi * n / width) ** 2)
        for n in range(1, 400, 2)
    )
    assert stays_inside(Motion(0.0, 1.0), lower, upper, time) == pytest.approx(series, abs=1e-9)


@pytest.mark.parametrize("drift", [-1e4, -50, 50, 1e4])
def test_a_violent_drift_neither_overflows_nor_misses(drift: float) -> None:
    motion = Motion(drift, 1.0)
    assert reaches_upper(motion, -3, 3, 5) == pytest.approx(1.0 if drift > 0 else 0.0)
    assert stays_inside(motion, -3, 3, 5) == pytest.approx(0)
