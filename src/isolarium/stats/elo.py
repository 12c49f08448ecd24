"""Elo differences from win rates, and the likelihood of superiority."""

import math
from dataclasses import dataclass

from isolarium.stats.distributions import beta_cdf
from isolarium.stats.interval import CONFIDENCE, RateEstimate
from isolarium.stats.pairs import PairSummary

# Elo points for each unit of log odds: a rate r is 400 * log10(r / (1 - r)).
ELO_PER_LOGIT = 400.0 / math.log(10.0)


def elo_from_rate(rate: float) -> float:
    """The rating difference at which the logistic curve expects this rate; 0.75 gives 190.85.

    Rates of 0 and 1 give minus and plus infinity.

    Raises:
        ValueError: The rate is outside 0 to 1.
    """
    if not 0.0 <= rate <= 1.0:
        raise ValueError(f"rate {rate}: expected a number from 0 to 1")
    if rate == 0.0:
        return -math.inf
    if rate == 1.0:
        return math.inf
    return ELO_PER_LOGIT * (math.log(rate) - math.log1p(-rate))


def rate_from_elo(elo: float) -> float:
    """The rate expected at a rating difference: 1 / (1 + 10^(-elo / 400))."""
    odds = math.exp(-abs(elo) / ELO_PER_LOGIT)
    return 1.0 / (1.0 + odds) if elo >= 0 else odds / (1.0 + odds)


@dataclass(frozen=True, slots=True)
class EloEstimate:
    """A rating difference with its interval; its values may be infinite, never nan.

    As text: `+30 ± 8`, and with both ends where one side is much longer: `+552 (+239 to +inf)`.
    """

    elo: float
    low: float
    high: float
    confidence: float = CONFIDENCE

    def __post_init__(self) -> None:
        for name in ("elo", "low", "high"):
            if math.isnan(getattr(self, name)):
                raise ValueError(f"{name} nan: expected a number, or an infinite one")

    def __contains__(self, elo: float) -> bool:
        return self.low <= elo <= self.high

    def __str__(self) -> str:
        below = self.elo - self.low if self.elo > self.low else 0.0
        above = self.high - self.elo if self.high > self.elo else 0.0
        error = max(below, above)
        digits = 0 if error >= 1 else 1
        if error > 1.25 * min(below, above):
            low, high = format_elo(self.low, digits), format_elo(self.high, digits)
            return f"{format_elo(self.elo, digits)} ({low} to {high})"
        return f"{format_elo(self.elo, digits)} ± {error:.{digits}f}"


def format_elo(elo: float, digits: int = 0) -> str:
    """A signed rating difference: `+30`, `-7`, `0`, `+inf`."""
    rounded = round(elo, digits) if math.isfinite(elo) else elo
    return f"{rounded:+.{digits}f}" if rounded else f"{0:.{digits}f}"


def elo_difference(estimate: RateEstimate) -> EloEstimate:
    """The estimate on the Elo scale; an end at 0% or 100% becomes infinite."""
    return EloEstimate(
        elo_from_rate(estimate.rate),
        elo_from_rate(estimate.low),
        elo_from_rate(estimate.high),
        estimate.confidence,
    )


def likelihood_of_superiority(summary: PairSummary) -> float:
    """How likely agent A is the better one, given the pairs.

    The posterior probability, from a uniform prior, that a decisive pair is more likely won than
    lost; split pairs say nothing about which is better. Engine testers know it by its normal
    approximation Phi((won - lost) / sqrt(won + lost)) (Chess Programming Wiki, "Match
    Statistics"); the exact form does not overstate few pairs: one pair won gives 75%, not 84%.
    """
    won, _, lost = summary.effective_counts
    return beta_cdf(0.5, lost + 1.0, won + 1.0)


def format_likelihood(likelihood: float) -> str:
    """A likelihood in percent that never claims certainty: `99.8%`, `> 99.9%`, `< 0.1%`."""
    if likelihood > 0.999:
        return "> 99.9%"
    if likelihood < 0.001:
        return "< 0.1%"
    return f"{100 * likelihood:.1f}%"
