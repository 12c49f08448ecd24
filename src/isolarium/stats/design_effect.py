"""How many independent pairs a clustered set of pairs is worth."""

import math
from dataclasses import dataclass

from isolarium.stats.distributions import student_t_quantile, two_sided_quantile

_CONFIDENCE = 0.95
# How firmly repeats are taken to be alike before the data speak, in openings of full variance.
# The least weight with which the simulated intervals of tests/stats/simulations.py keep their 95%.
_PRIOR_OPENINGS = 0.25


@dataclass(frozen=True, slots=True)
class ClusterMoments:
    """Sums over the clusters of a set of pairs; size is a cluster's pairs, points twice its score.

    Whole numbers, so that the order in which pairs came cannot change a result.
    """

    clusters: int = 0
    size: int = 0
    size_squared: int = 0
    size_cubed: int = 0
    points: int = 0
    points_squared: int = 0
    size_times_points: int = 0
    pair_points_squared: int = 0

    def between(self) -> float:
        """Sum over clusters of (score - size * mean score)^2."""
        n, total = self.size, self.points
        scaled = (
            n * n * self.points_squared
            - 2 * n * total * self.size_times_points
            + total * total * self.size_squared
        )
        return scaled / (4 * n * n)

    def within_all(self) -> float:
        """Sum over pairs of (score - mean score)^2."""
        return (self.size * self.pair_points_squared - self.points**2) / (4 * self.size)

    def after(self, size: int, points: int, score: int) -> "ClusterMoments":
        """The sums once a pair worth `score` joins a cluster that had `size` and `points`."""
        return ClusterMoments(
            clusters=self.clusters + (size == 0),
            size=self.size + 1,
            size_squared=self.size_squared + 2 * size + 1,
            size_cubed=self.size_cubed + 3 * size * size + 3 * size + 1,
            points=self.points + score,
            points_squared=self.points_squared + 2 * points * score + score * score,
            size_times_points=self.size_times_points + size * score + points + score,
            pair_points_squared=self.pair_points_squared + score * score,
        )


def effective_pairs(moments: ClusterMoments) -> float:
    """The number of independent pairs that carry the evidence of these clustered ones.

    Between Kish's n^2 / sum(size^2), the worth of clusters whose pairs are all alike, and the
    number of pairs n, which it is when no opening is repeated. Dividing counts by the design
    effect is Rao and Scott, "A simple method for the analysis of clustered binary data",
    Biometrics 48 (1992); the factor (z/t)^2 for a design effect estimated from few clusters is
    Korn and Graubard, "Confidence intervals for proportions with small expected number of
    positive counts estimated from survey data", Survey Methodology 24 (1998).
    """
    n = moments.size
    if n == 0:
        return 0.0
    if moments.clusters == n:
        return float(n)
    all_alike = n * n / moments.size_squared
    degrees = math.floor(all_alike) - 1
    if degrees < 1:
        return all_alike
    design_effect = 1.0 + _likeness(moments, all_alike) * (moments.size_squared / n - 1.0)
    t = student_t_quantile(_CONFIDENCE, degrees)
    worth = n / design_effect * (two_sided_quantile(_CONFIDENCE) / t) ** 2
    return min(float(n), max(all_alike, worth))


def _likeness(moments: ClusterMoments, all_alike: float) -> float:
    """The correlation within clusters, drawn towards 1 where the data say little about it.

    Where every pair has the same score the data say nothing, and repeats count as alike.
    """
    variance = moments.within_all() / moments.size
    if variance == 0.0:
        return 1.0
    evidence = all_alike * variance / 0.25
    estimate = _moment_correlation(moments)
    return (estimate * evidence + _PRIOR_OPENINGS) / (evidence + _PRIOR_OPENINGS)


def _moment_correlation(moments: ClusterMoments) -> float:
    """The correlation at which both sums of squares have the expectation that was observed.

    With correlation r and variance v, and the mean estimated from the same pairs,
    E[between] = v ((1 - r) between0 + r between1) and E[all] = v ((1 - r)(n - 1) + r all1).
    """
    n, squares = moments.size, moments.size_squared
    between, everything = moments.between(), moments.within_all()
    between0 = n - squares / n
    between1 = squares * (1.0 + squares / n**2) - 2.0 * moments.size_cubed / n
    all1 = n - squares / n
    slope = between * (n - 1.0 - all1) + everything * (between1 - between0)
    if slope <= 0.0:
        return 1.0
    return min(1.0, max(0.0, (between * (n - 1.0) - everything * between0) / slope))
