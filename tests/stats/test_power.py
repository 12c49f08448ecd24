import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isolarium.stats import (
    Pair,
    PairSummary,
    RateEstimate,
    further_pairs,
    match_verdict,
    rate_from_elo,
    summarize,
    win_rate,
)
from tests.stats.simulations.one_match import Truth
from tests.stats.strategies import distinct_summaries


def test_without_split_pairs_it_is_the_textbook_number() -> None:
    half_won = PairSummary.distinct(5_000, 0, 5_000)
    rate = rate_from_elo(10)
    textbook = (1.959964 + 0.841621) ** 2 * rate * (1 - rate) / (rate - 0.5) ** 2
    assert further_pairs(half_won, 10) == pytest.approx(max(0, textbook - 10_000), abs=50)
    half_of_that = PairSummary.distinct(1_000, 0, 1_000)
    assert further_pairs(half_of_that, 10) == pytest.approx(textbook - 2_000, rel=0.01)


def test_that_many_pairs_do_show_the_difference_as_often_as_promised() -> None:
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
    assert further_pairs(summary, elo) == pytest.approx(
        further_pairs(summary.swapped(), -elo), abs=1
    )


@pytest.mark.parametrize(
    ("elo", "power"), [(0, 0.8), (math.inf, 0.8), (math.nan, 0.8), (10, 0), (10, 1)]
)
def test_a_question_without_an_answer_is_refused(elo: float, power: float) -> None:
    with pytest.raises(ValueError, match="expected"):
        further_pairs(PairSummary.distinct(1, 1, 1), elo, power)


def test_verdicts() -> None:
    better = PairSummary.distinct(112, 862, 26)
    assert match_verdict(better) == "better (LOS > 99.9%)"
    assert match_verdict(better.swapped()) == "worse (LOS < 0.1%)"
    assert match_verdict(PairSummary.distinct(30, 900, 26)) == (
        "no difference seen; one of 10 Elo would likely have shown"
    )
    assert match_verdict(PairSummary.distinct(500, 0, 500)) == (
        "no difference seen; 8,500 more pairs would show one of 10 Elo"
    )


def test_a_corrected_estimate_overrides_the_plain_one() -> None:
    verdict = match_verdict(
        PairSummary.distinct(112, 862, 26),
        elo=5,
        estimate=RateEstimate(0.51, 0.49, 0.53),
        superiority=0.8,
    )
    assert verdict.startswith("no difference seen")
