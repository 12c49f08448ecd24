"""The interval for who watches a match and stops at the moment of their choice."""

import pytest
from hypothesis import given

from isolarium.stats import PairSummary, any_time_rate, win_rate
from tests.stats.simulations.one_match import (
    Truth,
    cached_any_time_rate,
    ever_wrong,
    truths,
)
from tests.stats.strategies import distinct_summaries


@pytest.mark.parametrize("truth", truths([0.5, 0.8], [0, 0.6]), ids=str)
def test_whoever_stops_at_the_worst_moment_is_rarely_wrong(truth: Truth) -> None:
    assert ever_wrong(cached_any_time_rate, truth, pairs=24) <= 0.05


def test_intervals_of_a_fixed_length_would_mislead() -> None:
    assert ever_wrong(win_rate, Truth(0.5, 0.0), pairs=24) > 0.1


@pytest.mark.slow
@pytest.mark.parametrize("truth", truths([0.5, 0.6, 0.9], [0, 0.5, 0.9]), ids=str)
def test_nor_in_a_long_match(truth: Truth) -> None:
    assert ever_wrong(cached_any_time_rate, truth, pairs=40) <= 0.05


@given(distinct_summaries)
def test_it_is_wider_than_one_of_fixed_length_and_holds_the_rate(summary: PairSummary) -> None:
    found, fixed = any_time_rate(summary), win_rate(summary)
    assert found.low <= found.rate <= found.high
    assert found.low <= fixed.low + 1e-9
    assert fixed.high - 1e-9 <= found.high


def test_nothing_is_known_before_the_first_pair() -> None:
    found = any_time_rate(PairSummary.distinct(0, 0, 0))
    assert (found.low, found.high) == (0.0, 1.0)


def test_much_evidence_is_enough() -> None:
    assert any_time_rate(PairSummary.distinct(30, 5, 1)).low > 0.5
    assert any_time_rate(PairSummary.distinct(1, 5, 30)).high < 0.5
