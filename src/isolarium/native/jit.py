"""Numba as compiled code uses it: flags, decorators, linking, and loading from the cache.

Nearly all of the compilation time is spent analysing Python code; generating machine code with LLVM
takes little of it. The code of a search is the same for every heuristic, so it is compiled once,
with a hole in place of the heuristic. For each heuristic, LLVM links the two and optimises the
result as one module.
"""

# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
# Numba's extension protocol has no types.

import ctypes
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn, TypeVar, cast
from weakref import WeakSet

import llvmlite.binding as llvm
import numba
from numba.core import caching, cgutils
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.environment import Environment
from numba.core.registry import CPUDispatcher, cpu_target
from numba.extending import intrinsic, overload

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


# Entry points with holes, and the parts that fill them

HOLE: Final = "isolarium_hole"
"""The name of the function that code with an unfilled hole calls. Such code never runs."""

llvm.add_symbol(HOLE, ctypes.cast(ctypes.pythonapi.Py_FatalError, ctypes.c_void_p).value)


class Part(NamedTuple):
    """A separately compiled function that fills the hole of an entry point.

    The part is bound to one of the entry point's open names.

    Attributes:
        template: A module-level function of three arguments, with open names like those of an entry
            point.
        signature: The explicit Numba signature with which the entry point calls the part.
        bindings: Values of the template's open names.
    """

    template: Callable[..., Any]
    signature: Any
    bindings: tuple[tuple[str, Any], ...]


def hole(signature: Any) -> Any:
    """Return a placeholder for a part with that signature.

    Exceptions of the part propagate to the caller.
    """

    @intrinsic
    def call(typing_context, first, second, third):
        def generate(context, builder, given, arguments):
            convention, taken = context.call_conv, signature.args
            kind = convention.get_function_type(signature.return_type, taken)
            function = cgutils.get_or_insert_function(builder.module, kind, HOLE)
            arguments = [context.cast(builder, *each) for each in zip(arguments, given.args, taken, strict=True)]
            status, value = convention.call_function(builder, function, signature.return_type, taken, arguments)
            with cgutils.if_unlikely(builder, status.is_error):
                convention.return_status_propagate(builder, status)
            return value

        return signature.return_type(first, second, third), generate

    return call


def filled(entry: Any, part: Any, old: str, new: str) -> Any:
    """Return the compile result of an entry point with its hole filled.

    Args:
        entry: The compile result of the entry point with the hole.
        part: The compile result of the part.
        old: The digest in the name of the entry point's module.
        new: The digest that replaces `old`. It has the same length, and it keeps all names in
            machine code unique.
    """
    context = entry.target_context
    about = copy(entry.fndesc)
    about.modname = about.modname.replace(old, new)
    about.mangled_name = about.mangled_name.replace(old, new)
    about.env_name = about.env_name.replace(old, new)
    asked = part.fndesc.llvm_func_name
    module = entry.library._get_module_for_linking().clone()
    for thing in _things_in(module):
        thing.name = asked if thing.name == HOLE else thing.name.replace(old, new)
    _keep(module, "external", about.llvm_func_name, about.llvm_cpython_wrapper_name)
    other = part.library._get_module_for_linking().clone()
    _keep(other, "linkonce_odr", asked)
    module.link_in(other)
    environment = Environment.from_fndesc(about)
    environment.consts.extend(entry.environment.consts)
    library = context.codegen().create_library(about.qualname)
    library.enable_object_caching()
    library.add_llvm_module(module)
    run = context.get_executable(library, about, environment)
    return entry._replace(library=library, fndesc=about, environment=environment, entry_point=run)


def _keep(module: Any, linkage: str, *names: str) -> None:
    """Set the linkage of the named functions and make all other functions internal.

    Numba numbers its functions separately in every process, so functions compiled in two processes
    may share a name.
    """
    for function in module.functions:
        if not function.is_declaration:
            function.linkage = linkage if function.name in names else "internal"


def _things_in(module: Any) -> list[Any]:
    """Return everything in the module that has a name."""
    return [*module.functions, *module.global_variables]


# Loading from the cache, without initialising the compiler


_InTree: Any = getattr(caching, "InTreeCacheLocator", None) or caching._InTreeCacheLocator
"""The second name was used before Numba 0.62."""


class _BesideSource(_InTree):  # type: ignore[misc] # Numba has no types
    """A locator that keeps compiled code beside its source, in a possibly read-only folder."""

    def ensure_cache_path(self):
        with suppress(OSError):
            Path(self.get_cache_path()).mkdir(mode=0o700, exist_ok=True)


class _Loading(CompileResultCacheImpl):  # type: ignore[misc] # Numba has no types
    """Numba's cached result, together with the names of the functions it calls.

    If a name is undefined when the result is loaded, the compiler is initialised first.
    """

    _locator_classes = (_BesideSource,)

    def reduce(self, result):
        needed = [
            thing.name
            for thing in _things_in(result.library._final_module)
            if thing.is_declaration and not thing.name.startswith("llvm.")
        ]
        return needed, super().reduce(result)

    def rebuild(self, context, kept):
        needed, reduced = kept
        if not all(map(llvm.address_of_symbol, needed)):
            context.refresh()
        return super().rebuild(context, reduced)


class QuickCache(FunctionCache):  # type: ignore[misc] # Numba has no types
    """Numba's cache, which loads compiled code without initialising the compiler.

    Initialising takes a third of a second.
    """

    _impl_class = _Loading

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the cached compile result for the signature, or None."""
        with self._guard_against_spurious_io_errors():
            return self._load_overload(signature, context)


@cache
def initialise_compiler() -> None:
    """Initialise the compiler, in a process from which others are forked.

    Otherwise each forked process would initialise it at its first compilation, which takes as long as
    importing Numba.
    """
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()
