import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isolarium.stats.brownian_exit import Motion, reaches_upper
from isolarium.stats.distributions import normal_cdf

drifts = st.floats(-3, 3)
lowers = st.floats(-5, -0.3)
uppers = st.floats(0.3, 5)
times = st.floats(0.01, 30)


def stays_inside(motion: Motion, lower: float, upper: float, time: float) -> float:
    met_lower = reaches_upper(motion.mirrored(), -upper, -lower, time)
    return 1 - met_lower - reaches_upper(motion, lower, upper, time)


@given(drifts, lowers, uppers, times)
def test_the_longer_it_moves_the_likelier_it_has_met_a_line(
    drift: float, lower: float, upper: float, time: float
) -> None:
    motion = Motion(drift, 1.0)
    sooner, later = (stays_inside(motion, lower, upper, t) for t in (time, 1.5 * time))
    assert -1e-9 <= later <= sooner + 1e-9 <= 1 + 1e-8


@given(drifts, lowers, uppers)
def test_given_time_the_lines_divide_it_as_a_gambler_is_ruined(
    drift: float, lower: float, upper: float
) -> None:
    if abs(drift) < 1e-6:
        ruin = -lower / (upper - lower)
    else:
        ruin = math.expm1(-2 * drift * lower) / (
            math.exp(-2 * drift * lower) - math.exp(-2 * drift * upper)
        )
    assert reaches_upper(Motion(drift, 1.0), lower, upper, 2000) == pytest.approx(ruin, abs=1e-5)


@given(drifts, uppers, times)
def test_with_one_line_far_away_passage_is_inverse_gaussian(
    drift: float, upper: float, time: float
) -> None:
    root = math.sqrt(time)
    passage = normal_cdf((drift * time - upper) / root) + math.exp(2 * drift * upper) * normal_cdf(
        (-drift * time - upper) / root
    )
    assert reaches_upper(Motion(drift, 1.0), -200, upper, time) == pytest.approx(passage, abs=1e-9)


@given(lowers, uppers, st.floats(0.5, 30))
def test_survival_is_the_sine_series_of_the_heat_equation(
    lower: float, upper: float, time: float
) -> None:
    width = upper - lower
    series = sum(
        4
        / (math.pi * n)
        * math.sin(-math.pi * n * lower / width)
        * math.exp(-0.5 * time * (math.pi * n / width) ** 2)
        for n in range(1, 400, 2)
    )
    assert stays_inside(Motion(0.0, 1.0), lower, upper, time) == pytest.approx(series, abs=1e-9)


@pytest.mark.parametrize("drift", [-1e4, -50, 50, 1e4])
def test_a_violent_drift_neither_overflows_nor_misses(drift: float) -> None:
    motion = Motion(drift, 1.0)
    assert reaches_upper(motion, -3, 3, 5) == pytest.approx(1.0 if drift > 0 else 0.0)
    assert stays_inside(motion, -3, 3, 5) == pytest.approx(0)
