"""Sums over columns of games, with the same results as adding one game after the other."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from isolarium.arena.lines import Numbers
from isolarium.stats import PairSummary
from isolarium.stats.pairs import ClusterMoments, effective_pairs

EXACT: Final = 1 << 53
"""Every whole number below this is a float."""


def exact_sums(groups: Numbers, values: Numbers, count: int) -> list[int]:
    """Return the sum of the values of each of `count` groups; no sum overflows."""
    most = max(abs(int(values.max())), abs(int(values.min()))) if values.size else 0
    if most * values.size < EXACT:
        return [int(total) for total in np.bincount(groups, values, count).tolist()]
    sums = [0] * count
    for group, value in zip(groups.tolist(), values.tolist(), strict=True):
        sums[group] += value
    return sums


def continued_sums(totals: NDArray[np.float64], groups: Numbers, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add values to the totals of their groups, one after the other, which decides the last digit."""
    every = np.concatenate([np.arange(totals.size), groups])
    return np.bincount(every, np.concatenate([totals, values]), totals.size).astype(np.float64)


def in_order(codes: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return the distinct codes by first appearance, their first places, and their counts."""
    found, places, counts = np.unique(codes, return_index=True, return_counts=True)
    order = np.argsort(places)
    return found[order], places[order], counts[order]


class PairColumns:
    """Pairs counted by cluster, like `PairTally`, but many at a time.

    Clusters are whole numbers from 0 up to but not including `clusters`.
    """

    def __init__(self, clusters: int) -> None:
        self._sizes = np.zeros(clusters, dtype=np.int32)
        self._points = np.zeros(clusters, dtype=np.int32)
        self._first = np.full(clusters, np.iinfo(np.int32).max, dtype=np.int32)
        self._counts = np.zeros(3, dtype=np.int64)

    def add(self, clusters: Numbers, points: Numbers, pairs: Numbers | None = None) -> None:
        """Count pairs.

        Args:
            clusters: The cluster of each pair.
            points: Twice the score of each.
            pairs: Their numbers, which order the clusters; by default the clusters.
        """
        first = clusters if pairs is None else pairs
        np.add.at(self._sizes, clusters, np.int32(1))  # Slow with another type
        np.add.at(self._points, clusters, points.astype(np.int32))
        np.minimum.at(self._first, clusters, first.astype(np.int32))
        self._counts += np.bincount(points, minlength=3)

    @property
    def pairs(self) -> int:
        """The number of pairs counted."""
        return int(self._counts.sum())

    @property
    def clusters(self) -> Mapping[Any, tuple[int, int]]:
        """The number of pairs of each opening, and twice their total score."""
        known = np.flatnonzero(self._sizes)
        known = known[np.argsort(self._first[known], kind="stable")]
        columns = (known, self._sizes[known], self._points[known])
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return {cluster: (size, points) for cluster, size, points in rows}

    def summary(self) -> PairSummary:
        """Return the counts so far."""
        known = np.flatnonzero(self._sizes)
        sizes, points = self._sizes[known].astype(np.int64), self._points[known].astype(np.int64)
        lost, split, won = self._counts.tolist()
        counts = list(enumerate(np.bincount(sizes).tolist()))
        moments = ClusterMoments(
            clusters=len(known),
            size=lost + split + won,
            size_squared=sum(size**2 * count for size, count in counts),
            size_cubed=sum(size**3 * count for size, count in counts),
            points=split + 2 * won,
            points_squared=int((points * points).sum()),
            size_times_points=int((sizes * points).sum()),
            pair_points_squared=split + 4 * won,
        )
        return PairSummary(won, split, lost, len(known), effective_pairs(moments))


def summary_of(clusters: Numbers, points: Numbers) -> PairSummary:
    """Summarize pairs with these clusters and twice these scores."""
    found, numbers = np.unique(clusters, return_inverse=True)
    pairs = PairColumns(len(found))
    pairs.add(numbers, points)
    return pairs.summary()
