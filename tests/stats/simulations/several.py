"""Tournaments of agents of known strength: ratings, one agent against several, and copies of one agent."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isolarium.reporting.verdict import SURE
from isolarium.stats import (
    LEAST_OPENINGS,
    Pair,
    PairTally,
    Ratings,
    Stratum,
    match_verdict,
    rate_difference,
    stratified_rate,
    summarize,
    win_rate,
)
from isolarium.stats.elo import ELO_PER_LOGIT
from tests.stats.game_results import GameResult, rate_agents
from tests.stats.simulations.one_match import Truth

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class League:
    """Agents of known strength (in log odds) that all meet from every opening, on both sides.

    Each opening favours its first mover by a normal draw of spread `bias` in addition to `advantage`;
    each game is played `repeats` times and copied with probability `alike`.
    """

    strengths: tuple[float, ...]
    advantage: float
    openings: int
    bias: float = 0.0
    repeats: int = 1
    alike: float = 0.0

    def games(self, rng: np.random.Generator) -> Iterator[GameResult]:
        for opening in range(self.openings):
            favour = self.advantage + self.bias * rng.normal()
            for i, mine in enumerate(self.strengths):
                for j, other in enumerate(self.strengths):
                    if i != j:
                        chance = 1 / (1 + math.exp(-(mine - other + favour)))
                        for won in self._results(rng, chance):
                            yield GameResult(str(i), str(j), won, opening)

    def _results(self, rng: np.random.Generator, chance: float) -> list[bool]:
        original = rng.random() < chance
        return [bool(original if rng.random() < self.alike else rng.random() < chance) for _ in range(self.repeats)]


@dataclass
class LeagueCoverage:
    """The share of runs in which an interval held the true value, and the mean error of estimates."""

    ratings: float
    naive_ratings: float
    advantage: float
    bias_elo: float


def league_coverage(league: League, runs: int, seed: int) -> LeagueCoverage:
    """Return the coverage of ratings over all agents, with and without clusters of games."""
    rng = np.random.default_rng(seed)
    held = naive_held = advantage_held = 0
    errors = []
    for _ in range(runs):
        games = list(league.games(rng))
        ratings = rate_agents(games)
        naive = rate_agents(
            GameResult(game.first, game.second, game.first_won, number) for number, game in enumerate(games)
        )
        truth = _true_ratings(league, ratings)
        held += sum(truth[row.agent] in row.elo for row in ratings.table)
        naive_held += sum(truth[row.agent] in row.elo for row in naive.table)
        advantage_held += ELO_PER_LOGIT * league.advantage in ratings.first_mover
        errors.append(ratings["0"].elo.elo - truth["0"])
    agents = runs * len(league.strengths)
    return LeagueCoverage(held / agents, naive_held / agents, advantage_held / runs, float(np.mean(errors)))


def _true_ratings(league: League, ratings: Ratings) -> dict[str, float]:
    """Return the strengths in Elo above the average of the agents whose ratings average zero."""
    zero = [league.strengths[int(agent)] for agent in ratings.zero]
    centre = sum(zero) / len(zero)
    return {str(i): ELO_PER_LOGIT * (s - centre) for i, s in enumerate(league.strengths)}


LEAGUES: dict[str, League] = {
    "4 agents, 50 openings": League((0.0, 0.2, 0.5, 1.0), 0.3, 50),
    "4 agents, 8 openings": League((0.0, 0.2, 0.5, 1.0), 0.3, 8),
    "2 agents, 5 openings": League((0.0, 0.5), 0.3, 5),
    "lopsided": League((0.0, 0.2, 3.0, 5.0), 0.3, 30),
    "nearly unbeaten": League((0.0, 6.0), 0.0, 50),
    "equal, mostly split pairs": League((0.0, 0.0, 0.0), 0.0, 60, bias=4.0),
    "30 openings played 4 times alike": League((0.0, 0.2, 0.5), 0.3, 30, repeats=4, alike=1.0),
    "10 openings played 10 times alike": League((0.0, 0.5), 0.3, 10, repeats=10, alike=1.0),
    "20 openings played 5 times, 70% alike": League((0.0, 0.5), 0.3, 20, repeats=5, alike=0.7),
}


@dataclass(frozen=True)
class Field:
    """An agent's true rates against opponents, from openings that may go alike against all of them."""

    rates: tuple[float, ...]
    openings: int
    alike: float = 0.0
    split: float = 0.6

    def tallies(self, rng: np.random.Generator) -> Iterator[list[Pair]]:
        """The pairs against each opponent."""
        shared = rng.random(self.openings)
        for rate in self.rates:
            split = self.split * 2 * min(rate, 1 - rate)
            copied = rng.random(self.openings) < self.alike
            draws = np.where(copied, shared, rng.random(self.openings)).tolist()
            steps = (rate - split / 2, rate + split / 2)
            yield [Pair(1 - sum(d >= s for s in steps) / 2, n) for n, d in enumerate(draws)]


