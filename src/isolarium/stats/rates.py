"""Win rates with intervals, over one or several opponents, and differences.

All intervals count clusters of repeated openings, not single pairs, as the unit of evidence.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import NamedTuple

from isolarium.stats.distributions import normal_quantile, student_t_quantile, two_sided_quantile
from isolarium.stats.pairs import LEAST_OPENINGS, PairSummary, check_within

CONFIDENCE = 0.95


def rounded(value: float, digits: int = 0) -> str:
    """Format a number with the given digits; halves round up, as in charts and browsers."""
    return str(Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


@dataclass(frozen=True, slots=True)
class RateEstimate:
    """A share of the points with its interval: 0 <= low <= rate <= high <= 1.

    As text it is rounded to the precision of the interval: `54.3% ± 1.1`, or with both ends if
    one side is much longer than the other: `96% (80 to 99)`.
    """

    rate: float
    low: float
    high: float
    confidence: float = CONFIDENCE

    def __post_init__(self) -> None:
        check_within("rate", self.rate, 0.0, 1.0)
        check_within("low", self.low, 0.0, self.rate)
        check_within("high", self.high, self.rate, 1.0)
        check_within("confidence", self.confidence, 0.0, 1.0)

    @property
    def width(self) -> float:
        """The length of the interval."""
        return self.high - self.low

    def __contains__(self, rate: float) -> bool:
        return self.low <= rate <= self.high

    def swapped(self) -> "RateEstimate":
        """Return the estimate from the other agent's side."""
        return RateEstimate(1.0 - self.rate, 1.0 - self.high, 1.0 - self.low, self.confidence)

    def __str__(self) -> str:
        rate, low, high = 100 * self.rate, 100 * self.low, 100 * self.high
        below, above = rate - low, high - rate
        error = max(below, above)
        digits = 0 if error >= 10 else 1 if error >= 1 else 2
        if error > 1.25 * min(below, above):
            return f"{rounded(rate, digits)}% ({rounded(low, digits)} to {rounded(high, digits)})"
        return f"{rounded(rate, digits)}% ± {rounded(error, digits)}"


@lru_cache(maxsize=1 << 14)  # A run's tables and charts repeat the same calls.
def win_rate(summary: PairSummary, confidence: float = CONFIDENCE) -> RateEstimate:
    """Estimate the share of points that agent A wins, with an interval.

    The interval contains every mean m that a score test does not reject: the observed mean must be within z standard
    errors of m, plus half a step between possible means. The standard error is that of the likeliest distribution with
    mean m, not of the sample, so it is never zero, even if all the data are alike. This is Tango's score interval for
    paired data (Statistics in Medicine 17, 1998) with a continuity correction; without split pairs it is Wilson's with
    Yates's correction (Newcombe, Statistics in Medicine 17, 1998, method 4). Clusters enter by the effective number of
    pairs, so repeating openings does not shrink it.

    With distinct openings the 95% interval covers at least 95.0% from five pairs on, and 94.6% at one, for every true
    value (`python -m tests.stats.simulations` prints the tables, including those for repeated openings). With no pairs
    the interval is 0 to 1.
    """
    z = two_sided_quantile(confidence)
    if summary.pairs == 0:
        return RateEstimate(0.5, 0.0, 1.0, confidence)
    counts, pairs, rate = summary.effective_counts, summary.effective, summary.rate
    slack = half_step(summary)

    def accepts(mean: float) -> bool:
        distance = max(0.0, abs(rate - mean) - slack)
        return distance * distance * pairs <= z * z * likeliest_with_mean(counts, mean).variance

    low, high = boundary(accepts, rate, 0.0), boundary(accepts, rate, 1.0)
    return RateEstimate(rate, low, high, confidence)


def half_step(summary: PairSummary) -> float:
    """Return the continuity correction: half the step between possible means.

    Scores move in steps of one point if no pair is split, and of half a point otherwise.
    """
    return (0.25 if summary.split else 0.5) / summary.effective


def boundary(accepts: Callable[[float], bool], inside: float, outside: float) -> float:
    """Return the last accepted mean on the way from `inside` to `outside`.

    The mean `inside` must itself be accepted.
    """
    if accepts(outside):
        return outside
    for _ in range(50):
        middle = 0.5 * (inside + outside)
        if accepts(middle):
            inside = middle
        else:
            outside = middle
    return inside


