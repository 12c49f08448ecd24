import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from isolarium.stats import Pair, PairSummary, RateEstimate, rounded, summarize, win_rate
from tests.stats.simulations.one_match import (
    COARSE,
    UNEVEN,
    Truth,
    always,
    clustered_coverage,
    exact_coverage,
    openings_of_sizes,
    wald,
)
from tests.stats.strategies import distinct_summaries, pair_lists


@pytest.mark.parametrize(
    ("won", "games", "low", "high"),
    [
        (81, 263, 0.2535, 0.3682),
        (15, 148, 0.0598, 0.1644),
        (0, 20, 0.0000, 0.2005),
        (1, 29, 0.0018, 0.1963),
    ],
)
def test_without_split_pairs_it_is_newcombes_method_4(
    won: int, games: int, low: float, high: float
) -> None:
    estimate = win_rate(PairSummary.distinct(won, 0, games - won))
    assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=5e-5)


def test_with_many_pairs_it_is_the_normal_interval() -> None:
    summary = PairSummary.distinct(112_000, 862_000, 26_000)
    ours, normal = win_rate(summary), wald(summary)
    assert (ours.low, ours.high) == pytest.approx((normal.low, normal.high), abs=1e-5)


@given(distinct_summaries, st.floats(0.5, 0.999))
def test_the_interval_holds_the_rate_and_is_never_a_point(
    summary: PairSummary, confidence: float
) -> None:
    estimate = win_rate(summary, confidence)
    assert 0 <= estimate.low <= estimate.rate <= estimate.high <= 1
    assert estimate.width > 0


@given(pair_lists)
def test_clustered_pairs_give_an_interval_too(pairs: list[Pair]) -> None:
    estimate = win_rate(summarize(pairs))
    assert 0 <= estimate.low <= estimate.rate <= estimate.high <= 1
    assert estimate.width > 0


@given(distinct_summaries)
def test_swapping_the_agents_mirrors_the_interval(summary: PairSummary) -> None:
    here, there = win_rate(summary), win_rate(summary.swapped()).swapped()
    assert (here.rate, here.low, here.high) == pytest.approx((there.rate, there.low, there.high))


@given(distinct_summaries)
def test_a_lost_pair_won_instead_raises_both_ends(summary: PairSummary) -> None:
    assume(summary.lost > 0)
    better = PairSummary.distinct(summary.won + 1, summary.split, summary.lost - 1)
    worse, better_rate = win_rate(summary), win_rate(better)
    assert worse.low <= better_rate.low + 1e-12
    assert worse.high <= better_rate.high + 1e-12


@given(distinct_summaries)
def test_ten_times_the_same_evidence_narrows_the_interval(summary: PairSummary) -> None:
    assume(summary.pairs > 0)
    tenfold = PairSummary.distinct(10 * summary.won, 10 * summary.split, 10 * summary.lost)
    assert win_rate(tenfold).width < win_rate(summary).width


def test_no_pairs_say_nothing() -> None:
    assert win_rate(PairSummary.distinct(0, 0, 0)) == RateEstimate(0.5, 0, 1)


def test_repeating_one_opening_leaves_the_interval_as_wide_as_one_pair() -> None:
    once, often = summarize([Pair(1, "a")]), summarize([Pair(1, "a")] * 1000)
    assert win_rate(often).low == pytest.approx(win_rate(once).low)


@pytest.mark.parametrize("pairs", [1, 2, 5, 6, 8, 10, 12, 15, 20])
def test_it_covers_every_truth_even_with_few_pairs(pairs: int) -> None:
    least = min(exact_coverage(pairs, truth) for truth in COARSE)
    assert least >= (0.95 if pairs >= 5 else 0.945)


def test_it_is_not_wider_than_it_must_be_with_many_pairs() -> None:
    for truth in (Truth(0.5, 0.0), Truth(0.5, 0.5), Truth(0.7, 0.3)):
        assert 0.95 <= exact_coverage(90, truth) <= 0.975


def test_the_textbook_interval_fails_where_ours_holds() -> None:
    assert exact_coverage(20, Truth(0.99, 0.0), wald) < 0.2
    assert exact_coverage(20, Truth(0.55, 0.9), wald) < 0.9


def within_error(coverage: float, runs: int) -> bool:
    """At least 95%, but for three standard errors of the simulation."""
    return coverage >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / runs)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sizes", "truth"),
    [
        ([5] * 20, Truth(0.5, 0.0, 1.0)),
        ([10] * 10, Truth(0.9, 0.1, 0.5)),
        (UNEVEN, Truth(0.5, 0.0, 0.6)),
        (UNEVEN, Truth(0.6, 0.5, 0.0)),
        ([4] * 60, Truth(0.5, 0.9, 0.8)),
        ([5] * 20, Truth(0.99, 0.0, 1.0)),
        ([4] * 5, Truth(0.99, 0.0, 0.5)),
    ],
)
def test_it_covers_the_truth_when_openings_are_repeated(sizes: Sequence[int], truth: Truth) -> None:
    found = clustered_coverage(truth, always(openings_of_sizes(sizes)), runs=600, seed=1)
    assert within_error(found.held / found.runs, found.runs)


def test_counting_repeats_as_new_evidence_is_dishonest_and_ours_is_not() -> None:
    def draw(rng: np.random.Generator) -> list[int]:
        return [int(opening) for opening in rng.integers(100, size=400)]

    found = clustered_coverage(Truth(0.55, 0.6, alike=1.0), draw, runs=600, seed=2)
    assert found.naive_held / found.runs < 0.75
    assert within_error(found.held / found.runs, found.runs)


@pytest.mark.parametrize(
    ("estimate", "text"),
    [
        (RateEstimate(0.543, 0.532, 0.554), "54.3% ± 1.1"),
        (RateEstimate(0.62, 0.48, 0.76), "62% ± 14"),
        (RateEstimate(0.5012, 0.4978, 0.5046), "50.12% ± 0.34"),
        (RateEstimate(0.96, 0.80, 0.99), "96% (80 to 99)"),
        (RateEstimate(1, 0.985, 1), "100.0% (98.5 to 100.0)"),
    ],
)
def test_text_is_rounded_to_what_the_interval_supports(estimate: RateEstimate, text: str) -> None:
    assert str(estimate) == text


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(42.5, 0, "43"), (57.5, 0, "58"), (42.4, 0, "42"), (0.25, 1, "0.3"), (100.0, 0, "100")],
)
def test_halves_are_rounded_up(value: float, digits: int, text: str) -> None:
    assert rounded(value, digits) == text


def test_a_rate_is_rounded_as_every_other_figure() -> None:
    assert str(RateEstimate(17 / 40, 0.3, 0.56)).startswith("43%")
