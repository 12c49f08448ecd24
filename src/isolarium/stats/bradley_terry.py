"""The numerical fit of joint ratings: the posterior maximum and its uncertainty.

The parameters are the ratings in log odds, one for each agent, then the first mover's advantage.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isolarium.stats.distributions import student_t_quantile, two_sided_quantile

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_CONFIDENCE = 0.95
# The evidence, in even games, below which the model's own variance outweighs the observed variance.
_FEW_GAMES = 2.0
_CLUSTERS_AT_ONCE = 4096


@dataclass(frozen=True, slots=True)
class IndexedGames:
    """Games as numeric columns; agents and clusters are numbered from 0."""

    agents: tuple[str, ...]
    first: Ints
    second: Ints
    first_won: Floats
    cluster: Ints

    @property
    def games(self) -> list[int]:
        """The number of games of each agent; a game against itself counts once."""
        count, alone = len(self.agents), self.first[self.first == self.second]
        both = np.concatenate((self.first, self.second))
        games = np.bincount(both, minlength=count) - np.bincount(alone, minlength=count)
        counts: list[int] = games.tolist()
        return counts

    @property
    def won(self) -> list[int]:
        """The number of games each agent won."""
        winner = np.where(self.first_won > 0, self.first, self.second)
        counts: list[int] = np.bincount(winner, minlength=len(self.agents)).tolist()
        return counts

    def groups(self) -> tuple[frozenset[str], ...]:
        """Return the groups of agents linked by games, in order of their first agent."""
        leader = list(range(len(self.agents)))

        def find(i: int) -> int:
            while leader[i] != i:
                i = leader[i]
            return i

        count = len(self.agents)
        for meeting in np.unique(self.first * count + self.second).tolist() if count else ():
            i, j = sorted((find(meeting // count), find(meeting % count)))
            leader[j] = i
        members: dict[int, set[str]] = {}
        for i, agent in enumerate(self.agents):
            members.setdefault(find(i), set()).add(agent)
        return tuple(frozenset(group) for group in members.values())


@dataclass(frozen=True, slots=True)
class Bounds:
    """The ratings that the games bound; only the prior bounds the others.

    Attributes:
        zero: The agents whose ratings average zero.
        above: Agents whose ratings have no upper bound.
        below: Agents whose ratings have no lower bound.
    """

    zero: list[int]
    above: list[int]
    below: list[int]


def bounds(played: IndexedGames) -> Bounds:
    """Return which ratings are bounded: agents bound each other by beating each other.

    Beating an agent through other agents counts as well. The likelihood grows without limit if agents that lost only to
    each other move up together (Ford, "Solution of a ranking problem from binary comparisons", American Mathematical
    Monthly 64, 1957). The average of the largest set whose members bound each other is zero; if there is no such set,
    the average of all agents is.
    """
    count = len(played.agents)
    winner = np.where(played.first_won > 0, played.first, played.second)
    beats = np.eye(count, dtype=bool)
    beats[winner, played.first + played.second - winner] = True
    met = beats | beats.T
    for middle in range(count):  # Warshall's closure: through other agents as well
        beats |= beats[:, middle, None] & beats[None, middle]
        met |= met[:, middle, None] & met[None, middle]
    mutual = beats & beats.T
    sizes = mutual.sum(axis=1).tolist()
    # Among equally large sets, take the one with the first name: the order of games must not
    # matter.
    largest = min(range(count), key=lambda row: (-sizes[row], played.agents[row]), default=0)
    if not count or sizes[largest] < 2:
        return Bounds([*range(count)], _top(beats, met), _top(beats.T, met))
    linked = met[largest]
    return Bounds(
        np.flatnonzero(mutual[largest]).tolist(),
        np.flatnonzero(linked & ~beats[largest]).tolist(),
        np.flatnonzero(linked & ~beats[:, largest]).tolist(),
    )


def _top(beats: NDArray[np.bool_], met: NDArray[np.bool_]) -> list[int]:
    """Return the agents that met others and were not beaten."""
    beaten = (beats.sum(axis=0) > 1) | (met.sum(axis=1) == 1)
    found: list[int] = np.flatnonzero(~beaten).tolist()
    return found


@dataclass(frozen=True, slots=True)
class Fit:
    """The maximum, with ratings shifted so that the agents in `bounds.zero` average 0."""

    ratings: list[float]
    advantage: float
    covariance: list[list[float]]
    advantage_error: float
    bounds: Bounds


def index_games(parts: Sequence[tuple[Any, ...]], agents: tuple[str, ...]) -> IndexedGames:
    """Join columns of games; clusters are numbered in order of appearance."""
    first, second, won, clusters = (
        np.concatenate([np.empty(0, dtype=np.int64), *columns]) for columns in zip(*parts, strict=True)
    )
    _, places, numbers = np.unique(clusters, return_index=True, return_inverse=True)
    rank = np.empty(len(places), dtype=np.int64)
    rank[np.argsort(places)] = np.arange(len(places))
    return IndexedGames(agents, first, second, won.astype(np.float64), rank[numbers])


def estimate(played: IndexedGames, prior_spread: float) -> Fit:
    """Return the ratings with the greatest posterior density, and their covariance."""
    prior = np.full(len(played.agents) + 1, prior_spread**-2)
    theta = _maximum(_meetings(played), prior)
    spread = covariance(played, theta, prior)
    count = len(played.agents)
    known = bounds(played)
    centring = np.eye(count)
    centring[:, known.zero] -= 1.0 / max(1, len(known.zero))
    ratings = centring @ theta[:count]
    return Fit(
        ratings.tolist(),
        float(theta[count]),
        (centring @ spread[:count, :count] @ centring.T).tolist(),
        float(np.sqrt(spread[count, count])),
        known,
    )


@dataclass(frozen=True, slots=True)
class _Meetings:
    """Games counted by first and second mover; `design` has a row for each combination."""

    design: Floats
    games: Floats
    first_won: Floats


def _meetings(played: IndexedGames) -> _Meetings:
    count = max(1, len(played.agents))
    keys, place = np.unique(played.first * count + played.second, return_inverse=True)
    design = np.zeros((len(keys), len(played.agents) + 1))
    rows = np.arange(len(keys))
    np.add.at(design, (rows, keys // count), 1.0)
    np.add.at(design, (rows, keys % count), -1.0)
    design[:, -1] = 1.0
    games = np.bincount(place, minlength=len(keys)).astype(np.float64)
    won = np.bincount(place, weights=played.first_won, minlength=len(keys))
    return _Meetings(design, games, won.astype(np.float64))


def _maximum(meetings: _Meetings, prior: Floats) -> Floats:
    """Maximise by Newton's method with halved steps; the objective is strictly concave."""
    theta = np.zeros(len(prior))
    value = _log_posterior(meetings, prior, theta)
    for _ in range(200):
        expected = _logistic(meetings.design @ theta)
        gradient = meetings.design.T @ (meetings.first_won - meetings.games * expected)
        gradient -= prior * theta
        information = _information(meetings, theta) + np.diag(prior)
        step = np.linalg.solve(information, gradient)
        if gradient @ step < 1e-12 * (1.0 + abs(value)):
            # The remaining gain is below the rounding error, so a line search could not measure it.
            return theta + step
        scale = 1.0
        while (new := _log_posterior(meetings, prior, theta + scale * step)) < value:
            scale *= 0.5
        theta, value = theta + scale * step, new
    return theta


