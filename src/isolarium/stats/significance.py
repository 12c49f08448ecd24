"""A fair coin beside every table: what chance alone would have done."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from isolarium.stats.distributions import beta_cdf, normal_cdf, two_sided_quantile
from isolarium.stats.pairs import PairSummary
from isolarium.stats.rates import RateEstimate, half_step, win_rate


@dataclass(frozen=True, slots=True)
class ChanceSpread:
    """How far a fair coin, tossed once for each game, strays; in print the 95% of it, as ± is everywhere.

    Attributes:
        games: The number of tosses.
        wins: The standard deviation of the number of wins, sqrt(games) / 2.
        rate: The same as a share of the games, 1 / (2 sqrt(games)); 1/2 where there are none.
    """

    games: int
    wins: float
    rate: float

    def __str__(self) -> str:
        return f"50% ± {100 * min(0.5, two_sided_quantile(0.95) * self.rate):.1f}"


def chance_spread(games: int) -> ChanceSpread:
    """The spread of a fair coin; a pair is two games. 700 games give a deviation of 1.9%, as in report 001."""
    _check_games(games)
    rate = 0.5 / math.sqrt(games) if games else 0.5
    return ChanceSpread(games, 0.5 * math.sqrt(games), rate)


@dataclass(frozen=True, slots=True)
class Significance:
    """Whether a result is what a fair coin might have done.

    Attributes:
        p_value: The probability that a fair coin strays at least as far, to either side.
        inside_noise: Whether that probability is at least the significance asked for.
    """

    p_value: float
    inside_noise: bool

    def __str__(self) -> str:
        where = "inside" if self.inside_noise else "outside"
        return f"{where} its noise ({format_p_value(self.p_value)})"


def games_significance(wins: int, games: int, significance: float = 0.05) -> Significance:
    """Judges independent games by the exact two-sided binomial test.

    Raises:
        ValueError: The counts are negative, or there are more wins than games.
    """
    _check_games(games)
    if not 0 <= wins <= games:
        raise ValueError(f"wins {wins}: expected 0 to {games}, the number of games")
    farther = max(wins, games - wins)
    tail = beta_cdf(0.5, farther, games - farther + 1.0) if 2 * farther > games else 1.0
    return _verdict(2.0 * tail, significance)


def chance_range(summary: PairSummary) -> str:
    """How far a fair coin would stray that decides the pairs which were not split: `50% ± 13.6 for 45 decided pairs`.

    With the 95% of `pairs_significance`: a win rate farther off is outside the noise.
    """
    decided = summary.won + summary.lost
    pairs = "1 decided pair" if decided == 1 else f"{decided:,} decided pairs"
    if not decided:
        return f"50% for {pairs}"
    reach = two_sided_quantile(0.95) * _error_by_chance(summary) + half_step(summary)
    return f"50% ± {100 * min(0.5, reach):.1f} for {pairs}"


def _error_by_chance(summary: PairSummary) -> float:
    """The standard deviation of the win rate where a fair coin decides the pairs that are not split."""
    won, _, lost = summary.effective_counts
    return 0.5 * math.sqrt(won + lost) / summary.effective


def pairs_significance(summary: PairSummary, significance: float = 0.05) -> Significance:
    """Judges pairs: had each decisive pair gone to a fair coin, would it have looked like this?

    The score test at a win rate of 1/2 (McNemar, "Note on the sampling error of the difference
    between correlated proportions or percentages", Psychometrika 12, 1947) with the continuity
    correction and the clusters of `win_rate`: at a significance of 0.05 the result is outside
    the noise exactly when the 95% interval of `win_rate` leaves out 50%. Where pairs were split
    the correction is half of that usual for McNemar's test, which takes the number of decided
    pairs as given: here it is left to chance, and the mean moves in smaller steps.
    """
    if summary.won + summary.lost == 0:
        return _verdict(1.0, significance)
    lead = max(0.0, abs(summary.rate - 0.5) - half_step(summary))
    return _verdict(2.0 * normal_cdf(-lead / _error_by_chance(summary)), significance)


def format_p_value(p_value: float) -> str:
    """`p = 0.31`, `p = 0.004`, `p < 0.001`."""
    if p_value < 0.001:
        return "p < 0.001"
    return f"p = {p_value:.2f}" if p_value >= 0.0995 else f"p = {p_value:.3f}"


def _verdict(p_value: float, significance: float) -> Significance:
    p_value = min(1.0, p_value)
    return Significance(p_value, p_value >= significance)


def _check_games(games: int) -> None:
    if games < 0:
        raise ValueError(f"games {games}: expected no negative number")


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two rates and their difference, published minus ours.

    Attributes:
        published: The published rate with the interval its number of games supports.
        ours: Our rate.
        difference: Published minus ours.
        low: The lower end of the difference's interval.
        high: Its upper end.
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
        """Whether both can be right: the interval of the difference holds 0."""
        return self.low <= 0.0 <= self.high

    def __str__(self) -> str:
        where = "inside" if self.inside_noise else "outside"
        return f"{where} the noise ({format_p_value(self.p_value)})"


def compare_published(wins: int, games: int, ours: RateEstimate) -> Comparison:
    """Compares `wins` of `games` independent published games with our rate.

    The interval of the difference combines the two intervals by the square-and-add rule of
    Newcombe, "Interval estimation for the difference between independent proportions",
    Statistics in Medicine 17 (1998), which holds for any two independent estimates (Zou and
    Donner, Statistics in Medicine 27, 2008) and so takes our clusters into account. The p-value
    is read off the same rule: it is below 1 - confidence exactly when 0 is left out.

    Raises:
        ValueError: There are no games, or the wins are not among them.
    """
    if games <= 0 or not 0 <= wins <= games:
        raise ValueError(f"{wins} wins of {games} games: expected 0 to {max(games, 1)} wins")
    published = win_rate(PairSummary.distinct(wins, 0, games - wins), ours.confidence)
    difference = published.rate - ours.rate
    below = math.hypot(published.rate - published.low, ours.high - ours.rate)
    above = math.hypot(published.high - published.rate, ours.rate - ours.low)
    # The side that faces 0 says how far off it is; it is never empty, as no interval is.
    facing = below if difference > 0 else above
    deviate = two_sided_quantile(ours.confidence) * abs(difference) / facing
    return Comparison(
        published,
        ours,
        difference,
        difference - below,
        difference + above,
        2.0 * normal_cdf(-deviate),
    )


def chance_outside(games: int, ours: RateEstimate) -> float:
    """The probability that as many games come out outside the noise, if they were played at our rate.

    Less than 1 in 20 where games are few: of ten games, not many numbers of wins are left to stray to.
    Our rate may itself be off; the probability is averaged over where the truth may be.
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
    """The fewest and the most wins that are inside the noise."""

    def is_inside(wins: int) -> bool:
        return compare_published(wins, games, ours).inside_noise

    nearest = round(games * ours.rate)
    return _last(is_inside, nearest, 0), _last(is_inside, nearest, games)


def _last(holds: Callable[[int], bool], start: int, end: int) -> int:
    """The last number on the way from `start`, for which it holds, to `end` for which it does."""
    if holds(end):
        return end
    while abs(end - start) > 1:
        middle = (start + end) // 2
        start, end = (middle, end) if holds(middle) else (start, middle)
    return start