@dataclass(frozen=True)
class FieldCoverage:
    """How often the interval over all opponents held the true rate, and its width next to that of pooled pairs."""

    held: float
    width: float
    pooled_width: float


def field_coverage(against: Field, runs: int, seed: int) -> FieldCoverage:
    rng, truth = np.random.default_rng(seed), float(np.mean(against.rates))
    held, width, pooled = 0, 0.0, 0.0
    for _ in range(runs):
        strata, heap = [], PairTally()
        for pairs in against.tallies(rng):
            tally = PairTally()
            for pair in pairs:
                tally.add(pair)
                heap.add(pair)
            strata.append(Stratum(tally.summary(), tally.clusters))
        found = stratified_rate(strata)
        held += truth in found
        width += found.width
        pooled += win_rate(heap.summary()).width
    return FieldCoverage(held / runs, width / runs, pooled / runs)


@dataclass(frozen=True)
class ManyBesideOne:
    """Copies of one agent against opponents of all strengths, from the same openings.

    The value of an opening to the agent varies with a spread of `by_opening`.
    """

    agents: int
    opponents: int
    openings: int
    split: float = 0.6
    by_opening: float = 0.1

    def scores(self, rng: np.random.Generator) -> Floats:
        """Return pair scores by agent, opening and opponent."""
        shape = (self.openings, self.opponents)
        luck = rng.normal(0.0, self.by_opening, shape)
        mean = np.clip(np.linspace(0.5, 0.95, self.opponents) + luck, 0.02, 0.98)
        split = self.split * 2 * np.minimum(mean, 1 - mean)
        draw = rng.random((self.agents, *shape))
        won = mean - split / 2
        return np.where(draw < won, 1.0, np.where(draw < won + split, 0.5, 0.0))


@dataclass(frozen=True)
class FalseVerdicts:
    """The share of studies with any false verdict, judged one by one and together."""

    uncorrected: float
    corrected: float


def false_verdicts(layout: ManyBesideOne, studies: int, seed: int) -> FalseVerdicts:
    """Run studies of copies of one agent, in which every better or worse is wrong."""
    rng, wrong = np.random.default_rng(seed), [0, 0]
    for _ in range(studies):
        scores = layout.scores(rng)
        gains = [
            [(gain, opening) for opening, row in enumerate(agent) for gain in row]
            for agent in (scores[1:] - scores[0]).tolist()
        ]
        for place, comparisons in enumerate((1, len(gains))):
            judged = (rate_difference(of_agent, comparisons=comparisons) for of_agent in gains)
            wrong[place] += any(one.verdict in ("better", "worse") for one in judged)
    return FalseVerdicts(wrong[0] / studies, wrong[1] / studies)


@dataclass(frozen=True)
class FalseAnswers:
    """The share of runs of equal agents that name a better one, with the floor of openings and without it."""

    with_floor: float
    without_floor: float


def false_matches(truth: Truth, openings: int, repeats: int, runs: int, seed: int) -> FalseAnswers:
    """Matches of equal agents, each opening repeated: any verdict on them is wrong."""
    assert truth.mean == 0.5
    rng, named, unfloored = np.random.default_rng(seed), 0, 0
    for _ in range(runs):
        summary = summarize(truth.pairs(rng, list(range(openings)) * repeats))
        named += match_verdict(summary).startswith(("better", "worse"))
        unfloored += 0.5 not in win_rate(summary)
    return FalseAnswers(named / runs, unfloored / runs)


def false_winners(league: League, runs: int, seed: int) -> FalseAnswers:
    """Tournaments of equal agents: whichever is called the best is not."""
    assert len(set(league.strengths)) == 1
    rng, named = np.random.default_rng(seed), 0
    for _ in range(runs):
        ratings = rate_agents(league.games(rng))
        best, *others = (row.agent for row in ratings.table)
        enough = 1 - (1 - SURE) / len(others)
        named += all(ratings.superiority(best, other) >= enough for other in others)
    unfloored = named / runs
    return FalseAnswers(unfloored if league.openings >= LEAST_OPENINGS else 0.0, unfloored)
