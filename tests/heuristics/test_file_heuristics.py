"""Heuristics in files have the values and searches recorded for them, the catalogue's among them."""

import pytest

from tests.heuristics.file_heuristics import NAMES, SAMPLE, measured, recorded


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLE)
def test_heuristic_has_the_recorded_values_and_searches(name: str) -> None:
    assert measured([name]) == {name: recorded()[name]}


def test_every_heuristic_is_recorded() -> None:
    assert list(recorded()) == list(NAMES)
