"""The order of values, and what people see of it."""

import math
from itertools import pairwise

import pytest
from numba import types

from isolarium.native.entry_points import compile_entry
from isolarium.search.kernel_state import (
    FINITE,
    INFINITE,
    NOTHING,
    PROVEN,
    WIN,
    is_proven,
    plies_to_end,
    public_score,
    ranked,
)

LONGEST = 169
"""Plies of the longest game."""


def rank_value(value: float) -> float:
    return ranked(value)


def rank(value: float) -> float:
    found: float = compile_entry(rank_value, types.float64(types.float64), {})(value)
    return found


def test_every_class_of_values_lies_above_the_one_before() -> None:
    ascending = [
        -NOTHING,
        *(-(WIN - ply) for ply in range(1, LONGEST + 1)),
        -PROVEN,
        rank(-math.inf),
        rank(-FINITE),
        rank(-0.25),
        rank(0.0),
        rank(0.25),
        rank(FINITE),
        rank(math.inf),
        PROVEN,
        *(WIN - ply for ply in range(LONGEST, 0, -1)),
        NOTHING,
    ]
    assert all(low < high for low, high in pairwise(ascending))


@pytest.mark.parametrize("value", [0.0, -1.5, 1e-9, 3.0, FINITE, -FINITE])
def test_finite_values_stay_as_they_are(value: float) -> None:
    assert rank(value) == value
    assert public_score(rank(value)) == value
    assert not is_proven(rank(value))


@pytest.mark.parametrize("value", [math.inf, 1.1 * FINITE, 1e300])
def test_values_past_all_bounds_are_infinite_and_never_proven(value: float) -> None:
    assert rank(value) == INFINITE
    assert rank(-value) == -INFINITE
    assert public_score(rank(value)) == math.inf
    assert public_score(rank(-value)) == -math.inf
    assert not is_proven(rank(value))
    assert not is_proven(rank(-value))


def test_no_number_is_the_worst_that_a_heuristic_can_say() -> None:
    assert rank(math.nan) == rank(-math.inf)


def test_a_proven_score_tells_when_the_game_ends() -> None:
    for ply in range(1, LONGEST + 1):
        for sign in (1, -1):
            score = sign * (WIN - ply)
            assert is_proven(score)
            assert plies_to_end(score) == ply
            assert public_score(score) == sign * math.inf
