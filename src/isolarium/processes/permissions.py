"""Permissions of third-party code: where it may be loaded, and starting processes.

Processes pass these rules on in the environment. The loader checks the real path of each file that
it loads, and every start of a process is checked too.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import current_process
from pathlib import Path
from typing import Final

from isolarium.errors import InputError, quoted
from isolarium.text import did_you_mean

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
