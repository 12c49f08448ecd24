"""Joint ratings of many agents, including the first mover's advantage."""

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from isolarium.stats.distributions import normal_cdf, two_sided_quantile
from isolarium.stats.elo import ELO_PER_LOGIT, EloEstimate
from isolarium.stats.rates import CONFIDENCE

if TYPE_CHECKING:
    from isolarium.stats.bradley_terry_fit import IndexedGames

# The standard deviation of the normal prior of ratings and advantage around 0. It is worth about a
# third of a game's evidence, which is enough to keep an unbeaten agent's rating finite.
PRIOR_ELO = 600.0


@dataclass(frozen=True, slots=True)
class GameResult:
    """One game between two agents.

    Attributes:
        first: The agent that moved first.
        second: The other agent.
        first_won: Whether the first mover won; there are no draws.
        cluster: The opening up to repetition and symmetry, as in `Pair`.
    """

    first: str
    second: str
    first_won: bool
    cluster: Hashable


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
        table: One row for each agent. The interval of an agent that never lost has no upper end,
            and that of an agent that never won has no lower end, because only the prior bounds it.
        first_mover: The value of moving first, in Elo.
        groups: Groups of agents that are linked by games, directly or through other agents. Between
            groups only the prior applies, and intervals of differences are as wide as the prior.
        covariance: The covariance of the ratings in Elo, in the order of the table.
        zero: The agents whose ratings average zero: the largest set of agents that bound each
            other's ratings by their games.
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


def rate_agents(games: Iterable[GameResult], agents: Sequence[str] = (), confidence: float = CONFIDENCE) -> Ratings:
    """Return the ratings that make the games' results likeliest, given a weak prior.

    The model is Bradley and Terry, "Rank analysis of incomplete block designs", Biometrika 39
    (1952), with the order effect of Davidson and Beaver, "On extending the Bradley-Terry model to
    incorporate within-pair order effects", Biometrics 33 (1977): the first mover wins with log odds
    rating(first) - rating(second) + advantage. Each rating and the advantage have a normal prior
    around 0 with a standard deviation of 600 Elo, so agents without a loss, a win or a game, and
    groups that never met, have finite ratings, though not always finite intervals. Ratings are then
    shifted so that those of the largest set of agents that bound each other average zero. An
    agent's games against itself are evidence only about the advantage.

    Intervals account for openings shared between games: see `bradley_terry_fit.covariance`.

    Args:
        games: The results, in any order.
        agents: Agents to list even if they played no game.
        confidence: The probability with which each interval holds the true value.
    """
    # Imported here because importing numpy takes longer than importing the rest of the package.
    from isolarium.stats import bradley_terry_fit as fit

    return _rated(fit.index_games(games, agents), confidence)


class RatedGames:
    """Games as columns, to be rated like those of `rate_agents`.

    Args:
        agents: The agents' names, all different.
    """

    def __init__(self, agents: Sequence[str]) -> None:
        self._agents = tuple(agents)
        self._parts: list[tuple[Any, ...]] = []

    def add(self, first: Any, second: Any, first_won: Any, cluster: Any) -> None:
        """Add games: arrays of the agents' numbers, whether the first mover won, and clusters."""
        self._parts.append((first.copy(), second.copy(), first_won, cluster))

    def ratings(self, confidence: float = CONFIDENCE) -> Ratings:
        """Return the ratings."""
        from isolarium.stats import bradley_terry_fit as fit

        return _rated(fit.index_columns(self._parts, self._agents), confidence)


def _rated(played: "IndexedGames", confidence: float) -> Ratings:
    from isolarium.stats import bradley_terry_fit as fit

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
