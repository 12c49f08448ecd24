"""From a name to its heuristic: one of the catalogue, one in a person's own file, or one of an installed package.

A file is run as a module of its own, under a name that its path decides. What it imports is looked for among the
Python files beside it first, and these are run the same way: so `import helpers` means the neighbour even where files
of two folders each have a `helpers`, and an edited file is always run as it is now, never as it was cached.

A package registers its own through the entry point group `isolarium.heuristics`: each entry point names a decorated
function, and the heuristic is known by the entry point's name.
"""

import builtins
import site
import sys
import sysconfig
import traceback
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from hashlib import sha256
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from isolarium.errors import InputError, quoted
from isolarium.heuristics.catalogue import catalogue
from isolarium.heuristics.definition import Heuristic, heuristic_of
from isolarium.processes.permissions import (
    check_may_load,
    check_may_load_package,
    loading,
    python_file,
)
from isolarium.safe_files import MOST_SOURCE, TooLargeError, file_holds, read_small
from isolarium.spec.parser import Call
from isolarium.text import did_you_mean

FORMER_NAME: Final = "isolab"
"""What the package was called; another project has that name on the package index."""

GROUP: Final = "isolarium.heuristics"


def find(name: str) -> Heuristic:
    """The heuristic that a name stands for.

    Raises:
        InputError: there is none.
    """
    known, call = catalogue(), Call(name)
    if name in known:
        return known[name]
    if call.program:
        told = f"expected it alone after a search, as in alphabeta:{call.program}:FILE.py:FUNCTION"
        raise InputError(f"heuristic {quoted(name)}: {told}")
    if call.file is not None:
        if call.function in known and not call.file.endswith(".py"):
            told = f"expected a heuristic without a search: {call.function}"
            raise InputError(f"heuristic {quoted(name)}: {told}")
        return _load_from_file(call.file, call.function)
    if name.endswith(".py"):
        raise InputError(f"heuristic {quoted(name)}: expected FILE.py:FUNCTION")
    installed = load_installed(name)
    if installed is None:
        told, near = (
            f"no heuristic {quoted(name)}",
            did_you_mean(name, [*known, *installed_names()]),
        )
        if near:
            raise InputError(f"{told} ({near})")
        raise InputError(
            told,
            advice=" (isolarium heuristics lists them)",
            elsewhere=" (there are improved, distance and others)",
        )
    return installed


def is_foreign(call: Call) -> bool:
    """Whether what a heuristic's text names is not all ours; nothing is loaded to find out."""
    return bool(call.files) or names_installed(call)


def names_installed(call: Call) -> bool:
    """Whether a word of it stands for what a package has registered; ours come first."""
    others = {one.word for one in call.calls()} - catalogue().keys()
    return bool(others) and not others.isdisjoint(installed_names())


# Files


def _load_from_file(file: str, function: str) -> Heuristic:
    """The heuristic of that name in a file.

    Raises:
        InputError: there is no such file or function, or the file does not run.
    """
    path = python_file(file)
    check_may_load(path)
    try:
        module = _run(path).module
    except TooLargeError:  # it names the file
        raise
    except (Exception, SystemExit) as error:  # whatever a person's file may raise
        raise InputError(f"{file}: {_what_happened(error, path)}") from None
    found = heuristic_of(getattr(module, function, None))
    if found is None:
        raise InputError(f"{file}: {_what_is_missing(module, function)}")
    return replace(found, name=f"{file}:{function}")


def _what_is_missing(module: ModuleType, function: str) -> str:
    if callable(getattr(module, function, None)):
        return f"{function!r} is no heuristic; expected @heuristic above its def"
    known = [name for name, thing in vars(module).items() if heuristic_of(thing)]
    hint = did_you_mean(function, known) or (
        f"it has {', '.join(known)}" if known else "it has none"
    )
    return f"no heuristic {function!r} ({hint})"


def _what_happened(error: BaseException, path: Path) -> str:
    """The error in one line, with the line of the person's file in which it arose."""
    if isinstance(error, SyntaxError):
        file, line = error.filename or "", error.lineno
        told = f"{type(error).__name__}: {error.msg}"
    else:
        file, line = str(path), None
        for frame in traceback.extract_tb(error.__traceback__):
            if frame.filename == file:
                line = frame.lineno
        told = f"{type(error).__name__}: {error}".removesuffix(": ")
    neighbour = f"{Path(file).name}, " if Path(file) != path else ""
    place = f"{neighbour}line {line}: " if line else ""
    return place + " ".join(told.split())


