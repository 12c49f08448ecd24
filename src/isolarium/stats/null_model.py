"""A fair coin beside every table: what chance alone would have done."""

import math
from dataclasses import dataclass

from isolarium.stats.distributions import beta_cdf, normal_cdf, two_sided_quantile
from isolarium.stats.interval import half_step
from isolarium.stats.pairs import PairSummary


@dataclass(frozen=True, slots=True)
class CoinSpread:
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


def coin_spread(games: int) -> CoinSpread:
    """The spread of a fair coin; a pair is two games. 700 games give a deviation of 1.9%, as in report 001."""
    _check_games(games)
    rate = 0.5 / math.sqrt(games) if games else 0.5
    return CoinSpread(games, 0.5 * math.sqrt(games), rate)


@dataclass(frozen=True, slots=True)
class CoinVerdict:
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


def coin_verdict(wins: int, games: int, significance: float = 0.05) -> CoinVerdict:
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


def coin_pairs(summary: PairSummary) -> str:
    """How far a fair coin would stray that decides the pairs which were not split: `50% ± 13.6 for 45 decided pairs`.

    With the 95% of `pairs_verdict`: a win rate farther off is outside the noise.
    """
    decided = summary.won + summary.lost
    pairs = "1 decided pair" if decided == 1 else f"{decided:,} decided pairs"
    if not decided:
        return f"50% for {pairs}"
    reach = two_sided_quantile(0.95) * _coin_error(summary) + half_step(summary)
    return f"50% ± {100 * min(0.5, reach):.1f} for {pairs}"


def _coin_error(summary: PairSummary) -> float:
    """The standard deviation of the win rate where a fair coin decides the pairs that are not split."""
    won, _, lost = summary.effective_counts
    return 0.5 * math.sqrt(won + lost) / summary.effective


def pairs_verdict(summary: PairSummary, significance: float = 0.05) -> CoinVerdict:
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
    return _verdict(2.0 * normal_cdf(-lead / _coin_error(summary)), significance)


def format_p_value(p_value: float) -> str:
    """`p = 0.31`, `p = 0.004`, `p < 0.001`."""
    if p_value < 0.001:
        return "p < 0.001"
    return f"p = {p_value:.2f}" if p_value >= 0.0995 else f"p = {p_value:.3f}"


def _verdict(p_value: float, significance: float) -> CoinVerdict:
    p_value = min(1.0, p_value)
    return CoinVerdict(p_value, p_value >= significance)


def _check_games(games: int) -> None:
    if games < 0:
        raise ValueError(f"games {games}: expected no negative number")
