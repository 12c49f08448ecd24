"""Coverage and width of the intervals of win rates and their differences."""

import math
import random
from collections.abc import Sequence
from itertools import product
from math import inf, isclose, sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from isolarium.stats import (
    Pair,
    PairSummary,
    PairTally,
    RateEstimate,
    Stratum,
    any_time_rate,
    rounded,
    stratified_rate,
    summarize,
    win_rate,
)
from isolarium.stats.distributions import student_t_quantile
from isolarium.stats.rates import RateDifference, likely_missed, rate_difference
from tests.samples import sample
from tests.stats.simulations.one_match import (
    COARSE,
    UNEVEN,
    Truth,
    always,
    cached_any_time_rate,
    clustered_coverage,
    ever_wrong,
    exact_coverage,
    openings_of_sizes,
    truths,
    wald,
)
from tests.stats.simulations.several import Field, ManyBesideOne, false_verdicts, field_coverage
from tests.stats.strategies import distinct_summaries, pair_lists


@pytest.mark.parametrize(
    ("won", "games", "low", "high"),
    [(81, 263, 0.2535, 0.3682), (15, 148, 0.0598, 0.1644), (0, 20, 0.0000, 0.2005), (1, 29, 0.0018, 0.1963)],
)
def test_without_split_pairs_it_is_newcombes_method_4(won: int, games: int, low: float, high: float) -> None:
    estimate = win_rate(PairSummary.distinct(won, 0, games - won))
    assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=5e-5)


def test_with_many_pairs_it_is_the_normal_interval() -> None:
    summary = PairSummary.distinct(112_000, 862_000, 26_000)
    ours, normal = win_rate(summary), wald(summary)
    assert (ours.low, ours.high) == pytest.approx((normal.low, normal.high), abs=1e-5)


@given(distinct_summaries, st.floats(0.5, 0.999))
def test_the_interval_holds_the_rate_and_is_never_a_point(summary: PairSummary, confidence: float) -> None:
    estimate = win_rate(summary, confidence)
    assert 0 <= estimate.low <= estimate.rate <= estimate.high <= 1
    assert estimate.width > 0


@given(pair_lists)
def test_clustered_pairs_give_an_interval_too(pairs: list[Pair]) -> None:
    estimate = win_rate(summarize(pairs))
    assert 0 <= estimate.low <= estimate.rate <= estimate.high <= 1
    assert estimate.width > 0


@given(distinct_summaries)
def test_swapping_the_agents_mirrors_the_interval(summary: PairSummary) -> None:
    here, there = win_rate(summary), win_rate(summary.swapped()).swapped()
    assert (here.rate, here.low, here.high) == pytest.approx((there.rate, there.low, there.high))


@given(distinct_summaries)
def test_a_lost_pair_won_instead_raises_both_ends(summary: PairSummary) -> None:
    assume(summary.lost > 0)
    better = PairSummary.distinct(summary.won + 1, summary.split, summary.lost - 1)
    worse, better_rate = win_rate(summary), win_rate(better)
    assert worse.low <= better_rate.low + 1e-12
    assert worse.high <= better_rate.high + 1e-12


@given(distinct_summaries)
def test_ten_times_the_same_evidence_narrows_the_interval(summary: PairSummary) -> None:
    assume(summary.pairs > 0)
    tenfold = PairSummary.distinct(10 * summary.won, 10 * summary.split, 10 * summary.lost)
    assert win_rate(tenfold).width < win_rate(summary).width


def test_no_pairs_give_the_full_interval() -> None:
    assert win_rate(PairSummary.distinct(0, 0, 0)) == RateEstimate(0.5, 0, 1)


def test_repeating_one_opening_leaves_the_interval_as_wide_as_one_pair() -> None:
    once, often = summarize([Pair(1, "a")]), summarize([Pair(1, "a")] * 1000)
    assert win_rate(often).low == pytest.approx(win_rate(once).low)


