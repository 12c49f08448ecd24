"""Pairs of games, counted by opening, and the amount of evidence in them.

A pair is the same opening played twice with the sides swapped. Repeats of an opening are clustered: `effective_pairs`
computes the number of independent pairs with the same evidence.
"""

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Final, Self

from isolarium.stats.distributions import student_t_quantile, two_sided_quantile


@dataclass(frozen=True, slots=True)
class Pair:
    """One opening played twice with the sides swapped.

    Attributes:
        score: 1 when agent A won both games, 1/2 when each won one, 0 when A lost both.
        cluster: The opening up to repetition and symmetry; pairs with equal keys are not independent evidence, since
            agents play them alike.
    """

    score: float
    cluster: Hashable

    def __post_init__(self) -> None:
        if self.score not in (0.0, 0.5, 1.0):
            raise ValueError(f"pair score {self.score}: expected 0, 0.5 or 1")


@dataclass(frozen=True, slots=True)
class PairSummary:
    """The counts of a set of pairs, from agent A's side.

    Attributes:
        won: The pairs in which A won both games.
        split: The pairs in which each agent won one game.
        lost: The pairs in which A lost both games.
        clusters: The number of distinct openings.
        effective: The number of independent pairs that carry the same evidence, at most `pairs`.
    """

    won: int
    split: int
    lost: int
    clusters: int
    effective: float

    def __post_init__(self) -> None:
        for name in ("won", "split", "lost", "clusters"):
            check_count(name, getattr(self, name))
        if self.clusters > self.pairs:
            raise ValueError(f"clusters {self.clusters}: expected at most {self.pairs}, one a pair")
        check_within("effective", self.effective, 0.0, float(self.pairs))

    @classmethod
    def distinct(cls, won: int, split: int, lost: int) -> Self:
        """Return the summary of pairs whose openings all differ."""
        for name, count in (("won", won), ("split", split), ("lost", lost)):
            check_count(name, count)
        pairs = won + split + lost
        return cls(won, split, lost, clusters=pairs, effective=float(pairs))

    @property
    def pairs(self) -> int:
        """The number of pairs played."""
        return self.won + self.split + self.lost

    @property
    def games_won(self) -> int:
        """The number of games A won."""
        return 2 * self.won + self.split

    @property
    def games_lost(self) -> int:
        """The number of games A lost."""
        return 2 * self.lost + self.split

    @property
    def rate(self) -> float:
        """A's share of the points; 1/2 if no pair was played."""
        return (self.won + 0.5 * self.split) / self.pairs if self.pairs else 0.5

    @property
    def effective_counts(self) -> tuple[float, float, float]:
        """The counts won, split and lost, scaled down to the effective number of pairs."""
        worth = self.effective / self.pairs if self.pairs else 0.0
        return self.won * worth, self.split * worth, self.lost * worth

    def swapped(self) -> Self:
        """Return the same pairs from the other agent's side."""
        return type(self)(self.lost, self.split, self.won, self.clusters, self.effective)


class PairTally:
    """A running count of pairs, in any order; adding a pair takes constant time."""

    def __init__(self) -> None:
        self._counts = [0, 0, 0]
        self._clusters: dict[Hashable, tuple[int, int]] = {}
        self._moments = ClusterMoments()

    def add(self, pair: Pair) -> None:
        """Count one more pair."""
        points = int(2 * pair.score)
        self._counts[points] += 1
        size, before = self._clusters.get(pair.cluster, (0, 0))
        self._moments = self._moments.after(size, before, points)
        self._clusters[pair.cluster] = (size + 1, before + points)

    @property
    def pairs(self) -> int:
        """The number of pairs counted."""
        return sum(self._counts)

    @property
    def clusters(self) -> Mapping[Hashable, tuple[int, int]]:
        """The number of pairs of each opening, and twice their total score."""
        return self._clusters

    def summary(self) -> PairSummary:
        """Return the counts so far."""
        lost, split, won = self._counts
        return PairSummary(won, split, lost, len(self._clusters), effective_pairs(self._moments))


