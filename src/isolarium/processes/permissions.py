"""What code that is not ours may do: from which folders it is loaded, in which process, and that it starts nothing.

All of it is inherited by every process that this one starts, by its environment, and asked where it counts: by the
loader for the real path of each file at the moment of loading, and by whatever starts a process.
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

FOLDERS: Final = "ISOLARIUM_LOADS_FROM"
"""The variable with the folders, as JSON; without it files may come from everywhere."""
LOADING: Final = "ISOLARIUM_LOADING"
"""The variable that marks a process which loads somebody's file, and all that this starts; it names the file."""


@dataclass(frozen=True, slots=True)
class Permit:
    """Which files may be loaded.

    Attributes:
        folders: those from which they may come, resolved; None for everywhere, with installed packages.
    """

    folders: tuple[Path, ...] | None = None

    def allows(self, path: Path) -> bool:
        """Whether the file that a path really leads to may be loaded."""
        if self.folders is None:
            return True
        try:
            real = path.expanduser().resolve()
        except (OSError, RuntimeError, ValueError):  # such as ~nobody, or a null byte
            return False
        return any(real.is_relative_to(folder) for folder in self.folders)

    @property
    def allows_packages(self) -> bool:
        """Whether heuristics of installed packages may be loaded: their folder is none that was meant."""
        return self.folders is None

    def environment(self) -> Mapping[str, str]:
        """The environment of a process that is to keep to it."""
        rest = {name: value for name, value in os.environ.items() if name != FOLDERS}
        if self.folders is None:
            return rest
        return {**rest, FOLDERS: json.dumps([str(folder) for folder in self.folders])}

    def impose(self) -> None:
        """Have this process, and all that it starts, keep to it from now on."""
        if self.folders is None:
            os.environ.pop(FOLDERS, None)
        else:
            os.environ[FOLDERS] = self.environment()[FOLDERS]


NOTHING: Final = Permit(())


def permit_here() -> Permit:
    """What this process keeps to; a variable that cannot be read allows nothing."""
    text = os.environ.get(FOLDERS)
    if text is None:
        return Permit()
    try:
        return Permit(tuple(Path(folder) for folder in json.loads(text)))
    except (TypeError, ValueError):
        return NOTHING


def check_may_load(path: Path) -> None:
    """See that a file may be loaded, here and now.

    Raises:
        InputError: it may not.
    """
    _check_place()
    check_permitted(path)


def check_permitted(path: Path) -> None:
    """See that a file is one of those that may be loaded, in whatever process.

    Raises:
        InputError: it is not.
    """
    if not permit_here().allows(path):
        raise InputError(f"{quoted(str(path))}: not in a folder whose files may be loaded here")


def python_file(text: str) -> Path:
    """The file that a text names, links resolved.

    Raises:
        InputError: it names none.
    """
    try:
        path = Path(text).expanduser().resolve()
        if path.is_file():
            return path
        why = "it is no file" if path.exists() else "no such file"
    except (OSError, RuntimeError, ValueError) as error:  # such as ~nobody, or a null byte
        why = str(error)
    raise InputError(f"{quoted(text)}: {why}; expected a Python file")


def check_may_load_package(name: str) -> None:
    """See that a heuristic that an installed package registered may be loaded.

    Raises:
        InputError: it may not.
    """
    _check_place()
    if not permit_here().allows_packages:
        raise InputError(f"{quoted(name)}: heuristics of packages may not be loaded here")


# In which process


class _Process:
    """What this process is to others' code."""

    loads = True
    loading = 0


def load_nothing_here() -> None:
    """Leave the loading of others' code to processes of its own: workers live on."""
    _Process.loads = False


@contextmanager
def loading_elsewhere() -> Iterator[None]:
    """The same for as long as the block takes, for commands: others' code may end a process, or never return."""
    before, _Process.loads = _Process.loads, False
    try:
        yield
    finally:
        _Process.loads = before


def _check_place() -> None:
    if not _Process.loads:
        raise RuntimeError("somebody's code was to be loaded outside a process of its own")


# Nothing is started by what is loaded


@contextmanager
def loading(path: Path) -> Iterator[None]:
    """Mark this process, and all that is started within the block, as loading a file."""
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
    """See that this process may start others.

    Raises:
        InputError: it loads somebody's file, was started by one that does, or is itself just being started.
    """
    guard = 'expected them under if __name__ == "__main__":'
    if LOADING in os.environ or _Process.loading:
        file = Path(os.environ.get(LOADING) or "a file").name
        raise InputError(f"games started while {file} is loaded for its heuristics; {guard}")
    if getattr(current_process(), "_inheriting", False):
        raise InputError(
            f"games started while a process of multiprocessing imports the main module; {guard}"
        )
