"""Compiled code reads and writes words at addresses and calls C functions."""

import ctypes
import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import types

from isolarium.native.entry_points import compile_entry
from isolarium.native.memory import call_address, load_constant, load_float, load_word, store_float, store_word

WORDS = st.integers(-(1 << 63), (1 << 63) - 1)


def shuffle(source: int, target: int, constants: int) -> None:
    """Copy two words crosswise, a double one word on, and a constant."""
    store_word(target, 0, load_word(source, 1))
    store_word(target, 1, load_word(source, 0))
    store_float(target, 3, load_float(source, 2))
    store_word(target, 4, load_constant(constants, 5))


def ask(address: int, step: int) -> float:
    """Call the function there with seven words."""
    answer: float = call_address(address, step, 2 * step, 3 * step, 4, 5, 6, -7)
    return answer


@given(WORDS, WORDS, st.floats(), WORDS)
def test_words_and_doubles_arrive_bit_for_bit(one: int, other: int, double: float, constant: int) -> None:
    shuffle_words = compile_entry(shuffle, types.void(*[types.int64] * 3), {})
    source, target, constants = (np.zeros(6, dtype=np.int64) for _ in range(3))
    source[:2] = one, other
    source.view(np.float64)[2] = double
    constants[5] = constant
    shuffle_words(source.ctypes.data, target.ctypes.data, constants.ctypes.data)
    assert target.tolist() == [other, one, 0, source[2], constant, 0]


def test_calls_a_c_function_with_seven_words() -> None:
    kind = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_int64] * 7)
    received: list[tuple[int, ...]] = []

    def answer(*words: int) -> float:
        received.append(words)
        return math.inf if words[0] < 0 else words[0] / 8

    function = kind(answer)  # kept alive
    ask_python = compile_entry(ask, types.float64(types.int64, types.int64), {})
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert [ask_python(address, step) for step in (3, -3)] == [0.375, math.inf]
    assert received == [(3, 6, 9, 4, 5, 6, -7), (-3, -6, -9, 4, 5, 6, -7)]
