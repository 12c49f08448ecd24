import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isolarium.stats.distributions import beta_cdf, log_normal_cdf, normal_cdf, student_t_quantile, two_sided_quantile


@pytest.mark.parametrize(
    ("degrees", "published"), [(1, 12.7062), (2, 4.3027), (5, 2.5706), (10, 2.2281), (30, 2.0423), (1000, 1.9623)]
)
def test_student_t_quantiles_are_those_of_the_printed_tables(degrees: int, published: float) -> None:
    assert student_t_quantile(0.95, degrees) == pytest.approx(published, abs=1e-4)


@given(st.integers(1, 60), st.integers(0, 60), st.floats(0.01, 0.99))
def test_beta_function_of_whole_numbers_is_a_binomial_tail(k: int, more: int, x: float) -> None:
    n = k + more
    tail = sum(math.comb(n, j) * x**j * (1 - x) ** (n - j) for j in range(k, n + 1))
    assert beta_cdf(x, k, n - k + 1) == pytest.approx(tail, abs=1e-10)


@given(st.floats(0.1, 1e6), st.floats(0.1, 1e6), st.floats(0.001, 0.999))
def test_beta_function_and_its_mirror_image_make_one(a: float, b: float, x: float) -> None:
    assert beta_cdf(x, a, b) + beta_cdf(1 - x, b, a) == pytest.approx(1, abs=1e-6)


def test_normal_distribution_meets_published_values() -> None:
    assert two_sided_quantile(0.95) == pytest.approx(1.959964, abs=1e-6)
    assert normal_cdf(-3) == pytest.approx(0.001349898, rel=1e-6)
    assert log_normal_cdf(-40) == pytest.approx(-804.608442, rel=1e-8)


def test_logarithm_has_no_step_where_its_formula_changes() -> None:
    assert log_normal_cdf(-30 + 1e-9) == pytest.approx(log_normal_cdf(-30 - 1e-9), rel=1e-6)


@pytest.mark.parametrize("confidence", [0, 1, -0.5, 95, math.nan])
def test_a_confidence_outside_zero_to_one_is_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence"):
        two_sided_quantile(confidence)
