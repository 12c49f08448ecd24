"""All of Numba's flags, in one place."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

import numba
from numba.extending import overload

F = TypeVar("F", bound=Callable[..., Any])

FLAGS: Final[dict[str, Any]] = {"nogil": True, "error_model": "numpy", "boundscheck": False}
INLINE: Final[dict[str, Any]] = {**FLAGS, "forceinline": True}
PART: Final[dict[str, Any]] = {**INLINE, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Of what Python never calls."""

TWIN: Final = "__compiled_twin__"
"""The attribute of a plain function that names its compiled twin, for `fingerprint`."""


def kernel(function: F) -> F:
    """Mark a function as part of compiled code: compiled where it is called from, and inlined there.

    It is not cached by itself; the entry point that it becomes a part of is (see `entry.py`).
    """
    compiled: F = numba.njit(**INLINE)(function)
    return compiled


def generator_kernel(function: F) -> F:
    """The same for a generator, which Numba cannot force to be inlined."""
    compiled: F = numba.njit(**FLAGS)(function)
    return compiled


def compiled_twin(plain: Callable[..., Any]) -> Callable[[F], F]:
    """Make the decorated function what compiled code runs where it calls `plain`."""

    def register(compiled: F) -> F:
        setattr(plain, TWIN, compiled)
        overload(plain, strict=False, jit_options=INLINE)(lambda *arguments, **named: compiled)
        return compiled

    return register
