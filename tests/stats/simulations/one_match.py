"""Matches with a known true win rate, and how often an interval holds it."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from isolarium.stats import Pair, PairSummary, RateEstimate, any_time_rate, summarize, win_rate

Floats = NDArray[np.float64]
Interval = Callable[[PairSummary], RateEstimate]

cached_any_time_rate = lru_cache(maxsize=None)(any_time_rate)


@dataclass(frozen=True)
class Truth:
    """The true distribution of pair scores, and how alike repeats of an opening are.

    With probability `alike` a pair is a copy of its opening's first result; otherwise it is drawn independently.
    """

    mean: float
    split: float
    alike: float = 0.0

    @property
    def probabilities(self) -> tuple[float, float, float]:
        return (max(0.0, self.mean - self.split / 2), self.split, max(0.0, 1 - self.mean - self.split / 2))

    def scores(self, rng: np.random.Generator, count: int) -> Floats:
        won, split, _ = self.probabilities
        draw = rng.random(count)
        return np.where(draw < won, 1.0, np.where(draw < won + split, 0.5, 0.0))

    def pairs(self, rng: np.random.Generator, openings: Sequence[int]) -> list[Pair]:
        """Draw one pair from each of the openings listed, in that order."""
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
    return RateEstimate(rate, max(0.0, rate - reach), min(1.0, rate + reach))


@cache
def _outcomes(pairs: int, interval: Interval) -> tuple[Floats, Floats]:
    """Return all results of so many distinct pairs, with their intervals and multiplicities."""
    rows, weights = [], []
    for won in range(pairs + 1):
        for split in range(pairs + 1 - won):
            lost = pairs - won - split
            estimate = interval(PairSummary.distinct(won, split, lost))
            rows.append((won, split, lost, estimate.low, estimate.high))
            weights.append(math.lgamma(pairs + 1) - sum(math.lgamma(k + 1) for k in (won, split, lost)))
    return np.array(rows).T, np.array(weights)


def exact_coverage(pairs: int, truth: Truth, interval: Interval = win_rate) -> float:
    """Return the probability, summed over every possible result, that the interval is right."""
    (won, split, lost, low, high), weights = _outcomes(pairs, interval)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_chances = np.log(np.array(truth.probabilities))
        terms = np.where(np.array((won, split, lost)) > 0, (won, split, lost) * log_chances[:, None], 0.0)
    chance = np.exp(weights + terms.sum(axis=0))
    held = (low <= truth.mean + 1e-12) & (truth.mean - 1e-12 <= high)
    return float(chance[held].sum())


def truth_at(normalised_elo: float, split: float) -> Truth:
    """Return the distribution with this share of split pairs and this lead in normalised Elo."""
    lead = normalised_elo * math.log(10) / 800 * math.sqrt(2)  # of a pair
    decided = 1 - split
    ahead = lead * math.sqrt(decided / (1 + lead * lead))
    return Truth(0.5 + ahead / 2, split)


def truths(means: Sequence[float], shares: Sequence[float]) -> list[Truth]:
    """Return distributions whose split pairs take the given shares of what their mean allows."""
    return [Truth(m, share * 2 * min(m, 1 - m)) for m in means for share in shares]


COARSE = truths([0.5, 0.55, 0.65, 0.75, 0.9, 0.95, 0.99], [0, 0.05, 0.3, 0.6, 0.9, 1])
FINE = truths(
    [*np.linspace(0.5, 0.94, 45).tolist(), *np.linspace(0.95, 0.999, 50).tolist()],
    [0, 0.01, 0.03, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.97, 1],
)


@dataclass
class Coverage:
    """How often two intervals held the true rate, and how wide they were."""

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
    truth: Truth, draw_openings: Callable[[np.random.Generator], Sequence[int]], runs: int, seed: int
) -> Coverage:
    """Compare our interval with the one that counts every pair as independent."""
    rng, result = np.random.default_rng(seed), Coverage()
    for _ in range(runs):
        summary = summarize(truth.pairs(rng, draw_openings(rng)))
        ours = win_rate(summary)
        naive = win_rate(PairSummary.distinct(summary.won, summary.split, summary.lost))
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
    """Return the probability that the interval is ever wrong within so many distinct pairs.

    The result is exact: it sums over all outcomes.
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