@pytest.mark.parametrize("pairs", [1, 2, 5, 6, 8, 10, 12, 15, 20])
def test_it_covers_every_truth_even_with_few_pairs(pairs: int) -> None:
    least = min(exact_coverage(pairs, truth) for truth in COARSE)
    assert least >= (0.95 if pairs >= 5 else 0.945)


def test_it_is_not_wider_than_it_must_be_with_many_pairs() -> None:
    for truth in (Truth(0.5, 0.0), Truth(0.5, 0.5), Truth(0.7, 0.3)):
        assert 0.95 <= exact_coverage(90, truth) <= 0.975


def test_the_textbook_interval_fails_where_ours_holds() -> None:
    assert exact_coverage(20, Truth(0.99, 0.0), wald) < 0.2
    assert exact_coverage(20, Truth(0.55, 0.9), wald) < 0.9


def within_error(coverage: float, runs: int) -> bool:
    """At least 95%, but for three standard errors of the simulation."""
    return coverage >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / runs)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sizes", "truth"),
    sample(
        [
            ([5] * 20, Truth(0.5, 0.0, 1.0)),
            ([10] * 10, Truth(0.9, 0.1, 0.5)),
            (UNEVEN, Truth(0.5, 0.0, 0.6)),
            (UNEVEN, Truth(0.6, 0.5, 0.0)),
            ([4] * 60, Truth(0.5, 0.9, 0.8)),
            ([5] * 20, Truth(0.99, 0.0, 1.0)),
            ([4] * 5, Truth(0.99, 0.0, 0.5)),
        ],
        3,
    ),
)
def test_it_covers_the_truth_when_openings_are_repeated(sizes: Sequence[int], truth: Truth) -> None:
    found = clustered_coverage(truth, always(openings_of_sizes(sizes)), runs=600, seed=1)
    assert within_error(found.held / found.runs, found.runs)


@pytest.mark.slow
def test_counting_repeats_as_new_evidence_loses_coverage() -> None:
    def draw(rng: np.random.Generator) -> list[int]:
        return [int(opening) for opening in rng.integers(100, size=400)]

    found = clustered_coverage(Truth(0.55, 0.6, alike=1.0), draw, runs=600, seed=2)
    assert found.naive_held / found.runs < 0.75
    assert within_error(found.held / found.runs, found.runs)


@pytest.mark.parametrize(
    ("estimate", "text"),
    [
        (RateEstimate(0.543, 0.532, 0.554), "54.3% ± 1.1"),
        (RateEstimate(0.62, 0.48, 0.76), "62% ± 14"),
        (RateEstimate(0.5012, 0.4978, 0.5046), "50.12% ± 0.34"),
        (RateEstimate(0.96, 0.80, 0.99), "96% (80 to 99)"),
        (RateEstimate(1, 0.985, 1), "100.0% (98.5 to 100.0)"),
    ],
)
def test_text_is_rounded_to_what_the_interval_supports(estimate: RateEstimate, text: str) -> None:
    assert str(estimate) == text


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(42.5, 0, "43"), (57.5, 0, "58"), (42.4, 0, "42"), (0.25, 1, "0.3"), (100.0, 0, "100")],
)
def test_halves_are_rounded_up(value: float, digits: int, text: str) -> None:
    assert rounded(value, digits) == text


def test_a_rate_is_rounded_as_every_other_figure() -> None:
    assert str(RateEstimate(17 / 40, 0.3, 0.56)).startswith("43%")


@pytest.mark.parametrize("truth", truths([0.5, 0.8], [0, 0.6]), ids=str)
def test_any_time_interval_holds_at_the_worst_moment(truth: Truth) -> None:
    assert ever_wrong(cached_any_time_rate, truth, pairs=24) <= 0.05


def test_fixed_length_intervals_mislead() -> None:
    assert ever_wrong(win_rate, Truth(0.5, 0.0), pairs=24) > 0.1


@pytest.mark.slow
@pytest.mark.parametrize("truth", sample(truths([0.5, 0.6, 0.9], [0, 0.5, 0.9]), 3), ids=str)
def test_any_time_interval_holds_in_a_long_match(truth: Truth) -> None:
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


