"""Elo differences, verdicts on matches, and joint ratings of many agents."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from isolarium.stats.distributions import beta_cdf, normal_cdf, normal_quantile, two_sided_quantile
from isolarium.stats.pairs import LEAST_OPENINGS, PairSummary
from isolarium.stats.rates import CONFIDENCE, RateEstimate, likeliest_with_mean, win_rate

# Elo points for each unit of log odds: a rate r is 400 * log10(r / (1 - r)).
ELO_PER_LOGIT = 400.0 / math.log(10.0)


def elo_from_rate(rate: float) -> float:
    """Return the rating difference at which the logistic curve expects this rate.

    0.75 gives 190.85; rates of 0 and 1 give minus and plus infinity.

    Raises:
        ValueError: If the rate is outside 0 to 1.
    """
    if not 0.0 <= rate <= 1.0:
        raise ValueError(f"rate {rate}: expected a number from 0 to 1")
    if rate == 0.0:
        return -math.inf
    if rate == 1.0:
        return math.inf
    return ELO_PER_LOGIT * (math.log(rate) - math.log1p(-rate))


def rate_from_elo(elo: float) -> float:
    """Return the rate expected at a rating difference: 1 / (1 + 10^(-elo / 400))."""
    odds = math.exp(-abs(elo) / ELO_PER_LOGIT)
    return 1.0 / (1.0 + odds) if elo >= 0 else odds / (1.0 + odds)


@dataclass(frozen=True, slots=True)
class EloEstimate:
    """A rating difference with its interval; values may be infinite, but never nan.

    As text: `+30 ± 8`, or with both ends if one side is much longer: `+552 (+239 to +inf)`.
    """

    elo: float
    low: float
    high: float
    confidence: float = CONFIDENCE

    def __post_init__(self) -> None:
        for name in ("elo", "low", "high"):
            if math.isnan(getattr(self, name)):
                raise ValueError(f"{name} nan: expected a number, possibly infinite")

    def __contains__(self, elo: float) -> bool:
        return self.low <= elo <= self.high

    def without_interval(self) -> "EloEstimate":
        """Return the difference with an unbounded interval, for too few openings."""
        return EloEstimate(self.elo, -math.inf, math.inf, self.confidence)

    def __str__(self) -> str:
        if math.isinf(self.low) and math.isinf(self.high) and self.low < self.high:
            return f"{format_elo(self.elo)} (no interval)"
        below = self.elo - self.low if self.elo > self.low else 0.0
        above = self.high - self.elo if self.high > self.elo else 0.0
        error = max(below, above)
        digits = 0 if error >= 1 else 1
        if error > 1.25 * min(below, above):
            low, high = format_elo(self.low, digits), format_elo(self.high, digits)
            return f"{format_elo(self.elo, digits)} ({low} to {high})"
        return f"{format_elo(self.elo, digits)} ± {error:.{digits}f}"


def format_elo(elo: float, digits: int = 0) -> str:
    """Format a signed rating difference: `+30`, `-7`, `0`, `+inf`."""
    rounded = round(elo, digits) if math.isfinite(elo) else elo
    return f"{rounded:+.{digits}f}" if rounded else f"{0:.{digits}f}"


def elo_difference(estimate: RateEstimate) -> EloEstimate:
    """Convert an estimate to the Elo scale; an end at 0% or 100% becomes infinite."""
    return EloEstimate(
        elo_from_rate(estimate.rate), elo_from_rate(estimate.low), elo_from_rate(estimate.high), estimate.confidence
    )


def likelihood_of_superiority(summary: PairSummary) -> float:
    """Return the likelihood that agent A is better, given the pairs.

    The result is the posterior probability, from a uniform prior, that a decisive pair is more likely won than lost;
    split pairs carry no information about which agent is better. Engine testers use its normal approximation Phi((won -
    lost) / sqrt(won + lost)) (Chess Programming Wiki, "Match Statistics"); the exact form does not overstate the
    evidence of few pairs: one pair won gives 75%, not 84%.
    """
    won, _, lost = summary.effective_counts
    return beta_cdf(0.5, lost + 1.0, won + 1.0)


def format_likelihood(likelihood: float) -> str:
    """Format a likelihood in percent, never as certain: `99.8%`, `> 99.9%`, `< 0.1%`."""
    if likelihood > 0.999:
        return "> 99.9%"
    if likelihood < 0.001:
        return "< 0.1%"
    return f"{100 * likelihood:.1f}%"


def further_pairs(summary: PairSummary, elo: float, power: float = 0.8, confidence: float = CONFIDENCE) -> int:
    """Return how many more pairs are needed for an interval that excludes 50%.

    The true difference is assumed to be `elo`. The formula is the usual n = (z_confidence + z_power)^2 variance / (rate
    - 1/2)^2, with the variance and the clusters suggested by the pairs so far. Half a pair of each kind is added, so
    that the answer is sensible even after few pairs or none. The result is 0 if enough pairs were played.

    Raises:
        ValueError: If the difference is 0 or infinite, or power is not between 0 and 1.
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
    summary: PairSummary, elo: float = 10.0, estimate: RateEstimate | None = None, superiority: float | None = None
) -> str:
    """Return a verdict such as `better (LOS 99.8%)`, or the pairs still needed.

    Fewer than `LEAST_OPENINGS` distinct openings give no verdict.

    Args:
        summary: The pairs, from the side of the agent that the verdict is about.
        elo: The smallest difference of interest.
        estimate: The win rate to judge by instead of `win_rate`, for example after a sequential test.
        superiority: The likelihood of superiority that corresponds to `estimate`.
    """
    if summary.clusters < LEAST_OPENINGS:
        return too_few_openings(summary.clusters)
    estimate = estimate or win_rate(summary)
    if superiority is None:
        superiority = likelihood_of_superiority(summary)
    if 0.5 not in estimate:
        word = "better" if estimate.low > 0.5 else "worse"
        return f"{word} (LOS {format_likelihood(superiority)})"
    more = further_pairs(summary, elo)
    if more == 0:
        return f"no difference seen; {elo:g} Elo would likely have shown"
    pairs = "1 more pair" if more == 1 else f"{_rounded_up(more):,} more pairs"
    return f"no difference seen; {pairs} would likely show {elo:g} Elo"


