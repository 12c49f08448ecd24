"""Brownian motion between two absorbing lines: the limit of every sequential test.

The motion starts at 0 with lower < 0 < upper. Probabilities are sums over the images of the
start mirrored in both lines, each shifted by the drift (Darling and Siegert, "The first passage
problem for a continuous Markov process", Annals of Mathematical Statistics 24, 1953).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from isolarium.stats.distributions import log_normal_cdf

_NEGLIGIBLE = 1e-13
# In the time in which it would spread over so many squared widths, no motion stays inside:
# the probability is below exp(-50 pi^2 / 2).
_LONGEST = 50.0


@dataclass(frozen=True, slots=True)
class Motion:
    """A Brownian motion from 0, with drift and a positive variance for each unit of time."""

    drift: float
    variance: float

    def mirrored(self) -> "Motion":
        """The motion seen upside down."""
        return Motion(-self.drift, self.variance)


def reaches_upper(motion: Motion, lower: float, upper: float, time: float) -> float:
    """The probability that the motion meets `upper` by `time` and has not met `lower` before."""
    period = 2.0 * (upper - lower)
    time = min(time, _all_gone(motion, lower, upper))

    def image(k: int) -> float:
        distance = upper + k * period
        return math.copysign(1.0, distance) * _weighted_passage(motion, upper, distance, time)

    return min(1.0, max(0.0, _sum_over_images(image)))


def _weighted_passage(motion: Motion, upper: float, distance: float, time: float) -> float:
    """The passage of the image at `distance` by `time`, weighted for the drift (Girsanov)."""
    tilt, spread = motion.drift / motion.variance, math.sqrt(motion.variance * time)
    far, carried = abs(distance), motion.drift * time
    return math.exp(tilt * (upper - far) + log_normal_cdf((carried - far) / spread)) + math.exp(
        tilt * (upper + far) + log_normal_cdf((-carried - far) / spread)
    )


def _all_gone(motion: Motion, lower: float, upper: float) -> float:
    """A time by which every motion has met a line; later ones would cost ever more images."""
    return _LONGEST * (upper - lower) ** 2 / motion.variance


def _sum_over_images(image: Callable[[int], float]) -> float:
    """The sum of image(k) over all whole k, from the middle outwards until nothing is added."""
    total, k = image(0), 0
    while True:
        k += 1
        step_up, step_down = image(k), image(-k)
        total += step_up + step_down
        if abs(step_up) + abs(step_down) < _NEGLIGIBLE:
            return total
