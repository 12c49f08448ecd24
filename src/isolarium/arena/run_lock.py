"""The lock of a run, which allows only one process at a time to play the run."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from isolarium.errors import InputError

LOCK_NAME: Final = "run.lock"
PATIENCE_S: Final = 1.0
"""How long to wait for the lock, which a process checking it holds briefly."""


class RunLock:
    """The lock held by the process that plays a run."""

    def __init__(self, folder: Path) -> None:
        """Take the lock.

        Raises:
            InputError: If another process plays this run, or the folder cannot be written to.
        """
        path = folder / LOCK_NAME
        if path.exists() and (not path.is_file() or path.stat().st_size):
            raise InputError(f"{path}: not a run's lock, which is an empty file; remove it")
        try:
            self._base = sqlite3.connect(path, timeout=PATIENCE_S, isolation_level=None)
        except sqlite3.Error as error:
            raise InputError(f"{folder}: {error}; use a folder that you can write to") from None
        try:
            self._base.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            self._base.close()
            why = "another process is playing this run; wait until it ends"
            if "locked" not in str(error):
                why = f"{error}; use a folder that you can write to"
            raise InputError(f"{folder}: {why}") from None

    def release(self) -> None:
        """Release the lock."""
        self._base.close()


def is_being_played(folder: Path) -> bool:
    """Return whether a process is playing the run now."""
    path = folder / LOCK_NAME
    if not path.is_file():
        return False
    address = f"{path.resolve().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True, timeout=0)) as base:
            base.execute("PRAGMA schema_version").fetchone()
    except sqlite3.Error as error:
        return "locked" in str(error)
    return False
