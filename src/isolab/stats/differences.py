"""How much better one agent does than another against the same opponents, from the same openings."""

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from isolab.stats.distributions import student_t_quantile
from isolab.stats.interval import CONFIDENCE


@dataclass(frozen=True, slots=True)
class RateDifference:
    """A difference of two win rates with its interval; as text in points of a hundred: `+1.2 ± 0.9`."""

    difference: float
    low: float
    high: float
    confidence: float = CONFIDENCE

    @property
    def verdict(self) -> str:
        """`better`, `worse`, or `no difference seen`."""
        if self.low > 0.0:
            return "better"
        return "worse" if self.high < 0.0 else "no difference seen"

    def __str__(self) -> str:
        error = 100 * (self.high - self.difference)
        if not error < 100:  # too few openings to say anything
            return "unknown"
        return f"{100 * self.difference:+.1f} ± {error:.1f}"


def rate_difference(
    differences: Iterable[tuple[float, Hashable]], confidence: float = CONFIDENCE
) -> RateDifference:
    """The mean difference of scores, with an interval that takes openings for the unit of evidence.

    The two agents' scores from one opening, against one opponent, are subtracted; what openings
    have in common so drops out. Clusters of openings are independent: the variance is that of
    their sums (Liang and Zeger, "Longitudinal data analysis using generalized linear models",
    Biometrika 73, 1986), with Student's t for few of them. With fewer than two clusters the
    interval is infinite.

    Args:
        differences: Each difference of scores, from -1 to 1, with the cluster of its opening.
        confidence: The probability with which the interval holds the true difference.
    """
    sums: dict[Hashable, list[float]] = {}
    for difference, cluster in differences:
        entry = sums.setdefault(cluster, [0.0, 0.0])
        entry[0] += difference
        entry[1] += 1.0
    count = sum(size for _, size in sums.values())
    mean = sum(total for total, _ in sums.values()) / count if count else 0.0
    clusters = len(sums)
    if clusters < 2:
        return RateDifference(mean, -math.inf, math.inf, confidence)
    squares = sum((total - size * mean) ** 2 for total, size in sums.values())
    error = math.sqrt(squares * clusters / (clusters - 1)) / count
    reach = student_t_quantile(confidence, clusters - 1) * error
    return RateDifference(mean, mean - reach, mean + reach, confidence)
