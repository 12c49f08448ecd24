"""A rate someone published beside ours: inside the noise of both, or not."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from isolarium.stats.distributions import beta_cdf, normal_cdf, two_sided_quantile
from isolarium.stats.interval import RateEstimate, win_rate
from isolarium.stats.null_model import format_p_value
from isolarium.stats.pairs import PairSummary


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
