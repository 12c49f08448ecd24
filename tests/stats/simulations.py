"""Simulations under a known truth, shared by the tests; `python -m tests.stats.simulations`.

Run as a program it prints how often the intervals hold the truth and how often the sequential
test errs, over wider grids and with more runs than the tests take.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from isolab.stats import (
    GameResult,
    Pair,
    PairSummary,
    PairTally,
    RateEstimate,
    Ratings,
    SequentialTest,
    SprtPlan,
    SprtState,
    Stratum,
    any_time_rate,
    rate_agents,
    rate_difference,
    rate_from_elo,
    sequential_estimate,
    stratified_rate,
    summarize,
    win_rate,
)
from isolab.stats.elo import ELO_PER_LOGIT

Floats = NDArray[np.float64]
Interval = Callable[[PairSummary], RateEstimate]

cached_win_rate = lru_cache(maxsize=None)(win_rate)
cached_any_time_rate = lru_cache(maxsize=None)(any_time_rate)


@dataclass(frozen=True)
class Truth:
    """The true distribution of pair scores, and how alike repeats of an opening are.

    With probability `alike` a pair is a copy of its opening's first result, else drawn anew.
    """

    mean: float
    split: float
    alike: float = 0.0

    @property
    def probabilities(self) -> tuple[float, float, float]:
        return (
            max(0.0, self.mean - self.split / 2),
            self.split,
            max(0.0, 1 - self.mean - self.split / 2),
        )

    def scores(self, rng: np.random.Generator, count: int) -> Floats:
        won, split, _ = self.probabilities
        draw = rng.random(count)
        return np.where(draw < won, 1.0, np.where(draw < won + split, 0.5, 0.0))

    def pairs(self, rng: np.random.Generator, openings: Sequence[int]) -> list[Pair]:
        """One pair from each of the openings listed, in that order."""
        count = max(openings) + 1
        first = self.scores(rng, count)[np.asarray(openings)]
        copied = rng.random(len(openings)) < self.alike
        scores = np.where(copied, first, self.scores(rng, len(openings)))
        return [Pair(score, key) for score, key in zip(scores.tolist(), openings, strict=True)]


def openings_of_sizes(sizes: Sequence[int]) -> list[int]:
    return [opening for opening, size in enumerate(sizes) for _ in range(size)]


def always(openings: Sequence[int]) -> Callable[[np.random.Generator], Sequence[int]]:
    return lambda _: openings


def wald(summary: PairSummary) -> RateEstimate:
    """The textbook interval: the mean and 1.96 standard errors of the sample."""
    n, rate = summary.pairs, summary.rate
    variance = (summary.won + summary.split / 4) / n - rate * rate
    reach = 1.96 * math.sqrt(max(0.0, variance) / n)
    return RateEstimate(rate, rate - reach, rate + reach)


# Intervals -------------------------------------------------------------------------------------


@cache
def _outcomes(pairs: int, interval: Interval) -> tuple[Floats, Floats]:
    """All results of so many distinct pairs, with their intervals and their multiplicities."""
    rows, weights = [], []
    for won in range(pairs + 1):
        for split in range(pairs + 1 - won):
            lost = pairs - won - split
            estimate = interval(PairSummary.distinct(won, split, lost))
            rows.append((won, split, lost, estimate.low, estimate.high))
            weights.append(
                math.lgamma(pairs + 1) - sum(math.lgamma(k + 1) for k in (won, split, lost))
            )
    return np.array(rows).T, np.array(weights)


def exact_coverage(pairs: int, truth: Truth, interval: Interval = cached_win_rate) -> float:
    """The probability, summed over every possible result, that the interval holds the truth."""
    (won, split, lost, low, high), weights = _outcomes(pairs, interval)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_chances = np.log(np.array(truth.probabilities))
        terms = np.where(
            np.array((won, split, lost)) > 0, (won, split, lost) * log_chances[:, None], 0.0
        )
    chance = np.exp(weights + terms.sum(axis=0))
    held = (low <= truth.mean + 1e-12) & (truth.mean - 1e-12 <= high)
    return float(chance[held].sum())


def truths(means: Sequence[float], shares: Sequence[float]) -> list[Truth]:
    """Truths whose split pairs take the given shares of what their mean allows."""
    return [Truth(m, share * 2 * min(m, 1 - m)) for m in means for share in shares]


COARSE = truths([0.5, 0.55, 0.65, 0.75, 0.9, 0.95, 0.99], [0, 0.05, 0.3, 0.6, 0.9, 1])
FINE = truths(
    [*np.linspace(0.5, 0.94, 45).tolist(), *np.linspace(0.95, 0.999, 50).tolist()],
    [0, 0.01, 0.03, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.97, 1],
)


@dataclass
class Coverage:
    """How often two intervals held the truth, and how wide they were."""

    runs: int = 0
    held: int = 0
    naive_held: int = 0
    width: float = 0.0

    def __str__(self) -> str:
        return (
            f"{self.held / self.runs:.3f}  naive {self.naive_held / self.runs:.3f}"
            f"  mean width {self.width / self.runs:.3f}"
        )


def clustered_coverage(
    truth: Truth,
    draw_openings: Callable[[np.random.Generator], Sequence[int]],
    runs: int,
    seed: int,
) -> Coverage:
    """Our interval against the one that takes every pair for independent."""
    rng, result = np.random.default_rng(seed), Coverage()
    for _ in range(runs):
        summary = summarize(truth.pairs(rng, draw_openings(rng)))
        ours = cached_win_rate(summary)
        naive = cached_win_rate(PairSummary.distinct(summary.won, summary.split, summary.lost))
        result.runs += 1
        result.held += truth.mean in ours
        result.naive_held += truth.mean in naive
        result.width += ours.width
    return result


UNEVEN = [30, 20, 10, 5, 5, 3, 2, 2] + [1] * 20
SHAPES: dict[str, list[int]] = {
    "20 openings of 5": [5] * 20,
    "10 openings of 10": [10] * 10,
    "10 openings of 40": [40] * 10,
    "5 openings of 4": [4] * 5,
    "60 openings of 4": [4] * 60,
    "28 uneven openings": UNEVEN,
    "one of 50, 20 of 1": [50] + [1] * 20,
}


def ever_wrong(interval: Interval, truth: Truth, pairs: int) -> float:
    """The probability that within so many distinct pairs the interval leaves out the truth at any moment.

    It is summed over all that can happen: no draw is made.
    """
    wrong, alive = 0.0, {(0, 0, 0): 1.0}
    for _ in range(pairs):
        after: dict[tuple[int, int, int], float] = {}
        for (won, split, lost), chance in alive.items():
            nexts = ((won + 1, split, lost), (won, split + 1, lost), (won, split, lost + 1))
            for counts, step in zip(nexts, truth.probabilities, strict=True):
                after[counts] = after.get(counts, 0.0) + chance * step
        alive = {
            counts: chance
            for counts, chance in after.items()
            if chance > 0.0 and truth.mean in interval(PairSummary.distinct(*counts))
        }
        wrong += sum(after.values()) - sum(alive.values())
    return wrong


def _print_watched(pairs: int) -> None:
    print(
        f"\nWho watches a match of {pairs} pairs and stops at the worst moment is wrong with probability"
    )
    for truth in truths([0.5, 0.6, 0.9], [0, 0.5, 0.9]):
        print(
            f"mean {truth.mean} split {truth.split:.2f}: {ever_wrong(cached_any_time_rate, truth, pairs):.3f}"
            f"  with intervals of a fixed length {ever_wrong(cached_win_rate, truth, pairs):.3f}"
        )


# The sequential test ---------------------------------------------------------------------------


@dataclass
class SprtRuns:
    """What became of many sequential tests, and their estimates if asked for."""

    accepted_h1: int = 0
    accepted_h0: int = 0
    undecided: int = 0
    pairs: int = 0
    naive: list[RateEstimate] = field(default_factory=list)
    corrected: list[RateEstimate] = field(default_factory=list)

    @property
    def runs(self) -> int:
        return self.accepted_h0 + self.accepted_h1 + self.undecided


def run_sprts(
    plan: SprtPlan,
    truth: Truth,
    runs: int,
    seed: int,
    openings: int | None = None,
    most: int = 5_000,
    estimates: bool = False,
    forget_clusters: bool = False,
) -> SprtRuns:
    """Tests under a known truth; with `openings` set, pairs are drawn from so many of them."""
    rng, result = np.random.default_rng(seed), SprtRuns()
    for _ in range(runs):
        test = SequentialTest(plan)
        for number, pair in enumerate(_endless(rng, truth, openings, forget_clusters)):
            if number == most or test.add(number, pair) is not SprtState.RUNNING:
                break
        result.accepted_h1 += test.state is SprtState.ACCEPTS_H1
        result.accepted_h0 += test.state is SprtState.ACCEPTS_H0
        result.undecided += test.state is SprtState.RUNNING
        result.pairs += test.summary.pairs
        if estimates:
            estimate = sequential_estimate(test.summary, plan)
            result.naive.append(estimate.naive)
            result.corrected.append(estimate.rate)
    return result


def _endless(
    rng: np.random.Generator, truth: Truth, openings: int | None, forget_clusters: bool
) -> Iterator[Pair]:
    number = 0
    first = truth.scores(rng, openings).tolist() if openings else []
    while True:
        for score, draw in zip(truth.scores(rng, 128).tolist(), rng.random(128), strict=True):
            if not openings:
                yield Pair(score, number)
            else:
                opening = int(rng.integers(openings))
                copied = first[opening] if draw < truth.alike else score
                yield Pair(copied, number if forget_clusters else opening)
            number += 1


# Ratings ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class League:
    """Agents of known strength (in log odds) that all meet from every opening, both ways round.

    Each opening favours its first mover by a normal draw of spread `bias` besides `advantage`;
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
        return [
            bool(original if rng.random() < self.alike else rng.random() < chance)
            for _ in range(self.repeats)
        ]


