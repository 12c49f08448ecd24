"""The win rate over pairs with an interval that stays honest when little is known."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

from isolarium.stats.distributions import two_sided_quantile
from isolarium.stats.pairs import PairSummary
from isolarium.stats.trinomial import likeliest_with_mean
from isolarium.stats.validation import check_within

CONFIDENCE = 0.95


def rounded(value: float, digits: int = 0) -> str:
    """A number with so many digits; halves go up, as they do in charts and browsers: 42.5 becomes 43."""
    return str(Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


@dataclass(frozen=True, slots=True)
class RateEstimate:
    """A share of the points with its interval: 0 <= low <= rate <= high <= 1.

    As text it is rounded to what the interval supports: `54.3% ± 1.1`, and with both ends where
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
        """The same estimate from the other agent's side."""
        return RateEstimate(1.0 - self.rate, 1.0 - self.high, 1.0 - self.low, self.confidence)

    def __str__(self) -> str:
        rate, low, high = 100 * self.rate, 100 * self.low, 100 * self.high
        below, above = rate - low, high - rate
        error = max(below, above)
        digits = 0 if error >= 10 else 1 if error >= 1 else 2
        if error > 1.25 * min(below, above):
            return f"{rounded(rate, digits)}% ({rounded(low, digits)} to {rounded(high, digits)})"
        return f"{rounded(rate, digits)}% ± {rounded(error, digits)}"


@lru_cache(maxsize=1 << 14)  # a run's tables and charts ask for the same again and again
def win_rate(summary: PairSummary, confidence: float = CONFIDENCE) -> RateEstimate:
    """The share of points agent A won, with an interval for its true value.

    The interval holds every mean m that a score test does not reject: those where the observed
    mean is within z standard errors of m, plus half a step of the scale the mean moves on. The
    standard error is that of the likeliest distribution with mean m, not of the sample, and so
    is never zero where the data are all alike. This is Tango's score interval for paired data
    (Statistics in Medicine 17, 1998) with a continuity correction; without split pairs it is
    Wilson's with Yates's correction (Newcombe, Statistics in Medicine 17, 1998, method 4).
    Clusters enter by the effective number of pairs, so repeating openings does not shrink it.

    With distinct openings the 95% interval covers at least 95.0% from five pairs on, 94.6% at one,
    whatever the truth (`python -m tests.stats.simulations` prints the tables, also those for
    repeated openings). With no pairs it is 0 to 1.
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
    """The continuity correction: half the step between the means these pairs could have.

    Scores move in steps of one point while no pair is split, and of half a point otherwise.
    """
    return (0.25 if summary.split else 0.5) / summary.effective


def boundary(accepts: Callable[[float], bool], inside: float, outside: float) -> float:
    """The farthest accepted mean between one that is accepted and the end of the scale."""
    if accepts(outside):
        return outside
    for _ in range(50):
        middle = 0.5 * (inside + outside)
        if accepts(middle):
            inside = middle
        else:
            outside = middle
    return inside
