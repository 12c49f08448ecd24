"""Significance of results: against 50%, published rates, and the chance of sessions."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from isolarium.stats.distributions import beta_cdf, normal_cdf, two_sided_quantile
from isolarium.stats.pairs import PairSummary
from isolarium.stats.rates import CONFIDENCE, RateEstimate, half_step, win_rate


@dataclass(frozen=True, slots=True)
class ChanceSpread:
    """The spread of results by chance alone; its text is the 95% range.

    Attributes:
        games: The number of games, each won with probability 1/2.
        wins: The standard deviation of the number of wins, sqrt(games) / 2.
        rate: The standard deviation as a share of the games, 1 / (2 sqrt(games)); 1/2 without games.
    """

    games: int
    wins: float
    rate: float

    def __str__(self) -> str:
        spread = 100 * two_sided_quantile(0.95) * self.rate
        return f"50% ± {spread:.1f}" if spread < 50 else "50% ± 50"


def chance_spread(games: int) -> ChanceSpread:
    """Return the spread by chance over a number of games; a pair counts as two games.

    700 games give a deviation of 1.9%, as in report 001.
    """
    _check_games(games)
    rate = 0.5 / math.sqrt(games) if games else 0.5
    return ChanceSpread(games, 0.5 * math.sqrt(games), rate)


@dataclass(frozen=True, slots=True)
class Significance:
    """The significance of a result against 50%.

    Attributes:
        p_value: The probability of a result at least as far from 50%, on either side, by chance alone.
        inside_noise: Whether the result is not significant: `p_value` is at least the level.
    """

    p_value: float
    inside_noise: bool

    def __str__(self) -> str:
        verdict = "not significant" if self.inside_noise else "significant"
        return f"{verdict} ({format_p_value(self.p_value)})"


def games_significance(wins: int, games: int, level: float = 0.05) -> Significance:
    """Test independent games against 50% by the exact two-sided binomial test.

    Raises:
        ValueError: If the counts are negative, or there are more wins than games.
    """
    _check_games(games)
    if not 0 <= wins <= games:
        raise ValueError(f"wins {wins}: expected 0 to {games}, the number of games")
    farther = max(wins, games - wins)
    tail = beta_cdf(0.5, farther, games - farther + 1.0) if 2 * farther > games else 1.0
    return _verdict(2.0 * tail, level)


def chance_range(summary: PairSummary) -> str:
    """Return the 95% range by chance: `50% ± 13.6 for 45 decided pairs`.

    Each decided pair is won with probability 1/2. A win rate outside the range is significant by `pairs_significance`.
    """
    decided = summary.won + summary.lost
    pairs = "1 decided pair" if decided == 1 else f"{decided:,} decided pairs"
    if not decided:
        return f"50% for {pairs}"
    reach = two_sided_quantile(0.95) * _error_by_chance(summary) + half_step(summary)
    return f"50% ± {100 * min(0.5, reach):.1f} for {pairs}"


def _error_by_chance(summary: PairSummary) -> float:
    """Return the standard deviation of the win rate by chance alone."""
    won, _, lost = summary.effective_counts
    return 0.5 * math.sqrt(won + lost) / summary.effective


def pairs_significance(summary: PairSummary, level: float = 0.05) -> Significance:
    """Test pairs against 50%: does chance alone explain who won the decisive pairs?

    The score test at a win rate of 1/2 (McNemar, "Note on the sampling error of the difference between correlated
    proportions or percentages", Psychometrika 12, 1947) with the continuity correction and the clusters of `win_rate`:
    at a level of 0.05 the result is significant exactly when the 95% interval of `win_rate` excludes 50%. If pairs were
    split, the correction is half of the usual correction for McNemar's test, which treats the number of decided pairs
    as fixed. Here that number is random, and the mean moves in smaller steps.
    """
    if summary.won + summary.lost == 0:
        return _verdict(1.0, level)
    lead = max(0.0, abs(summary.rate - 0.5) - half_step(summary))
    return _verdict(2.0 * normal_cdf(-lead / _error_by_chance(summary)), level)


def format_p_value(p_value: float) -> str:
    """Format a p-value: `p = 0.31`, `p = 0.004`, `p < 0.001`."""
    if p_value < 0.001:
        return "p < 0.001"
    return f"p = {p_value:.2f}" if p_value >= 0.0995 else f"p = {p_value:.3f}"


def _verdict(p_value: float, level: float) -> Significance:
    p_value = min(1.0, p_value)
    return Significance(p_value, p_value >= level)


def _check_games(games: int) -> None:
    if games < 0:
        raise ValueError(f"games {games}: expected a number of at least 0")


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two rates and their difference, published minus ours.

    Attributes:
        published: The published rate with the interval for its number of games.
        ours: Our rate.
        difference: Published minus ours.
        low: The lower end of the difference's interval.
        high: The upper end of the difference's interval.
        p_value: The two-sided probability of a difference at least as large by chance.
    """

    published: RateEstimate
    ours: RateEstimate
    difference: float
    low: float
    high: float
    p_value: float

    @property
    def inside_noise(self) -> bool:
        """Whether both rates can be right: the difference's interval contains 0."""
        return self.low <= 0.0 <= self.high

    def __str__(self) -> str:
        where = "inside" if self.inside_noise else "outside"
        return f"{where} the noise ({format_p_value(self.p_value)})"


def compare_published(wins: int, games: int, ours: RateEstimate) -> Comparison:
    """Compare `wins` of `games` independent published games with our rate.

    The interval of the difference combines the two intervals by the square-and-add rule of Newcombe, "Interval
    estimation for the difference between independent proportions",
    Statistics in Medicine 17 (1998), which holds for any two independent estimates (Zou and
    Donner, Statistics in Medicine 27, 2008) and so accounts for our clusters. The p-value
    follows from the same rule: it is below 1 - confidence exactly when the interval excludes 0.

    Raises:
        ValueError: If there are no games, or the number of wins is not between 0 and `games`.
    """
    if games <= 0 or not 0 <= wins <= games:
        raise ValueError(f"{wins} wins of {games} games: expected 0 to {max(games, 1)} wins")
    published = win_rate(PairSummary.distinct(wins, 0, games - wins), ours.confidence)
    difference = published.rate - ours.rate
    below = math.hypot(published.rate - published.low, ours.high - ours.rate)
    above = math.hypot(published.high - published.rate, ours.rate - ours.low)
    # The side of the interval towards 0 sets the scale; its length is never 0.
    facing = below if difference > 0 else above
    deviate = two_sided_quantile(ours.confidence) * abs(difference) / facing
    return Comparison(published, ours, difference, difference - below, difference + above, 2.0 * normal_cdf(-deviate))


def chance_outside(games: int, ours: RateEstimate) -> float:
    """Return the probability that games at our rate fall outside the noise.

    With few games the probability is less than 1 in 20: in ten games, only a few numbers of wins are far enough from
    our rate. Our rate is itself uncertain, so the probability is averaged over its possible true values.
    """
    fewest, most = _inside(games, ours)
    z = two_sided_quantile(ours.confidence)
    outside = total = 0.0
    for step in range(-8, 9):
        deviate = step / 3.0
        reach = ours.high - ours.rate if deviate > 0 else ours.rate - ours.low
        truth = min(1.0, max(0.0, ours.rate + deviate * reach / z))
        weight = math.exp(-0.5 * deviate * deviate)
        below = 1.0 - beta_cdf(truth, fewest, games - fewest + 1.0) if fewest else 0.0
        above = beta_cdf(truth, most + 1.0, games - most) if most < games else 0.0
        outside, total = outside + weight * (below + above), total + weight
    return outside / total


def _inside(games: int, ours: RateEstimate) -> tuple[int, int]:
    """Return the minimum and maximum number of wins inside the noise."""

    def is_inside(wins: int) -> bool:
        return compare_published(wins, games, ours).inside_noise

    nearest = round(games * ours.rate)
    return _last(is_inside, nearest, 0), _last(is_inside, nearest, games)


def _last(holds: Callable[[int], bool], start: int, end: int) -> int:
    """Return the last number from `start` to `end` for which `holds` is true.

    `holds` must be true at `start`, and once it is false it must stay false.
    """
    if holds(end):
        return end
    while abs(end - start) > 1:
        middle = (start + end) // 2
        start, end = (middle, end) if holds(middle) else (start, middle)
    return start


# Sessions: repeated small tournaments, counted by the agent ahead in each. 'Better in 8 of 10 sessions' sounds like
# strong evidence. From the two agents' win rates against each opponent, `session_odds` computes the exact probability
# of being ahead in one session, and from it how much ten sessions can show.

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

    Games are assumed to be independent. Games played in pairs, from one opening with the sides swapped, vary less, so
    this is an upper bound on the effect of chance.

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
