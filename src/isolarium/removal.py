"""Removal of folders that third-party code has written to.

Such a folder may contain a hundred thousand nested folders, millions of files, folders without any permissions, and
links to other places; another process may still be writing to it. So this module does not recurse, build paths below
the folder or keep lists of entries. To empty a nested folder, it moves that folder's own folders up into the root, and
removes them there later. It names entries relative to open descriptors, at most six at a time, and never follows links.
"""

import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count, takewhile
from pathlib import Path
from typing import Final

PATIENCE_S: Final = 600.0
"""The time limit, in seconds, while another process keeps writing to the folder."""
IDLE_PASSES: Final = 10
"""The number of passes without a change after which the removal gives up."""
OWNER_RIGHTS: Final = 0o700
CAN_NAME_BY_DESCRIPTOR: Final = {os.open, os.rename, os.rmdir, os.stat, os.unlink} <= set(
    os.supports_dir_fd
) and os.scandir in os.supports_fd


def remove_tree(path: Path, most_s: float = PATIENCE_S) -> bool:
    """Remove a folder with everything in it, or a file or link.

    Links are removed, never followed, even if one replaces a folder during the removal. Mount points stay. On Windows,
    where files cannot be named by descriptors, `shutil` removes the folder.

    Args:
        path: The path to remove; its parent folder is trusted.
        most_s: The time limit while another process keeps adding to the folder.

    Returns:
        Whether everything was removed. Files that cannot be removed do not raise an exception.
    """
    try:
        if not CAN_NAME_BY_DESCRIPTOR:
            with suppress(RecursionError):
                shutil.rmtree(path, ignore_errors=True)
        elif path.is_symlink() or not path.is_dir():
            path.unlink()
        else:
            _remove_folder(path, time.monotonic() + most_s)
    except (OSError, ValueError):  # ValueError if the path is invalid
        pass
    return not os.path.lexists(path)


def _remove_folder(path: Path, until: float) -> None:
    """Empty and remove a folder.

    Raises:
        OSError: If entries remain after `IDLE_PASSES` passes without a change, or after the time limit.
    """
    parent = os.open(path.parent, getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY)
    try:
        with _opened(path.name, parent) as handle:
            root, idle = _Root(handle, until), 0
            while True:
                idle = 0 if root.sweep() else idle + 1
                try:
                    return os.rmdir(path.name, dir_fd=parent)
                except OSError:
                    if idle == IDLE_PASSES or time.monotonic() >= until:
                        raise
    finally:
        os.close(parent)


class _Root:
    """The folder to remove, as an open descriptor, and the deadline."""

    def __init__(self, handle: int, until: float) -> None:
        self._handle, self._until = handle, until
        self._mark = secrets.token_hex(8)
        self._numbers = count()

    def sweep(self) -> bool:
        """Pass over the entries once; return whether anything was removed or moved.

        Only folders that were moved are opened. The system refuses to move mount points, so they are never entered.
        """
        changed = False
        for entry in self._entries(self._handle):
            if _remove_leaf(entry, self._handle):
                changed = True
            elif entry.name.startswith(self._mark):
                changed |= self._remove_moved(entry.name)
            else:
                changed |= self._move_up(entry, self._handle)
        return changed

    def _remove_moved(self, name: str) -> bool:
        """Remove a folder after removing its files and moving its own folders up.

        Return whether anything changed.
        """
        changed = False
        with suppress(OSError):
            with _opened(name, self._handle) as folder:
                for entry in self._entries(folder):
                    changed |= _remove_leaf(entry, folder) or self._move_up(entry, folder)
            os.rmdir(name, dir_fd=self._handle)
            changed = True
        return changed

    def _move_up(self, entry: os.DirEntry[str], folder: int) -> bool:
        """Move a nested folder into the root under a marked name; return whether it moved."""
        with suppress(OSError):
            if not entry.is_dir(follow_symlinks=False):
                return False
            try:
                self._move(entry.name, folder)
            except PermissionError:  # Moving a folder changes its "..", so it must be writable.
                with _opened(entry.name, folder):
                    self._move(entry.name, folder)
            return True
        return False

    def _move(self, name: str, folder: int) -> None:
        new_name = f"{self._mark}-{next(self._numbers)}"
        os.rename(name, new_name, src_dir_fd=folder, dst_dir_fd=self._handle)

    def _entries(self, folder: int) -> Iterator[os.DirEntry[str]]:
        """Yield the entries of an open folder, which may change, until the deadline."""
        with suppress(OSError), os.scandir(folder) as found:
            yield from takewhile(lambda _: time.monotonic() < self._until, found)


def _remove_leaf(entry: os.DirEntry[str], folder: int) -> bool:
    """Remove a file, a link or an empty folder; return whether it is gone."""
    with suppress(OSError):
        if entry.is_dir(follow_symlinks=False):
            os.rmdir(entry.name, dir_fd=folder)
        else:
            os.unlink(entry.name, dir_fd=folder)
        return True
    return False


@contextmanager
def _opened(name: str, folder: int) -> Iterator[int]:
    """Open a folder for the block, and give its owner all rights to it.

    Links are not followed.

    Raises:
        OSError: If it is not a folder, or cannot be opened.
    """
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
    try:
        handle = os.open(name, flags, dir_fd=folder)
    except PermissionError:
        _grant_rights(name, folder)
        handle = os.open(name, flags, dir_fd=folder)
    try:
        if os.fstat(handle).st_mode & OWNER_RIGHTS != OWNER_RIGHTS:
            with suppress(OSError):  # The folder belongs to another user.
                os.fchmod(handle, OWNER_RIGHTS)
        yield handle
    finally:
        os.close(handle)


def _grant_rights(name: str, folder: int) -> None:
    """Give the owner all rights to a folder that cannot be opened, without following a link."""
    if os.chmod in os.supports_follow_symlinks:
        os.chmod(name, OWNER_RIGHTS, dir_fd=folder, follow_symlinks=False)
        return
    # On Linux, O_PATH needs no rights to the folder, and /proc leads to exactly the opened folder.
    handle = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
    try:
        Path(f"/proc/self/fd/{handle}").chmod(OWNER_RIGHTS)
    finally:
        os.close(handle)