@dataclass
class LeagueCoverage:
    """The share of runs in which an interval held the truth, and the mean error of estimates."""

    ratings: float
    naive_ratings: float
    advantage: float
    bias_elo: float


def league_coverage(league: League, runs: int, seed: int) -> LeagueCoverage:
    """Coverage of ratings over all agents, against pretending that no two games are related."""
    rng = np.random.default_rng(seed)
    held = naive_held = advantage_held = 0
    errors = []
    for _ in range(runs):
        games = list(league.games(rng))
        ratings = rate_agents(games)
        naive = rate_agents(
            GameResult(game.first, game.second, game.first_won, number)
            for number, game in enumerate(games)
        )
        truth = _true_ratings(league, ratings)
        held += sum(truth[row.agent] in row.elo for row in ratings.table)
        naive_held += sum(truth[row.agent] in row.elo for row in naive.table)
        advantage_held += ELO_PER_LOGIT * league.advantage in ratings.first_mover
        errors.append(ratings["0"].elo.elo - truth["0"])
    agents = runs * len(league.strengths)
    return LeagueCoverage(
        held / agents, naive_held / agents, advantage_held / runs, float(np.mean(errors))
    )


def _true_ratings(league: League, ratings: Ratings) -> dict[str, float]:
    """The strengths in Elo above the average of the agents that the ratings take for zero."""
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


