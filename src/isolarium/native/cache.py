"""The cache of compiled code: private, bounded in size, and never next to the source.

Loading compiled code runs it, so the cache does not use a folder that other users could have
written to. In that case, or if the folder is not writable, the process uses a temporary folder. If
the disk is full, nothing is stored.
"""

import atexit
import os
import re
import stat
import tempfile
import time
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from platformdirs import user_cache_path

from isolarium.compat import IS_WINDOWS, is_ours
from isolarium.removal import remove_tree

FOLDER_VARIABLE: Final = "ISOLARIUM_CACHE"
MOST_BYTES: Final = 512 * 1024 * 1024
OURS: Final = re.compile(r"\w+_[0-9a-f]{32}\.")
"""The pattern at the start of file names: the entry point and its digest."""
DONE: Final = ".done"
"""The suffix of the file that marks an entry point as compiled."""
PRIVATE: Final = "sandboxed"
"""The folder that contains the private folders."""
MOST_PRIVATE: Final = 50
MOST_PRIVATE_BYTES: Final = 64 << 20
LATELY_S: Final = 3600.0


@cache
def cache_folder() -> Path:
    """Return the cache folder.

    It is `$ISOLARIUM_CACHE`, or `isolarium` in the user's cache folder.
    """
    chosen = os.environ.get(FOLDER_VARIABLE)
    folder = Path(chosen) if chosen else user_cache_path("isolarium", appauthor=False)
    return folder if _make_private(folder) else _temporary_folder()


def _make_private(folder: Path) -> bool:
    """Create a private folder; return whether it is writable and safe to use."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.stat()
    except OSError:
        return False
    if IS_WINDOWS:
        return os.access(folder, os.W_OK)
    mode = stat.S_IMODE(found.st_mode)
    if not is_ours(found) or (mode & 0o022 and any(folder.iterdir())):
        return False
    if mode & 0o077:
        folder.chmod(0o700)
    return os.access(folder, os.W_OK | os.X_OK)


def _temporary_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="isolarium-"))
    atexit.register(remove_tree, folder)
    return folder


def cached_files() -> list[tuple[Path, int]]:
    """Return the files of compiled code with their sizes, oldest first.

    The folder may have other uses, so files without the name of a compiled-code file are ignored.
    The private folders of sandboxed processes, which may contain anything, are also ignored.
    """
    found = []
    for folder in (write_folder(), write_folder() / "__pycache__"):
        with suppress(FileNotFoundError), os.scandir(folder) as entries:
            for entry in entries:
                with suppress(FileNotFoundError):  # another process removed it first
                    status = entry.stat(follow_symlinks=False)
                    if OURS.match(entry.name) and stat.S_ISREG(status.st_mode):
                        found.append((status.st_mtime_ns, Path(entry.path), status.st_size))
    return [(path, size) for _, path, size in sorted(found)]


def prune(most_bytes: int = MOST_BYTES) -> None:
    """Remove the oldest files until at most `most_bytes` are left."""
    files = cached_files()
    excess = sum(size for _, size in files) - most_bytes
    for path, size in files:
        if excess <= 0:
            return
        path.unlink(missing_ok=True)
        excess -= size


def clear() -> int:
    """Remove all compiled code and return the bytes freed.

    The code of sandboxed processes is removed but not counted.
    """
    files = cached_files()
    for path, _ in files:
        path.unlink(missing_ok=True)
    remove_tree(cache_folder() / PRIVATE)
    return sum(size for _, size in files)


# Sandboxed processes: no other process loads the code that they compile


def private_folder(key: str) -> Path:
    """Return the cache folder of sandboxed processes that run the code with this key.

    Only trusted processes call this function. The key is derived from the code, so code cannot load
    files that other code has stored. The `MOST_PRIVATE` most recently used folders are kept.
    """
    folders = cache_folder() / PRIVATE
    folder = folders / sha256(key.encode()).hexdigest()[:32]
    if _holds_more(folder, MOST_PRIVATE_BYTES):
        remove_tree(folder)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _remove_old(folders)
    with suppress(FileNotFoundError):  # Another process removed it; its code is compiled again.
        os.utime(folder)
    return folder


def _remove_old(folders: Path) -> None:
    """Remove the least recently used private folders that are not in use."""
    ages = list[tuple[int, str]]()
    with suppress(FileNotFoundError), os.scandir(folders) as found:
        for entry in found:
            with suppress(FileNotFoundError):  # another process removed it first
                ages.append((entry.stat(follow_symlinks=False).st_mtime_ns, entry.path))
    for used_ns, path in sorted(ages)[:-MOST_PRIVATE]:
        if time.time_ns() - used_ns > LATELY_S * 1e9:
            remove_tree(Path(path))


def _holds_more(folder: Path, most: int) -> bool:
    """Return whether a private folder is too large or has unexpected folders."""
    left = most
    for path in (folder, folder / "__pycache__"):
        with suppress(FileNotFoundError), os.scandir(path) as found:
            for entry in found:
                if entry.is_dir(follow_symlinks=False) and entry.name != "__pycache__":
                    return True
                left -= entry.stat(follow_symlinks=False).st_size
                if left < 0:
                    return True
    return False


class _Redirected:
    """The folder that this process writes to, if it differs from the default folder."""

    folder: Path | None = None


def redirect(folder: Path) -> Path:
    """Make this process write compiled code to a private folder.

    After this call, the process only reads from the default folder.

    Returns:
        The part of the default folder that the process must be able to read.
    """
    shared = cache_folder() / "__pycache__"
    shared.mkdir(mode=0o700, exist_ok=True)
    _Redirected.folder = folder
    return shared


def write_folder() -> Path:
    """Return the folder to which this process writes compiled code."""
    return _Redirected.folder or cache_folder()


def place_of(name: str) -> Path:
    """Return the cache's path for a source file.

    The path is in the default folder if the code is already compiled there.
    """
    if _Redirected.folder is not None:
        usual = cache_folder() / name
        if usual.with_suffix(DONE).exists():
            return usual
    return write_folder() / name
