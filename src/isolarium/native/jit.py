"""All of Numba's flags, in one place."""

from collections.abc import Callable
from typing import Any, Final, NoReturn, TypeVar, cast

import numba
from numba.core.registry import CPUDispatcher
from numba.extending import overload

F = TypeVar("F", bound=Callable[..., Any])

FLAGS: Final[dict[str, Any]] = {
    "nogil": True,
    "error_model": "numpy",
    "boundscheck": False,
    "no_cfunc_wrapper": True,  # nothing is passed on as a pointer to a function
}
PART: Final[dict[str, Any]] = {**FLAGS, "forceinline": True, "no_cpython_wrapper": True}
"""Of what Python never calls."""

TWIN: Final = "__compiled_twin__"
"""The attribute of a plain function that names its compiled twin, for `fingerprint`."""


class _Kernel(CPUDispatcher):  # type: ignore[misc] # Numba has no types
    """A function that only compiled code calls: a way in from Python takes a sixth of the time of compiling it."""

    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError(f"{self.py_func.__qualname__} is for compiled code; Python cannot call it")


def kernel(function: F) -> F:
    """Mark a function as part of compiled code: compiled where it is called from, and inlined there.

    It is not cached by itself; the entry point that it becomes a part of is (see `entry_points.py`).
    """
    compiled: Any = _Kernel(function, targetoptions={**PART, "nopython": True})
    return cast(F, compiled)


def generator_kernel(function: F) -> F:
    """The same for a generator, which Numba cannot force to be inlined."""
    compiled: F = numba.njit(**FLAGS)(function)
    return compiled


def compiled_twin(plain: Callable[..., Any]) -> Callable[[F], F]:
    """Make the decorated function what compiled code runs where it calls `plain`."""

    def register(compiled: F) -> F:
        setattr(plain, TWIN, compiled)
        overload(plain, strict=False, jit_options=PART)(lambda *arguments, **named: compiled)
        return compiled

    return register