# One agent against several ---------------------------------------------------------------------


@dataclass(frozen=True)
class Field:
    """An agent's true rates against opponents, from openings that go alike against all with a probability."""

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
    """How often the interval over all opponents held the truth, and its width beside that of pairs in one heap."""

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
        pooled += cached_win_rate(heap.summary()).width
    return FieldCoverage(held / runs, width / runs, pooled / runs)


def _print_fields(runs: int) -> None:
    print(
        f"\nOne agent against several: coverage over {runs} runs, width, and width of all pairs in one heap"
    )
    for rates in ((0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99), (0.2, 0.95), (0.5,) * 7):
        for openings in (10, 30, 100):
            for alike in (0.0, 0.5, 1.0):
                found = field_coverage(Field(rates, openings, alike), runs, seed=7)
                print(
                    f"{rates} {openings} openings, {alike} alike: {found.held:.3f}  {found.width:.3f}"
                    f"  {found.pooled_width:.3f}"
                )


# Many agents beside one ------------------------------------------------------------------------


@dataclass(frozen=True)
class ManyBesideOne:
    """Copies of one agent against opponents of all strengths, from openings that all of them share.

    What an opening is worth to the agent varies with a spread of `by_opening`.
    """

    agents: int
    opponents: int
    openings: int
    split: float = 0.6
    by_opening: float = 0.1

    def scores(self, rng: np.random.Generator) -> Floats:
        """Pair scores by agent, opening and opponent."""
        shape = (self.openings, self.opponents)
        luck = rng.normal(0.0, self.by_opening, shape)
        mean = np.clip(np.linspace(0.5, 0.95, self.opponents) + luck, 0.02, 0.98)
        split = self.split * 2 * np.minimum(mean, 1 - mean)
        draw = rng.random((self.agents, *shape))
        won = mean - split / 2
        return np.where(draw < won, 1.0, np.where(draw < won + split, 0.5, 0.0))