# Jeffreys's prior on pairs won, split and lost. The interval is valid with any prior; the prior
# only affects its width.
_PRIOR = (0.5, 0.5, 0.5)


def any_time_rate(summary: PairSummary, confidence: float = CONFIDENCE) -> RateEstimate:
    """Estimate the share of points that agent A wins; the interval is always valid.

    Stopping a match at a moment of your choice invalidates fixed-length intervals: sooner or later each of them misses
    the true rate. With the probability `confidence` this interval holds the true rate after every number of pairs. It
    excludes a mean m once the pairs are 1 / (1 - confidence) times likelier under a mixture of all distributions than
    under the likeliest with mean m, which is a test martingale if the true mean is m (Ville 1939; Wasserman, Ramdas and
    Balakrishnan, "Universal inference", PNAS 117, 2020). It is 1.2 to 2.4 times as wide as `win_rate`. Clusters enter
    by the effective number of pairs.
    """
    if summary.pairs == 0:
        return RateEstimate(0.5, 0.0, 1.0, confidence)
    counts, rate = summary.effective_counts, summary.rate
    least = _log_mixture(counts) + math.log(1.0 - confidence)

    def accepts(mean: float) -> bool:
        return _log_likelihood(counts, likeliest_with_mean(counts, mean)) > least

    low, high = boundary(accepts, rate, 0.0), boundary(accepts, rate, 1.0)
    return RateEstimate(rate, low, high, confidence)


def _log_mixture(counts: Sequence[float]) -> float:
    """Return the logarithm of the likelihood of the counts, averaged over the prior."""
    total = math.lgamma(sum(_PRIOR)) - math.lgamma(sum(_PRIOR) + sum(counts))
    for count, prior in zip(counts, _PRIOR, strict=True):
        total += math.lgamma(count + prior) - math.lgamma(prior)
    return total


def _log_likelihood(counts: Sequence[float], chances: Sequence[float]) -> float:
    total = 0.0
    for count, chance in zip(counts, chances, strict=True):
        if count:
            if chance <= 0.0:
                return -math.inf
            total += count * math.log(chance)
    return total


# The weight, in openings, of the prior that an opening has the same result against all opponents.
_PRIOR_OPENINGS = 0.25


@dataclass(frozen=True, slots=True)
class Stratum:
    """An agent's pairs against one opponent.

    Attributes:
        summary: The pairs.
        clusters: The number of pairs of each opening, and twice their total score.
    """

    summary: PairSummary
    clusters: Mapping[Hashable, tuple[int, int]]

    def swapped(self) -> "Stratum":
        """Return the same pairs from the opponent's side."""
        swapped = {key: (size, 2 * size - points) for key, (size, points) in self.clusters.items()}
        return Stratum(self.summary.swapped(), swapped)


def stratified_rate(strata: Sequence[Stratum], confidence: float = CONFIDENCE) -> RateEstimate:
    """Estimate the share of points over all opponents, with an interval for chance alone.

    Opponents and the number of pairs against each are part of the plan, so only chance against each opponent is noise,
    not the opponents' different strengths. The interval combines those of `win_rate` by the square-and-add rule (Zou
    and Donner, "Construction of confidence limits about effect measures", Statistics in Medicine 27, 2008). An agent
    may do well from one opening against all opponents: the interval grows by the excess variation of the sums by
    opening.
    """
    met = [stratum for stratum in strata if stratum.summary.pairs]
    if len(met) < 2:
        summary = met[0].summary if met else PairSummary.distinct(0, 0, 0)
        return win_rate(summary, confidence)
    rates = [win_rate(stratum.summary, confidence) for stratum in met]
    total = sum(stratum.summary.pairs for stratum in met)
    shares = [stratum.summary.pairs / total for stratum in met]
    rate = sum(share * one.rate for share, one in zip(shares, rates, strict=True))
    stretch = math.sqrt(_likeness(met))
    below, above = (
        stretch * math.hypot(*(share * reach for share, reach in zip(shares, reaches, strict=True)))
        for reaches in ([r.rate - r.low for r in rates], [r.high - r.rate for r in rates])
    )
    return RateEstimate(rate, max(0.0, rate - below), min(1.0, rate + above), confidence)


