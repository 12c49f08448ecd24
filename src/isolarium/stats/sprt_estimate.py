"""What a sequential test's result says about strength, corrected for when it stopped."""

from dataclasses import dataclass

from isolarium.stats.brownian_exit import Motion, reaches_upper
from isolarium.stats.elo import likelihood_of_superiority
from isolarium.stats.interval import CONFIDENCE, RateEstimate, win_rate
from isolarium.stats.pairs import PairSummary
from isolarium.stats.sprt import SprtPlan, SprtState, log_likelihood_ratio
from isolarium.stats.trinomial import likeliest_with_mean


@dataclass(frozen=True, slots=True)
class SequentialEstimate:
    """A win rate after a test that chose its own length.

    Attributes:
        rate: The win rate to report: median-unbiased once the test has stopped, else the naive.
        naive: What the same pairs would say had their number been fixed. Of a stopped test it
            exaggerates: a test stops when luck and strength add up.
        superiority: The likelihood that agent A is better, by the same reckoning as `rate`.
        state: How the test ended, or that it was still running.
    """

    rate: RateEstimate
    naive: RateEstimate
    superiority: float
    state: SprtState

    @property
    def corrected(self) -> bool:
        """Whether `rate` is corrected for the test having chosen when to stop."""
        return self.state is not SprtState.RUNNING


def sequential_estimate(
    summary: PairSummary, plan: SprtPlan, confidence: float = CONFIDENCE
) -> SequentialEstimate:
    """The win rate after a sequential test, corrected for early stopping.

    The log likelihood ratio is taken as a Brownian motion between the test's bounds. Outcomes
    are ordered as in Siegmund, "Estimation following sequential tests", Biometrika 65 (1978):
    meeting the upper bound sooner is better, meeting the lower one sooner is worse. The estimate
    is the win rate under which a worse outcome than the observed one has probability 1/2, the
    ends of the interval those under which it has (1 + confidence) / 2 and (1 - confidence) / 2.
    Chosen over a correction of the mean because its interval and its likelihood of superiority
    follow from the same ordering, and because fishtest reports the same.

    In simulation (`python -m tests.stats.simulations`) the naive rate is too high in about two of
    three tests for which H1 holds, and too low in as many for which H0 holds; the corrected one
    is right in the median. The approximation needs some pairs: with bounds so far apart that a
    dozen pairs decide, it draws estimates towards the middle.

    Args:
        summary: The pairs the test has read, stopped or not.
        plan: The test's plan.
        confidence: The probability with which the interval holds the true rate.
    """
    naive = win_rate(summary, confidence)
    outcome = _Outcome(summary, plan)
    if outcome.state is SprtState.RUNNING:
        return SequentialEstimate(naive, naive, likelihood_of_superiority(summary), outcome.state)
    tail = 0.5 * (1.0 - confidence)
    rate = RateEstimate(
        outcome.rate_at(0.5), outcome.rate_at(1.0 - tail), outcome.rate_at(tail), confidence
    )
    return SequentialEstimate(rate, naive, outcome.worse(0.5), outcome.state)


class _Outcome:
    """How a test ended, and how likely worse endings are under a given win rate."""

    def __init__(self, summary: PairSummary, plan: SprtPlan) -> None:
        llr = log_likelihood_ratio(summary, plan)
        self.plan = plan
        self.state = plan.judge(llr)
        self.counts = summary.effective_counts
        # The last pair carries the ratio past its bound: the bound was met a part of a pair before.
        self.time = summary.effective / max(1.0, llr / plan.upper, llr / plan.lower)
        # If all pairs were split one of the two variances may be 0, never both.
        self.variance = 0.25
        if self.state is not SprtState.RUNNING:
            hypotheses = plan.hypotheses(summary)
            self.rate0, self.rate1 = (one.mean for one in hypotheses)
            self.variance = 0.5 * sum(one.variance for one in hypotheses)

    def motion(self, rate: float) -> Motion:
        """The motion of the log likelihood ratio if `rate` is the truth.

        A pair adds about (rate1 - rate0)(score - middle) / variance to it, with the variance of a
        score under the hypotheses.
        """
        rate0, rate1 = self.rate0, self.rate1
        won, split, lost = self.counts
        # Half a decisive pair more keeps the motion moving if all were split. A rate far from the
        # one observed would need pairs that vary more than these did: do not assume that.
        likeliest = likeliest_with_mean((won + 0.25, split, lost + 0.25), rate)
        variance = min(likeliest.variance, self.variance)
        pull = (rate1 - rate0) / self.variance
        return Motion(pull * (rate - 0.5 * (rate0 + rate1)), pull * pull * variance)

    def worse(self, rate: float) -> float:
        """The probability of an outcome worse than this one, which falls as the rate rises."""
        motion, lower, upper = self.motion(rate), self.plan.lower, self.plan.upper
        if self.state is SprtState.ACCEPTS_H1:
            return 1.0 - reaches_upper(motion, lower, upper, self.time)
        return reaches_upper(motion.mirrored(), -upper, -lower, self.time)

    def rate_at(self, probability: float) -> float:
        """The win rate under which worse outcomes have this probability."""
        low, high = 0.0, 1.0
        for _ in range(40):
            rate = 0.5 * (low + high)
            if self.worse(rate) > probability:
                low = rate
            else:
                high = rate
        return 0.5 * (low + high)
