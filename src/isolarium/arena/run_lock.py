"""Locks on a run's files: ours, that one process at a time plays a run; and those of others, which are waited for.

A process that may only read the files can keep us from writing all the same: SQLite's locks are on single bytes of
`run.sqlite-shm`, and a read lock on the whole file covers them too.
"""

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final, TypeVar

from isolarium.errors import InputError
from isolarium.limits import Stop

LOCK_NAME: Final = "run.lock"
PATIENCE_S: Final = 1.0
"""How long a lock is waited for: somebody may be asking whether it is held, which takes it for a moment."""
LOCKED_S: Final = 300.0
"""How long a process that plays a run waits for the lock of another."""
GLANCE_S: Final = 0.1
"""How often it tries again."""
LOCKED: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_PROTOCOL)
T = TypeVar("T")


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


def is_locked(error: Exception) -> bool:
    """Return whether SQLite refused because another process holds a lock."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in LOCKED


def unlocked(action: Callable[[], T], patience_s: float, give_up: Stop | None = None) -> T:
    """Do something with a database, again and again while another process holds a lock.

    Args:
        action: What to do.
        patience_s: How long to try.
        give_up: Asked after each try whether to wait no longer.

    Raises:
        sqlite3.Error: If the action failed otherwise, or the lock was held for too long.
    """
    until = time.monotonic() + patience_s
    while True:
        try:
            return action()
        except sqlite3.OperationalError as error:
            if not is_locked(error) or time.monotonic() >= until:
                raise
            if give_up is not None and give_up():
                raise
        time.sleep(GLANCE_S)