def too_few_openings(openings: int) -> str:
    """Return the verdict on games from fewer than `LEAST_OPENINGS` distinct openings."""
    found = "1 distinct opening" if openings == 1 else f"{openings} distinct openings"
    return f"no verdict: {found}; at least {LEAST_OPENINGS} are needed"


def _rounded_up(count: int) -> int:
    """Round up to two significant digits; more would be false precision."""
    unit: int = 10 ** max(0, len(str(count)) - 2)
    return -(-count // unit) * unit


# Joint ratings of many agents, including the first mover's advantage

# The standard deviation of the normal prior of ratings and advantage around 0. It is worth about a
# third of a game's evidence, which is enough to keep an unbeaten agent's rating finite.
PRIOR_ELO = 600.0


@dataclass(frozen=True, slots=True)
class Rating:
    """An agent's rating; only differences between ratings are meaningful."""

    agent: str
    elo: EloEstimate
    games: int
    won: int


@dataclass(frozen=True, slots=True)
class Ratings:
    """Joint ratings, best first.

    Attributes:
        table: One row for each agent. The interval of an agent that never lost has no upper end, and that of an agent
            that never won has no lower end, because only the prior bounds it.
        first_mover: The value of moving first, in Elo.
        groups: Groups of agents that are linked by games, directly or through other agents. Between groups only the
            prior applies, and intervals of differences are as wide as the prior.
        covariance: The covariance of the ratings in Elo, in the order of the table.
        zero: The agents whose ratings average zero: the largest set of agents that bound each other's ratings by their
            games.
    """

    table: tuple[Rating, ...]
    first_mover: EloEstimate
    groups: tuple[frozenset[str], ...]
    covariance: tuple[tuple[float, ...], ...]
    zero: frozenset[str]
    confidence: float = CONFIDENCE

    def __getitem__(self, agent: str) -> Rating:
        return self.table[self._row(agent)]

    def difference(self, agent: str, other: str) -> EloEstimate:
        """Return how far `agent` is above `other`, with an interval.

        The interval is narrower than the two agents' intervals suggest.
        """
        elo, error = self._difference(agent, other)
        reach = two_sided_quantile(self.confidence) * error
        mine, others = self[agent].elo, self[other].elo
        low = -math.inf if _only(others, mine) else elo - reach
        high = math.inf if _only(mine, others) else elo + reach
        return EloEstimate(elo, low, high, self.confidence)

    def superiority(self, agent: str, other: str) -> float:
        """Return the likelihood that `agent` is better; 1/2 for an agent and itself."""
        elo, error = self._difference(agent, other)
        return normal_cdf(elo / error) if error > 0.0 else 0.5

    def _difference(self, agent: str, other: str) -> tuple[float, float]:
        i, j = self._row(agent), self._row(other)
        cov = self.covariance
        variance = cov[i][i] + cov[j][j] - cov[i][j] - cov[j][i]
        return self.table[i].elo.elo - self.table[j].elo.elo, math.sqrt(max(0.0, variance))

    def _row(self, agent: str) -> int:
        for row, rating in enumerate(self.table):
            if rating.agent == agent:
                return row
        raise KeyError(agent)


def _only(upper: EloEstimate, lower: EloEstimate) -> bool:
    """Return whether the games leave the first agent's lead unbounded."""
    above = upper.high == math.inf and lower.high < math.inf
    return above or (lower.low == -math.inf and upper.low > -math.inf)


class RatedGames:
    """Games as columns, and the ratings that make their results likeliest, given a weak prior.

    The model is Bradley and Terry, "Rank analysis of incomplete block designs", Biometrika 39 (1952), with the order
    effect of Davidson and Beaver, "On extending the Bradley-Terry model to incorporate within-pair order effects",
    Biometrics 33 (1977): the first mover wins with log odds rating(first) - rating(second) + advantage. Each rating and
    the advantage have a normal prior around 0 with a standard deviation of 600 Elo, so agents without a loss, a win or
    a game, and groups that never met, have finite ratings, though not always finite intervals. Ratings are then shifted
    so that those of the largest set of agents that bound each other average zero. An agent's games against itself are
    evidence only about the advantage.

    Intervals account for openings shared between games: see `bradley_terry.covariance`.

    Args:
        agents: The agents' names, all different, also of those that played no game.
    """

    def __init__(self, agents: Sequence[str]) -> None:
        self._agents = tuple(agents)
        self._parts: list[tuple[Any, ...]] = []

    def add(self, first: Any, second: Any, first_won: Any, cluster: Any) -> None:
        """Add games, in any order: arrays of the agents' numbers, whether the first mover won, and clusters."""
        self._parts.append((first.copy(), second.copy(), first_won, cluster))

    def ratings(self, confidence: float = CONFIDENCE) -> Ratings:
        """Return the ratings.

        Args:
            confidence: The probability with which each interval holds the true value.
        """
        # Imported here because importing numpy takes longer than importing the rest of the package.
        from isolarium.stats import bradley_terry as fit

        played = fit.index_games(self._parts, self._agents)
        z = two_sided_quantile(confidence)
        estimate = fit.estimate(played, PRIOR_ELO / ELO_PER_LOGIT)
        elo = [ELO_PER_LOGIT * value for value in estimate.ratings]
        covariance = [[ELO_PER_LOGIT**2 * value for value in row] for row in estimate.covariance]
        advantage = ELO_PER_LOGIT * estimate.advantage
        # Equal results give ratings that are equal up to rounding, which differs between machines.
        order = sorted(range(len(elo)), key=lambda row: (-round(elo[row], 6), played.agents[row]))

        known = estimate.bounds
        first_always, first_never = played.first_won.all(), not played.first_won.any()

        def with_interval(value: float, error: float, below: bool, above: bool) -> EloEstimate:
            low = -math.inf if below else value - z * error
            return EloEstimate(value, low, math.inf if above else value + z * error, confidence)

        return Ratings(
            table=tuple(
                Rating(
                    played.agents[row],
                    with_interval(
                        elo[row], math.sqrt(max(0.0, covariance[row][row])), row in known.below, row in known.above
                    ),
                    played.games[row],
                    played.won[row],
                )
                for row in order
            ),
            first_mover=with_interval(
                advantage,
                ELO_PER_LOGIT * estimate.advantage_error,
                bool(first_never) and len(played.first) > 0,
                bool(first_always) and len(played.first) > 0,
            ),
            groups=played.groups(),
            covariance=tuple(tuple(covariance[i][j] for j in order) for i in order),
            zero=frozenset(played.agents[row] for row in known.zero),
            confidence=confidence,
        )
