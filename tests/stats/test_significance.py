"""Significance against 50% and against published rates."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isolarium.stats import (
    Pair,
    PairSummary,
    RateEstimate,
    chance_outside,
    chance_spread,
    compare_published,
    format_p_value,
    games_significance,
    pairs_significance,
    summarize,
    win_rate,
)
from tests.stats.simulations.one_match import Truth
from tests.stats.strategies import distinct_summaries, pair_lists


def test_spread_of_700_games_is_the_2_percent_of_report_001() -> None:
    spread = chance_spread(700)
    assert spread.rate == pytest.approx(0.0189, abs=5e-5)
    assert spread.wins == pytest.approx(13.23, abs=5e-3)
    assert str(spread) == "50% ± 3.7"  # 95%, and not a deviation


def test_spread_of_no_games_is_the_full_range() -> None:
    assert chance_spread(0).rate == 0.5
    assert str(chance_spread(1)) == "50% ± 50"


def test_negative_games_are_refused() -> None:
    with pytest.raises(ValueError, match="games -1"):
        chance_spread(-1)


@given(st.integers(0, 80), st.integers(0, 80))
def test_games_are_judged_by_the_exact_binomial_test(wins: int, losses: int) -> None:
    games, farther = wins + losses, max(wins, losses)
    tail = sum(math.comb(games, k) for k in range(farther, games + 1)) / 2**games
    assert games_significance(wins, games).p_value == pytest.approx(min(1, 2 * tail), abs=1e-9)


@pytest.mark.parametrize(("wins", "inside"), [(8, True), (9, False), (2, True), (1, False)])
def test_eight_of_ten_is_still_noise(wins: int, inside: bool) -> None:
    assert games_significance(wins, 10).inside_noise is inside


def test_many_games_do_not_overflow() -> None:
    assert games_significance(500_000, 1_000_000).p_value == pytest.approx(1)
    assert games_significance(510_000, 1_000_000).p_value < 1e-80


def test_significance_in_words() -> None:
    assert str(games_significance(8, 10)) == "not significant (p = 0.11)"
    assert str(games_significance(280, 500)) == "significant (p = 0.008)"


def test_more_wins_than_games_are_refused() -> None:
    with pytest.raises(ValueError, match="wins 11: expected 0 to 10"):
        games_significance(11, 10)


@given(distinct_summaries)
def test_pairs_are_significant_when_their_interval_excludes_half(summary: PairSummary) -> None:
    assert pairs_significance(summary).inside_noise is (0.5 in win_rate(summary))


@given(pair_lists)
def test_clustered_pairs_too(pairs: list[Pair]) -> None:
    summary = summarize(pairs)
    assert pairs_significance(summary).inside_noise is (0.5 in win_rate(summary))


@given(distinct_summaries)
def test_both_agents_get_the_same_verdict(summary: PairSummary) -> None:
    here, there = pairs_significance(summary), pairs_significance(summary.swapped())
    assert here.p_value == pytest.approx(there.p_value, abs=1e-9)
    assert 0 <= here.p_value <= 1


@pytest.mark.parametrize(("p_value", "text"), [(0.31, "p = 0.31"), (0.0042, "p = 0.004"), (1e-9, "p < 0.001")])
def test_p_value_as_text(p_value: float, text: str) -> None:
    assert format_p_value(p_value) == text


OURS = RateEstimate(0.50, 0.48, 0.52)


def test_the_difference_is_newcombes_square_and_add() -> None:
    found = compare_published(280, 500, OURS)
    published = win_rate(PairSummary.distinct(280, 0, 220))
    assert found.published == published
    assert found.difference == pytest.approx(0.06)
    assert found.low == pytest.approx(0.06 - math.hypot(0.56 - published.low, 0.02))
    assert found.high == pytest.approx(0.06 + math.hypot(published.high - 0.56, 0.02))


@pytest.mark.parametrize(
    ("wins", "games", "text"),
    [
        (8, 10, "inside the noise (p = 0.10)"),
        (280, 500, "outside the noise (p = 0.017)"),
        (1000, 1000, "outside the noise (p < 0.001)"),
    ],
)
def test_comparison_in_words(wins: int, games: int, text: str) -> None:
    assert str(compare_published(wins, games, OURS)) == text


@given(st.integers(0, 1000), st.integers(1, 1000), distinct_summaries)
def test_p_value_and_interval_agree(wins: int, games: int, summary: PairSummary) -> None:
    found = compare_published(min(wins, games), games, win_rate(summary))
    assert 0 <= found.p_value <= 1
    assert found.inside_noise is (found.p_value >= 0.05)


@given(st.integers(0, 300), st.integers(1, 300), distinct_summaries)
def test_counting_the_other_agents_wins_changes_nothing(wins: int, games: int, summary: PairSummary) -> None:
    wins = min(wins, games)
    here = compare_published(wins, games, win_rate(summary))
    there = compare_published(games - wins, games, win_rate(summary.swapped()))
    assert here.p_value == pytest.approx(there.p_value, abs=1e-6)
    assert (here.low, here.high) == pytest.approx((-there.high, -there.low), abs=1e-9)


@pytest.mark.parametrize(("wins", "games"), [(0, 0), (-1, 10), (11, 10)])
def test_impossible_counts_are_refused(wins: int, games: int) -> None:
    with pytest.raises(ValueError, match="expected 0 to"):
        compare_published(wins, games, OURS)


@pytest.mark.parametrize(("games", "truth"), [(500, Truth(0.55, 0.5)), (40, Truth(0.9, 0.1))])
def test_equal_rates_are_rarely_outside_the_noise(games: int, truth: Truth) -> None:
    rng, runs = np.random.default_rng(8), 1000
    wins = rng.binomial(games, truth.mean, size=runs)
    ours = rng.multinomial(300, truth.probabilities, size=runs)
    outside = [
        not compare_published(int(k), games, win_rate(PairSummary.distinct(*map(int, row)))).inside_noise
        for k, row in zip(wins, ours, strict=True)
    ]
    assert np.mean(outside) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)


@pytest.mark.parametrize(
    ("games", "pairs", "truth"),
    [(10, 1000, Truth(0.65, 0.2)), (10, 1000, Truth(0.95, 0.0)), (70, 50, Truth(0.55, 0.2))],
)
def test_chance_outside_matches_simulation(games: int, pairs: int, truth: Truth) -> None:
    rng, runs, outside, expected = np.random.default_rng(9), 600, 0, 0.0
    for row in rng.multinomial(pairs, truth.probabilities, size=runs):
        ours = win_rate(PairSummary.distinct(*map(int, row)))
        wins = int(rng.binomial(games, truth.mean))
        outside += not compare_published(wins, games, ours).inside_noise
        expected += chance_outside(games, ours)
    assert abs(outside - expected) <= 2.6 * math.sqrt(expected)


def test_ten_games_a_figure_are_marked_less_often_than_one_in_twenty() -> None:
    assert chance_outside(10, win_rate(PairSummary.distinct(600, 300, 100))) < 0.03
