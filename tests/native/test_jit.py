"""An entry point is compiled once for all its parts and runs as if compiled in one piece."""

from pathlib import Path
from typing import Any

import pytest
from numba import types

from isolarium.native.entry_points import compile_entry, notify_before_compiling
from isolarium.native.jit import Part, kernel

# Bound when compiled
ask: Any = None
weigh: Any = None
UNIQUE: str = ""

NUMBER = types.float64(types.float64, types.int64, types.int64)


def ask_twice(x: float) -> float:
    return ask(x, 1, 2) + 10 * ask(x, 3, 4)  # type: ignore[no-any-return] # bound when compiled


def weighed(x: float, i: int, j: int) -> float:
    return weigh(x, i, j)  # type: ignore[no-any-return] # bound when compiled


@kernel
def total(x: float, i: int, j: int) -> float:
    return x + i + j


@kernel
def whole_difference(x: float, i: int, j: int) -> int:
    return i - j


@kernel
def inverse(x: float, i: int, j: int) -> float:
    if x == 0:
        raise ValueError("nothing to divide by")
    return i / x


def test_parts_share_an_entry_point(tmp_path: Path) -> None:
    notified: list[None] = []

    def compiled(function: Any) -> Any:
        unique = str(tmp_path)  # so that nothing is compiled yet
        part = Part(weighed, NUMBER, (("UNIQUE", unique), ("weigh", function)))
        bindings = {"ask": part, "UNIQUE": unique}
        return compile_entry(ask_twice, types.float64(types.float64), bindings)

    with notify_before_compiling(lambda: notified.append(None)):
        assert compiled(total)(0.5) == 3.5 + 10 * 7.5
        assert len(notified) == 3  # the entry point without its part, the part, and both
        assert compiled(whole_difference)(0.5) == -1 + 10 * -1
        assert len(notified) == 5
        divide = compiled(inverse)
    assert divide(0.5) == 2 + 10 * 6
    with pytest.raises(ValueError, match="nothing to divide by"):
        divide(0.0)
    assert compiled(total)(1.0) == 4 + 10 * 8


def test_calling_a_part_from_python_is_an_error() -> None:
    with pytest.raises(TypeError, match="total is for compiled code"):
        total(0.5, 1, 2)
