"""Differences of two agents' rates from the same openings."""

import random
from math import inf, isclose, sqrt

from isolab.stats.differences import rate_difference
from isolab.stats.distributions import student_t_quantile


def test_interval_of_distinct_openings_is_students() -> None:
    values = [0.5, 0.0, -0.5, 1.0]
    found = rate_difference([(value, number) for number, value in enumerate(values)])
    mean = sum(values) / 4
    variance = sum((value - mean) ** 2 for value in values) / 3
    reach = student_t_quantile(0.95, 3) * sqrt(variance / 4)
    assert isclose(found.difference, mean)
    assert isclose(found.high - found.low, 2 * reach)


def test_repeated_openings_count_once() -> None:
    once = [(0.5, "a"), (0.0, "b"), (-0.5, "c")]
    found, repeated = rate_difference(once), rate_difference(once * 50)
    assert isclose(found.low, repeated.low)
    assert isclose(found.high, repeated.high)


def test_nothing_known_is_an_infinite_interval() -> None:
    for known in ([], [(0.5, "a")], [(0.5, "a"), (0.5, "a")]):
        found = rate_difference(known)
        assert (found.low, found.high) == (-inf, inf)
        assert (str(found), found.verdict) == ("unknown", "no difference seen")


def test_verdict_is_in_words() -> None:
    better = rate_difference([(0.5, 1), (0.5, 2), (0.5, 3), (0.0, 4), (0.5, 5)])
    assert better.verdict == "better"
    assert str(better).startswith("+40.0 ± ")
    worse = rate_difference([(-0.5, 1), (-0.5, 2), (-0.5, 3), (0.0, 4), (-0.5, 5)])
    assert worse.verdict == "worse"


def test_interval_covers_the_truth_with_clusters_of_seven() -> None:
    chance = random.Random(7)
    covered = 0
    for _ in range(1000):
        differences = []
        for opening in range(40):
            shared = chance.choice((-0.5, 0.0, 0.5))  # what an opening does to all its games
            differences += [(shared + chance.choice((-0.5, 0.0, 0.5)), opening) for _ in range(7)]
        found = rate_difference(differences)
        covered += found.low <= 0.0 <= found.high
    assert 932 <= covered <= 968  # 95%, give or take 2.6 standard errors
