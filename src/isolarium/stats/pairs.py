"""Pairs of games: the same opening twice with the sides swapped, counted by opening."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from isolarium.stats.design_effect import ClusterMoments, effective_pairs
from isolarium.stats.validation import check_count, check_within


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
