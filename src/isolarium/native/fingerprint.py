"""A digest of everything that compiled code depends on.

Numba's own cache looks at the time stamp of the one file a function stands in: a helper edited in another file would
give the OLD result. So the digest follows every name that the bytecode mentions: functions, their closures and
defaults, compiled twins, constants, arrays, modules; whatever it cannot follow makes it unique, which costs a
compilation and never a wrong value.
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
"""Both are known by their version; their code is not followed."""

_Field: Final = type(vars(namedtuple("_Example", "field"))["field"])  # it has no public name


def fingerprint(*things: Any) -> str:
    """A hexadecimal digest that changes whenever code or data reachable from `things` does."""
    walker = _Walker()
    walker.add(_foundation())
    for thing in things:
        walker.add(thing)
    return walker.digest.hexdigest()[:32]


@cache
def _foundation() -> bytes:
    """The versions underneath, and this room's own source: operators are overloaded there, under no name."""
    digest = hashlib.sha256()
    for part in (sys.version, numba.__version__, np.__version__, sysconfig.get_platform()):
        digest.update(part.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(read_small(path, MOST_OWN, follow_links=True))
    return digest.digest()


class _Walker:
    """Feeds one digest with everything reachable, each thing once."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()
        self.seen: dict[int, tuple[int, Any]] = {}  # by id; which one it was, and the thing itself

    def add(self, thing: Any) -> None:
        """Take in one thing and what it leads to."""
        if isinstance(thing, (bool, int, float, complex, str, bytes, type(None), type(...))):
            return self._say(type(thing).__name__, repr(thing))
        if id(thing) in self.seen:
            return self._say("seen", str(self.seen[id(thing)][0]))
        self.seen[id(thing)] = len(self.seen), thing  # kept alive, so that the id stays its own
        if isinstance(thing, (tuple, list, set, frozenset, dict)):
            return self._add_collection(thing)
        if isinstance(thing, CodeType):
            return self._add_code(thing)
        return self._add_object(thing)

    def _say(self, *words: str) -> None:
        self.digest.update("\0".join(words).encode() + b"\1")

    def _add_collection(self, thing: Iterable[Any]) -> None:
        self._say(type(thing).__name__)
        items = list(thing.items()) if isinstance(thing, dict) else list(thing)
        if isinstance(thing, (set, frozenset)):
            items.sort(key=repr)
        for item in items:
            self.add(item)
        self._say("end")

    def _add_code(self, code: CodeType) -> None:
        self._say("code", code.co_name, repr(code.co_code), repr(code.co_flags))
        self.add(
            (code.co_consts, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        )

    def _add_object(self, thing: Any) -> None:
        if isinstance(thing, np.ndarray):
            return self._say("array", str(thing.dtype), str(thing.shape), thing.tobytes().hex())
        if isinstance(thing, ModuleType):
            return self._say("module", thing.__name__)  # what is used of it: see `_named`
        inner = getattr(thing, "py_func", None) or getattr(thing, "_defn", None)
        if inner is not None:  # a Numba dispatcher or intrinsic
            self._say("options", repr(getattr(thing, "targetoptions", None)))
            return self.add(inner)
        if isinstance(thing, numba.types.Type):
            return self._say("type", str(thing))
        if _library(getattr(thing, "__module__", None)) or isinstance(thing, BuiltinFunctionType):
            return self._say("library", str(getattr(thing, "__qualname__", None) or repr(thing)))
        if isinstance(thing, FunctionType):
            return self._add_function(thing)
        if isinstance(thing, _Field):  # of a named tuple: its place is all there is to it
            return self._say("field", str(thing.__reduce__()[1][0]))
        if isinstance(thing, type):
            self._say("class", thing.__qualname__)
            return self.add({k: v for k, v in vars(thing).items() if not k.startswith("__")})
        return self._say("unknown", uuid.uuid4().hex)

    def _add_function(self, function: FunctionType) -> None:
        # Loading compiled code imports the modules of its functions, so one that has moved must not be found.
        self._say("function", function.__module__, function.__name__)
        self.add(function.__code__)
        self.add((function.__defaults__, function.__kwdefaults__))
        self.add(tuple(cell.cell_contents for cell in function.__closure__ or ()))
        self.add(getattr(function, TWIN, None))
        for name, value in _named(function.__code__, function.__globals__):
            self._say("name", name)
            self.add(value)


def _library(module: str | None) -> bool:
    """Whether the module is known by its version, or belongs to this room, whose source is in the foundation."""
    if module is None:
        return False
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names:  # unless a person's own file of that name stands before it
        file = getattr(sys.modules.get(top), "__file__", None)
        return file is None or Path(file).is_relative_to(STANDARD_LIBRARY)
    return top in LIBRARIES or module.startswith(f"{__package__}.")


def _named(code: CodeType, scope: dict[str, Any]) -> list[tuple[str, Any]]:
    """The globals that the code mentions, and what it mentions of the modules among them."""
    names = _all_names(code)
    found = [(name, scope[name]) for name in names if name in scope]
    for name, value in found:  # grows while it is walked: modules may lead to modules
        if isinstance(value, ModuleType) and not _library(value.__name__):
            found += [
                (f"{name}.{attribute}", getattr(value, attribute))
                for attribute in names
                if hasattr(value, attribute) and name.count(".") < 8
            ]
    return found


def _all_names(code: CodeType) -> list[str]:
    """The names used by the code and by the code inside it, in order, once each."""
    names = list(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names += _all_names(constant)
    return list(dict.fromkeys(names))
