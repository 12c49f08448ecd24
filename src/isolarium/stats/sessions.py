"""Sessions: repeated small tournaments, counted by the agent ahead in each.

'Better in 8 of 10 sessions' sounds like strong evidence. This module computes, from the two agents'
win rates against each opponent, the exact probability of being ahead in one session, and from it
how much ten sessions can show.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from isolarium.stats.distributions import two_sided_quantile
from isolarium.stats.rates import CONFIDENCE

SIGNIFICANCE: Final = 1.0 - CONFIDENCE


@dataclass(frozen=True, slots=True)
class SessionOdds:
    """The odds of one session for an agent, compared with another agent.

    Both agents meet the same opponents.

    Attributes:
        better: The probability that it wins more games than the other.
        tied: The probability that both win the same number.
        worse: The probability that it wins fewer.
        spread: The standard deviation of its share of the games, from session to session.
        spread_other: The other agent's standard deviation.
    """

    better: float
    tied: float
    worse: float
    spread: float
    spread_other: float


def session_odds(agent: Sequence[float], other: Sequence[float], games: int) -> SessionOdds:
    """Return the odds of a session with `games` games against each opponent.

    Games are assumed to be independent. Games played in pairs, from one opening with the sides
    swapped, vary less, so this is an upper bound on the effect of chance.

    Args:
        agent: The agent's win rate against each opponent, from 0 to 1.
        other: The other agent's win rate against each opponent.
        games: Games against each opponent in one session.
    """
    one, two = games_won(agent, games), games_won(other, games)
    below = [0.0, *accumulate(two)]
    better = sum(chance * below[min(won, len(two))] for won, chance in enumerate(one))
    tied = sum(chance * two[won] for won, chance in enumerate(one) if won < len(two))
    return SessionOdds(better, tied, max(0.0, 1.0 - better - tied), _spread(one), _spread(two))


def games_won(rates: Sequence[float], games: int) -> list[float]:
    """Return the probability of each number of games won in a session, from 0 up."""
    distribution = [1.0]
    for rate in rates:
        for _ in range(games):
            distribution = _sum_of(distribution, (1.0 - rate, rate))
    return distribution


def _sum_of(one: Sequence[float], other: Sequence[float]) -> list[float]:
    """Return the distribution of the sum of two independent counts."""
    total = [0.0] * (len(one) + len(other) - 1)
    for i, p in enumerate(one):
        for j, q in enumerate(other):
            total[i + j] += p * q
    return total


def _spread(distribution: Sequence[float]) -> float:
    """Return the standard deviation of the share of the games."""
    mean = sum(count * p for count, p in enumerate(distribution))
    variance = sum((count - mean) ** 2 * p for count, p in enumerate(distribution))
    return math.sqrt(variance) / max(1, len(distribution) - 1)


@dataclass(frozen=True, slots=True)
class CountVerdict:
    """A number of successes compared with chance.

    Attributes:
        low: The lower end of the 95% range by chance.
        high: The upper end of the 95% range by chance.
        p_value: Twice the probability of a count at least as unlikely on the same side.
    """

    low: int
    high: int
    p_value: float

    @property
    def inside_noise(self) -> bool:
        """Whether chance explains the count."""
        return self.p_value >= SIGNIFICANCE


def count_verdict(count: int, trials: int, probability: float) -> CountVerdict:
    """Test `count` successes in independent trials by the exact binomial distribution.

    Raises:
        ValueError: If the count is not within the trials, or the probability not within 0 to 1.
    """
    if not 0 <= count <= trials:
        raise ValueError(f"{count} of {trials}: expected 0 to {trials}")
    if not 0.0 <= probability <= 1.0:
        raise ValueError(f"probability {probability}: expected 0 to 1")
    chances = [math.comb(trials, k) * probability**k * (1.0 - probability) ** (trials - k) for k in range(trials + 1)]
    at_most = list(accumulate(chances))
    at_least = list(accumulate(reversed(chances)))[::-1]
    low = next(k for k in range(trials + 1) if 2.0 * at_most[k] >= SIGNIFICANCE)
    high = next(k for k in reversed(range(trials + 1)) if 2.0 * at_least[k] >= SIGNIFICANCE)
    return CountVerdict(low, high, min(1.0, 2.0 * min(at_most[count], at_least[count])))


@dataclass(frozen=True, slots=True)
class SpreadVerdict:
    """The observed spread of repeated results compared with chance.

    Attributes:
        observed: The standard deviation of the results.
        expected: The standard deviation by chance alone.
        ratio: Observed over expected variance.
        most: The largest ratio by chance in 95% of cases.
    """

    observed: float
    expected: float
    ratio: float
    most: float

    @property
    def inside_noise(self) -> bool:
        """Whether chance alone explains the spread."""
        return self.ratio <= self.most


def spread_verdict(rates: Sequence[float], expected: float) -> SpreadVerdict:
    """Test whether session results vary more than chance explains for their size.

    The chi-squared test of a variance, with the quantile of Wilson and Hilferty, "The
    distribution of chi-square", Proceedings of the National Academy of Sciences 17 (1931).

    Raises:
        ValueError: If there are fewer than two results, or the expected spread is not positive.
    """
    if len(rates) < 2 or expected <= 0.0:
        raise ValueError(f"{len(rates)} results, spread {expected}: expected two results and a positive spread")
    mean = sum(rates) / len(rates)
    degrees = len(rates) - 1
    variance = sum((rate - mean) ** 2 for rate in rates) / degrees
    z = two_sided_quantile(1.0 - 2.0 * SIGNIFICANCE)
    most = (1.0 - 2.0 / (9.0 * degrees) + z * math.sqrt(2.0 / (9.0 * degrees))) ** 3
    return SpreadVerdict(math.sqrt(variance), expected, variance / expected**2, most)
