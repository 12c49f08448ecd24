"""Sequential tests under a known truth: how often they err, and their estimates."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from isolab.stats import (
    Pair,
    RateEstimate,
    SequentialTest,
    SprtPlan,
    SprtState,
    sequential_estimate,
)
from tests.stats.simulations.one_match import Truth


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