def _log_posterior(meetings: _Meetings, prior: Floats, theta: Floats) -> float:
    odds = meetings.design @ theta
    likelihood = meetings.first_won * odds - meetings.games * np.logaddexp(0.0, odds)
    return float(likelihood.sum() - 0.5 * (prior * theta * theta).sum())


def _information(meetings: _Meetings, theta: Floats) -> Floats:
    expected = _logistic(meetings.design @ theta)
    weight = meetings.games * expected * (1.0 - expected)
    information: Floats = meetings.design.T @ (weight[:, None] * meetings.design)
    return information


def _logistic(odds: Floats) -> Floats:
    result: Floats = 0.5 * (1.0 + np.tanh(0.5 * odds))
    return result


def covariance(played: IndexedGames, theta: Floats, prior: Floats) -> Floats:
    """Return the covariance of the parameters, robust to games that share an opening.

    H^-1 (t^2/z^2 G/(G-1) sum u u' + prior + W D W) H^-1, with H the observed information and the prior, u a cluster's
    sum of scores over its games, G the clusters (Liang and Zeger, "Longitudinal data analysis using generalized linear
    models", Biometrika 73, 1986). A cluster contains all games from one opening: both games of a pair, repeats,
    symmetric copies, and other agents' games. The sandwich estimator alone is far too confident if there is almost no
    evidence, as for an agent that never lost. W D W, the information D of the games weighted down as the evidence
    grows, gives such agents the variance of the model instead. In every direction, the variance is at most the prior's,
    which is the same for all parameters.
    """
    meetings = _meetings(played)
    data = _information(meetings, theta)
    observed = _cluster_scores_squared(played, theta) * _few_clusters_factor(played)
    weight = _model_weight(played, theta)
    middle = observed + np.diag(prior) + weight[:, None] * data * weight[None, :]
    bread = np.linalg.inv(data + np.diag(prior))
    return _capped(bread @ middle @ bread, 1.0 / prior[0])


