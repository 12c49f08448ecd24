"""Tuning runs without games: pairs drawn from a response curve that is known.

python -m tests.tuning.simulations prints the table of docs/tuning.md.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from isolab.stats import (
    Pair,
    PairSummary,
    RateEstimate,
    SequentialTest,
    SprtPlan,
    SprtState,
    sequential_estimate,
    win_rate,
)
from isolab.tuning.playing import rows_of_round
from isolab.tuning.trials import Trial, best_of
from isolab.tuning.tuning import Tuning

SPLIT = 0.6
Curve = Callable[[float], float]


def hill(x: float) -> float:
    """Best at 1.4, three points above the ends; the untuned is at 2."""
    return 0.5 + 0.03 * math.exp(-(((x - 1.4) / 0.6) ** 2))


def steep(x: float) -> float:
    """Fifteen points from the worst end to the other."""
    return 0.4 + 0.15 * (1 - math.exp(-x))


def flat(x: float) -> float:
    """Nothing is to be had."""
    return 0.5


CURVES: dict[str, Curve] = {"hill": hill, "steep": steep, "flat": flat}
UNTUNED = 2.0


@dataclass(frozen=True)
class Simulated:
    """What came of one tuning run.

    Attributes:
        chosen: the value.
        lost: how far its true score is below that of the best value.
        noise: half of the interval of a single trial.
        luck: how far the best trial's own score is above the truth.
        truth: what the chosen scores against the untuned.
        interval: what the confirmation says of that.
        pairs: of the confirmation.
    """

    chosen: float
    lost: float
    noise: float
    luck: float
    truth: float
    interval: RateEstimate
    pairs: int


def simulate(tuning: Tuning, curve: Curve, seed: int) -> Simulated:
    """Choose trials as a tuning run does, draw their pairs and those of the confirmation."""
    chance, trials = np.random.default_rng(seed), list[Trial]()
    for number in range(1, tuning.rounds + 1):
        trials += [
            Trial(number, row, win_rate(_pairs(chance, curve(float(row[0])), tuning.pairs)))
            for row in rows_of_round(tuning, number, trials)
        ]
    best = best_of(tuning.places, trials)
    chosen = float(best.row[0])
    luckiest = max(trials, key=lambda trial: trial.score.rate)
    truth = 0.5 + curve(chosen) - curve(UNTUNED)
    summary = _confirmation(chance, truth, tuning)
    return Simulated(
        chosen,
        max(curve(x) for x in np.linspace(0, 4, 401)) - curve(chosen),
        0.5 * best.score.width,
        luckiest.score.rate - curve(float(luckiest.row[0])),
        truth,
        sequential_estimate(summary, SprtPlan(0, tuning.gain)).rate,
        summary.pairs,
    )


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


SMALL = Tuning(
    "greedy:aggressive(weight={0..4})", trials=24, round=8, pairs=100, gain=30.0, confirm=1000
)
LARGE = replace(SMALL, trials=40, pairs=200, confirm=3000)


def simulations(tuning: Tuning, curve: Curve, runs: int) -> list[Simulated]:
    return [simulate(replace(tuning, seed=seed), curve, seed) for seed in range(runs)]


def _print(runs: int) -> None:
    print(f"{runs} simulated tuning runs of each curve: 40 trials of 200 pairs in rounds of 8")
    print("curve  interval holds the truth  chosen within the noise  lost  a best trial's luck")
    for name, curve in CURVES.items():
        found = simulations(LARGE, curve, runs)
        held = np.mean([one.truth in one.interval for one in found])
        within = np.mean([one.lost <= one.noise for one in found])
        lost, luck = np.mean([one.lost for one in found]), np.mean([one.luck for one in found])
        print(f"{name:6} {held:.3f}  {within:.3f}  {100 * lost:.2f}  {100 * luck:+.2f}")


if __name__ == "__main__":
    _print(runs=200)
