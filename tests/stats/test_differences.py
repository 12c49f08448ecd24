"""Differences of two agents' rates from the same openings."""

import random
from math import inf, isclose, sqrt

import pytest

from isolarium.stats.differences import rate_difference
from isolarium.stats.distributions import student_t_quantile
from tests.stats.simulations.several import ManyBesideOne, false_verdicts


def test_interval_of_distinct_openings_is_students_with_two_openings_more() -> None:
    values = [0.5, 0.0, -0.5, 1.0]
    found = rate_difference([(value, number) for number, value in enumerate(values)])
    mean = sum(values) / 4
    variance = (sum((value - mean) ** 2 for value in values) + 2 * 0.5**2) / 3
    reach = student_t_quantile(0.95, 3) * sqrt(variance / 4)
    assert isclose(found.difference, mean)
    assert isclose(found.high - found.low, 2 * reach)


def test_repeated_openings_make_no_certainty() -> None:
    once = [(0.5, "a"), (0.0, "b"), (-0.5, "c")]
    repeated = rate_difference(once * 50)
    assert repeated.high - repeated.low >= 2 * student_t_quantile(0.95, 2) * sqrt(0.25 / 3)


def test_nothing_known_is_an_infinite_interval() -> None:
    for known in ([], [(0.5, "a")], [(0.5, "a"), (0.5, "a")]):
        found = rate_difference(known)
        assert (found.low, found.high) == (-inf, inf)
        assert (str(found), found.verdict) == ("unknown", "no difference seen")


@pytest.mark.parametrize("each", [0.0, 0.5, 1.0])
def test_two_openings_that_agree_prove_nothing(each: float) -> None:
    found = rate_difference([(each, "a"), (each, "b")])
    assert (str(found), found.verdict) == ("unknown", "no difference seen")


def test_verdict_is_in_words() -> None:
    gains = [(0.5, number) for number in range(9)]
    better = rate_difference([*gains, (0.0, 9)])
    assert better.verdict == "better"
    assert str(better).startswith("+45.0 ± ")
    assert rate_difference([(-gain, number) for gain, number in gains]).verdict == "worse"


def test_comparisons_judged_together_have_bonferronis_intervals() -> None:
    gains = [(chance, number) for number, chance in enumerate((0.5, 0.0, -0.5, 1.0, 0.0))]
    alone, of_many = rate_difference(gains), rate_difference(gains, comparisons=25)
    ratio = student_t_quantile(0.998, 4) / student_t_quantile(0.95, 4)
    assert isclose(of_many.high - of_many.low, ratio * (alone.high - alone.low))


def test_copies_beside_one_of_them_are_rarely_called_better_or_worse() -> None:
    course = ManyBesideOne(agents=26, opponents=7, openings=30)
    found = false_verdicts(course, studies=300, seed=1)
    assert found.uncorrected > 0.35  # one unlucky baseline moves every row
    assert found.corrected <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize("openings", [2, 3, 10])
@pytest.mark.parametrize("opponents", [1, 7])
def test_few_false_verdicts_whatever_the_layout(openings: int, opponents: int) -> None:
    for layout in (
        ManyBesideOne(26, opponents, openings),
        ManyBesideOne(4, opponents, openings),
        ManyBesideOne(26, opponents, openings, split=0.95),
        ManyBesideOne(26, opponents, openings, by_opening=0.3),
    ):
        most = 0.05 + 2.6 * sqrt(0.05 * 0.95 / 400)
        assert false_verdicts(layout, studies=400, seed=2).corrected <= most


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
