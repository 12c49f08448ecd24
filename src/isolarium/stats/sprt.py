"""Sequential probability ratio tests on pairs, and win rates after such tests.

A plan states the test's bounds before the run. A test tends to stop when luck adds to strength, so the win rate after
it is corrected. The correction treats the log likelihood ratio as a Brownian motion between two absorbing lines, the
limit of every sequential test.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from isolarium.stats.distributions import log_normal_cdf
from isolarium.stats.elo import likelihood_of_superiority, rate_from_elo
from isolarium.stats.pairs import Pair, PairSummary, PairTally, is_number
from isolarium.stats.rates import (
    CONFIDENCE,
    RateEstimate,
    Trinomial,
    likeliest_with_lead,
    likeliest_with_mean,
    win_rate,
)

# Normalised Elo per standard deviation of a pair's score; a game's deviation counts sqrt(2) times
# as much.
NORMALISED_ELO = 800.0 / math.log(10.0) / math.sqrt(2.0)


class SprtState(StrEnum):
    """The state of a sequential test."""

    RUNNING = "running"
    ACCEPTS_H0 = "accepts H0"
    ACCEPTS_H1 = "accepts H1"


@dataclass(frozen=True, slots=True)
class SprtPlan:
    """The settings of a test, decided before the first pair is played.

    Attributes:
        elo0: The difference under H0, for instance 0 for no gain.
        elo1: The difference under H1, above elo0: the smallest gain worth having.
        alpha: The accepted probability of choosing H1 if H0 holds.
        beta: The accepted probability of choosing H0 if H1 holds.
        normalised: Whether the differences are in normalised Elo (Van den Bergh, "Normalized Elo",
            www.cantate.be/Fishtest; used by fishtest and fastchess): the lead in standard deviations of a game, times
            800 / ln 10. The length of a test then does not depend on the share of split pairs.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    normalised: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        if not (is_number(self.elo0) and is_number(self.elo1)):
            raise ValueError(f"elo0 {self.elo0!r}, elo1 {self.elo1!r}: expected two numbers")
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo0 {self.elo0:g} is not below elo1 {self.elo1:g}; give the smaller one first")
        for name, error in (("alpha", self.alpha), ("beta", self.beta)):
            if not (is_number(error) and 0.0 < error < 0.5):
                raise ValueError(f"{name} {error!r}: expected a number between 0 and 0.5")
        if not isinstance(self.normalised, bool):
            raise ValueError(f"normalised {self.normalised!r}: expected True or False")

    @property
    def lower(self) -> float:
        """The log likelihood ratio at or below which H0 is accepted (Wald 1945)."""
        return math.log(self.beta / (1.0 - self.alpha))

    @property
    def upper(self) -> float:
        """The log likelihood ratio at or above which H1 is accepted (Wald 1945)."""
        return math.log((1.0 - self.beta) / self.alpha)

    @property
    def unit(self) -> str:
        """The unit of the differences."""
        return "normalised Elo" if self.normalised else "Elo"

    def hypotheses(self, summary: PairSummary) -> tuple[Trinomial, Trinomial]:
        """Return the likeliest distributions of pair scores under H0 and H1."""
        counts = summary.effective_counts
        if self.normalised:
            lead0, lead1 = self.elo0 / NORMALISED_ELO, self.elo1 / NORMALISED_ELO
            return likeliest_with_lead(counts, lead0), likeliest_with_lead(counts, lead1)
        rate0, rate1 = rate_from_elo(self.elo0), rate_from_elo(self.elo1)
        return likeliest_with_mean(counts, rate0), likeliest_with_mean(counts, rate1)

    def judge(self, llr: float) -> SprtState:
        """Return the state of a test with this log likelihood ratio."""
        if llr >= self.upper:
            return SprtState.ACCEPTS_H1
        if llr <= self.lower:
            return SprtState.ACCEPTS_H0
        return SprtState.RUNNING


def log_likelihood_ratio(summary: PairSummary, plan: SprtPlan) -> float:
    """Return the generalised log likelihood ratio of a plan's H1 against its H0.

    Each hypothesis is represented by its likeliest distribution of won, split and lost pairs: Van den Bergh, "A
    practical introduction to the GSPRT" and "The generalized maximum likelihood ratio for the expectation value of a
    distribution" (www.cantate.be/Fishtest), which Stockfish's fishtest applies to pairs of games. For three outcomes it
    has a closed form that needs no
    regularisation: counts of zero are valid. Clusters enter by the effective number of pairs. The ratio is 0 if no pair
    has been played.
    """
    if summary.pairs == 0:
        return 0.0
    under0, under1 = plan.hypotheses(summary)
    return sum(
        count * math.log(p1 / p0)
        for count, p0, p1 in zip(summary.effective_counts, under0, under1, strict=True)
        if count
    )


