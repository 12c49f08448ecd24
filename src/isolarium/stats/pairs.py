"""Pairs of games: the same opening twice with the sides swapped, counted by opening."""

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
        cluster: The opening up to repetition and symmetry; pairs with equal keys are not
            independent evidence, since agents play them alike.
    """

    score: float
    cluster: Hashable

    def __post_init__(self) -> None:
        if self.score not in (0.0, 0.5, 1.0):
            raise ValueError(f"pair score {self.score}: expected 0, 0.5 or 1")


@dataclass(frozen=True, slots=True)
class PairSummary:
    """What the statistics need to know of a set of pairs, from agent A's side.

    Attributes:
        won: Pairs in which A won both games.
        split: Pairs in which each won one.
        lost: Pairs in which A lost both.
        clusters: Distinct openings among them.
        effective: The number of independent pairs they are worth, at most their number.
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
        """The summary of pairs whose openings all differ."""
        for name, count in (("won", won), ("split", split), ("lost", lost)):
            check_count(name, count)
        pairs = won + split + lost
        return cls(won, split, lost, clusters=pairs, effective=float(pairs))

    @property
    def pairs(self) -> int:
        """How many pairs were played."""
        return self.won + self.split + self.lost

    @property
    def games_won(self) -> int:
        """Games that A won."""
        return 2 * self.won + self.split

    @property
    def games_lost(self) -> int:
        """Games that A lost."""
        return 2 * self.lost + self.split

    @property
    def rate(self) -> float:
        """A's share of the points; 1/2 where no pair was played."""
        return (self.won + 0.5 * self.split) / self.pairs if self.pairs else 0.5

    @property
    def effective_counts(self) -> tuple[float, float, float]:
        """Won, split and lost, scaled down to the independent pairs they are worth."""
        worth = self.effective / self.pairs if self.pairs else 0.0
        return self.won * worth, self.split * worth, self.lost * worth

    def swapped(self) -> Self:
        """The same pairs from the other agent's side."""
        return type(self)(self.lost, self.split, self.won, self.clusters, self.effective)


class PairTally:
    """Counts pairs as they come; each costs constant time, and their order does not matter."""

    def __init__(self) -> None:
        self._counts = [0, 0, 0]
        self._clusters: dict[Hashable, tuple[int, int]] = {}
        self._moments = ClusterMoments()

    def add(self, pair: Pair) -> None:
        """Counts one more pair."""
        points = int(2 * pair.score)
        self._counts[points] += 1
        size, before = self._clusters.get(pair.cluster, (0, 0))
        self._moments = self._moments.after(size, before, points)
        self._clusters[pair.cluster] = (size + 1, before + points)

    @property
    def pairs(self) -> int:
        """How many were counted."""
        return sum(self._counts)

    @property
    def clusters(self) -> Mapping[Hashable, tuple[int, int]]:
        """By opening, how many pairs there are and twice what they scored."""
        return self._clusters

    def summary(self) -> PairSummary:
        """The counts so far."""
        lost, split, won = self._counts
        return PairSummary(won, split, lost, len(self._clusters), effective_pairs(self._moments))


def summarize(pairs: Iterable[Pair]) -> PairSummary:
    """Counts pairs won, split and lost, and what they are worth as independent evidence."""
    tally = PairTally()
    for pair in pairs:
        tally.add(pair)
    return tally.summary()


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


ROUNDING: Final = 1e-9
"""By so much figures may differ that are the same but for how they were worked out."""


def check_count(name: str, value: object) -> None:
    """See that something is a number of things.

    Raises:
        ValueError: it is not.
    """
    if type(value) is int and value >= 0:  # to ask an abstract class takes ten times as long
        return
    if type(value) is bool or not isinstance(value, Integral) or value < 0:
        raise ValueError(f"{name} {value!r}: expected a whole number from 0 on")


def check_within(name: str, value: object, least: float, most: float) -> None:
    """See that something is a number in a range, but for rounding.

    Raises:
        ValueError: it is not.
    """
    if is_number(value) and least - ROUNDING <= value <= most + ROUNDING:  # type: ignore[operator] # it is a number
        return
    raise ValueError(f"{name} {value!r}: expected a number from {least:g} to {most:g}")


def is_number(value: object) -> bool:
    """Whether something is a finite number; True and False are none."""
    if type(value) is float:
        return math.isfinite(value)
    try:
        return type(value) is not bool and isinstance(value, Real) and math.isfinite(value)
    except OverflowError:  # an int that is too large
        return False
