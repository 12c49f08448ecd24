"""How quickly things are done, by clocks that may not have moved meanwhile."""

from typing import Final

CLOCK_STEP_S: Final = 1e-9
"""The least that the clocks of a program tell apart."""


def per_second(count: float, seconds: float, step_s: float = CLOCK_STEP_S) -> float:
    """So many a second: more than none if there was one, whatever the clock says.

    A time of less than the clock's step, or of nothing at all, counts as that step.
    """
    return count / max(seconds, step_s)
