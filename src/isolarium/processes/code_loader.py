"""Load heuristics and agents from Python files and from installed packages.

Each file runs as a module of its own, whose name is derived from the file's path. Its imports are first looked up among
the Python files in the same folder, which are run in the same way. Therefore `import helpers` finds the file in the
same folder even if several folders contain a `helpers.py`, and an edited file always runs in its current version.
"""

import builtins
import sys
import traceback
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import EntryPoints, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from isolarium.errors import InputError
from isolarium.processes.code_description import is_installed
from isolarium.processes.permissions import check_may_load, check_may_load_package, loading, python_file
from isolarium.safe_files import MOST_SOURCE, TooLargeError, file_holds, read_small

FORMER_NAME: Final = "isolab"
"""The earlier name of this package, which belongs to another project on the package index."""


def load_file(file: str) -> ModuleType:
    """Run a file as a module, unless an earlier run is still current.

    Raises:
        InputError: If there is no such file, it may not be loaded, or it raises an exception.
    """
    path = python_file(file)
    check_may_load(path)
    try:
        return _run(path).module
    except TooLargeError:  # The message already names the file.
        raise
    except (Exception, SystemExit) as error:  # A user's file may raise anything.
        raise InputError(f"{file}: {_what_happened(error, path)}") from None


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
        # Its output is kept separate from the command's.
        with loading(path), redirect_stdout(sys.stderr):
            exec(compile(source, str(path), "exec"), module.__dict__)
    except BaseException:
        del _runs[path], sys.modules[module.__name__]
        raise
    return run


def _importer(folder: Path, run: _Run) -> Callable[..., Any]:
    """Return the `__import__` function for files in a folder."""

    def import_name(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        neighbour = folder / f"{name}.py"
        if name.partition(".")[0] == FORMER_NAME and not neighbour.is_file():
            raise ImportError(f"{FORMER_NAME} is now isolarium; replace {FORMER_NAME} with isolarium in the file")
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


# Entry points of installed packages

HEURISTICS: Final = "isolarium.heuristics"
"""The group of heuristics: each entry point names a decorated function."""
AGENTS: Final = "isolarium.agents"
"""The group of agents: each entry point names a function, a class or an object that plays."""


def installed_names(group: str) -> list[str]:
    """Return the names that installed packages have registered in a group."""
    return sorted(_registered(group, tuple(_package_folders())).names)


@lru_cache(maxsize=2)
def _registered(group: str, _: object) -> EntryPoints:
    """Return the registered entry points.

    They are cached because reading them takes as long as a short command.
    """
    return entry_points(group=group)


def _package_folders() -> list[tuple[str, int]]:
    """Return the folders of the import path with their modification times.

    The modification time changes when a package is installed or removed.
    """
    found = []
    for folder in sys.path:
        with suppress(OSError):
            found.append((folder, Path(folder).stat().st_mtime_ns))
    return found


def load_installed(group: str, name: str) -> tuple[Any, str] | None:
    """Return a registered object and its place; None if no package has registered the name.

    Raises:
        InputError: If the package may not or cannot be loaded.
    """
    for entry in _registered(group, tuple(_package_folders())).select(name=name):
        check_may_load_package(entry.name)
        try:
            with loading(Path(entry.module)), redirect_stdout(sys.stderr):
                return entry.load(), entry.value
        except (Exception, SystemExit) as error:  # A package may raise anything.
            message = " ".join(f"{type(error).__name__}: {error}".split())
            raise InputError(f"{entry.value}: {message}") from None
    return None