def _likeness(strata: Sequence[Stratum]) -> float:
    """Return the variance of sums by opening, relative to unrelated opponents, >= 1."""
    sums: dict[Hashable, float] = {}
    apart = 0.0
    for stratum in strata:
        rate = stratum.summary.rate
        for cluster, (size, points) in stratum.clusters.items():
            surprise = 0.5 * points - size * rate
            apart += surprise * surprise
            sums[cluster] = sums.get(cluster, 0.0) + surprise
    together = sum(value * value for value in sums.values())
    observed = together / apart if apart else 1.0
    openings = len(sums)
    drawn = openings * observed + _PRIOR_OPENINGS * len(strata)
    return max(1.0, drawn / (openings + _PRIOR_OPENINGS))


ONE_GAME = 0.5
"""The value of one game in the score of a pair."""


@dataclass(frozen=True, slots=True)
class RateDifference:
    """A difference of two win rates with its interval.

    As text it is in percentage points: `+1.2 ± 0.9`.
    """

    difference: float
    low: float
    high: float
    confidence: float = CONFIDENCE

    @property
    def verdict(self) -> str:
        """`better`, `worse`, `no difference seen`, or `too few openings` to tell."""
        if math.isinf(self.high):
            return "too few openings"
        if self.low > 0.0:
            return "better"
        return "worse" if self.high < 0.0 else "no difference seen"

    def __str__(self) -> str:
        error = 100 * (self.high - self.difference)
        if not error < 100:  # too few openings for an estimate
            return "unknown"
        return f"{100 * self.difference:+.1f} ± {error:.1f}"


def rate_difference(
    differences: Iterable[tuple[float, Hashable]], confidence: float = CONFIDENCE, comparisons: float = 1
) -> RateDifference:
    """Estimate the mean difference of scores, with openings as the unit of evidence.

    The two agents' scores from one opening against one opponent are subtracted, so that the effect of the opening
    cancels. Clusters of openings are independent: the variance is that of their sums (Liang and Zeger, "Longitudinal
    data analysis using generalized linear models", Biometrika 73, 1986), with Student's t if there are few clusters.
    Two openings are added that deviate by one game, one to either side, so that a few equal openings do not give false
    certainty. With fewer than `LEAST_OPENINGS` clusters the interval is infinite.

    If many agents are compared with one agent, that agent's luck moves all the differences together. Bonferroni's
    correction (Dunn, "Multiple comparisons among means", Journal of the American Statistical Association 56, 1961) is
    valid for any dependence between the differences.

    Args:
        differences: Each difference of scores, from -1 to 1, with the cluster of its opening.
        confidence: The probability with which the interval holds the true difference.
        comparisons: The number of differences judged together; with the probability `confidence` all their intervals
            hold. It need not be whole: see `isolarium.studies.rounds`.
    """
    return difference_of_sums(cluster_sums(differences), confidence, comparisons)


@dataclass(frozen=True, slots=True)
class ClusterSums:
    """Sums over clusters of openings, each with a number of differences and their total.

    Attributes:
        clusters: The number of clusters.
        count: The number of differences.
        total: The sum of the differences.
        size_squares: The sum of the squared numbers.
        total_squares: The sum of the squared totals.
        products: The sum of number times total.
    """

    clusters: int
    count: float
    total: float
    size_squares: float
    total_squares: float
    products: float

    @property
    def mean(self) -> float:
        """The mean difference."""
        return self.total / self.count if self.count else 0.0


def cluster_sums(differences: Iterable[tuple[float, Hashable]]) -> ClusterSums:
    """Add up differences of scores by the clusters of their openings."""
    sums: dict[Hashable, list[float]] = {}
    for difference, cluster in differences:
        entry = sums.setdefault(cluster, [0.0, 0.0])
        entry[0] += difference
        entry[1] += 1.0
    return ClusterSums(
        len(sums),
        sum(size for _, size in sums.values()),
        sum(total for total, _ in sums.values()),
        sum(size * size for _, size in sums.values()),
        sum(total * total for total, _ in sums.values()),
        sum(size * total for total, size in sums.values()),
    )


def difference_of_sums(sums: ClusterSums, confidence: float = CONFIDENCE, comparisons: float = 1) -> RateDifference:
    """Estimate the mean difference from sums over clusters; see `rate_difference`."""
    mean, clusters = sums.mean, sums.clusters
    if clusters < LEAST_OPENINGS:
        return RateDifference(mean, -math.inf, math.inf, confidence)
    squares = sums.total_squares - 2.0 * mean * sums.products + mean * mean * sums.size_squares
    squares = max(0.0, squares) + 2.0 * ONE_GAME**2 * sums.count / clusters
    error = math.sqrt(squares * clusters / (clusters - 1)) / sums.count
    each = 1.0 - (1.0 - confidence) / max(1, comparisons)
    reach = student_t_quantile(each, clusters - 1) * error
    return RateDifference(mean, mean - reach, mean + reach, confidence)


