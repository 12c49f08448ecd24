"""The system's clock for compiled code, which cannot call Python's.

Reading the clock takes about 20 nanoseconds. It is written into two words, as seconds and nanoseconds; on Windows, into
the first word, in ticks.
"""

import ctypes
import time
from functools import cache
from typing import Any, Final, NamedTuple

from isolarium.compat import IS_WINDOWS
from isolarium.native.jit import kernel
from isolarium.native.memory import load_word, read_clock

SECOND_NS: Final = 1_000_000_000


class Clock(NamedTuple):
    """The system's clock.

    Attributes:
        address: The address of a C function that writes the time.
        name: Its first argument; None if that is the address of the words to write.
        scale: The nanoseconds in a unit of the first word.
    """

    address: int
    name: int | None
    scale: int


@cache
def system_clock() -> Clock:
    """Return the clock that never goes back."""
    if IS_WINDOWS:
        functions: Any = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined, unused-ignore]
        ticks = ctypes.c_int64()
        functions.QueryPerformanceFrequency(ctypes.byref(ticks))
        scale = max(1, SECOND_NS // ticks.value)
        return Clock(_address(functions.QueryPerformanceCounter), None, scale)
    return Clock(_address(ctypes.CDLL(None).clock_gettime), time.CLOCK_MONOTONIC, SECOND_NS)


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


@kernel
def now_ns(address: int, name: int, words: int, scale: int) -> int:
    """Return the time in nanoseconds, from any start.

    Args:
        address: The address of the clock's function.
        name: The first argument of that function.
        words: The address of the two words that it writes.
        scale: The nanoseconds in a unit of the first word.
    """
    read_clock(address, name, words)
    return load_word(words, 0) * scale + load_word(words, 1)
