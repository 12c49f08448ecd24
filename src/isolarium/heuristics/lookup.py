"""Find a heuristic by name: in the catalogue, in a file, or in a package.

A file is run as its own module, under a name derived from its path. Its imports are first looked up
among the Python files in the same folder, which are run in the same way. Therefore `import helpers`
finds the file in the same folder even if several folders contain a `helpers.py`, and an edited file
always runs in its current version.

A package registers heuristics in the entry point group `isolarium.heuristics`. Each entry point
names a decorated function, and its own name is the heuristic's name.
"""

import builtins
import sys
import traceback
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Final

from isolarium.errors import InputError, quoted
from isolarium.game.view import PlainView
from isolarium.heuristics.catalogue import catalogue
from isolarium.heuristics.definition import Heuristic, heuristic, heuristic_of
from isolarium.native.jit import register_received
from isolarium.processes import own_code
from isolarium.processes.code_description import is_installed, own_functions
from isolarium.processes.own_code import Kind
from isolarium.processes.permissions import (
    check_may_load,
    check_may_load_package,
    loading,
    python_file,
)
from isolarium.safe_files import MOST_SOURCE, TooLargeError, file_holds, read_small
from isolarium.spec.parser import OWN, Call
from isolarium.text import did_you_mean

FORMER_NAME: Final = "isolab"
"""The earlier name of this package, which belongs to another project on the package index."""

GROUP: Final = "isolarium.heuristics"


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
    installed = load_installed(name)
    if installed is None:
        message = f"no heuristic named {quoted(name)}"
        suggestion = did_you_mean(name, [*known, *installed_names()])
        if suggestion:
            raise InputError(f"{message} ({suggestion})")
        raise InputError(
            message,
            advice=" (isolarium heuristics lists them)",
            elsewhere=" (there are improved, distance and others)",
        )
    return installed


def is_third_party(call: Call) -> bool:
    """Return whether a spec names a heuristic outside the catalogue.

    This loads no file or package.
    """
    return bool(call.files) or names_installed(call)


def names_installed(call: Call) -> bool:
    """Return whether a spec names a heuristic of an installed package.

    Names in the catalogue take precedence.
    """
    others = {one.word for one in call.calls()} - catalogue().keys()
    return bool(others) and not others.isdisjoint(installed_names())


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
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copy.__kwdefaults__, copy.__doc__ = function.__kwdefaults__, function.__doc__
    copy.__module__ = function.__module__ or "__main__"
    return copy


def is_adapted(function: Callable[..., Any]) -> bool:
    """Return whether `as_heuristic` created the function to wrap another callable object."""
    return function.__code__.co_filename == __file__


# Files


def _load_from_file(file: str, function: str) -> Heuristic:
    """Return the heuristic with this name in a file.

    Raises:
        InputError: If there is no such file or function, or if the file fails to run.
    """
    path = python_file(file)
    check_may_load(path)
    try:
        module = _run(path).module
    except TooLargeError:  # The message already names the file.
        raise
    except (Exception, SystemExit) as error:  # A user's file may raise anything.
        raise InputError(f"{file}: {_what_happened(error, path)}") from None
    found = heuristic_of(getattr(module, function, None))
    if found is None:
        raise InputError(f"{file}: {_what_is_missing(module, function)}")
    return replace(found, name=f"{file}:{function}")


def _what_is_missing(module: ModuleType, function: str) -> str:
    if callable(getattr(module, function, None)):
        return f"{function!r} is not a heuristic; decorate it with @heuristic"
    known = [name for name, thing in vars(module).items() if heuristic_of(thing)]
    hint = did_you_mean(function, known) or (
        f"it has {', '.join(known)}" if known else "it has none"
    )
    return f"no heuristic named {function!r} ({hint})"


def _what_happened(error: BaseException, path: Path) -> str:
    """Format the error as one line, with the line of the user's file that caused it."""
    if isinstance(error, SyntaxError):
        file, line = error.filename or "", error.lineno
        message = f"{type(error).__name__}: {error.msg}"
    else:
        file, line = str(path), None
        for frame in traceback.extract_tb(error.__traceback__):
            if frame.filename == file:
                line = frame.lineno
        name = "" if isinstance(error, InputError) else f"{type(error).__name__}: "
        message = f"{name}{error}".removesuffix(": ")
    neighbour = f"{Path(file).name}, " if Path(file) != path else ""
    place = f"{neighbour}line {line}: " if line else ""
    return place + " ".join(message.split())