def likely_missed(difference: RateDifference, comparisons: float = 1, power: float = 0.8) -> float:
    """Return the smallest true difference that is found with probability `power`.

    A difference is found if an interval of the given width excludes 0. Smaller differences are missed more often. The
    result is infinite if the interval is infinite.

    Args:
        difference: The estimate; only the width of its interval counts.
        comparisons: The number of differences judged together, as in `rate_difference`.
        power: The probability of finding the difference.
    """
    each = 1.0 - (1.0 - difference.confidence) / max(1, comparisons)
    reach = difference.high - difference.difference
    return reach * (1.0 + normal_quantile(power) / two_sided_quantile(each))


class Trinomial(NamedTuple):
    """The probabilities that a pair is won, split and lost."""

    won: float
    split: float
    lost: float

    @property
    def mean(self) -> float:
        """The mean score of a pair."""
        return self.won + 0.5 * self.split

    @property
    def variance(self) -> float:
        """The variance of the score of one pair, at most 1/4."""
        lead = self.won - self.lost
        return max(0.0, (self.won + self.lost - lead * lead) / 4.0)


def likeliest_with_mean(counts: tuple[float, float, float], mean: float) -> Trinomial:
    """Return the maximum likelihood distribution of pair scores with the given mean.

    Closed form of Tango, "Equivalence test and confidence interval for the difference in proportions for the
    paired-sample design", Statistics in Medicine 17 (1998). Every observed outcome keeps a positive probability when 0
    < mean < 1, so likelihoods stay finite.

    Args:
        counts: Pairs won, split and lost; they need not be whole but must not all be zero.
        mean: The mean score, from 0 to 1.
    """
    won, split, lost = counts
    if mean < 0.5:
        mirrored = likeliest_with_mean((lost, split, won), 1.0 - mean)
        return Trinomial(mirrored.lost, mirrored.split, mirrored.won)
    lead = 2.0 * mean - 1.0
    # The probability q of a lost pair solves a q^2 + b q - c = 0 with c >= 0: one root is >= 0.
    a = 2.0 * (won + split + lost)
    b = 2.0 * (lost + split) * lead - (won + lost) * (1.0 - lead)
    c = lost * lead * (1.0 - lead)
    root = math.sqrt(b * b + 4.0 * a * c)
    # Of the two equivalent forms of the root, use the one without cancellation.
    q = 2.0 * c / (b + root) if b > 0.0 else (root - b) / (2.0 * a)
    q = min(q, 0.5 * (1.0 - lead))
    return Trinomial(q + lead, max(0.0, 1.0 - lead - 2.0 * q), q)


def likeliest_with_lead(counts: tuple[float, float, float], deviations: float) -> Trinomial:
    """Return the maximum likelihood distribution with the given lead.

    With q the share of decided pairs, a mean that is `deviations` standard deviations above
    1/2 requires won - lost = c sqrt(q) with c = deviations / sqrt(1 + deviations^2). The likelihood is concave in r =
    sqrt(q), from |c| to 1, so its maximum is where the slope changes sign.

    Args:
        counts: Pairs won, split and lost; they need not be whole but must not all be zero.
        deviations: The lead in standard deviations of a pair's score.
    """
    won, split, lost = counts
    if deviations < 0.0:
        mirrored = likeliest_with_lead((lost, split, won), -deviations)
        return Trinomial(mirrored.lost, mirrored.split, mirrored.won)
    c = deviations / math.sqrt(1.0 + deviations * deviations)

    def slope(r: float) -> float:
        ends = won / (r + c) + lost / (r - c) + (won + lost) / r
        return ends - 2.0 * split * r / (1.0 - r * r)

    low, high = c, 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        low, high = (middle, high) if slope(middle) > 0.0 else (low, middle)
    r = 0.5 * (low + high) if split else 1.0
    return Trinomial(0.5 * r * (r + c), max(0.0, 1.0 - r * r), 0.5 * r * max(0.0, r - c))
