"""Mistakes in a person's function that can be read off it: it cannot run, compiled or not."""

import builtins
import dis
from collections.abc import Callable, Iterator
from itertools import pairwise
from types import CodeType
from typing import Any

from isolab.text import did_you_mean


def mistake_in(function: Callable[..., Any]) -> str | None:
    """A name that is not defined, with its line; or that nothing is returned. In words, or None."""
    code, known = function.__code__, {**vars(builtins), **function.__globals__}
    for step in _steps(code):
        if step.opname == "LOAD_GLOBAL" and step.argval not in known:
            hint = did_you_mean(step.argval, function.__globals__)
            told = f"name {step.argval!r} is not defined" + (f" ({hint})" if hint else "")
            line = step.positions.lineno if step.positions else None
            return told if line is None else f"line {line}: {told}"
    return "it returns nothing: is a return missing?" if _returns_nothing(code) else None


def _steps(code: CodeType) -> Iterator[dis.Instruction]:
    """The instructions of a function and of those defined in it."""
    yield from dis.get_instructions(code)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _steps(constant)


def _returns_nothing(code: CodeType) -> bool:
    """Whether it comes to an end, and every end gives None."""
    steps = list(dis.get_instructions(code))
    returned = [
        step if step.opname == "RETURN_CONST" else before
        for before, step in pairwise(steps)
        if step.opname in ("RETURN_CONST", "RETURN_VALUE")
    ]
    loads = ("RETURN_CONST", "LOAD_CONST")
    return bool(returned) and all(step.opname in loads and step.argval is None for step in returned)
