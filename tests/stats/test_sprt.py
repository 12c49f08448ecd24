import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isolarium.stats import (
    Pair,
    PairSummary,
    SequentialTest,
    SprtPlan,
    SprtState,
    elo_from_rate,
    log_likelihood_ratio,
    rate_from_elo,
    summarize,
)
from tests.samples import sample
from tests.stats.simulations.one_match import Truth, truth_at
from tests.stats.simulations.sequential import SprtRuns, run_sprts
from tests.stats.strategies import distinct_summaries, pair_lists


def test_bounds_are_walds() -> None:
    plan = SprtPlan(0, 5, alpha=0.05, beta=0.05)
    assert (plan.lower, plan.upper) == pytest.approx((-2.944, 2.944), abs=5e-4)
    assert SprtPlan(0, 5, alpha=0.01, beta=0.1).upper == pytest.approx(math.log(90))


@pytest.mark.parametrize(
    "settings",
    [
        {"elo0": 5, "elo1": 5},
        {"elo0": 5, "elo1": 0},
        {"elo0": 0, "elo1": math.nan},
        {"elo0": 0, "elo1": 5, "alpha": 0},
        {"elo0": 0, "elo1": 5, "beta": 0.5},
    ],
)
def test_a_plan_that_cannot_decide_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"expected|not below"):
        SprtPlan(**settings)


def likelihood_by_lagrange(counts: tuple[int, int, int], mean: float) -> float:
    """The greatest log likelihood with that mean, by Proposition 1.1 of Van den Bergh's paper.

    The likeliest probabilities are f_i / (1 + x (a_i - mean)), x a root of the secular equation.
    """
    total = sum(counts)
    points = [(a - mean, count / total) for a, count in zip((1, 0.5, 0), counts, strict=True)]
    low, high = -1 / (1 - mean), 1 / mean
    for _ in range(200):
        x = (low + high) / 2
        if sum(share * a / (1 + x * a) for a, share in points) > 0:
            low = x
        else:
            high = x
    return sum(total * share * math.log(share / (1 + x * a)) for a, share in points)


def ratio_of_means(summary: PairSummary, m0: float, m1: float) -> float:
    """The ratio of the mean m1 to the mean m0, whichever is the greater."""
    if m0 > m1:
        return -ratio_of_means(summary, m1, m0)
    elo0, elo1 = elo_from_rate(m0), elo_from_rate(m1)
    return log_likelihood_ratio(summary, SprtPlan(elo0, elo1)) if elo0 < elo1 else 0.0


@given(st.integers(1, 300), st.integers(1, 300), st.integers(1, 300), st.floats(0.05, 0.95), st.floats(0.05, 0.95))
def test_ratio_is_van_den_berghs(won: int, split: int, lost: int, m0: float, m1: float) -> None:
    counts = (won, split, lost)
    expected = likelihood_by_lagrange(counts, m1) - likelihood_by_lagrange(counts, m0)
    found = ratio_of_means(PairSummary.distinct(*counts), m0, m1)
    assert found == pytest.approx(expected, abs=1e-6)


def test_ratio_without_split_pairs_is_the_binomial_one() -> None:
    found = ratio_of_means(PairSummary.distinct(30, 0, 20), 0.5, 0.6)
    assert found == pytest.approx(30 * math.log(0.6 / 0.5) + 20 * math.log(0.4 / 0.5))


@given(distinct_summaries, st.floats(-300, 300), st.floats(1, 300))
def test_ratio_is_finite_for_any_counts(summary: PairSummary, elo0: float, more: float) -> None:
    for normalised in (False, True):
        plan = SprtPlan(elo0, elo0 + more, normalised=normalised)
        assert math.isfinite(log_likelihood_ratio(summary, plan))


@given(distinct_summaries, st.floats(-300, 300), st.floats(1, 300))
def test_swapping_agents_and_hypotheses_changes_nothing(summary: PairSummary, elo0: float, more: float) -> None:
    for normalised in (False, True):
        here = log_likelihood_ratio(summary, SprtPlan(elo0, elo0 + more, normalised=normalised))
        other = SprtPlan(-elo0 - more, -elo0, normalised=normalised)
        there = -log_likelihood_ratio(summary.swapped(), other)
        assert here == pytest.approx(there, rel=1e-6, abs=1e-6)


def test_repeating_one_opening_never_decides() -> None:
    test = SequentialTest(SprtPlan(0, 20))
    for number in range(2000):
        test.add(number, Pair(1, "the same"))
    assert test.state is SprtState.RUNNING


@pytest.mark.parametrize(
    ("score", "state"), [(1, SprtState.ACCEPTS_H1), (0.5, SprtState.ACCEPTS_H0), (0, SprtState.ACCEPTS_H0)]
)
def test_pairs_that_all_end_alike_decide(score: float, state: SprtState) -> None:
    test = SequentialTest(SprtPlan(0, 20))
    for number in range(300):
        test.add(number, Pair(score, number))
    assert test.state is state


def test_it_stops_at_the_first_bound_met_and_reads_no_further() -> None:
    test = SequentialTest(SprtPlan(0, 100))
    for number in range(100):
        test.add(number, Pair(1, number))
    assert test.llr == test.path[-1] >= test.plan.upper > max(test.path[:-1])
    assert test.summary.pairs == len(test.path) < 100


