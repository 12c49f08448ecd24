import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isolarium.stats import PairSummary, RateEstimate, chance_outside, compare_published, win_rate
from tests.stats.simulations.one_match import Truth
from tests.stats.strategies import distinct_summaries

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
def test_verdict_in_words(wins: int, games: int, text: str) -> None:
    assert str(compare_published(wins, games, OURS)) == text


@given(st.integers(0, 1000), st.integers(1, 1000), distinct_summaries)
def test_p_value_and_interval_agree(wins: int, games: int, summary: PairSummary) -> None:
    found = compare_published(min(wins, games), games, win_rate(summary))
    assert 0 <= found.p_value <= 1
    assert found.inside_noise is (found.p_value >= 0.05)


@given(st.integers(0, 300), st.integers(1, 300), distinct_summaries)
def test_counting_the_other_agents_wins_changes_nothing(
    wins: int, games: int, summary: PairSummary
) -> None:
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
def test_equal_truths_are_told_apart_no_more_often_than_promised(games: int, truth: Truth) -> None:
    rng, runs = np.random.default_rng(8), 1000
    wins = rng.binomial(games, truth.mean, size=runs)
    ours = rng.multinomial(300, truth.probabilities, size=runs)
    outside = [
        not compare_published(
            int(k), games, win_rate(PairSummary.distinct(*map(int, row)))
        ).inside_noise
        for k, row in zip(wins, ours, strict=True)
    ]
    assert np.mean(outside) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)


@pytest.mark.parametrize(
    ("games", "pairs", "truth"),
    [(10, 1000, Truth(0.65, 0.2)), (10, 1000, Truth(0.95, 0.0)), (70, 50, Truth(0.55, 0.2))],
)
def test_what_chance_puts_outside_is_what_is_expected(games: int, pairs: int, truth: Truth) -> None:
    rng, runs, outside, expected = np.random.default_rng(9), 600, 0, 0.0
    for row in rng.multinomial(pairs, truth.probabilities, size=runs):
        ours = win_rate(PairSummary.distinct(*map(int, row)))
        wins = int(rng.binomial(games, truth.mean))
        outside += not compare_published(wins, games, ours).inside_noise
        expected += chance_outside(games, ours)
    assert abs(outside - expected) <= 2.6 * math.sqrt(expected)


def test_ten_games_a_figure_are_marked_less_often_than_one_in_twenty() -> None:
    assert chance_outside(10, win_rate(PairSummary.distinct(600, 300, 100))) < 0.03