@dataclass
class _Run:
    """A file that was run: its module, and the text of every file that this took, its own included."""

    module: ModuleType
    sources: dict[Path, bytes]

    def is_current(self) -> bool:
        return all(file_holds(path, text) for path, text in self.sources.items())


_runs: dict[Path, _Run] = {}


def _run(path: Path) -> _Run:
    """Run the file as a module, unless neither it nor any file that it imported has changed since it was."""
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
        with loading(path), redirect_stdout(sys.stderr):  # what it prints is not what we say
            exec(compile(source, str(path), "exec"), module.__dict__)
    except BaseException:
        del _runs[path], sys.modules[module.__name__]
        raise
    return run


def _importer(folder: Path, run: _Run) -> Callable[..., Any]:
    """What `import` does in a file of that folder."""

    def import_name(
        name: str,
        globals: Any = None,
        locals: Any = None,
        fromlist: Any = (),
        level: int = 0,
    ) -> Any:
        neighbour = folder / f"{name}.py"
        if name.partition(".")[0] == FORMER_NAME and not neighbour.is_file():
            told = (
                f"{FORMER_NAME} is now isolarium; replace {FORMER_NAME} with isolarium in the file"
            )
            raise ImportError(told)
        if level or "." in name or not neighbour.is_file():
            return builtins.__import__(name, globals, locals, fromlist, level)
        imported = _run(neighbour.resolve())
        run.sources |= imported.sources
        return imported.module

    return import_name


@cache
def _installed_folders() -> tuple[Path, ...]:
    """Where the standard library, installed packages and our own code are."""
    kinds = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = [*map(sysconfig.get_path, kinds), *site.getsitepackages()]
    folders += [site.getusersitepackages(), str(Path(__file__).parents[1])]
    return tuple(Path(folder).resolve() for folder in folders)


def files_of_loaded(modules: Iterable[str]) -> list[str]:
    """Return the files that modules were loaded from and that are neither ours nor installed."""
    found = set[str]()
    for name in modules:
        file = getattr(sys.modules.get(name), "__file__", None)
        path = None if file is None else Path(file).resolve()
        if path is not None and path.is_file() and not is_installed(path):
            found.add(str(path))
    return sorted(found)


def is_installed(path: Path) -> bool:
    """Return whether a file belongs to Python, to an installed package or to us."""
    return any(path.is_relative_to(folder) for folder in _installed_folders())


# Installed packages


def installed_names() -> list[str]:
    """The names that installed packages have registered."""
    return sorted(_registered(tuple(_folders_as_they_are())).names)


@lru_cache(maxsize=1)
def _registered(_: object) -> EntryPoints:
    """What installed packages have registered: to ask a hundred packages takes as long as a short command."""
    return entry_points(group=GROUP)


def _folders_as_they_are() -> list[tuple[str, int]]:
    """Where packages are looked for, with what changes when one is installed or removed there."""
    found = []
    for folder in sys.path:
        with suppress(OSError):
            found.append((folder, Path(folder).stat().st_mtime_ns))
    return found


def load_installed(name: str) -> Heuristic | None:
    """The heuristic that an installed package has registered under a name, if one has.

    Raises:
        InputError: the package does not load, or what it registered is no heuristic.
    """
    for entry in _registered(tuple(_folders_as_they_are())).select(name=name):
        found = heuristic_of(_load_entry(entry))
        if found is None:
            raise InputError(
                f"{entry.value}: registered as {name!r}, but no heuristic; expected @heuristic above it"
            )
        return replace(found, name=name)
    return None


def _load_entry(entry: EntryPoint) -> Any:
    check_may_load_package(entry.name)
    try:
        with loading(Path(entry.module)), redirect_stdout(sys.stderr):
            return entry.load()
    except (Exception, SystemExit) as error:  # whatever a package may raise
        told = " ".join(f"{type(error).__name__}: {error}".split())
        raise InputError(f"{entry.value}: {told}") from None
