"""The catalogue of heuristics, and how a heuristic is found by name: there, in a file, or in a package.

A file is run as its own module (`processes/code_loader.py`). A package registers heuristics in the entry point group
`isolarium.heuristics`. Each entry point names a decorated function, and its own name is the heuristic's name.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from types import FunctionType, ModuleType
from typing import Any

from isolarium.errors import InputError, quoted
from isolarium.game.view import PlainView
from isolarium.heuristics.catalogue import MODULES
from isolarium.heuristics.definition import Heuristic, heuristic, heuristic_of
from isolarium.native.jit import register_received
from isolarium.processes import own_code
from isolarium.processes.code_description import own_functions
from isolarium.processes.code_loader import HEURISTICS, installed_names, load_file, load_installed
from isolarium.processes.own_code import Kind
from isolarium.spec.parser import AGENT, OWN, Call
from isolarium.text import did_you_mean


class Catalogue(Mapping[str, Heuristic]):
    """Heuristics by name, displayed as a list with their formulas.

    A heuristic without a formula shows the first line of its docstring.
    """

    def __init__(self, heuristics: Mapping[str, Heuristic]) -> None:
        self._heuristics = dict(heuristics)

    def __getitem__(self, name: str) -> Heuristic:
        return self._heuristics[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._heuristics)

    def __len__(self) -> int:
        return len(self._heuristics)

    def __repr__(self) -> str:
        width = max(map(len, self), default=0)
        lines = {name: one.formula or one.about.partition("\n")[0] for name, one in self.items()}
        return "\n".join(f"{name:<{width}}  {line}".rstrip() for name, line in lines.items())


@cache
def catalogue() -> Mapping[str, Heuristic]:
    """Return every heuristic by name, in the order of the families and of each module."""
    found = {}
    for module in MODULES:
        for thing in vars(module).values():
            heuristic = heuristic_of(thing)
            if heuristic is not None and heuristic.function.__module__ == module.__name__:
                found[heuristic.name] = heuristic
    return Catalogue(found)


def find(name: str) -> Heuristic:
    """Return the heuristic with this name.

    Raises:
        InputError: If no heuristic has this name, or if its file or package cannot be loaded.
    """
    known, call = catalogue(), Call(name)
    if name in known:
        return known[name]
    if call.own:
        return _own(call.own)
    if call.program == AGENT:
        raise InputError(f"heuristic {quoted(name)}: an agent plays without a search; write {name} alone")
    if call.program:
        hint = f"write it right after a search, as in alphabeta:{call.program}:FILE.py:FUNCTION"
        raise InputError(f"heuristic {quoted(name)}: {hint}")
    if call.file is not None:
        if call.function in known and not call.file.endswith(".py"):
            hint = f"expected a heuristic without a search: {call.function}"
            raise InputError(f"heuristic {quoted(name)}: {hint}")
        return _load_from_file(call.file, call.function)
    if name.endswith(".py"):
        raise InputError(f"heuristic {quoted(name)}: expected FILE.py:FUNCTION")
    installed = _load_installed(name)
    if installed is None:
        message = f"no heuristic named {quoted(name)}"
        suggestion = did_you_mean(name, [*known, *installed_names(HEURISTICS)])
        if suggestion:
            raise InputError(f"{message} ({suggestion})")
        raise InputError(
            message, advice=" (isolarium heuristics lists them)", elsewhere=" (there are improved, distance and others)"
        )
    return installed


def is_third_party(call: Call) -> bool:
    """Return whether a spec names a heuristic outside the catalogue.

    No file or package is loaded.
    """
    return bool(call.files) or names_installed(call)


def names_installed(call: Call) -> bool:
    """Return whether a spec names a heuristic of an installed package.

    Names in the catalogue take precedence.
    """
    others = {one.word for one in call.calls()} - catalogue().keys()
    return bool(others) and not others.isdisjoint(installed_names(HEURISTICS))


# Objects of the running program


def _own(name: str) -> Heuristic:
    """Return the running program's heuristic with this name.

    Raises:
        InputError: If no heuristic has this name.
    """
    thing = own_code.find(name, Kind.HEURISTIC).thing
    if name not in _own_heuristics or _own_heuristics[name][0] is not thing:
        _own_heuristics[name] = thing, replace(as_heuristic(thing), name=f"{OWN}:{name}")
    return _own_heuristics[name][1]


_own_heuristics: dict[str, tuple[Any, Heuristic]] = {}
"""The objects by name, with their heuristics, which identify compiled code."""


def as_heuristic(thing: Any) -> Heuristic:
    """Return the heuristic of a function or other callable, decorated or not.

    Raises:
        InputError: If the object does not have the signature of a heuristic.
    """
    for function in own_functions(thing):
        register_received(function)
    found = thing if isinstance(thing, Heuristic) else heuristic_of(thing)
    if found is not None:
        return found
    if isinstance(thing, FunctionType):
        marked: Callable[..., float] = _copy(thing)  # The user's function is not modified.
    else:

        def adapted(view: PlainView, own: int, opp: int) -> float:
            value: float = thing(view, own, opp)
            return value

        adapted.__name__, adapted.__module__ = own_code.name_of(thing), "__main__"
        marked = adapted
    found = heuristic_of(heuristic(marked))
    assert found is not None
    return found


def _copy(function: FunctionType) -> FunctionType:
    """Return a copy of a function, so that the decorator does not change the original."""
    copy = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__, copy.__doc__ = function.__kwdefaults__, function.__doc__
    copy.__module__ = function.__module__ or "__main__"
    return copy


def is_adapted(function: Callable[..., Any]) -> bool:
    """Return whether `as_heuristic` created the function to wrap another callable object."""
    return function.__code__.co_filename == __file__


# Files and installed packages


def _load_from_file(file: str, function: str) -> Heuristic:
    """Return the heuristic with this name in a file.

    Raises:
        InputError: If there is no such file or function, or if the file fails to run.
    """
    module = load_file(file)
    found = heuristic_of(getattr(module, function, None))
    if found is None:
        raise InputError(f"{file}: {_what_is_missing(module, function)}")
    return replace(found, name=f"{file}:{function}")


def _what_is_missing(module: ModuleType, function: str) -> str:
    if callable(getattr(module, function, None)):
        return f"{function!r} is not a heuristic; decorate it with @heuristic"
    known = [name for name, thing in vars(module).items() if heuristic_of(thing)]
    hint = did_you_mean(function, known) or (f"it has {', '.join(known)}" if known else "it has none")
    return f"no heuristic named {function!r} ({hint})"


def _load_installed(name: str) -> Heuristic | None:
    """Return the heuristic that a package has registered under a name, or None.

    Raises:
        InputError: If the package cannot be loaded or the registered object is not a heuristic.
    """
    loaded = load_installed(HEURISTICS, name)
    if loaded is None:
        return None
    thing, place = loaded
    found = heuristic_of(thing)
    if found is None:
        raise InputError(f"{place}: registered as {name!r} but not a heuristic; decorate it with @heuristic")
    return replace(found, name=name)