@dataclass
class _Run:
    """A run of a file, with the text of the file and of every file it imported."""

    module: ModuleType
    sources: dict[Path, bytes]

    def is_current(self) -> bool:
        return all(file_holds(path, text) for path, text in self.sources.items())


_runs: dict[Path, _Run] = {}


def _run(path: Path) -> _Run:
    """Run a file as a module, unless an earlier run is still current."""
    check_may_load(path)
    if path in _runs and _runs[path].is_current():
        return _runs[path]
    source = read_small(path, MOST_SOURCE)
    digest = sha256(str(path).encode()).hexdigest()[:16]
    module = ModuleType(f"isolarium_file_{path.stem}_{digest}")
    run = _Run(module, {path: source})
    module.__file__ = str(path)
    module.__dict__["__builtins__"] = {**vars(builtins), "__import__": _importer(path.parent, run)}
    _runs[path], sys.modules[module.__name__] = run, module
    try:
        with (
            loading(path),
            redirect_stdout(sys.stderr),
        ):  # Keep its output separate from the command's.
            exec(compile(source, str(path), "exec"), module.__dict__)
    except BaseException:
        del _runs[path], sys.modules[module.__name__]
        raise
    return run


def _importer(folder: Path, run: _Run) -> Callable[..., Any]:
    """Return the `__import__` function for files in a folder."""

    def import_name(
        name: str,
        globals: Any = None,
        locals: Any = None,
        fromlist: Any = (),
        level: int = 0,
    ) -> Any:
        neighbour = folder / f"{name}.py"
        if name.partition(".")[0] == FORMER_NAME and not neighbour.is_file():
            raise ImportError(
                f"{FORMER_NAME} is now isolarium; replace {FORMER_NAME} with isolarium in the file"
            )
        if level or "." in name or not neighbour.is_file():
            return builtins.__import__(name, globals, locals, fromlist, level)
        imported = _run(neighbour.resolve())
        run.sources |= imported.sources
        return imported.module

    return import_name


def files_of_loaded(modules: Iterable[str]) -> list[str]:
    """Return the source files of modules, except those of installed packages and ours."""
    found = set[str]()
    for name in modules:
        file = getattr(sys.modules.get(name), "__file__", None)
        path = None if file is None else Path(file).resolve()
        if path is not None and path.is_file() and not is_installed(path):
            found.add(str(path))
    return sorted(found)


# Installed packages


def installed_names() -> list[str]:
    """Return the names that installed packages have registered."""
    return sorted(_registered(tuple(_package_folders())).names)


@lru_cache(maxsize=1)
def _registered(_: object) -> EntryPoints:
    """Return the registered entry points.

    They are cached because reading them takes as long as a short command.
    """
    return entry_points(group=GROUP)


def _package_folders() -> list[tuple[str, int]]:
    """Return the folders of the import path with their modification times.

    The modification time changes when a package is installed or removed.
    """
    found = []
    for folder in sys.path:
        with suppress(OSError):
            found.append((folder, Path(folder).stat().st_mtime_ns))
    return found


def load_installed(name: str) -> Heuristic | None:
    """Return the heuristic that a package has registered under a name, or None.

    Raises:
        InputError: If the package cannot be loaded or the registered object is not a heuristic.
    """
    for entry in _registered(tuple(_package_folders())).select(name=name):
        found = heuristic_of(_load_entry(entry))
        if found is None:
            raise InputError(
                f"{entry.value}: registered as {name!r} but not a heuristic; decorate it with @heuristic"
            )
        return replace(found, name=name)
    return None


def _load_entry(entry: EntryPoint) -> Any:
    check_may_load_package(entry.name)
    try:
        with loading(Path(entry.module)), redirect_stdout(sys.stderr):
            return entry.load()
    except (Exception, SystemExit) as error:  # A package may raise anything.
        message = " ".join(f"{type(error).__name__}: {error}".split())
        raise InputError(f"{entry.value}: {message}") from None