@dataclass(frozen=True)
class FalseVerdicts:
    """The share of studies with any better or worse among copies, judged one by one and together."""

    uncorrected: float
    corrected: float


def false_verdicts(layout: ManyBesideOne, studies: int, seed: int) -> FalseVerdicts:
    """Studies of copies: whatever is called better or worse is wrong."""
    rng, wrong = np.random.default_rng(seed), [0, 0]
    for _ in range(studies):
        scores = layout.scores(rng)
        gains = [
            [(gain, opening) for opening, row in enumerate(agent) for gain in row]
            for agent in (scores[1:] - scores[0]).tolist()
        ]
        for place, comparisons in enumerate((1, len(gains))):
            judged = (rate_difference(of_agent, comparisons=comparisons) for of_agent in gains)
            wrong[place] += any(one.verdict != "no difference seen" for one in judged)
    return FalseVerdicts(wrong[0] / studies, wrong[1] / studies)


def _print_many(studies: int) -> None:
    print(f"\nCopies beside one of them: share of {studies} studies with any false better or worse")
    for layout in (
        ManyBesideOne(26, 7, 30),
        ManyBesideOne(26, 7, 3),
        ManyBesideOne(26, 7, 100),
        ManyBesideOne(26, 7, 30, by_opening=0.3),
        ManyBesideOne(26, 7, 30, split=0.95),
        ManyBesideOne(26, 1, 30),
        ManyBesideOne(7, 7, 30),
    ):
        found = false_verdicts(layout, studies, seed=6)
        print(f"{layout}: {found.corrected:.3f}, one by one {found.uncorrected:.3f}")


# The printed tables ----------------------------------------------------------------------------


def _print_exact() -> None:
    print("Exact coverage of the 95% interval, distinct openings, 1140 truths for each number")
    print("pairs  least  at (mean, split)  mean   Wald's least")
    for pairs in (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 60):
        found = [(exact_coverage(pairs, truth), truth) for truth in FINE]
        least, where = min(found, key=lambda item: item[0])
        mean = float(np.mean([coverage for coverage, _ in found]))
        worst = min(exact_coverage(pairs, truth, wald) for truth in FINE)
        print(
            f"{pairs:5}  {least:.3f}  ({where.mean:.3f}, {where.split:.3f})"
            f"    {mean:.3f}  {worst:.3f}"
        )


