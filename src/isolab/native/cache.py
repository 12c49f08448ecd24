"""The folder of compiled code: private to its owner, of bounded size, and never beside the source.

Loading compiled code runs it, so a folder that somebody else could have written to is not used: then, and where the
folder cannot be written, a temporary folder serves for the life of the process. Where the disk is full nothing is kept.
"""

import atexit
import os
import re
import shutil
import stat
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

from platformdirs import user_cache_path

from isolab.system import IS_WINDOWS, is_ours

FOLDER_VARIABLE: Final = "ISOLAB_CACHE"
MOST_BYTES: Final = 512 * 1024 * 1024
OURS: Final = re.compile(r"\w+_[0-9a-f]{32}\.")
"""How the names of all files begin: an entry point and its digest (see `entry.py`)."""


@cache
def cache_folder() -> Path:
    """The folder compiled code is kept in: `$ISOLAB_CACHE`, or `isolab` in the user's cache folder."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    folder = Path(chosen) if chosen else user_cache_path("isolab", appauthor=False)
    return folder if _make_private(folder) else _temporary_folder()


def _make_private(folder: Path) -> bool:
    """Create the folder with mode 0700; whether it is ours alone, has always been, and can be written to."""
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
    folder = Path(tempfile.mkdtemp(prefix="isolab-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def cached_files() -> list[tuple[Path, int]]:
    """Every file of ours in the folder with its size in bytes, the least recently changed first.

    The folder may have been meant for other things too: whatever is not named as compiled code is, is left alone.
    """
    found = []
    for path in cache_folder().rglob("*"):
        if not OURS.match(path.name):
            continue
        with suppress(FileNotFoundError):  # another process was quicker to remove it
            status = path.stat()
            if stat.S_ISREG(status.st_mode):
                found.append((status.st_mtime_ns, path, status.st_size))
    return [(path, size) for _, path, size in sorted(found)]


def prune(most_bytes: int = MOST_BYTES) -> None:
    """Remove the oldest files until the folder holds at most `most_bytes`; what is missing later is compiled again."""
    files = cached_files()
    excess = sum(size for _, size in files) - most_bytes
    for path, size in files:
        if excess <= 0:
            return
        path.unlink(missing_ok=True)
        excess -= size


def clear() -> int:
    """Remove all compiled code; how many bytes that freed."""
    files = cached_files()
    for path, _ in files:
        path.unlink(missing_ok=True)
    return sum(size for _, size in files)
