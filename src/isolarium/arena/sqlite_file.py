"""SQLite files: connections to those from untrusted sources, other processes' locks on them, and the lock of a run."""

import errno
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from shutil import disk_usage
from time import monotonic, sleep
from typing import Final, TypeVar

from isolarium.errors import InputError
from isolarium.limits import Stop
from isolarium.text import printable, shortened

READ_S: Final = 10.0
"""Time limit for reading the next rows; the pages of a damaged file may form a cycle."""
LONGEST: Final = 1 << 26
"""The maximum size of a value in bytes, enough for a plan of millions of openings."""
LONGEST_PROBLEM: Final = 200
READ_ERRORS: Final = (sqlite3.Error, UnicodeError)
"""The errors that reading may raise.

SQLite's messages quote the file, which may contain bytes that are not text."""
FULL: Final = "database or disk is full"
LEAST_FREE: Final = 1 << 16
"""The free space below which a failed operation means a full disk, in bytes."""


class DatabaseError(InputError):
    """A damaged or locked database; the message names its file."""


def damaged(path: Path, problem: str) -> DatabaseError:
    """Return the error for a damaged file."""
    line = shortened(printable(" ".join(problem.split())), LONGEST_PROBLEM)
    return DatabaseError(f"{path}: {line}; the results database is damaged, restore a copy of it")


def locked(path: Path) -> DatabaseError:
    """Return the error for a file that another process has locked."""
    problem = "another process holds a lock on it; end that process and try again"
    return DatabaseError(f"{path}: {problem}")


@contextmanager
def writable(path: Path) -> Iterator[None]:
    """Report SQLite's errors within the block as problems of the disk or the folder.

    Raises:
        OSError: If no space is left.
        InputError: For any other error.
    """
    try:
        yield
    except sqlite3.Error as error:
        if _is_full(error, path.parent):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path)) from None
        if is_locked(error):
            raise locked(path) from None
        raise InputError(f"{path}: {error}; use a folder that you can write to") from None


def _is_full(error: sqlite3.Error, folder: Path) -> bool:
    """Return whether an error means that a folder's disk is full.

    If no space is left for the shared memory of a file, SQLite reports only a failed operation.
    """
    failed = getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_IOERR
    return FULL in str(error) or (failed and disk_usage(folder).free < LEAST_FREE)


def refuse_journal(path: Path) -> None:
    """Refuse a rollback journal, which could make SQLite delete any file.

    Raises:
        InputError: If there is a rollback journal.
    """
    journal = path.with_name(f"{path.name}-journal")
    if journal.exists() or journal.is_symlink():
        raise InputError(f"{journal}: Isolarium never creates this file; remove it")


def connected(path: Path, writes: bool) -> sqlite3.Connection:
    """Open a file to read it, or to write to it as well."""
    address = path.resolve().as_uri()
    if writes:
        return guarded(sqlite3.connect(f"{address}?mode=rw", uri=True, timeout=RETRY_S))
    with ExitStack() as tried:
        base = tried.enter_context(closing(sqlite3.connect(f"{address}?mode=ro", uri=True, timeout=RETRY_S)))
        try:
            unlocked(lambda: base.execute("PRAGMA schema_version").fetchone(), READ_S)
        except sqlite3.OperationalError as error:
            if is_locked(error):
                raise
            # The folder is read-only, so the file cannot change.
            return guarded(sqlite3.connect(f"{address}?mode=ro&immutable=1", uri=True))
        tried.pop_all()
        return guarded(base)


def guarded(base: sqlite3.Connection) -> sqlite3.Connection:
    """Restrict a connection so that the file can only provide rows."""
    base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    base.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    base.execute("PRAGMA trusted_schema = OFF")
    base.execute("PRAGMA cell_size_check = ON")
    base.execute("PRAGMA mmap_size = 0")  # Truncating a mapped file would crash the process.
    if sys.version_info >= (3, 12):
        base.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)
        base.setconfig(sqlite3.SQLITE_DBCONFIG_ENABLE_VIEW, False)
        base.setconfig(sqlite3.SQLITE_DBCONFIG_ENABLE_TRIGGER, False)
    base.set_authorizer(_deny_views_and_triggers)
    return base


def _deny_views_and_triggers(
    action: int, first: str | None, second: str | None, base: str | None, by: str | None
) -> int:
    """Allow our own statements, but not statements from the file's views and triggers."""
    return sqlite3.SQLITE_OK if by is None else sqlite3.SQLITE_DENY


# Locks of other processes. Even a process with read-only access can prevent us from writing: SQLite
# locks single bytes of `run.sqlite-shm`, and a read lock on the whole file includes those bytes.

LOCKED_S: Final = 300.0
"""The time that a process playing a run waits for another process's lock."""
RETRY_S: Final = 0.1
LOCKED: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_PROTOCOL)
T = TypeVar("T")


def is_locked(error: Exception) -> bool:
    """Return whether SQLite failed because another process holds a lock."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in LOCKED


def unlocked(action: Callable[[], T], patience_s: float, give_up: Stop | None = None) -> T:
    """Call an action on a database, retrying while another process holds a lock.

    Args:
        action: The action.
        patience_s: How long to try.
        give_up: Called after each try; returns whether to stop waiting.

    Raises:
        sqlite3.Error: If the action fails for another reason, or the lock is held too long.
    """
    until = monotonic() + patience_s
    while True:
        try:
            return action()
        except sqlite3.OperationalError as error:
            if not is_locked(error) or monotonic() >= until:
                raise
            if give_up is not None and give_up():
                raise
        sleep(RETRY_S)


# The lock of a run


LOCK_NAME: Final = "run.lock"
PATIENCE_S: Final = 1.0
"""How long to wait for the lock, which a process checking it holds briefly."""


class RunLock:
    """The lock held by the process that plays a run."""

    def __init__(self, folder: Path) -> None:
        """Take the lock.

        Raises:
            OSError: If no space is left.
            InputError: If another process plays this run, or the folder cannot be written to.
        """
        path = folder / LOCK_NAME
        if path.exists() and (not path.is_file() or path.stat().st_size):
            raise InputError(f"{path}: not a run's lock, which is an empty file; remove it")
        with writable(folder):
            self._base = sqlite3.connect(path, timeout=PATIENCE_S, isolation_level=None)
        try:
            with writable(folder):
                self._base.execute("BEGIN EXCLUSIVE")
        except DatabaseError:
            self._base.close()
            raise InputError(f"{folder}: another process is playing this run; wait until it ends") from None
        except BaseException:
            self._base.close()
            raise

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
