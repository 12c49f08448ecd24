"""The heuristics and agents that installed packages register in entry point groups."""

import sys
from contextlib import redirect_stdout, suppress
from functools import lru_cache
from importlib.metadata import EntryPoints, entry_points
from pathlib import Path
from typing import Any, Final

from isolarium.errors import InputError
from isolarium.processes.permissions import check_may_load_package, loading

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
