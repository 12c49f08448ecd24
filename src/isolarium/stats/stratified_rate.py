"""The win rate against several opponents: how strong they are is no noise."""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from isolarium.stats.interval import CONFIDENCE, RateEstimate, win_rate
from isolarium.stats.pairs import PairSummary

# How firmly an opening is taken to go alike against all opponents before the data speak, in openings.
_PRIOR_OPENINGS = 0.25


@dataclass(frozen=True, slots=True)
class Stratum:
    """An agent's pairs against one opponent.

    Attributes:
        summary: The pairs.
        clusters: By opening, how many there are and twice what they scored.
    """

    summary: PairSummary
    clusters: Mapping[Hashable, tuple[int, int]]

    def swapped(self) -> "Stratum":
        """The same from the opponent's side."""
        swapped = {key: (size, 2 * size - points) for key, (size, points) in self.clusters.items()}
        return Stratum(self.summary.swapped(), swapped)


def stratified_rate(strata: Sequence[Stratum], confidence: float = CONFIDENCE) -> RateEstimate:
    """The share of points over all opponents, with an interval that counts chance alone.

    Opponents and the pairs against each are part of the plan, so only the chance against each of
    them is noise, and not that one is stronger than another. The interval combines those of
    `win_rate` by the square-and-add rule (Zou and Donner, "Construction of confidence limits
    about effect measures", Statistics in Medicine 27, 2008). Agents may do well from one opening
    against all opponents: what the sums by opening stray more than independent ones is added.
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
    """The variance of the sums by opening over what it would be if opponents had nothing in common; at least 1."""
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