@given(pair_lists, st.data())
def test_arrival_order_does_not_matter(pairs: list[Pair], data: st.DataObject) -> None:
    plan = SprtPlan(0, 300, alpha=0.2, beta=0.2)
    in_order, as_they_finish = SequentialTest(plan, 1), SequentialTest(plan, 1)
    numbered = list(enumerate(pairs, start=1))
    for number, pair in numbered:
        in_order.add(number, pair)
    for number, pair in data.draw(st.permutations(numbered)):
        as_they_finish.add(number, pair)
    assert as_they_finish.path == in_order.path
    assert as_they_finish.state is in_order.state
    assert as_they_finish.summary == in_order.summary


@given(pair_lists)
def test_the_path_is_the_ratio_after_each_pair(pairs: list[Pair]) -> None:
    plan = SprtPlan(-5, 5)
    test = SequentialTest(plan)
    for number, pair in enumerate(pairs):
        test.add(number, pair)
    assert test.path == tuple(log_likelihood_ratio(summarize(pairs[: n + 1]), plan) for n in range(len(test.path)))


def test_a_pair_waits_for_its_predecessors() -> None:
    test = SequentialTest(SprtPlan(0, 10))
    test.add(1, Pair(1, "b"))
    assert (test.path, test.llr) == ((), 0)
    test.add(0, Pair(0, "a"))
    assert len(test.path) == 2


@pytest.mark.parametrize("again", [0, 2])
def test_a_pair_added_twice_is_refused(again: int) -> None:
    test = SequentialTest(SprtPlan(0, 10))
    test.add(0, Pair(1, "a"))
    test.add(2, Pair(1, "c"))
    with pytest.raises(ValueError, match=f"pair {again}: added before"):
        test.add(again, Pair(1, "a"))


RUNS = 800
# The accepted error of 5% and three standard errors of the simulation.
MOST_ERRORS = RUNS * (0.05 + 3 * math.sqrt(0.05 * 0.95 / RUNS))


def runs(plan: SprtPlan, elo: float, split: float) -> SprtRuns:
    return run_sprts(plan, Truth(rate_from_elo(elo), split), RUNS, seed=3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("plan", "split"), sample([(SprtPlan(0, 100), 0.0), (SprtPlan(-40, 40), 0.5), (SprtPlan(0, 25), 0.9)], 1)
)
def test_it_keeps_its_error_rates(plan: SprtPlan, split: float) -> None:
    under_h0, under_h1 = runs(plan, plan.elo0, split), runs(plan, plan.elo1, split)
    assert under_h0.undecided == under_h1.undecided == 0
    assert under_h0.accepted_h1 <= MOST_ERRORS
    assert under_h1.accepted_h0 <= MOST_ERRORS


@pytest.mark.slow
def test_it_keeps_its_error_rates_when_openings_are_repeated_and_naive_ones_do_not() -> None:
    plan, few = SprtPlan(0, 80), 40
    h0 = Truth(rate_from_elo(0), 0.3, alike=1.0)
    h1 = Truth(rate_from_elo(80), 0.3, alike=1.0)
    assert run_sprts(plan, h0, 300, 4, few, most=300).accepted_h1 <= 300 * 0.05
    assert run_sprts(plan, h1, 300, 4, few, most=300).accepted_h0 <= 300 * 0.05
    naive = run_sprts(plan, h0, 300, 4, few, most=300, forget_clusters=True)
    assert naive.accepted_h1 > 300 * 0.10


# Normalised Elo


@given(st.integers(1, 80), st.integers(1, 80), st.integers(1, 80), st.floats(-200, 200))
def test_the_likeliest_with_a_lead_is_that_of_a_search(won: int, split: int, lost: int, elo: float) -> None:
    found, _ = SprtPlan(elo, elo + 1, normalised=True).hypotheses(PairSummary.distinct(won, split, lost))
    deviations = elo * math.log(10) / 800 * math.sqrt(2)
    assert (found.mean - 0.5) == pytest.approx(deviations * math.sqrt(found.variance), abs=1e-9)

    def likelihood(chances: tuple[float, float, float]) -> float:
        return sum(
            count * math.log(max(chance, 1e-300)) for count, chance in zip((won, split, lost), chances, strict=True)
        )

    best = likelihood((found.won, found.split, found.lost))
    for step in range(1, 400):
        others = truth_at(elo, step / 400).probabilities
        assert likelihood(others) <= best + 1e-9


@pytest.mark.parametrize("split", [0.0, 0.95])
def test_a_test_in_normalised_elo_keeps_its_error_rates(split: float) -> None:
    plan = SprtPlan(0, 45, normalised=True)
    under_h0 = run_sprts(plan, truth_at(0, split), 150, seed=5)
    under_h1 = run_sprts(plan, truth_at(45, split), 150, seed=6)
    most = 150 * (0.05 + 3 * math.sqrt(0.05 * 0.95 / 150))
    assert under_h0.undecided == under_h1.undecided == 0
    assert under_h0.accepted_h1 <= most
    assert under_h1.accepted_h0 <= most


def test_a_test_in_normalised_elo_takes_as_long_however_many_pairs_are_split() -> None:
    plan = SprtPlan(0, 60, normalised=True)
    taken = [run_sprts(plan, truth_at(60, split), 100, seed=7).pairs for split in (0.0, 0.9)]
    assert 0.6 < taken[0] / taken[1] < 1.7


def test_a_normalised_test_says_so() -> None:
    assert SprtPlan(0, 20, normalised=True).unit == "normalised Elo"
    assert SprtPlan(0, 20).unit == "Elo"
