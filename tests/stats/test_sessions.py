"""Exact odds of small tournaments, and counts of sessions."""

from itertools import product
from math import comb, isclose, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isolarium.stats.significance import CountVerdict, count_verdict, games_won, session_odds, spread_verdict

RATES = st.lists(st.floats(0, 1), min_size=1, max_size=2)


def by_enumeration(rates: list[float], games: int) -> dict[int, float]:
    """The distribution of games won, from every way all games can end."""
    chances: dict[int, float] = {}
    each = [[(1, rate), (0, 1 - rate)] for rate in rates for _ in range(games)]
    for way in product(*each):
        won, chance = 0, 1.0
        for points, probability in way:
            won, chance = won + points, chance * probability
        chances[won] = chances.get(won, 0.0) + chance
    return chances


@given(RATES, st.integers(1, 3))
def test_games_won_are_those_of_every_way_games_can_end(rates: list[float], games: int) -> None:
    expected = by_enumeration(rates, games)
    found = games_won(rates, games)
    assert len(found) == games * len(rates) + 1
    for won, chance in enumerate(found):
        assert isclose(chance, expected[won], abs_tol=1e-12)


@given(RATES, RATES, st.integers(1, 4))
def test_odds_are_a_distribution_and_swap_with_the_agents(one: list[float], other: list[float], games: int) -> None:
    odds, swapped = session_odds(one, other, games), session_odds(other, one, games)
    assert isclose(odds.better + odds.tied + odds.worse, 1.0, abs_tol=1e-9)
    assert isclose(odds.better, swapped.worse, abs_tol=1e-9)
    assert isclose(odds.tied, swapped.tied, abs_tol=1e-9)
    assert isclose(odds.spread, swapped.spread_other, abs_tol=1e-12)


def test_odds_of_two_games_each() -> None:
    odds = session_odds([0.5], [0.5], 2)
    assert isclose(odds.tied, (1 + 4 + 1) / 16)
    assert isclose(odds.better, 5 / 16)
    assert isclose(odds.spread, sqrt(0.25 / 2))


def test_agent_that_always_wins_is_always_better_than_one_that_never_does() -> None:
    odds = session_odds([1.0], [0.0], 5)
    assert (odds.better, odds.tied, odds.worse) == (1.0, 0.0, 0.0)
    assert odds.spread == 0.0


def test_eight_of_ten_sessions_at_even_odds() -> None:
    verdict = count_verdict(8, 10, 0.5)
    tail = sum(comb(10, k) for k in (8, 9, 10)) / 1024
    assert isclose(verdict.p_value, 2 * tail)
    assert (verdict.low, verdict.high, verdict.inside_noise) == (2, 8, True)


def test_ten_of_ten_sessions_are_outside_the_noise() -> None:
    assert not count_verdict(10, 10, 0.5).inside_noise


@pytest.mark.parametrize(("probability", "count"), [(0.0, 0), (1.0, 4)])
def test_a_certain_count_is_inside_the_noise(probability: float, count: int) -> None:
    verdict = count_verdict(count, 4, probability)
    assert (verdict.low, verdict.high, verdict.p_value) == (count, count, 1.0)


def test_verdict_and_bounds_agree_on_the_edge() -> None:
    assert count_verdict(0, 1, 0.975) == CountVerdict(0, 1, 0.050000000000000044)


@given(st.integers(1, 30), st.floats(0, 1), st.data())
def test_verdict_and_bounds_agree(trials: int, probability: float, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, trials))
    verdict = count_verdict(count, trials, probability)
    assert verdict.inside_noise == (verdict.low <= count <= verdict.high)


@pytest.mark.parametrize(("count", "trials", "p"), [(-1, 3, 0.5), (4, 3, 0.5), (1, 3, 1.5)])
def test_impossible_counts_are_refused(count: int, trials: int, p: float) -> None:
    with pytest.raises(ValueError, match="expected"):
        count_verdict(count, trials, p)


def test_spread_is_the_sample_standard_deviation() -> None:
    verdict = spread_verdict([0.4, 0.5, 0.6], 0.1)
    assert isclose(verdict.observed, 0.1)
    assert isclose(verdict.ratio, 1.0)
    assert verdict.inside_noise


def test_quantile_of_the_spread_is_that_of_chi_squared() -> None:
    # The 95% point of chi-squared with 9 degrees of freedom is 16.919.
    verdict = spread_verdict([0.5 + 0.01 * k for k in range(10)], 1.0)
    assert isclose(9 * verdict.most, 16.919, rel_tol=2e-3)


def test_results_far_apart_are_outside_the_noise() -> None:
    assert not spread_verdict([0.2, 0.5, 0.8], 0.05).inside_noise


def test_spread_of_one_result_is_refused() -> None:
    with pytest.raises(ValueError, match="expected two"):
        spread_verdict([0.5], 0.1)