def _print_clustered(runs: int) -> None:
    print(f"\nRepeated openings: coverage of the 95% interval over {runs} runs")
    for truth in (
        Truth(0.5, 0.0, 1.0),
        Truth(0.5, 0.0, 0.6),
        Truth(0.5, 0.9, 0.8),
        Truth(0.6, 0.5, 0.0),
        Truth(0.9, 0.1, 0.5),
        Truth(0.99, 0.0, 1.0),
        Truth(0.9, 0.1, 0.3),
    ):
        for name, sizes in SHAPES.items():
            found = clustered_coverage(truth, always(openings_of_sizes(sizes)), runs, seed=1)
            print(f"{name:20} mean {truth.mean} split {truth.split} alike {truth.alike}: {found}")
    for alike in (0.0, 0.5, 1.0):
        found = clustered_coverage(
            Truth(0.55, 0.6, alike), lambda rng: rng.integers(315, size=1000).tolist(), 500, seed=2
        )
        print(f"1000 pairs of 315    mean 0.55 split 0.6 alike {alike}: {found}")


def _print_sprt(runs: int) -> None:
    print(f"\nSequential test, alpha = beta = 0.05, {runs} runs: errors, pairs, the estimate after")
    print("naive and corrected: share of estimates above the truth (0.50 is right), coverage")
    for plan, split in (
        (SprtPlan(0, 80), 0.0),
        (SprtPlan(0, 80), 0.5),
        (SprtPlan(0, 25), 0.9),
        (SprtPlan(-30, 30), 0.5),
        (SprtPlan(0, 200), 0.3),
        (SprtPlan(100, 150), 0.1),
    ):
        for elo in (plan.elo0, (plan.elo0 + plan.elo1) / 2, plan.elo1):
            truth = Truth(rate_from_elo(elo), split)
            found = run_sprts(plan, truth, runs, seed=3, estimates=True)
            print(
                f"[{plan.elo0}, {plan.elo1}] split {split} true {elo:5}: H1 accepted "
                f"{found.accepted_h1 / runs:.3f}  pairs {found.pairs / runs:4.0f}"
                f"  naive {_above_and_held(found.naive, truth.mean)}"
                f"  corrected {_above_and_held(found.corrected, truth.mean)}"
            )
    for openings, alike in ((40, 1.0), (100, 1.0), (100, 0.5)):
        for elo in (0, 80):
            truth = Truth(rate_from_elo(elo), 0.3, alike)
            ours, naive = (
                run_sprts(SprtPlan(0, 80), truth, runs, 4, openings, 600, forget_clusters=forget)
                for forget in (False, True)
            )
            print(
                f"[0, 80] true {elo:2}, {openings} openings {alike} alike, at most 600 pairs: H1 "
                f"{ours.accepted_h1 / runs:.3f} H0 {ours.accepted_h0 / runs:.3f}"
                f"  naive H1 {naive.accepted_h1 / runs:.3f} H0 {naive.accepted_h0 / runs:.3f}"
            )


def _above_and_held(estimates: list[RateEstimate], truth: float) -> str:
    above = np.mean([(e.rate > truth) + 0.5 * (e.rate == truth) for e in estimates])
    return f"{above:.2f} {np.mean([truth in e for e in estimates]):.3f}"


def _print_ratings(runs: int) -> None:
    print(f"\nJoint ratings: coverage of the 95% intervals over {runs} runs")
    for name, league in LEAGUES.items():
        found = league_coverage(league, runs, seed=5)
        print(
            f"{name:38} ratings {found.ratings:.3f}  if games were unrelated "
            f"{found.naive_ratings:.3f}  advantage {found.advantage:.3f}"
        )


if __name__ == "__main__":
    _print_exact()
    _print_clustered(runs=1000)
    _print_watched(pairs=100)
    _print_sprt(runs=1000)
    _print_ratings(runs=1000)
    _print_fields(runs=300)
    _print_many(studies=1000)
