"""The win rate with an interval that holds whenever one stops: for who looks while pairs are played."""

import math
from collections.abc import Sequence

from isolarium.stats.interval import CONFIDENCE, RateEstimate, boundary
from isolarium.stats.pairs import PairSummary
from isolarium.stats.trinomial import likeliest_with_mean

# Jeffreys's prior on pairs won, split and lost; any other would hold as well, and be wider elsewhere.
_PRIOR = (0.5, 0.5, 0.5)


def any_time_rate(summary: PairSummary, confidence: float = CONFIDENCE) -> RateEstimate:
    """The share of points agent A won, with an interval that holds at all moments at once.

    Whoever watches a match and stops it at the moment of their choice is misled by intervals of a
    fixed length, and sooner or later in every case. With the probability `confidence` this one
    holds the true rate after every number of pairs. It leaves out a mean m once the pairs are
    1 / (1 - confidence) times likelier under a mixture of all distributions than under the
    likeliest with mean m: a test martingale where m is the truth (Ville 1939; Wasserman, Ramdas
    and Balakrishnan, "Universal inference", PNAS 117, 2020). It is 1.2 to 2.4 times as wide as
    `win_rate`. Clusters enter by the effective number of pairs.
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
    """The logarithm of the likelihood of the counts, averaged over the prior."""
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
