"""Third-party code: where it may be loaded, and loading it from Python files and installed packages.

Processes pass the permissions on in the environment. The real path of each file is checked when it is loaded, and every
start of a process is checked too.

Each file runs as a module of its own, whose name is derived from the file's path. Its imports are first looked up among
the Python files in the same folder, which are run in the same way. Therefore `import helpers` finds the file in the
same folder even if several folders contain a `helpers.py`, and an edited file always runs in its current version.
"""

import builtins
import json
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from multiprocessing import current_process
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from isolarium.errors import InputError, quoted
from isolarium.processes.code_description import is_installed
from isolarium.safe_files import MOST_SOURCE, TooLargeError, file_holds, read_small
from isolarium.text import did_you_mean

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

FOLDERS: Final = "ISOLARIUM_LOADS_FROM"
"""The environment variable with the folders as JSON; unset allows all folders."""
LOADING: Final = "ISOLARIUM_LOADING"
"""The environment variable naming the third-party file that a process loads.

The file may also be loaded by an ancestor of the process."""


@dataclass(frozen=True, slots=True)
class Permit:
    """The files that may be loaded.

    Attributes:
        folders: The folders that may contain them, with links resolved; None allows all folders and installed packages.
    """

    folders: tuple[Path, ...] | None = None

    def allows(self, path: Path) -> bool:
        """Return whether the file at a path may be loaded, after resolving links."""
        if self.folders is None:
            return True
        try:
            real = path.expanduser().resolve()
        except (OSError, RuntimeError, ValueError):  # An unknown user after ~, or a null byte
            return False
        return any(real.is_relative_to(folder) for folder in self.folders)

    @property
    def allows_packages(self) -> bool:
        """Whether heuristics and agents of installed packages may be loaded.

        The folders of packages are never in `folders`.
        """
        return self.folders is None

    def environment(self) -> Mapping[str, str]:
        """Return this process's environment with this permit, for a new process."""
        rest = {name: value for name, value in os.environ.items() if name != FOLDERS}
        if self.folders is None:
            return rest
        return {**rest, FOLDERS: json.dumps([str(folder) for folder in self.folders])}

    def impose(self) -> None:
        """Apply the permit to this process and to all processes that it starts later."""
        if self.folders is None:
            os.environ.pop(FOLDERS, None)
        else:
            os.environ[FOLDERS] = self.environment()[FOLDERS]


NOTHING: Final = Permit(())


def permit_here() -> Permit:
    """Return the permit of this process; an invalid environment variable permits nothing."""
    text = os.environ.get(FOLDERS)
    if text is None:
        return Permit()
    try:
        return Permit(tuple(Path(folder) for folder in json.loads(text)))
    except (TypeError, ValueError):
        return NOTHING


def check_may_load(path: Path) -> None:
    """Check that a file may be loaded in this process.

    Raises:
        InputError: If the file may not be loaded.
    """
    _check_place()
    check_permitted(path)


def check_permitted(path: Path) -> None:
    """Check that a file may be loaded, in any process.

    Raises:
        InputError: If the file may not be loaded.
    """
    if not permit_here().allows(path):
        raise InputError(f"{quoted(str(path))}: not in a folder whose files may be loaded here")


def python_file(text: str) -> Path:
    """Return the path of a Python file, with links resolved.

    Raises:
        InputError: If there is no such file.
    """
    hint = ""
    try:
        path = Path(text).expanduser().resolve()
        if path.is_file():
            return path
        why = "not a file" if path.exists() else "no such file"
        hint = did_you_mean(path.name, [file.name for file in path.parent.glob("*.py")])
    except (OSError, RuntimeError, ValueError) as error:  # An unknown user after ~, or a null byte
        why = str(error)
    problem = f"{quoted(text)}: {why}; expected a Python file"
    raise InputError(problem, advice=f" ({hint})" if hint else "")  # Web pages do not list folders.


def check_may_load_package(name: str) -> None:
    """Check that a heuristic or an agent of an installed package may be loaded.

    Raises:
        InputError: If it may not be loaded.
    """
    _check_place()
    if not permit_here().allows_packages:
        raise InputError(f"{quoted(name)}: code of installed packages may not be loaded here")


# The processes that may load code


class _Process:
    """Whether this process may load third-party code, and how many files it is loading."""

    loads = True
    loading = 0


def load_nothing_here() -> None:
    """Forbid loading third-party code in this process, because the code could crash it."""
    _Process.loads = False


@contextmanager
def loading_elsewhere() -> Iterator[None]:
    """Forbid loading third-party code in this process within the block.

    The code could exit or never return.
    """
    before, _Process.loads = _Process.loads, False
    try:
        yield
    finally:
        _Process.loads = before


def _check_place() -> None:
    if not _Process.loads:
        raise RuntimeError("third-party code was about to be loaded outside a sandboxed process")


# Code being loaded may not start processes


@contextmanager
def loading(path: Path) -> Iterator[None]:
    """Mark this process and the processes it starts in the block as loading a file."""
    before = os.environ.get(LOADING)
    os.environ[LOADING] = str(path)
    _Process.loading += 1
    try:
        yield
    finally:
        _Process.loading -= 1
        if before is None:
            os.environ.pop(LOADING, None)
        else:
            os.environ[LOADING] = before


def check_may_start() -> None:
    """Check that this process may start others.

    Raises:
        InputError: If this process is loading a third-party file, was started by such a process, or
            is still being spawned.
    """
    guard = 'put them under if __name__ == "__main__":'
    if LOADING in os.environ or _Process.loading:
        file = Path(os.environ.get(LOADING) or "a file").name
        raise InputError(f"games were started while {file} is loaded; {guard}")
    if getattr(current_process(), "_inheriting", False):
        raise InputError(f"games were started while multiprocessing imports the main module; {guard}")


# Python files

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
def _registered(group: str, _: object) -> "EntryPoints":
    """Return the registered entry points.

    They are cached because reading them takes as long as a short command.
    """
    from importlib.metadata import entry_points  # Imported here because every command loads this module.

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
