"""A set of squares in compiled code is Python's set, on boards of one, two and three words."""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numba import types

from isolarium.game.tables import WORD_MASK
from isolarium.native.entry_points import compile_entry
from isolarium.native.memory import load_word, store_word
from isolarium.native.squareset import (
    count,
    fold,
    half_turned,
    is_empty,
    load_set,
    load_table_set,
    lowest,
    shift,
    shift_down,
    single,
    store_set,
    without_lowest,
    word_of,
)

WORDS: int = 0  # bound when compiled

SETS = 10
"""How many sets `operate` writes, three words each; its numbers follow."""


def operate(given: int, found: int) -> None:
    """Do everything a set can to the two sets, the square and the distance behind `given`."""
    left: Any = load_set(given, 0, WORDS)
    right: Any = load_set(given, 3, WORDS)
    square, by = load_word(given, 6), load_word(given, 7)

    store_set(found, 0, left & right)
    store_set(found, 3, left | right)
    store_set(found, 6, left ^ right)
    store_set(found, 9, left - right)
    store_set(found, 12, shift(left, by))
    store_set(found, 15, shift_down(left, by))
    store_set(found, 18, single(left, square))
    store_set(found, 21, without_lowest(left))
    store_set(found, 24, load_table_set(given, 8, 2, left))

    store_set(found, 27, half_turned(left, square + 1))

    numbers = found + 30 * 8
    store_word(numbers, 0, len(left))
    store_word(numbers, 1, count(right))
    store_word(numbers, 2, 1 if square in left else 0)
    store_word(numbers, 3, 1 if left == right else 0)
    store_word(numbers, 4, 1 if left != right else 0)
    store_word(numbers, 5, 1 if bool(left) else 0)
    store_word(numbers, 6, 1 if is_empty(left) else 0)
    store_word(numbers, 7, -1 if is_empty(left) else lowest(left))
    store_word(numbers, 8, fold(left))
    store_word(numbers, 9, word_of(left, 0))
    store_word(numbers, 10, word_of(left, 1))
    store_word(numbers, 11, word_of(left, 2))
    walked, squares = 0, left
    while not is_empty(squares):
        walked = walked * 7 + lowest(squares)
        squares = without_lowest(squares)
    store_word(numbers, 12, walked)


class Found(NamedTuple):
    """What `operate` wrote: sets as integers, and numbers."""

    sets: list[int]
    numbers: list[int]


@cache
def compiled(words: int) -> Callable[[int, int], None]:
    return compile_entry(operate, types.void(types.int64, types.int64), {"WORDS": words})


def words_of(mask: int) -> list[int]:
    return [mask >> 64 * i & WORD_MASK for i in range(3)]


def run(words: int, left: int, right: int, square: int, by: int, third: int = 0) -> Found:
    given = np.zeros(8 + 3 * words, dtype=np.uint64)
    given[:8] = *words_of(left), *words_of(right), square, by
    given[8 + 2 * words :] = words_of(third)[:words]
    found = np.zeros(3 * SETS + 13, dtype=np.uint64)
    compiled(words)(given.ctypes.data, found.ctypes.data)
    raw = found.tolist()
    sets = [sum(word << 64 * i for i, word in enumerate(raw[at : at + 3])) for at in range(0, 3 * SETS, 3)]
    return Found(sets, found[3 * SETS :].view(np.int64).tolist())


def masks(words: int) -> st.SearchStrategy[int]:
    """Any set, and sets of few squares, most of them next to the words' borders."""
    size = 64 * words
    borders = [s for s in (0, 1, 62, 63, 64, 65, 127, 128, 129, size - 1) if s < size]
    few = st.lists(st.sampled_from(borders) | st.integers(0, size - 1), max_size=4)
    return st.integers(0, (1 << size) - 1) | few.map(lambda squares: sum(1 << s for s in {*squares}))


@st.composite
def cases(draw: st.DrawFn) -> tuple[int, int, int, int, int, int]:
    words = draw(st.integers(1, 3))
    left, right, third = (draw(masks(words)) for _ in range(3))
    square = draw(st.integers(0, 64 * words - 1))
    return words, left, right, square, draw(st.integers(1, 63)), third


def members(mask: int) -> frozenset[int]:
    return frozenset(i for i in range(192) if mask >> i & 1)


@given(cases())
def test_operators_are_those_of_frozensets(case: tuple[int, int, int, int, int, int]) -> None:
    words, left, right, square, by, _ = case
    found = run(words, left, right, square, by)
    a, b = members(left), members(right)
    assert list(map(members, found.sets[:4])) == [a & b, a | b, a ^ b, a - b]
    assert found.numbers[:6] == [len(a), len(b), square in a, a == b, a != b, bool(a)]
    assert found.numbers[6] == (not a)


@given(cases())
def test_our_own_functions_equal_those_on_integers(case: tuple[int, int, int, int, int, int]) -> None:
    words, left, right, square, by, third = case
    found = run(words, left, right, square, by, third)
    full = (1 << 64 * words) - 1
    assert found.sets[4:9] == [left << by & full, left >> by, 1 << square, left & left - 1 if left else 0, third]
    assert found.numbers[7] == (min(members(left)) if left else -1)
    assert [n & WORD_MASK for n in found.numbers[9:12]] == words_of(left)


@given(cases())
def test_squares_come_from_the_lowest_up(case: tuple[int, int, int, int, int, int]) -> None:
    words, left, *_ = case
    walked = 0
    for square in sorted(members(left)):
        walked = walked * 7 + square
    assert run(words, left, 0, 0, 1).numbers[12] & WORD_MASK == walked & WORD_MASK


@given(cases())
@example((3, (1 << 192) - 1, 0, 0, 1, 0))
def test_fold_never_changes(case: tuple[int, int, int, int, int, int]) -> None:
    """A search's table is addressed by it, and so its node counts depend on it."""
    words, left, *_ = case
    multipliers = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
    folded = 0
    for word, odd in zip(words_of(left), multipliers, strict=True):
        folded ^= word * odd & WORD_MASK
    assert run(words, left, 0, 0, 1).numbers[8] & WORD_MASK == folded


@given(cases())
def test_half_a_turn_reverses_the_boards_squares(case: tuple[int, int, int, int, int, int]) -> None:
    words, left, right, square, by, _ = case
    size = square + 1
    left &= (1 << size) - 1
    turned = run(words, left, right, square, by).sets[9]
    assert members(turned) == {size - 1 - s for s in members(left)}


@pytest.mark.parametrize("words", [1, 2, 3])
def test_every_square_crosses_every_border(words: int) -> None:
    size = 64 * words
    for square in range(size):
        for by in (1, 2, 13, 26, 63):
            found = run(words, 1 << square, 0, square, by)
            assert members(found.sets[4]) == {square + by} & set(range(size))
            assert members(found.sets[5]) == {square - by} & set(range(size))
            assert found.numbers[2] == 1
