"""Compiled code made of two parts that are compiled apart: an entry point, and a function that it calls.

Nearly all the time of compiling goes into finding out what Python means; LLVM, which makes machine code of that, takes
a small part. A search is the same whatever its heuristic is. So it is compiled once with a hole where the heuristic
is asked, and for every heuristic LLVM alone links the two and optimises the whole, as it would code from one piece.
"""

# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
# Numba's extension protocol has no types.

import ctypes
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from pathlib import Path
from typing import Any, Final, NamedTuple

import llvmlite.binding as llvm
from numba.core import caching, cgutils
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.environment import Environment
from numba.extending import intrinsic

HOLE: Final = "isolarium_hole"
"""The name that compiled code calls until the hole is filled. None that calls it is ever run."""

llvm.add_symbol(HOLE, ctypes.cast(ctypes.pythonapi.Py_FatalError, ctypes.c_void_p).value)


class Part(NamedTuple):
    """What fills the hole of an entry point, where it is bound to one of its open names: compiled by itself.

    Attributes:
        template: a module-level function of three arguments that leaves names open as an entry point does.
        signature: one explicit Numba signature, by which the entry point calls it.
        bindings: values of the template's open names.
    """

    template: Callable[..., Any]
    signature: Any
    bindings: tuple[tuple[str, Any], ...]


def hole(signature: Any) -> Any:
    """What is called where a part is missing, by that signature; what the part raises goes on through the caller."""

    @intrinsic
    def call(typing_context, first, second, third):
        def generate(context, builder, given, arguments):
            convention, taken = context.call_conv, signature.args
            kind = convention.get_function_type(signature.return_type, taken)
            function = cgutils.get_or_insert_function(builder.module, kind, HOLE)
            arguments = [
                context.cast(builder, *each)
                for each in zip(arguments, given.args, taken, strict=True)
            ]
            status, value = convention.call_function(
                builder, function, signature.return_type, taken, arguments
            )
            with cgutils.if_unlikely(builder, status.is_error):
                convention.return_status_propagate(builder, status)
            return value

        return signature.return_type(first, second, third), generate

    return call


def filled(entry: Any, part: Any, old: str, new: str) -> Any:
    """The compile result of an entry point with its hole filled by the function of another compile result.

    Args:
        entry: of the entry point with the hole.
        part: of the function.
        old: the digest in the name of the entry point's module.
        new: the one to put in its place, of the same length: all names in machine code are unique.
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
    """Have these functions be known outside, as `linkage` says, and no other.

    Numba numbers its functions anew in every process, so those of two processes may have the same name.
    """
    for function in module.functions:
        if not function.is_declaration:
            function.linkage = linkage if function.name in names else "internal"


def _things_in(module: Any) -> list[Any]:
    """Everything that has a name."""
    return [*module.functions, *module.global_variables]


# Loading


_InTree: Any = getattr(caching, "InTreeCacheLocator", None) or caching._InTreeCacheLocator
"""The second is its name before Numba 0.62."""


class _BesideSource(_InTree):  # type: ignore[misc] # Numba has no types
    """Keeps compiled code beside its source, also where a sandbox lets us only read it."""

    def ensure_cache_path(self):
        with suppress(OSError):
            Path(self.get_cache_path()).mkdir(mode=0o700, exist_ok=True)


class _Loading(CompileResultCacheImpl):  # type: ignore[misc] # Numba has no types
    """What Numba keeps, and the names that the code calls: where one is not known yet, all is made ready."""

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
    """Numba's cache, without making the whole compiler ready, a third of a second's work, to load what is compiled."""

    _impl_class = _Loading

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compile result that was kept for the signature, or None."""
        with self._guard_against_spurious_io_errors():
            return self._load_overload(signature, context)
