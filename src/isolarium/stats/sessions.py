"""Sessions: small tournaments held again and again, and counted by who came out ahead in each.

'Better in 8 of 10 sessions' sounds like much. Given the two agents' win rates against each
opponent, the chance of being ahead in one session follows exactly, and with it what ten of them
can show.
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
    """How one session goes for an agent, beside another that plays the same opponents.

    Attributes:
        better: The probability that it wins more games than the other.
        tied: The probability that both win the same number.
        worse: The probability that it wins fewer.
        spread: The standard deviation of its share of the games, from session to session.
        spread_other: The same of the other agent.
    """

    better: float
    tied: float
    worse: float
    spread: float
    spread_other: float


def session_odds(agent: Sequence[float], other: Sequence[float], games: int) -> SessionOdds:
    """The odds of a session in which each agent plays `games` games against each opponent.

    Games are taken to be independent. Played as pairs, from one opening with the sides swapped,
    they stray less; so this is the most that chance can do.

    Args:
        agent: The agent's win rate against each opponent, from 0 to 1.
        other: The same for the other one.
        games: Games against each opponent in one session.
    """
    one, two = games_won(agent, games), games_won(other, games)
    below = [0.0, *accumulate(two)]
    better = sum(chance * below[min(won, len(two))] for won, chance in enumerate(one))
    tied = sum(chance * two[won] for won, chance in enumerate(one) if won < len(two))
    return SessionOdds(better, tied, max(0.0, 1.0 - better - tied), _spread(one), _spread(two))


def games_won(rates: Sequence[float], games: int) -> list[float]:
    """The distribution of games won in a session: the probability of 0, 1, 2 and so on."""
    distribution = [1.0]
    for rate in rates:
        for _ in range(games):
            distribution = _sum_of(distribution, (1.0 - rate, rate))
    return distribution


def _sum_of(one: Sequence[float], other: Sequence[float]) -> list[float]:
    """The distribution of the sum of two independent counts."""
    total = [0.0] * (len(one) + len(other) - 1)
    for i, p in enumerate(one):
        for j, q in enumerate(other):
            total[i + j] += p * q
    return total


def _spread(distribution: Sequence[float]) -> float:
    """The standard deviation of the share of the games."""
    mean = sum(count * p for count, p in enumerate(distribution))
    variance = sum((count - mean) ** 2 * p for count, p in enumerate(distribution))
    return math.sqrt(variance) / max(1, len(distribution) - 1)


@dataclass(frozen=True, slots=True)
class CountVerdict:
    """A count of successes beside what chance would have done.

    Attributes:
        low: With 95% probability the count is at least this,
        high: and at most this.
        p_value: The probability of a count at least as unlikely, counted on its side and doubled.
    """

    low: int
    high: int
    p_value: float

    @property
    def inside_noise(self) -> bool:
        """Whether the count is nothing to wonder at."""
        return self.p_value >= SIGNIFICANCE


def count_verdict(count: int, trials: int, probability: float) -> CountVerdict:
    """Judges `count` successes in independent trials by the exact binomial distribution.

    Raises:
        ValueError: The count is not among the trials, or the probability is none.
    """
    if not 0 <= count <= trials:
        raise ValueError(f"{count} of {trials}: expected 0 to {trials}")
    if not 0.0 <= probability <= 1.0:
        raise ValueError(f"probability {probability}: expected 0 to 1")
    chances = [
        math.comb(trials, k) * probability**k * (1.0 - probability) ** (trials - k)
        for k in range(trials + 1)
    ]
    at_most = list(accumulate(chances))
    at_least = list(accumulate(reversed(chances)))[::-1]
    low = next(k for k in range(trials + 1) if 2.0 * at_most[k] >= SIGNIFICANCE)
    high = next(k for k in reversed(range(trials + 1)) if 2.0 * at_least[k] >= SIGNIFICANCE)
    return CountVerdict(low, high, min(1.0, 2.0 * min(at_most[count], at_least[count])))


@dataclass(frozen=True, slots=True)
class SpreadVerdict:
    """The observed spread of repeated results beside what chance would have done.

    Attributes:
        observed: The standard deviation of the results.
        expected: What chance alone gives.
        ratio: Observed over expected variance.
        most: The largest ratio that chance gives in 95% of cases.
    """

    observed: float
    expected: float
    ratio: float
    most: float

    @property
    def inside_noise(self) -> bool:
        """Whether chance alone scatters results this far."""
        return self.ratio <= self.most


def spread_verdict(rates: Sequence[float], expected: float) -> SpreadVerdict:
    """Whether results of sessions scatter more than sessions of that size must.

    The chi-squared test of a variance, with the quantile of Wilson and Hilferty, "The
    distribution of chi-square", Proceedings of the National Academy of Sciences 17 (1931).

    Raises:
        ValueError: There are fewer than two results, or nothing to compare them with.
    """
    if len(rates) < 2 or expected <= 0.0:
        raise ValueError(f"{len(rates)} results, spread {expected}: expected two and a spread")
    mean = sum(rates) / len(rates)
    degrees = len(rates) - 1
    variance = sum((rate - mean) ** 2 for rate in rates) / degrees
    z = two_sided_quantile(1.0 - 2.0 * SIGNIFICANCE)
    most = (1.0 - 2.0 / (9.0 * degrees) + z * math.sqrt(2.0 / (9.0 * degrees))) ** 3
    return SpreadVerdict(math.sqrt(variance), expected, variance / expected**2, most)