def test_swapping_mirrors_a_stratified_rate() -> None:
    weak = stratum_of([Pair(1.0, n) for n in range(9)] + [Pair(0.5, 9)])
    strong = stratum_of([Pair(0.5, n) for n in range(8)] + [Pair(0.0, 8), Pair(0.0, 9)])
    mine = stratified_rate([weak, strong])
    others = stratified_rate([weak.swapped(), strong.swapped()])
    assert others.rate == pytest.approx(1 - mine.rate)
    assert (others.low, others.high) == pytest.approx((1 - mine.high, 1 - mine.low))


def test_the_spread_between_opponents_is_not_noise() -> None:
    found = field_coverage(Field((0.2, 0.95), openings=40), runs=150, seed=1)
    assert found.held >= 0.93
    assert found.width < 0.75 * found.pooled_width


@pytest.mark.slow
@pytest.mark.parametrize("openings", [3, 30])
@pytest.mark.parametrize("alike", [0.0, 1.0])
def test_coverage_with_correlated_opponents(openings: int, alike: float) -> None:
    for rates in ((0.5,) * 7, (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99), (0.02, 0.5, 0.98)):
        least = 0.95 - 2.6 * sqrt(0.05 * 0.95 / 300)
        assert field_coverage(Field(rates, openings, alike), runs=300, seed=2).held >= least


def test_interval_of_distinct_openings_is_students_with_two_openings_more() -> None:
    values = [0.5, 0.0, -0.5, 1.0, 0.0]
    found = rate_difference([(value, number) for number, value in enumerate(values)])
    mean = sum(values) / 5
    variance = (sum((value - mean) ** 2 for value in values) + 2 * 0.5**2) / 4
    reach = student_t_quantile(0.95, 4) * sqrt(variance / 5)
    assert isclose(found.difference, mean)
    assert isclose(found.high - found.low, 2 * reach)


def test_repeated_openings_do_not_give_certainty() -> None:
    once = [(0.5, "a"), (0.0, "b"), (-0.5, "c"), (0.5, "d"), (-0.5, "e")]
    repeated = rate_difference(once * 50)
    assert repeated.high - repeated.low >= 2 * student_t_quantile(0.95, 4) * sqrt(0.25 / 5)


def test_nothing_known_is_an_infinite_interval() -> None:
    for known in ([], [(0.5, "a")], [(0.5, "a"), (0.5, "a")]):
        found = rate_difference(known)
        assert (found.low, found.high) == (-inf, inf)
        assert (str(found), found.verdict) == ("unknown", "too few openings")


@pytest.mark.parametrize("each", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("openings", [2, 4])
def test_few_openings_that_agree_prove_nothing(each: float, openings: int) -> None:
    found = rate_difference([(each, number) for number in range(openings)] * 20)
    assert (str(found), found.verdict) == ("unknown", "too few openings")
    assert likely_missed(found) == inf


@pytest.mark.parametrize("comparisons", [1, 25])
def test_a_difference_that_is_likely_missed_is_found_four_times_in_five(comparisons: int) -> None:
    chance, spread = random.Random(5), (-0.5, -0.5, 0.0, 0.0, 0.5, 0.5)

    def estimate(true: float) -> RateDifference:
        gains = [(true + chance.choice(spread), number) for number in range(80)]
        return rate_difference(gains, comparisons=comparisons)

    least = likely_missed(estimate(0.0), comparisons)
    found = sum(estimate(least).verdict == "better" for _ in range(400))
    assert 0.7 < found / 400 < 0.92


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


def test_copies_of_an_agent_are_rarely_called_better_or_worse() -> None:
    course = ManyBesideOne(agents=26, opponents=7, openings=30)
    found = false_verdicts(course, studies=300, seed=1)
    assert found.uncorrected > 0.35  # one unlucky baseline moves every row
    assert found.corrected <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize(("opponents", "openings"), sample(product([1, 7], [2, 3, 10]), 2))
def test_few_false_verdicts_for_any_layout(openings: int, opponents: int) -> None:
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
