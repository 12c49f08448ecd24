"""What the figures of the statistics must be, whoever made them."""

import math
from numbers import Integral, Real
from typing import Final

ROUNDING: Final = 1e-9
"""By so much figures may differ that are the same but for how they were worked out."""


def check_count(name: str, value: object) -> None:
    """See that something is a number of things.

    Raises:
        ValueError: it is not.
    """
    if type(value) is int and value >= 0:  # to ask an abstract class takes ten times as long
        return
    if type(value) is bool or not isinstance(value, Integral) or value < 0:
        raise ValueError(f"{name} {value!r}: expected a whole number from 0 on")


def check_within(name: str, value: object, least: float, most: float) -> None:
    """See that something is a number in a range, but for rounding.

    Raises:
        ValueError: it is not.
    """
    if is_number(value) and least - ROUNDING <= value <= most + ROUNDING:  # type: ignore[operator] # it is a number
        return
    raise ValueError(f"{name} {value!r}: expected a number from {least:g} to {most:g}")


def is_number(value: object) -> bool:
    """Whether something is a finite number; True and False are none."""
    if type(value) is float:
        return math.isfinite(value)
    try:
        return type(value) is not bool and isinstance(value, Real) and math.isfinite(value)
    except OverflowError:  # an int that is too large
        return False