def summarize(pairs: Iterable[Pair]) -> PairSummary:
    """Count pairs won, split and lost, and their effective number."""
    tally = PairTally()
    for pair in pairs:
        tally.add(pair)
    return tally.summary()


LEAST_OPENINGS: Final = 5
"""The minimum number of distinct openings for judging strength.

With fewer, an interval rests more on its assumptions than on the games.
"""

_CONFIDENCE = 0.95
# The weight of the prior that repeats are alike, as a number of openings of full variance: the
# smallest weight for which the simulated intervals of tests/stats/simulations cover 95%.
_PRIOR_OPENINGS = 0.25


@dataclass(frozen=True, slots=True)
class ClusterMoments:
    """Sums over the clusters of a set of pairs.

    The size of a cluster is its number of pairs, and its points are twice its score. The sums are whole numbers, so the
    order of the pairs cannot change a result.
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
        """Return the sum over clusters of (score - size * mean score)^2."""
        n, total = self.size, self.points
        scaled = (
            n * n * self.points_squared - 2 * n * total * self.size_times_points + total * total * self.size_squared
        )
        return scaled / (4 * n * n)

    def within_all(self) -> float:
        """Return the sum over pairs of (score - mean score)^2."""
        return (self.size * self.pair_points_squared - self.points**2) / (4 * self.size)

    def after(self, size: int, points: int, score: int) -> "ClusterMoments":
        """Return the sums after a pair joins a cluster of `size` and `points`."""
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
    """Return the number of independent pairs with as much evidence as clustered ones.

    The result lies between Kish's n^2 / sum(size^2), which holds if the pairs of each cluster are all alike, and the
    number of pairs n, which holds if no opening is repeated. Dividing counts by the design effect is Rao and Scott, "A
    simple method for the analysis of clustered binary data", Biometrics 48 (1992); the factor (z/t)^2 for a design
    effect estimated from few clusters is Korn and Graubard, "Confidence intervals for proportions with small expected
    number of positive counts estimated from survey data", Survey Methodology 24 (1998).
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
    """Estimate the correlation within clusters, shrunk towards 1 if the data are weak.

    If every pair has the same score, the data contain no information, and repeats count as alike.
    """
    variance = moments.within_all() / moments.size
    if variance == 0.0:
        return 1.0
    evidence = all_alike * variance / 0.25
    estimate = _moment_correlation(moments)
    return (estimate * evidence + _PRIOR_OPENINGS) / (evidence + _PRIOR_OPENINGS)


def _moment_correlation(moments: ClusterMoments) -> float:
    """Return the correlation whose expected sums of squares match both observed ones.

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


ROUNDING: Final = 1e-9
"""The rounding error allowed between two computations of the same number."""


def check_count(name: str, value: object) -> None:
    """Check that a value is a non-negative integer.

    Raises:
        ValueError: If the value is negative or not an integer.
    """
    if type(value) is int and value >= 0:  # Ten times as fast as the abstract class below
        return
    if type(value) is bool or not isinstance(value, Integral) or value < 0:
        raise ValueError(f"{name} {value!r}: expected a whole number of at least 0")


def check_within(name: str, value: object, least: float, most: float) -> None:
    """Check that a value is a number in a range, up to rounding.

    Raises:
        ValueError: If the value is not a number or is out of range.
    """
    if is_number(value) and least - ROUNDING <= value <= most + ROUNDING:  # type: ignore[operator] # it is a number
        return
    raise ValueError(f"{name} {value!r}: expected a number from {least:g} to {most:g}")


def is_number(value: object) -> bool:
    """Return whether a value is a finite number; booleans are not numbers."""
    if type(value) is float:
        return math.isfinite(value)
    try:
        return type(value) is not bool and isinstance(value, Real) and math.isfinite(value)
    except OverflowError:  # An int that is too large
        return False
