"""One process at a time plays a run: a lock that the system lets go of when that process ends, however it ends."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from isolab.errors import InputError

LOCK_NAME: Final = "run.lock"
PATIENCE_S: Final = 1.0
"""How long a lock is waited for: somebody may be asking whether it is held, which takes it for a moment."""


class RunLock:
    """Held by the one process that plays a run."""

    def __init__(self, folder: Path) -> None:
        """Take the lock.

        Raises:
            InputError: another process plays this run, or the folder cannot be written to.
        """
        path = folder / LOCK_NAME
        if path.exists() and (not path.is_file() or path.stat().st_size):
            raise InputError(f"{path}: no run of ours writes anything there; expected it empty")
        try:
            self._base = sqlite3.connect(path, timeout=PATIENCE_S, isolation_level=None)
        except sqlite3.Error as error:
            raise InputError(f"{folder}: {error}; expected a folder to write to") from None
        try:
            self._base.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            self._base.close()
            why = "this run is being played by another process; expected one that nobody plays"
            if "locked" not in str(error):
                why = f"{error}; expected a folder to write to"
            raise InputError(f"{folder}: {why}") from None

    def release(self) -> None:
        """Let go of it."""
        self._base.close()


def is_being_played(folder: Path) -> bool:
    """Whether some process plays the run now."""
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
