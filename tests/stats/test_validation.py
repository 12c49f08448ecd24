"""Figures that cannot be are refused, whoever made them."""

from collections.abc import Callable
from math import inf, nan

import pytest

from isolarium.stats import PairSummary, RateEstimate, SprtPlan


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: SprtPlan("0", 5), "elo0 '0'"),  # type: ignore[arg-type] # as people give it
        (lambda: SprtPlan(False, True), "elo0 False"),
        (lambda: SprtPlan(0, nan), "elo1 nan"),
        (lambda: SprtPlan(0, 5, alpha="x"), "alpha 'x'"),  # type: ignore[arg-type]
        (lambda: SprtPlan(0, 5, normalised="no"), "normalised 'no'"),  # type: ignore[arg-type]
        (lambda: PairSummary(-1, 0, 0, 0, 0.0), "won -1"),
        (lambda: PairSummary(1, None, 0, 1, 1.0), "split None"),  # type: ignore[arg-type]
        (lambda: PairSummary(1, 1, 1.5, 1, 1.0), "lost 1.5"),  # type: ignore[arg-type]
        (lambda: PairSummary(1, 1, 1, 4, 3.0), "clusters 4: expected at most 3"),
        (lambda: PairSummary(1, 1, 1, 3, 1e9), "effective 1000000000.0"),
        (lambda: PairSummary.distinct(2, True, 0), "split True"),
        (lambda: RateEstimate(5, 7, 3), "rate 5"),
        (lambda: RateEstimate(0.5, 0.6, 0.7), "low 0.6: expected a number from 0 to 0.5"),
        (lambda: RateEstimate(0.5, 0.4, inf), "high inf"),
        (lambda: RateEstimate(0.5, 0.4, 0.6, 95), "confidence 95"),
        (lambda: RateEstimate(0.5, None, 0.6), "low None"),  # type: ignore[arg-type]
    ],
)
def test_a_figure_that_cannot_be_is_named(make: Callable[[], object], told: str) -> None:
    with pytest.raises(ValueError, match="expected") as caught:
        make()
    assert told in str(caught.value)
