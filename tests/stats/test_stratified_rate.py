"""Win rates against several opponents: coverage and width under a known truth."""

from math import sqrt

import pytest

from isolarium.stats import Pair, PairTally, Stratum, stratified_rate, summarize, win_rate
from tests.stats.simulations.several import Field, field_coverage


def stratum_of(pairs: list[Pair]) -> Stratum:
    tally = PairTally()
    for pair in pairs:
        tally.add(pair)
    return Stratum(tally.summary(), tally.clusters)


def test_one_opponent_is_a_match() -> None:
    pairs = [Pair(score, n) for n, score in enumerate([1.0, 0.5, 0.5, 0.0, 1.0])]
    assert stratified_rate([stratum_of(pairs)]) == win_rate(summarize(pairs))
    assert stratified_rate([stratum_of(pairs), stratum_of([])]) == win_rate(summarize(pairs))
    assert stratified_rate([]) == win_rate(summarize([]))


def test_the_other_side_sees_the_mirror_image() -> None:
    weak = stratum_of([Pair(1.0, n) for n in range(9)] + [Pair(0.5, 9)])
    strong = stratum_of([Pair(0.5, n) for n in range(8)] + [Pair(0.0, 8), Pair(0.0, 9)])
    mine = stratified_rate([weak, strong])
    others = stratified_rate([weak.swapped(), strong.swapped()])
    assert others.rate == pytest.approx(1 - mine.rate)
    assert (others.low, others.high) == pytest.approx((1 - mine.high, 1 - mine.low))


def test_the_spread_between_opponents_is_no_noise() -> None:
    found = field_coverage(Field((0.2, 0.95), openings=40), runs=150, seed=1)
    assert found.held >= 0.93
    assert found.width < 0.75 * found.pooled_width


@pytest.mark.slow
@pytest.mark.parametrize("openings", [3, 30])
@pytest.mark.parametrize("alike", [0.0, 1.0])
def test_coverage_whatever_opponents_have_in_common(openings: int, alike: float) -> None:
    for rates in ((0.5,) * 7, (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99), (0.02, 0.5, 0.98)):
        least = 0.95 - 2.6 * sqrt(0.05 * 0.95 / 300)
        assert field_coverage(Field(rates, openings, alike), runs=300, seed=2).held >= least