class SequentialTest:
    """A sequential test that reads pairs by number, in whatever order they finish.

    A pair waits until all pairs before it have been added. The test is evaluated after each pair and stops at the first
    bound that it meets; later pairs are not read. State, path and summary therefore depend only on the numbered pairs,
    never on timing.
    """

    def __init__(self, plan: SprtPlan, first_number: int = 0) -> None:
        """Start a test whose first pair has the number `first_number`."""
        self.plan = plan
        self._next = first_number
        self._waiting: dict[int, Pair] = {}
        self._tally = PairTally()
        self._path: list[float] = []
        self._state = SprtState.RUNNING

    def add(self, number: int, pair: Pair) -> SprtState:
        """Add a finished pair, and read every pair whose turn has come.

        Raises:
            ValueError: If a pair with this number was added before.
        """
        if self._state is not SprtState.RUNNING:
            return self._state
        if number < self._next or number in self._waiting:
            raise ValueError(f"pair {number}: added before")
        self._waiting[number] = pair
        while self._state is SprtState.RUNNING and self._next in self._waiting:
            self._read(self._waiting.pop(self._next))
            self._next += 1
        return self._state

    def _read(self, pair: Pair) -> None:
        self._tally.add(pair)
        llr = log_likelihood_ratio(self.summary, self.plan)
        self._path.append(llr)
        self._state = self.plan.judge(llr)

    @property
    def state(self) -> SprtState:
        """`RUNNING`, or the accepted hypothesis."""
        return self._state

    @property
    def llr(self) -> float:
        """The log likelihood ratio after the pairs read so far."""
        return self._path[-1] if self._path else 0.0

    @property
    def path(self) -> tuple[float, ...]:
        """The log likelihood ratio after each pair read."""
        return tuple(self._path)

    @property
    def summary(self) -> PairSummary:
        """The pairs read so far."""
        return self._tally.summary()


_NEGLIGIBLE = 1e-13
# The time, in squared widths of the interval over the variance, after which a motion has left the
# interval; the probability that it has not is below exp(-50 pi^2 / 2).
_LONGEST = 50.0


@dataclass(frozen=True, slots=True)
class Motion:
    """A Brownian motion from 0, with a drift and a positive variance per unit of time."""

    drift: float
    variance: float

    def mirrored(self) -> "Motion":
        """Return the motion reflected at 0."""
        return Motion(-self.drift, self.variance)


def reaches_upper(motion: Motion, lower: float, upper: float, time: float) -> float:
    """Return the probability that the motion meets `upper` by `time`, before `lower`.

    The motion starts at 0 with lower < 0 < upper. The probability is a sum over the images of the start, reflected at
    both lines and shifted by the drift (Darling and Siegert, "The first passage problem for a continuous Markov
    process", Annals of Mathematical Statistics 24, 1953).
    """
    period = 2.0 * (upper - lower)
    time = min(time, _exit_time(motion, lower, upper))

    def image(k: int) -> float:
        distance = upper + k * period
        return math.copysign(1.0, distance) * _weighted_passage(motion, upper, distance, time)

    return min(1.0, max(0.0, _sum_over_images(image)))


def _weighted_passage(motion: Motion, upper: float, distance: float, time: float) -> float:
    """Return the passage of the image at `distance`, weighted by drift (Girsanov)."""
    tilt, spread = motion.drift / motion.variance, math.sqrt(motion.variance * time)
    far, carried = abs(distance), motion.drift * time
    return math.exp(tilt * (upper - far) + log_normal_cdf((carried - far) / spread)) + math.exp(
        tilt * (upper + far) + log_normal_cdf((-carried - far) / spread)
    )


def _exit_time(motion: Motion, lower: float, upper: float) -> float:
    """Return a time by which every motion has practically met one of the lines.

    Later times would require more and more images.
    """
    return _LONGEST * (upper - lower) ** 2 / motion.variance


def _sum_over_images(image: Callable[[int], float]) -> float:
    """Sum image(k) over all integers k, from the middle outwards until the terms vanish."""
    total, k = image(0), 0
    while True:
        k += 1
        step_up, step_down = image(k), image(-k)
        total += step_up + step_down
        if abs(step_up) + abs(step_down) < _NEGLIGIBLE:
            return total


