import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isolarium.stats import (
    Pair,
    PairSummary,
    coin_spread,
    coin_verdict,
    format_p_value,
    pairs_verdict,
    summarize,
    win_rate,
)
from tests.stats.strategies import distinct_summaries, pair_lists


def test_spread_of_700_games_is_the_2_percent_of_seed_001() -> None:
    spread = coin_spread(700)
    assert spread.rate == pytest.approx(0.0189, abs=5e-5)
    assert spread.wins == pytest.approx(13.23, abs=5e-3)
    assert str(spread) == "50% ± 3.7"  # 95%, and not a deviation


def test_no_games_spread_over_everything() -> None:
    assert coin_spread(0).rate == 0.5
    assert str(coin_spread(1)) == "50% ± 50.0"


def test_negative_games_are_refused() -> None:
    with pytest.raises(ValueError, match="games -1"):
        coin_spread(-1)


@given(st.integers(0, 80), st.integers(0, 80))
def test_games_are_judged_by_the_exact_binomial_test(wins: int, losses: int) -> None:
    games, farther = wins + losses, max(wins, losses)
    tail = sum(math.comb(games, k) for k in range(farther, games + 1)) / 2**games
    assert coin_verdict(wins, games).p_value == pytest.approx(min(1, 2 * tail), abs=1e-9)


@pytest.mark.parametrize(("wins", "inside"), [(8, True), (9, False), (2, True), (1, False)])
def test_eight_of_ten_is_still_noise(wins: int, inside: bool) -> None:
    assert coin_verdict(wins, 10).inside_noise is inside


def test_many_games_do_not_overflow() -> None:
    assert coin_verdict(500_000, 1_000_000).p_value == pytest.approx(1)
    assert coin_verdict(510_000, 1_000_000).p_value < 1e-80


def test_verdict_in_words() -> None:
    assert str(coin_verdict(8, 10)) == "inside its noise (p = 0.11)"
    assert str(coin_verdict(280, 500)) == "outside its noise (p = 0.008)"


def test_more_wins_than_games_are_refused() -> None:
    with pytest.raises(ValueError, match="wins 11: expected 0 to 10"):
        coin_verdict(11, 10)


@given(distinct_summaries)
def test_pairs_are_outside_the_noise_when_their_interval_leaves_out_half(
    summary: PairSummary,
) -> None:
    assert pairs_verdict(summary).inside_noise is (0.5 in win_rate(summary))


@given(pair_lists)
def test_clustered_pairs_too(pairs: list[Pair]) -> None:
    summary = summarize(pairs)
    assert pairs_verdict(summary).inside_noise is (0.5 in win_rate(summary))


@given(distinct_summaries)
def test_both_agents_get_the_same_verdict(summary: PairSummary) -> None:
    here, there = pairs_verdict(summary), pairs_verdict(summary.swapped())
    assert here.p_value == pytest.approx(there.p_value, abs=1e-9)
    assert 0 <= here.p_value <= 1


@pytest.mark.parametrize(
    ("p_value", "text"), [(0.31, "p = 0.31"), (0.0042, "p = 0.004"), (1e-9, "p < 0.001")]
)
def test_p_value_as_text(p_value: float, text: str) -> None:
    assert format_p_value(p_value) == text
