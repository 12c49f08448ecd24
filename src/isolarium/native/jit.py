"""Numba's flags and the decorators of compiled code."""

from collections.abc import Callable
from typing import Any, Final, NoReturn, TypeVar, cast
from weakref import WeakSet

import numba
from numba.core.registry import CPUDispatcher
from numba.extending import overload

F = TypeVar("F", bound=Callable[..., Any])

FLAGS: Final[dict[str, Any]] = {
    "nogil": True,
    "error_model": "numpy",
    "boundscheck": False,
    "no_cfunc_wrapper": True,  # No function is passed as a pointer.
}
PART: Final[dict[str, Any]] = {**FLAGS, "forceinline": True, "no_cpython_wrapper": True}
"""The flags of functions that Python never calls."""

TWIN: Final = "__compiled_twin__"
"""The attribute of a plain function that holds its compiled twin, for `fingerprint`."""


class _Kernel(CPUDispatcher):  # type: ignore[misc] # Numba has no types
    """A function that only compiled code calls.

    An entry point from Python would add about a sixth to its compilation time.
    """

    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError(f"{self.py_func.__qualname__} is for compiled code; Python cannot call it")


def kernel(function: F) -> F:
    """Mark a function as part of compiled code, to be inlined where it is called.

    The function is not cached by itself, but as part of the entry points that use it (see
    `entry_points.py`).
    """
    compiled: Any = _Kernel(function, targetoptions={**PART, "nopython": True})
    return cast(F, compiled)


def generator_kernel(function: F) -> F:
    """Mark a generator as part of compiled code; Numba cannot force it to be inlined."""
    compiled: F = numba.njit(**FLAGS)(function)
    return compiled


def compiled_twin(plain: Callable[..., Any]) -> Callable[[F], F]:
    """Make compiled code run the decorated function wherever it calls `plain`."""

    def register(compiled: F) -> F:
        setattr(plain, TWIN, compiled)
        _registered.add(plain)
        overload(plain, strict=False, jit_options=PART)(lambda *arguments, **named: compiled)
        return compiled

    return register


_registered: Final = WeakSet[Callable[..., Any]]()


def register_received(function: Callable[..., Any]) -> None:
    """Register a function that another process decorated and sent to this one by value."""
    if getattr(function, TWIN, None) is function and function not in _registered:
        compiled_twin(function)(function)
