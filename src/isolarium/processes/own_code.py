"""The user's own Python objects, and how they reach worker processes.

A program can pass its own functions, classes and objects to `isolarium.match`. A spec names such an object as
`own:NAME`, so plans, tables and databases contain only text. This module keeps the objects of this process by name.

The objects belong to the user's own program, so they are trusted: workers receive them by value and run them without a
sandbox. A file or a text cannot define such an object: `own:NAME` finds only objects that this process, or the process
that started it, defined.
"""

import importlib
import linecache
import pickle
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from types import ModuleType
from typing import Any, Final

from isolarium.errors import InputError
from isolarium.processes.code_description import Description, describe, failure_line, is_own_module, own_functions

MOST_NAME: Final = 60


class Kind(StrEnum):
    """The kind of an object."""

    HEURISTIC = "heuristic"
    AGENT = "agent"


_KIND: Final = {Kind.HEURISTIC: "a heuristic", Kind.AGENT: "an agent"}


@dataclass(frozen=True)
class Definition:
    """An object of the user's program.

    Attributes:
        name: Its name in specs, after `own:`.
        kind: The kind of the object.
        thing: The object.
        description: A description of the object's code and values.
    """

    name: str
    kind: Kind
    thing: Any
    description: "Description"


_defined: dict[str, Definition] = {}


class Names:
    """Assigns different names to the objects of one call.

    Names of earlier calls are reused, so an edited function keeps its name.
    """

    def __init__(self) -> None:
        self._taken = dict[str, tuple[Kind, str]]()

    def define(self, kind: Kind, thing: Any) -> str:
        """Register an object in this process, and return its name."""
        description = describe(thing)
        wanted, number = name_of(thing), 1
        name = wanted
        while self._taken.get(name, (kind, description.digest)) != (kind, description.digest):
            number += 1
            name = f"{wanted}_{number}"
        self._taken[name] = kind, description.digest
        define(Definition(name, kind, thing, description))
        return name

    def keep(self, names: Iterable[str]) -> None:
        """Reserve the names that this call's text uses for the objects that already have them."""
        for name in names:
            if (found := _defined.get(name)) is not None:
                self._taken[name] = found.kind, found.description.digest


def name_of(thing: Any) -> str:
    """Return a name for an object, using only characters that a spec allows."""
    if isinstance(thing, partial):
        return name_of(thing.func)
    name = getattr(thing, "__name__", None)
    name = name if isinstance(name, str) else type(thing).__name__
    return re.sub(r"\W+", "_", name).strip("_")[:MOST_NAME] or "unnamed"


def define(definition: Definition) -> None:
    """Register an object under its name, replacing any earlier one."""
    known = _defined.get(definition.name)
    if known is None or known.thing is not definition.thing or known.kind is not definition.kind:
        _defined[definition.name] = definition


def find(name: str, kind: Kind) -> Definition:
    """Return the object with a name and kind.

    Raises:
        InputError: If this process has no such object, or the object cannot be loaded here.
    """
    if name not in _defined and name in _packed:
        _defined[name] = _packed[name].unpack()
        del _packed[name]
    found = _defined.get(name)
    if found is None:
        raise InputError(
            f"own:{name}: no such object in this process; own: names a function or class of a running program"
        )
    if found.kind is not kind:
        raise InputError(f"own:{name}: this is {_KIND[found.kind]}; expected {_KIND[kind]}")
    return found


def known(name: str) -> Definition | None:
    """Return the object with a name, or None if this process has none."""
    return _defined.get(name)


def restore(stored: Mapping[str, tuple[Kind, str]], things: Sequence[Any]) -> None:
    """Register objects under the names that they had in another process.

    Args:
        stored: The kind and the digest of each object by its name.
        things: The objects, in any order; registered objects may be left out.

    Raises:
        InputError: If an object is missing, or has changed.
    """
    found = {(described := describe(thing)).digest: (thing, described) for thing in things}
    for name, (kind, digest) in stored.items():
        if digest in found:
            define(Definition(name, kind, *found[digest]))
        elif name in _defined and _defined[name].description.digest == digest:
            continue
        elif name in map(name_of, things):
            raise InputError(f"{name}: it has changed since the run began; begin a new run with it")
        else:
            raise InputError(f"{name}: the run needs this object; pass it to resume({name})")


# Objects passed to other processes by value


@dataclass(frozen=True)
class Packed:
    """A pickled object.

    Attributes:
        name: The object's name in specs.
        kind: The kind of the object.
        digest: The object's digest.
        data: The pickled object.
        modules: The modules that define the object's functions.
        files: The lines of the object's source files.
    """

    name: str
    kind: Kind
    digest: str
    data: bytes
    modules: tuple[str, ...]
    files: Mapping[str, list[str]]

    def unpack(self) -> Definition:
        """Return the object.

        Raises:
            InputError: If the object cannot be loaded in this process.
        """
        for file, lines in self.files.items():  # Tracebacks show them.
            linecache.cache.setdefault(file, (len("".join(lines)), None, lines, file))
        for module in self.modules:  # Unpickling a compiled function imports the module that defines it.
            if module not in sys.modules and not _can_import(module):
                sys.modules[module] = ModuleType(module)
        try:
            thing = pickle.loads(self.data)
        except Exception as error:  # A module that it imports may be missing here.
            raise InputError(f"own:{self.name}: cannot be loaded in a worker: {failure_line(error)}") from None
        return Definition(self.name, self.kind, thing, Description(self.digest, "", {}, self.files))


def _can_import(module: str) -> bool:
    with suppress(Exception):  # The module may raise anything.
        importlib.import_module(module)
    return module in sys.modules


_packed: dict[str, Packed] = {}


def pack(definition: Definition) -> Packed:
    """Pickle an object by value, with all user code and values that it uses.

    Raises:
        InputError: If the object cannot be pickled.
    """
    import cloudpickle  # Imported here because most processes do not need it

    name = definition.name
    try:
        with _own_modules_by_value():
            data = cloudpickle.dumps(definition.thing)
    except Exception as error:  # Any of the user's objects may refuse.
        raise InputError(f"own:{name}: cannot be sent to worker processes: {failure_line(error)}") from None
    functions = own_functions(definition.thing)
    modules = {function.__module__ for function in functions if function.__module__}
    description = definition.description
    return Packed(
        name, definition.kind, description.digest, data, tuple(sorted(modules - {"__main__"})), description.files
    )


def install(packed: Packed) -> None:
    """Register a packed object in this process; it is unpickled when it is first used."""
    present = _defined.get(packed.name)
    if present is None or present.description.digest != packed.digest:
        _defined.pop(packed.name, None)
        _packed[packed.name] = packed


@contextmanager
def _own_modules_by_value() -> Iterator[None]:
    """Pickle the user's modules by value within the block, because workers cannot import them."""
    import cloudpickle

    registered = []
    for name, module in list(sys.modules.items()):
        if name != "__main__" and isinstance(module, ModuleType) and is_own_module(name):
            with suppress(Exception):  # For example, the module was removed in the meantime.
                cloudpickle.register_pickle_by_value(module)
                registered.append(module)
    try:
        yield
    finally:
        for module in registered:
            with suppress(ValueError):
                cloudpickle.unregister_pickle_by_value(module)
