"""What a match has shown, and how many more pairs would show a given difference."""

import math

from isolarium.stats.distributions import normal_quantile, two_sided_quantile
from isolarium.stats.elo import format_likelihood, likelihood_of_superiority, rate_from_elo
from isolarium.stats.interval import CONFIDENCE, RateEstimate, win_rate
from isolarium.stats.pairs import PairSummary
from isolarium.stats.trinomial import likeliest_with_mean


def further_pairs(
    summary: PairSummary, elo: float, power: float = 0.8, confidence: float = CONFIDENCE
) -> int:
    """The pairs still to play for an interval that leaves out 50% if the difference is `elo`.

    The usual n = (z_confidence + z_power)^2 variance / (rate - 1/2)^2, with the variance that
    the pairs so far suggest for a mean of that rate (half a pair of each kind is added to them,
    so that the answer is sane after few pairs or none) and the clusters they came in. It is 0
    where enough were played.

    Raises:
        ValueError: The difference is 0 or infinite, or power is not between 0 and 1.
    """
    if elo == 0.0 or not math.isfinite(elo):
        raise ValueError(f"elo {elo}: expected a difference other than 0")
    if not 0.0 < power < 1.0:
        raise ValueError(f"power {power}: expected a number between 0 and 1")
    won, split, lost = summary.won + 0.5, summary.split + 0.5, summary.lost + 0.5
    rate = rate_from_elo(elo)
    variance = likeliest_with_mean((won, split, lost), rate).variance
    reach = two_sided_quantile(confidence) + max(0.0, normal_quantile(power))
    independent = reach * reach * variance / (rate - 0.5) ** 2
    design_effect = summary.pairs / summary.effective if summary.pairs else 1.0
    return max(0, math.ceil(independent * design_effect) - summary.pairs)


def match_verdict(
    summary: PairSummary,
    elo: float = 10.0,
    estimate: RateEstimate | None = None,
    superiority: float | None = None,
) -> str:
    """A verdict in words: `better (LOS 99.8%)`, or what it would take to see a difference.

    Args:
        summary: The pairs, from the side of the agent the verdict is about.
        elo: The difference worth seeing.
        estimate: The win rate to judge by in place of `win_rate`, as after a sequential test.
        superiority: The likelihood of superiority that belongs to it.
    """
    estimate = estimate or win_rate(summary)
    if superiority is None:
        superiority = likelihood_of_superiority(summary)
    if 0.5 not in estimate:
        word = "better" if estimate.low > 0.5 else "worse"
        return f"{word} (LOS {format_likelihood(superiority)})"
    more = further_pairs(summary, elo)
    if more == 0:
        return f"no difference seen; one of {elo:g} Elo would likely have shown"
    pairs = "1 more pair" if more == 1 else f"{_rounded_up(more):,} more pairs"
    return f"no difference seen; {pairs} would show one of {elo:g} Elo"


def _rounded_up(count: int) -> int:
    """The next number of two digits and zeros, since more digits would be pretence."""
    unit: int = 10 ** max(0, len(str(count)) - 2)
    return -(-count // unit) * unit