@dataclass(frozen=True, slots=True)
class SequentialEstimate:
    """A win rate after a sequential test, which determines its own length.

    Attributes:
        rate: The win rate to report: median-unbiased once the test has stopped, `naive` before.
        naive: The estimate as if the number of pairs had been fixed. After a stopped test this estimate exaggerates,
            because a test tends to stop when luck adds to strength.
        superiority: The likelihood that agent A is better, computed by the same method as `rate`.
        state: The result of the test, or `RUNNING`.
    """

    rate: RateEstimate
    naive: RateEstimate
    superiority: float
    state: SprtState

    @property
    def corrected(self) -> bool:
        """Whether `rate` is corrected for early stopping."""
        return self.state is not SprtState.RUNNING


def sequential_estimate(summary: PairSummary, plan: SprtPlan, confidence: float = CONFIDENCE) -> SequentialEstimate:
    """Estimate the win rate after a sequential test, corrected for early stopping.

    The log likelihood ratio is modelled as a Brownian motion between the test's bounds. Outcomes are ordered as in
    Siegmund, "Estimation following sequential tests", Biometrika 65 (1978): meeting the upper bound sooner is better,
    meeting the lower one sooner is worse. The estimate is the win rate under which a worse outcome than the observed
    one has probability 1/2; the ends of the interval are the win rates under which it has the probabilities (1 +
    confidence) / 2 and (1
    - confidence) / 2. This method is preferred to a correction of the mean because its interval and its likelihood of
    superiority follow from the same ordering, and because fishtest uses it.

    In simulation (`python -m tests.stats.simulations`) the naive rate is too high in about two of three tests if H1
    holds, and too low in two of three if H0 holds; the median of the corrected rate is right. The approximation needs
    some pairs: if a dozen pairs decide the test, it shrinks estimates towards the middle.

    Args:
        summary: The pairs that the test has read, whether or not it has stopped.
        plan: The test's plan.
        confidence: The probability with which the interval holds the true rate.
    """
    naive = win_rate(summary, confidence)
    outcome = _Outcome(summary, plan)
    if outcome.state is SprtState.RUNNING:
        return SequentialEstimate(naive, naive, likelihood_of_superiority(summary), outcome.state)
    tail = 0.5 * (1.0 - confidence)
    rate = RateEstimate(outcome.rate_at(0.5), outcome.rate_at(1.0 - tail), outcome.rate_at(tail), confidence)
    return SequentialEstimate(rate, naive, outcome.worse(0.5), outcome.state)


class _Outcome:
    """The outcome of a test, and the probability of worse outcomes at a win rate."""

    def __init__(self, summary: PairSummary, plan: SprtPlan) -> None:
        llr = log_likelihood_ratio(summary, plan)
        self.plan = plan
        self.state = plan.judge(llr)
        self.counts = summary.effective_counts
        # The last pair moves the ratio past its bound, so the bound was met a fraction of a pair
        # earlier.
        self.time = summary.effective / max(1.0, llr / plan.upper, llr / plan.lower)
        # If all pairs were split, one of the two variances may be 0, but not both.
        self.variance = 0.25
        if self.state is not SprtState.RUNNING:
            hypotheses = plan.hypotheses(summary)
            self.rate0, self.rate1 = (one.mean for one in hypotheses)
            self.variance = 0.5 * sum(one.variance for one in hypotheses)

    def motion(self, rate: float) -> Motion:
        """Return the motion of the log likelihood ratio if the true win rate is `rate`.

        Each pair adds about (rate1 - rate0)(score - middle) / variance to the ratio, with the variance of a score under
        the hypotheses.
        """
        rate0, rate1 = self.rate0, self.rate1
        won, split, lost = self.counts
        # Adding half a decisive pair keeps the motion moving if all pairs were split. A rate far
        # from the observed rate would require pairs that vary more than these, which is not
        # assumed.
        likeliest = likeliest_with_mean((won + 0.25, split, lost + 0.25), rate)
        variance = min(likeliest.variance, self.variance)
        pull = (rate1 - rate0) / self.variance
        return Motion(pull * (rate - 0.5 * (rate0 + rate1)), pull * pull * variance)

    def worse(self, rate: float) -> float:
        """Return the probability of a worse outcome, which falls as the rate rises."""
        motion, lower, upper = self.motion(rate), self.plan.lower, self.plan.upper
        if self.state is SprtState.ACCEPTS_H1:
            return 1.0 - reaches_upper(motion, lower, upper, self.time)
        return reaches_upper(motion.mirrored(), -upper, -lower, self.time)

    def rate_at(self, probability: float) -> float:
        """Return the win rate under which worse outcomes have the given probability."""
        low, high = 0.0, 1.0
        for _ in range(40):
            rate = 0.5 * (low + high)
            if self.worse(rate) > probability:
                low = rate
            else:
                high = rate
        return 0.5 * (low + high)
