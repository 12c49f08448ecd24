"""A digest of everything that compiled code depends on.

Numba's own cache checks only the time stamp of the file that defines a function. After an edit to a
helper function in another file, it would therefore load outdated code. This digest follows every
name in the bytecode: functions with their closures and defaults, compiled twins, constants, arrays
and modules. An object that cannot be followed makes the digest unique, which costs a compilation
but never gives a wrong value.
"""

import hashlib
import sys
import sysconfig
import uuid
from collections import namedtuple
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, Final

import numba
import numpy as np

from isolarium.native.jit import TWIN
from isolarium.safe_files import MOST_OWN, read_small

LIBRARIES: Final = frozenset({"numpy", "numba", "llvmlite"})
STANDARD_LIBRARY: Final = Path(sysconfig.get_path("stdlib"))
"""Libraries and the standard library are identified by version; their code is not followed."""

_Field: Final = type(vars(namedtuple("_Example", "field"))["field"])  # The type has no public name.


def fingerprint(*things: Any) -> str:
    """Return a hexadecimal digest of all code and data reachable from `things`."""
    walker = _Walker()
    walker.add(_foundation())
    for thing in things:
        walker.add(thing)
    return walker.digest.hexdigest()[:32]


@cache
def _foundation() -> bytes:
    """Return a digest of the platform's versions and this package's source.

    All of the source is included, because overloaded operators have no names to follow.
    """
    digest = hashlib.sha256()
    for part in (sys.version, numba.__version__, np.__version__, sysconfig.get_platform()):
        digest.update(part.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(read_small(path, MOST_OWN, follow_links=True))
    return digest.digest()


class _Walker:
    """A walk that adds every reachable object to a digest exactly once."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()
        self.seen: dict[int, tuple[int, Any]] = {}  # By id: the index in the walk, and the object

    def add(self, thing: Any) -> None:
        """Add an object and everything reachable from it."""
        if isinstance(thing, (bool, int, float, complex, str, bytes, type(None), type(...))):
            return self._update(type(thing).__name__, repr(thing))
        if id(thing) in self.seen:
            return self._update("seen", str(self.seen[id(thing)][0]))
        self.seen[id(thing)] = len(self.seen), thing  # Kept alive so that its id is not reused
        if isinstance(thing, (tuple, list, set, frozenset, dict)):
            return self._add_collection(thing)
        if isinstance(thing, CodeType):
            return self._add_code(thing)
        return self._add_object(thing)

    def _update(self, *words: str) -> None:
        self.digest.update("\0".join(words).encode() + b"\1")

    def _add_collection(self, thing: Iterable[Any]) -> None:
        self._update(type(thing).__name__)
        items = list(thing.items()) if isinstance(thing, dict) else list(thing)
        if isinstance(thing, (set, frozenset)):
            items.sort(key=repr)
        for item in items:
            self.add(item)
        self._update("end")

    def _add_code(self, code: CodeType) -> None:
        self._update("code", code.co_name, repr(code.co_code), repr(code.co_flags))
        self.add((code.co_consts, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars))

    def _add_object(self, thing: Any) -> None:
        if isinstance(thing, np.ndarray):
            return self._update("array", str(thing.dtype), str(thing.shape), thing.tobytes().hex())
        if isinstance(thing, ModuleType):
            return self._update("module", thing.__name__)  # `_named` follows the attributes in use.
        inner = getattr(thing, "py_func", None) or getattr(thing, "_defn", None)
        if inner is not None:  # A Numba dispatcher or intrinsic
            self._update("options", repr(getattr(thing, "targetoptions", None)))
            return self.add(inner)
        if isinstance(thing, numba.types.Type):
            return self._update("type", str(thing))
        if _library(getattr(thing, "__module__", None)) or isinstance(thing, BuiltinFunctionType):
            return self._update("library", str(getattr(thing, "__qualname__", None) or repr(thing)))
        if isinstance(thing, FunctionType):
            return self._add_function(thing)
        if isinstance(thing, _Field):  # A field of a named tuple, determined by its index
            return self._update("field", str(thing.__reduce__()[1][0]))
        if isinstance(thing, type):
            self._update("class", thing.__qualname__)
            return self.add({k: v for k, v in vars(thing).items() if not k.startswith("__")})
        return self._update("unknown", uuid.uuid4().hex)

    def _add_function(self, function: FunctionType) -> None:
        # Loading compiled code imports its functions' modules, so the digest includes the module's
        # name.
        self._update("function", function.__module__, function.__name__)
        self.add(function.__code__)
        self.add((function.__defaults__, function.__kwdefaults__))
        self.add(tuple(cell.cell_contents for cell in function.__closure__ or ()))
        self.add(getattr(function, TWIN, None))
        for name, value in _named(function.__code__, function.__globals__):
            self._update("name", name)
            self.add(value)


def _library(module: str | None) -> bool:
    """Return whether a module is identified by its version or is part of this package."""
    if module is None:
        return False
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names:  # Unless a user's file with the same name shadows it
        file = getattr(sys.modules.get(top), "__file__", None)
        return file is None or Path(file).is_relative_to(STANDARD_LIBRARY)
    return top in LIBRARIES or module.startswith(f"{__package__}.")


def _named(code: CodeType, scope: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return the globals, and the attributes of modules, that the code uses."""
    names = _all_names(code)
    found = [(name, scope[name]) for name in names if name in scope]
    for name, value in found:  # Grows during iteration, because modules may refer to other modules
        if isinstance(value, ModuleType) and not _library(value.__name__):
            found += [
                (f"{name}.{attribute}", getattr(value, attribute))
                for attribute in names
                if hasattr(value, attribute) and name.count(".") < 8
            ]
    return found


def _all_names(code: CodeType) -> list[str]:
    """Return the names used by the code and by nested code, each once."""
    names = list(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names += _all_names(constant)
    return list(dict.fromkeys(names))
