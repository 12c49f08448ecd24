"""How much better one agent does than another against the same opponents, from the same openings."""

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from isolarium.stats.distributions import student_t_quantile
from isolarium.stats.interval import CONFIDENCE

ONE_GAME = 0.5
"""What a game is worth in the score of a pair."""


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
    differences: Iterable[tuple[float, Hashable]],
    confidence: float = CONFIDENCE,
    comparisons: int = 1,
) -> RateDifference:
    """The mean difference of scores, with an interval that takes openings for the unit of evidence.

    The two agents' scores from one opening, against one opponent, are subtracted; what openings
    have in common so drops out. Clusters of openings are independent: the variance is that of
    their sums (Liang and Zeger, "Longitudinal data analysis using generalized linear models",
    Biometrika 73, 1986), with Student's t for few of them. Two openings are added that stray by a
    game to either side, so that a few that agree by chance are not taken for certainty. With
    fewer than two clusters the interval is infinite.

    Where many agents are put beside one, its luck moves all the differences, and they err
    together. Bonferroni's correction (Dunn, "Multiple comparisons among means", Journal of the
    American Statistical Association 56, 1961) holds whatever they share.

    Args:
        differences: Each difference of scores, from -1 to 1, with the cluster of its opening.
        confidence: The probability with which the interval holds the true difference.
        comparisons: How many differences are judged together; with the probability `confidence`
            the intervals of all of them hold.
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
    squares += 2.0 * ONE_GAME**2 * count / clusters
    error = math.sqrt(squares * clusters / (clusters - 1)) / count
    each = 1.0 - (1.0 - confidence) / max(1, comparisons)
    reach = student_t_quantile(each, clusters - 1) * error
    return RateDifference(mean, mean - reach, mean + reach, confidence)
