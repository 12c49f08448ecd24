"""Sequential tests with a known true win rate: their error rates and estimates."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from isolarium.stats import (
    Pair,
    PairSummary,
    RateEstimate,
    SequentialTest,
    SprtPlan,
    SprtState,
    log_likelihood_ratio,
    sequential_estimate,
)
from tests.stats.simulations.one_match import Truth


@dataclass
class SprtRuns:
    """The outcomes of many sequential tests, and optionally their estimates."""

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
    """Run tests with a known true rate; with `openings`, pairs are drawn from so many of them."""
    rng, result = np.random.default_rng(seed), SprtRuns()
    known = _Known(plan)
    for _ in range(runs):
        pairs = islice(_endless(rng, truth, openings, forget_clusters), most)
        distinct = not openings or forget_clusters
        state, summary = known.ended(pairs) if distinct else _ended(plan, pairs)
        result.accepted_h1 += state is SprtState.ACCEPTS_H1
        result.accepted_h0 += state is SprtState.ACCEPTS_H0
        result.undecided += state is SprtState.RUNNING
        result.pairs += summary.pairs
        if estimates:
            estimate = sequential_estimate(summary, plan)
            result.naive.append(estimate.naive)
            result.corrected.append(estimate.rate)
    return result


def _ended(plan: SprtPlan, pairs: Iterable[Pair]) -> tuple[SprtState, PairSummary]:
    """Return the state of a test after the pairs, and the pairs it has read."""
    test = SequentialTest(plan)
    for number, pair in enumerate(pairs):
        if test.add(number, pair) is not SprtState.RUNNING:
            break
    return test.state, test.summary


class _Known:
    """The same for distinct openings; each combination of counts is judged once."""

    def __init__(self, plan: SprtPlan) -> None:
        self._plan = plan
        self._states: dict[tuple[int, ...], SprtState] = {}

    def ended(self, pairs: Iterable[Pair]) -> tuple[SprtState, PairSummary]:
        won = split = lost = 0
        state = SprtState.RUNNING
        for pair in pairs:
            won, split, lost = (won + (pair.score == 1.0), split + (pair.score == 0.5), lost + (pair.score == 0.0))
            state = self._state(won, split, lost)
            if state is not SprtState.RUNNING:
                break
        return state, PairSummary.distinct(won, split, lost)

    def _state(self, *counts: int) -> SprtState:
        if counts not in self._states:
            ratio = log_likelihood_ratio(PairSummary.distinct(*counts), self._plan)
            self._states[counts] = self._plan.judge(ratio)
        return self._states[counts]


def _endless(rng: np.random.Generator, truth: Truth, openings: int | None, forget_clusters: bool) -> Iterator[Pair]:
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
