"""Speeds by clocks that move, stand still, and are set back."""

import pytest

from isolarium.speed import CLOCK_STEP_S, per_second


def test_so_many_a_second() -> None:
    assert per_second(300, 2.0) == 150
    assert per_second(0, 2.0) == 0


@pytest.mark.parametrize("seconds", [0.0, -3600.0])
def test_a_clock_that_did_not_move_went_one_step(seconds: float) -> None:
    assert per_second(5, seconds) == 5 / CLOCK_STEP_S
    assert per_second(5, seconds, step_s=1.0) == 5
    assert per_second(0, seconds) == 0
