"""The logarithm and the exponential that are the same on every machine."""

import math

import numba
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isolarium.native.arithmetic import natural_exp, natural_log


def log_of(x: float) -> float:
    return natural_log(x)


def exp_of(x: float) -> float:
    return natural_exp(x)


compiled_log, compiled_exp = numba.njit(log_of), numba.njit(exp_of)


@given(st.floats(1e-300, 1e300))
def test_logarithm_is_the_librarys_but_for_rounding(x: float) -> None:
    assert natural_log(x) == pytest.approx(math.log(x), rel=4e-16, abs=1e-300)


@given(st.floats(-700, 700))
def test_exponential_is_the_librarys_but_for_rounding(x: float) -> None:
    assert natural_exp(x) == pytest.approx(math.exp(x), rel=4e-16)


@given(st.floats(1e-300, 1e300), st.floats(-2000, 700))
def test_compiled_code_gives_the_same_bits(positive: float, x: float) -> None:
    assert compiled_log(positive) == natural_log(positive)
    assert compiled_exp(x) == natural_exp(x)


def test_exact_where_it_must_be() -> None:
    assert natural_log(1.0) == 0.0
    assert natural_exp(0.0) == 1.0
    assert natural_exp(-1e9) == 0.0
