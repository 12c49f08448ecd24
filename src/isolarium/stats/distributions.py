"""Distribution functions that need only the standard library."""

import math
from functools import lru_cache
from statistics import NormalDist

_NORMAL = NormalDist()
_TINY = 1e-300


def normal_cdf(x: float) -> float:
    """Return the probability that a standard normal variable is at most x.

    The result is accurate in both tails.
    """
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def log_normal_cdf(x: float) -> float:
    """Return the logarithm of `normal_cdf`, finite even if the probability underflows."""
    if x > -30.0:
        return math.log(normal_cdf(x))
    return -0.5 * x * x - math.log(-x) - 0.5 * math.log(2.0 * math.pi) - 1.0 / (x * x)


def two_sided_quantile(confidence: float) -> float:
    """Return the x for which a share `confidence` of normal draws is within ±x.

    For a confidence of 0.95, the result is 1.96.

    Raises:
        ValueError: If the confidence is not strictly between 0 and 1.
    """
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence {confidence}: expected a number between 0 and 1")
    return _NORMAL.inv_cdf(0.5 + 0.5 * confidence)


def normal_quantile(probability: float) -> float:
    """Return the x with `normal_cdf(x) == probability`."""
    return _NORMAL.inv_cdf(probability)


def beta_cdf(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b), for positive a and b.

    The function uses Lentz's evaluation of the continued fraction DLMF 8.17.22, from the side on
    which the fraction converges fast (about sqrt(a + b) steps).
    """
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    if x > (a + 1.0) / (a + b + 2.0):
        return 1.0 - beta_cdf(1.0 - x, b, a)
    log_front = (
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x) - math.log(a)
    )
    return min(1.0, math.exp(log_front) * _beta_fraction(x, a, b))


def _beta_fraction(x: float, a: float, b: float) -> float:
    c = 1.0
    d = 1.0 / _away_from_zero(1.0 - (a + b) * x / (a + 1.0))
    value = d
    for m in range(1, 100_000):
        even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        for coefficient in (even, odd):
            d = 1.0 / _away_from_zero(1.0 + coefficient * d)
            c = _away_from_zero(1.0 + coefficient / c)
            value *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return value


def _away_from_zero(x: float) -> float:
    return x if abs(x) > _TINY else _TINY


@lru_cache(maxsize=4096)
def student_t_quantile(confidence: float, degrees: int) -> float:
    """Return the x for which a share `confidence` of Student's t is within ±x.

    There must be at least one degree of freedom.
    """
    outside = 1.0 - confidence
    low, high = 0.0, 1.0
    while _student_t_outside(high, degrees) > outside:
        low, high = high, 2.0 * high
    for _ in range(60):
        middle = 0.5 * (low + high)
        if _student_t_outside(middle, degrees) > outside:
            low = middle
        else:
            high = middle
    return high


def _student_t_outside(t: float, degrees: int) -> float:
    return beta_cdf(degrees / (degrees + t * t), 0.5 * degrees, 0.5)
