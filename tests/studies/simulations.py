"""Tuning runs without games: pairs drawn from a response that is known."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from isolarium.stats import (
    Pair,
    PairSummary,
    RateEstimate,
    SequentialTest,
    SprtPlan,
    SprtState,
    sequential_estimate,
    win_rate,
)
from isolarium.studies.tuning_config import Row, Tuning
from isolarium.studies.tuning_runner import Trial, best_of, rows_of_round

SPLIT = 0.6


@dataclass(frozen=True)
class Truth:
    """A response that is known.

    Attributes:
        agent: the template that is tuned.
        untuned: the values that the tuned ones are held against.
        score: what each row of values scores.
    """

    agent: str
    untuned: Row
    score: Callable[[Row], float]


WEIGHT = "greedy:aggressive(weight={0..4})"
SEVERAL = "greedy:distance(f={arctan|sigmoid}, z={0..4 by 1}, scale={1..3})"


def hill(row: Row) -> float:
    """Best at 1.4, three points above the ends."""
    return 0.5 + 0.03 * math.exp(-(((float(row[0]) - 1.4) / 0.6) ** 2))


def steep(row: Row) -> float:
    """Fifteen points from the worst end to the other."""
    return 0.4 + 0.15 * (1 - math.exp(-float(row[0])))


def flat(row: Row) -> float:
    """Nothing is to be had."""
    return 0.5


def several(row: Row) -> float:
    """A name is worth four points, a whole number up to two, and a number does not matter."""
    return 0.46 + 0.04 * (row[0] == "sigmoid") + 0.02 * (1 - abs(float(row[1]) - 3) / 3)


TRUTHS = {
    "hill": Truth(WEIGHT, ("2",), hill),
    "steep": Truth(WEIGHT, ("0.5",), steep),
    "flat": Truth(WEIGHT, ("2",), flat),
    "several": Truth(SEVERAL, ("sigmoid", "0", "1"), several),
}


@dataclass(frozen=True)
class Simulated:
    """What came of one tuning run.

    Attributes:
        lost: how far the true score of the chosen values is below that of the best.
        noise: half of the interval of a single trial.
        luck: how far the best trial's own score is above the truth.
        truth: what the chosen scores against the untuned.
        interval: the interval of the confirmation.
        pairs: of the confirmation.
    """

    lost: float
    noise: float
    luck: float
    truth: float
    interval: RateEstimate
    pairs: int

    @property
    def is_claimed(self) -> bool:
        """Whether the answer is that the chosen values are better than the untuned."""
        return self.interval.low > 0.5

    @property
    def is_claimed_falsely(self) -> bool:
        """Whether that is the answer, and they are not."""
        return self.is_claimed and self.truth <= 0.5


def simulate(tuning: Tuning, truth: Truth) -> Simulated:
    """Choose trials as a tuning run does, draw their pairs and those of the confirmation."""
    score, chance, trials = truth.score, np.random.default_rng(tuning.seed), list[Trial]()
    for number in range(1, tuning.rounds + 1):
        trials += [
            Trial(number, row, win_rate(_pairs(chance, score(row), tuning.pairs)))
            for row in rows_of_round(tuning, number, trials)
        ]
    best = best_of(tuning.places, trials)
    luckiest = max(trials, key=lambda trial: trial.score.rate)
    held = 0.5 + score(best.row) - score(truth.untuned)
    summary = _confirmation(chance, held, tuning)
    return Simulated(
        max(map(score, _everywhere(tuning))) - score(best.row),
        0.5 * best.score.width,
        luckiest.score.rate - score(luckiest.row),
        held,
        sequential_estimate(summary, SprtPlan(0, tuning.gain)).rate,
        summary.pairs,
    )


def _everywhere(tuning: Tuning) -> Iterable[Row]:
    """Rows close together over all ranges."""
    return product(*({place.at(step / 100) for step in range(101)} for place in tuning.places))


def _chances(mean: float) -> tuple[float, float, float]:
    split = SPLIT * 2 * min(mean, 1 - mean)
    return mean - split / 2, split, 1 - mean - split / 2


def _pairs(chance: np.random.Generator, mean: float, pairs: int) -> PairSummary:
    return PairSummary.distinct(*chance.multinomial(pairs, _chances(mean)).tolist())


def _confirmation(chance: np.random.Generator, mean: float, tuning: Tuning) -> PairSummary:
    test = SequentialTest(SprtPlan(0, tuning.gain))
    scores = chance.choice([1.0, 0.5, 0.0], size=tuning.confirm, p=_chances(mean))
    for number, score in enumerate(scores.tolist()):
        if test.add(number, Pair(score, number)) is not SprtState.RUNNING:
            break
    return test.summary


def simulations(truth: Truth, runs: int, **settings: Any) -> list[Simulated]:
    """So many tuning runs of a truth, each with a seed of its own."""
    return [simulate(Tuning(truth.agent, gain=30.0, seed=seed, **settings), truth) for seed in range(runs)]
