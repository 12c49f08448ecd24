"""One process at a time plays a run."""

import sqlite3
from pathlib import Path
from typing import Final

from isolab.errors import InputError

LOCK_NAME: Final = "run.lock"
PATIENCE_S: Final = 1.0
"""How long a lock is waited for: somebody may be asking whether it is held, which takes it for a moment."""


class RunLock:
    """Held by the one process that plays a run; the system lets go of it when that process ends, however it ends."""

    def __init__(self, folder: Path) -> None:
        """Take the lock.

        Raises:
            InputError: another process plays this run, or the folder cannot be written to.
        """
        try:
            self._base = sqlite3.connect(
                folder / LOCK_NAME, timeout=PATIENCE_S, isolation_level=None
            )
        except sqlite3.OperationalError as error:
            raise InputError(f"{folder}: {error}; expected a folder to write to") from None
        try:
            self._base.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
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
    base = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=0)
    try:
        base.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        return "locked" in str(error)
    finally:
        base.close()
    return False