def _capped(spread: Floats, most: float) -> Floats:
    """Return the covariance with its principal variances capped at the prior's."""
    variances, axes = np.linalg.eigh(spread)
    result: Floats = (axes * np.minimum(variances, most)) @ axes.T
    return result


def _cluster_scores_squared(played: IndexedGames, theta: Floats) -> Floats:
    """Return the sum over clusters of u u'."""
    width = len(theta)
    odds = theta[played.first] - theta[played.second] + theta[-1]
    surprise = played.first_won - _logistic(odds)
    order = np.argsort(played.cluster, kind="stable")
    cluster = played.cluster[order]
    total = np.zeros((width, width))
    clusters = int(cluster[-1]) + 1 if len(cluster) else 0
    for start in range(0, clusters, _CLUSTERS_AT_ONCE):
        end = min(start + _CLUSTERS_AT_ONCE, clusters)
        rows = order[slice(*np.searchsorted(cluster, (start, end)))]
        scores = np.zeros((end - start, width))
        place = played.cluster[rows] - start
        np.add.at(scores, (place, played.first[rows]), surprise[rows])
        np.add.at(scores, (place, played.second[rows]), -surprise[rows])
        np.add.at(scores[:, -1], place, surprise[rows])
        total += scores.T @ scores
    return total


def _few_clusters_factor(played: IndexedGames) -> float:
    """Return the correction for a variance from few or unevenly large clusters."""
    sizes = np.bincount(played.cluster).astype(np.float64)
    if len(sizes) < 2:
        return 1.0
    even = sizes.sum() ** 2 / (sizes**2).sum()
    t = student_t_quantile(_CONFIDENCE, max(1, int(even) - 1))
    z = two_sided_quantile(_CONFIDENCE)
    return float((t / z) ** 2 * len(sizes) / (len(sizes) - 1))


def _model_weight(played: IndexedGames, theta: Floats) -> Floats:
    """Return the square root of each parameter's share of the model's variance.

    The evidence about a parameter is its information in units of one even game (1/4), divided by the number of games
    from the same opening, since repeats may not add any evidence.
    """
    chance = _logistic(theta[played.first] - theta[played.second] + theta[-1])
    games = _totals(played, np.ones(len(chance)))
    often = np.maximum(1.0, _totals(played, _repeats(played)) / np.maximum(1.0, games))
    evidence = _totals(played, 4.0 * chance * (1.0 - chance)) / often
    weights: Floats = np.sqrt(often * _FEW_GAMES / (_FEW_GAMES + evidence))
    return weights


def _totals(played: IndexedGames, values: Floats) -> Floats:
    """Return the sum of a column over the games that involve each parameter."""
    count = len(played.agents)
    first = np.bincount(played.first, weights=values, minlength=count)
    second = np.bincount(played.second, weights=values, minlength=count)
    return np.append(first + second, values.sum())


def _repeats(played: IndexedGames) -> Floats:
    """Return the number of pairs that each game's agents played from its opening."""
    count = max(1, len(played.agents))
    low, high = np.minimum(played.first, played.second), np.maximum(played.first, played.second)
    keys = (played.cluster * count + low) * count + high
    _, place, games = np.unique(keys, return_inverse=True, return_counts=True)
    result: Floats = games[place] / 2.0
    return result
