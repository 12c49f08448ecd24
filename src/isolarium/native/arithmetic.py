"""Bit mixing, logarithm and exponential, with identical results on every machine.

The results of library functions may differ in the last bit between machines, and a search that
breaks ties by them would then play different games. These functions use only operations that the
floating-point standard defines exactly, and the same code runs both in plain Python and compiled.
The logarithm and the exponential are within about two units in the last place of the true value.
"""

import math
from typing import Final

from isolarium.native.jit import compiled_twin, kernel

HALF_ROOT: Final = math.sqrt(0.5)
LN_2: Final = 0.6931471805599453
LN_2_HIGH: Final = 0.6931471803691238  # Its low bits are 0, so multiples up to 2**20 are exact.
LN_2_LOW: Final = 1.9082149292705877e-10

GAMMA: Final = -7046029254386353131
"""The increment from one word of SplitMix64's sequence to the next."""


@kernel
def mixed(word: int) -> int:
    """Mix the bits of a word (the finaliser of SplitMix64: Steele, Lea, Flood 2014)."""
    word = (word ^ (word >> 30 & 0x3FFFFFFFF)) * -4658895280553007687
    word = (word ^ (word >> 27 & 0x1FFFFFFFFF)) * -7723592293110705685
    return word ^ (word >> 31 & 0x1FFFFFFFF)


@kernel
def below(random: int, bound: int) -> int:
    """Return a random number below `bound` from a word of SplitMix64's sequence.

    The bound is at most 2**31.
    """
    return (mixed(random) >> 32 & 0xFFFFFFFF) * bound >> 32


def natural_log(x: float) -> float:
    """Return the logarithm of a positive finite number; for 1 it is exactly 0."""
    mantissa, exponent = math.frexp(x)
    if mantissa < HALF_ROOT:
        mantissa, exponent = 2.0 * mantissa, exponent - 1
    # ln m = 2 artanh z, with |z| below 0.172.
    z = (mantissa - 1.0) / (mantissa + 1.0)
    q = z * z
    series = 1.0 / 17 + q * (1.0 / 19 + q * (1.0 / 21 + q * (1.0 / 23)))
    series = 1.0 / 9 + q * (1.0 / 11 + q * (1.0 / 13 + q * (1.0 / 15 + q * series)))
    series = q * (1.0 / 3 + q * (1.0 / 5 + q * (1.0 / 7 + q * series)))
    return exponent * LN_2 + (2.0 * z + 2.0 * z * series)


def natural_exp(x: float) -> float:
    """Return the exponential of a number up to 700; below -700 it is 0."""
    if x < -700.0:
        return 0.0
    exponent = math.floor(x / LN_2 + 0.5)
    r = (x - exponent * LN_2_HIGH) - exponent * LN_2_LOW
    # A Taylor series with |r| below 0.347. The even and odd powers are separate so that the
    # processor computes them in parallel.
    q = r * r
    even = 1.0 / 40320 + q * (1.0 / 3628800 + q * (1.0 / 479001600 + q * (1.0 / 87178291200)))
    even = q * (0.5 + q * (1.0 / 24 + q * (1.0 / 720 + q * even)))
    odd = 1.0 / 5040 + q * (1.0 / 362880 + q * (1.0 / 39916800 + q * (1.0 / 6227020800)))
    odd = q * (1.0 / 6 + q * (1.0 / 120 + q * odd))
    return math.ldexp(1.0 + (r + (r * odd + even)), int(exponent))


compiled_twin(natural_log)(natural_log)
compiled_twin(natural_exp)(natural_exp)
