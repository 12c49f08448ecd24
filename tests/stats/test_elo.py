"""Elo, the likelihood of superiority, the pairs still needed, and verdicts."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isolarium.stats import (
    EloEstimate,
    Pair,
    PairSummary,
    RateEstimate,
    elo_difference,
    elo_from_rate,
    format_elo,
    format_likelihood,
    further_pairs,
    likelihood_of_superiority,
    match_verdict,
    rate_from_elo,
    summarize,
    win_rate,
)
from tests.stats.simulations.one_match import Truth
from tests.stats.simulations.several import League, false_matches, false_winners
from tests.stats.strategies import distinct_summaries


@pytest.mark.parametrize(("rate", "elo"), [(0.5, 0), (0.75, 190.85), (0.64, 99.95), (10 / 11, 400), (0.25, -190.85)])
def test_elo_of_a_rate_is_the_published_one(rate: float, elo: float) -> None:
    assert elo_from_rate(rate) == pytest.approx(elo, abs=0.005)


@given(st.floats(-2000, 2000))
def test_rate_and_elo_undo_each_other(elo: float) -> None:
    assert elo_from_rate(rate_from_elo(elo)) == pytest.approx(elo, abs=1e-3)


@given(st.floats(-5000, 5000))
def test_the_two_agents_rates_make_one(elo: float) -> None:
    assert rate_from_elo(elo) + rate_from_elo(-elo) == pytest.approx(1)


def test_certain_rates_are_infinitely_far_apart() -> None:
    assert (elo_from_rate(0), elo_from_rate(1)) == (-math.inf, math.inf)
    assert (rate_from_elo(-math.inf), rate_from_elo(math.inf)) == (0, 1)


@pytest.mark.parametrize("rate", [-0.1, 1.1, math.nan])
def test_a_rate_outside_zero_to_one_is_refused(rate: float) -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        elo_from_rate(rate)


@given(distinct_summaries)
def test_the_interval_holds_the_estimate_and_is_never_nan(summary: PairSummary) -> None:
    estimate = elo_difference(win_rate(summary))
    assert estimate.low <= estimate.elo <= estimate.high
    assert "nan" not in str(estimate)


@pytest.mark.parametrize(
    ("estimate", "text"),
    [
        (EloEstimate(30.1, 22.2, 38.0), "+30 ± 8"),
        (EloEstimate(-30.1, -38.0, -22.2), "-30 ± 8"),
        (EloEstimate(0.2, -0.1, 0.5), "+0.2 ± 0.3"),
        (EloEstimate(-0.3, -5, 4.4), "0 ± 5"),
        (EloEstimate(552, 217, 1071), "+552 (+217 to +1071)"),
        (EloEstimate(math.inf, 120, math.inf), "+inf (+120 to +inf)"),
        (EloEstimate(-math.inf, -math.inf, math.inf), "-inf (no interval)"),
    ],
)
def test_text_carries_sign_and_error(estimate: EloEstimate, text: str) -> None:
    assert str(estimate) == text


def test_the_issue_tables_example() -> None:
    estimate = elo_difference(RateEstimate(0.543, 0.532, 0.554))
    assert str(estimate) == "+30 ± 8"


def test_a_difference_that_rounds_to_nothing_has_no_sign() -> None:
    assert format_elo(-0.2) == "0"


def test_likelihood_of_superiority_meets_published_values() -> None:
    one_win, stockfish = PairSummary.distinct(1, 0, 0), PairSummary.distinct(5975, 26894, 6077)
    assert likelihood_of_superiority(one_win) == pytest.approx(0.75)
    assert likelihood_of_superiority(stockfish) == pytest.approx(0.1764, abs=5e-4)


@given(distinct_summaries)
def test_the_two_agents_likelihoods_make_one(summary: PairSummary) -> None:
    here, there = likelihood_of_superiority(summary), likelihood_of_superiority(summary.swapped())
    assert here + there == pytest.approx(1, abs=1e-6)


@given(st.integers(0, 200), st.integers(0, 200), st.integers(0, 200))
def test_one_more_pair_won_makes_superiority_likelier(won: int, split: int, lost: int) -> None:
    before = likelihood_of_superiority(PairSummary.distinct(won, split, lost))
    after = likelihood_of_superiority(PairSummary.distinct(won + 1, split, lost))
    assert before <= after + 1e-12


def test_repeats_of_an_opening_do_not_make_superiority_likelier() -> None:
    assert likelihood_of_superiority(summarize([Pair(1, "a")] * 500)) == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("likelihood", "text"), [(0.998, "99.8%"), (0.99999, "> 99.9%"), (1e-9, "< 0.1%"), (0.5, "50.0%")]
)
def test_likelihood_as_text_never_claims_certainty(likelihood: float, text: str) -> None:
    assert format_likelihood(likelihood) == text


@pytest.mark.parametrize("figures", [(math.nan, 0, 1), (0, math.nan, 1), (0, -1, math.nan)])
def test_an_estimate_of_nan_is_refused(figures: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="nan: expected a number"):
        EloEstimate(*figures)


def test_without_split_pairs_it_is_the_textbook_number() -> None:
    half_won = PairSummary.distinct(5_000, 0, 5_000)
    rate = rate_from_elo(10)
    textbook = (1.959964 + 0.841621) ** 2 * rate * (1 - rate) / (rate - 0.5) ** 2
    assert further_pairs(half_won, 10) == pytest.approx(max(0, textbook - 10_000), abs=50)
    half_of_that = PairSummary.distinct(1_000, 0, 1_000)
    assert further_pairs(half_of_that, 10) == pytest.approx(textbook - 2_000, rel=0.01)


def test_further_pairs_give_the_promised_power() -> None:
    summary = PairSummary.distinct(50, 400, 50)
    pairs = summary.pairs + further_pairs(summary, elo=20, power=0.8)
    chances = Truth(rate_from_elo(20), 0.8).probabilities
    draws = np.random.default_rng(7).multinomial(pairs, chances, size=800)
    shown = [win_rate(PairSummary.distinct(*map(int, draw))).low > 0.5 for draw in draws]
    assert np.mean(shown) == pytest.approx(0.8, abs=3 * math.sqrt(0.8 * 0.2 / 800))


def test_repeated_openings_need_more_pairs() -> None:
    distinct = [Pair(float(n % 2), n) for n in range(200)]
    repeated = [Pair(float(n % 40 % 2), n % 40) for n in range(200)]
    assert further_pairs(summarize(repeated), 30) > 3 * further_pairs(summarize(distinct), 30)


@given(distinct_summaries, st.floats(0.5, 400), st.floats(0.05, 0.99))
def test_it_is_never_negative_and_a_smaller_difference_needs_more(
    summary: PairSummary, elo: float, power: float
) -> None:
    more = further_pairs(summary, elo, power)
    assert more >= 0
    assert further_pairs(summary, elo / 2, power) >= more


@given(distinct_summaries, st.floats(1, 400))
def test_it_is_the_same_for_both_agents(summary: PairSummary, elo: float) -> None:
    assert further_pairs(summary, elo) == pytest.approx(further_pairs(summary.swapped(), -elo), abs=1)


@pytest.mark.parametrize(("elo", "power"), [(0, 0.8), (math.inf, 0.8), (math.nan, 0.8), (10, 0), (10, 1)])
def test_impossible_questions_are_refused(elo: float, power: float) -> None:
    with pytest.raises(ValueError, match="expected"):
        further_pairs(PairSummary.distinct(1, 1, 1), elo, power)


def test_verdicts() -> None:
    better = PairSummary.distinct(112, 862, 26)
    assert match_verdict(better) == "better (LOS > 99.9%)"
    assert match_verdict(better.swapped()) == "worse (LOS < 0.1%)"
    assert match_verdict(PairSummary.distinct(30, 900, 26)) == ("no difference seen; 10 Elo would likely have shown")
    assert match_verdict(PairSummary.distinct(500, 0, 500)) == (
        "no difference seen; 8,500 more pairs would likely show 10 Elo"
    )


@pytest.mark.parametrize("openings", [1, 2, 3, 4])
def test_few_distinct_openings_give_no_verdict(openings: int) -> None:
    repeated = summarize(Pair(1.0, number % openings) for number in range(100))
    found = "1 distinct opening" if openings == 1 else f"{openings} distinct openings"
    assert match_verdict(repeated) == f"no verdict: {found}; at least 5 are needed"


@pytest.mark.slow
@pytest.mark.parametrize("openings", [1, 4, 5, 6, 12])
def test_equal_agents_are_rarely_told_apart(openings: int) -> None:
    most = 0.05 + 2.6 * math.sqrt(0.05 * 0.95 / 400)
    for repeats, split in ((1, 0.0), (10, 0.0), (10, 0.6)):
        found = false_matches(Truth(0.5, split, alike=1.0), openings, repeats, runs=400, seed=3)
        assert found.with_floor <= (most if openings >= 5 else 0)


@pytest.mark.slow
@pytest.mark.parametrize("openings", [1, 5, 12])
def test_equal_agents_have_rarely_a_best(openings: int) -> None:
    league = League((0.0,) * 6, 0.0, openings, bias=1.0, repeats=5, alike=1.0)
    found = false_winners(league, runs=60, seed=4)
    assert found.with_floor <= 0.05
    if openings == 1:
        assert found.without_floor > 0  # what the floor is for


def test_five_distinct_openings_give_a_verdict() -> None:
    repeated = summarize(Pair(1.0, number % 5) for number in range(100))
    assert not match_verdict(repeated).startswith("no verdict")


def test_an_estimate_without_interval_keeps_its_value() -> None:
    bare = EloEstimate(30.0, 20.0, 40.0).without_interval()
    assert (bare.elo, bare.low, bare.high) == (30.0, -math.inf, math.inf)
    assert str(bare) == "+30 (no interval)"


def test_a_corrected_estimate_overrides_the_plain_one() -> None:
    verdict = match_verdict(
        PairSummary.distinct(112, 862, 26), elo=5, estimate=RateEstimate(0.51, 0.49, 0.53), superiority=0.8
    )
    assert verdict.startswith("no difference seen")
