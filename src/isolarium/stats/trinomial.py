"""The likeliest distribution of pair scores that has a given mean, or a given lead in its own spread."""

import math
from typing import NamedTuple


class Trinomial(NamedTuple):
    """Probabilities that a pair is won, split and lost."""

    won: float
    split: float
    lost: float

    @property
    def mean(self) -> float:
        """The mean score of a pair."""
        return self.won + 0.5 * self.split

    @property
    def variance(self) -> float:
        """The variance of the score of one pair, at most 1/4."""
        lead = self.won - self.lost
        return max(0.0, (self.won + self.lost - lead * lead) / 4.0)


def likeliest_with_mean(counts: tuple[float, float, float], mean: float) -> Trinomial:
    """The maximum likelihood estimate among the distributions with the given mean score.

    Closed form of Tango, "Equivalence test and confidence interval for the difference in
    proportions for the paired-sample design", Statistics in Medicine 17 (1998). Every outcome
    that was seen keeps a positive probability when 0 < mean < 1, so likelihoods stay finite.

    Args:
        counts: Pairs won, split and lost; they need not be whole but must not all be zero.
        mean: The mean score, from 0 to 1.
    """
    won, split, lost = counts
    if mean < 0.5:
        mirrored = likeliest_with_mean((lost, split, won), 1.0 - mean)
        return Trinomial(mirrored.lost, mirrored.split, mirrored.won)
    lead = 2.0 * mean - 1.0
    # The probability q of a lost pair solves a q^2 + b q - c = 0 with c >= 0: one root is >= 0.
    a = 2.0 * (won + split + lost)
    b = 2.0 * (lost + split) * lead - (won + lost) * (1.0 - lead)
    c = lost * lead * (1.0 - lead)
    root = math.sqrt(b * b + 4.0 * a * c)
    # Of the two equal forms of the root, the one that subtracts nothing keeps its digits.
    q = 2.0 * c / (b + root) if b > 0.0 else (root - b) / (2.0 * a)
    q = min(q, 0.5 * (1.0 - lead))
    return Trinomial(q + lead, max(0.0, 1.0 - lead - 2.0 * q), q)


def likeliest_with_lead(counts: tuple[float, float, float], deviations: float) -> Trinomial:
    """The likeliest among the distributions whose mean is so many standard deviations above 1/2.

    With q the share of decided pairs, that mean asks for won - lost = c sqrt(q) with
    c = deviations / sqrt(1 + deviations^2). The likelihood is concave in r = sqrt(q), from |c| to
    1, so that its maximum is where the slope changes its sign.

    Args:
        counts: Pairs won, split and lost; they need not be whole but must not all be zero.
        deviations: The lead in standard deviations of a pair's score.
    """
    won, split, lost = counts
    if deviations < 0.0:
        mirrored = likeliest_with_lead((lost, split, won), -deviations)
        return Trinomial(mirrored.lost, mirrored.split, mirrored.won)
    c = deviations / math.sqrt(1.0 + deviations * deviations)

    def slope(r: float) -> float:
        ends = won / (r + c) + lost / (r - c) + (won + lost) / r
        return ends - 2.0 * split * r / (1.0 - r * r)

    low, high = c, 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        low, high = (middle, high) if slope(middle) > 0.0 else (low, middle)
    r = 0.5 * (low + high) if split else 1.0
    return Trinomial(0.5 * r * (r + c), max(0.0, 1.0 - r * r), 0.5 * r * max(0.0, r - c))
