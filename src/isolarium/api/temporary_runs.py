"""Folders of runs that go with the object that tells of them.

A process that is killed, as the kernels of notebooks are, removes nothing. So each folder is held by its process, and
whoever makes one first removes those that nobody holds any more.
"""

import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

from isolarium.compat import is_ours, lock
from isolarium.errors import InputError
from isolarium.processes.worker import when_gone
from isolarium.removal import remove_tree
from isolarium.safe_files import open_file

PREFIX: Final = "isolarium-run-"
HELD: Final = "held"
"""The file that a process holds as long as it needs the folder."""

_held: dict[Path, IO[bytes]] = {}


def make_folder() -> Path:
    """A folder of our own, once those that were left behind are gone."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    file = (folder / f"{HELD}.new").open("wb")
    lock(file)
    (folder / f"{HELD}.new").rename(folder / HELD)  # who sees it finds it held
    _held[folder] = file
    if not _is_free(folder):  # where nothing can be held, nobody knows what was left behind
        for other in folder.parent.glob(f"{PREFIX}*"):
            if _is_free(other):
                remove_tree(other)
    return folder


class TemporaryFolder:
    """One of ours, which goes with the last object that holds this."""

    def __init__(self, folder: Path) -> None:
        when_gone(self, remove_folder, folder)


def remove_folder(folder: Path) -> None:
    """Remove one of ours."""
    remove_tree(folder)
    if folder in _held:
        _held.pop(folder).close()


def _is_free(folder: Path) -> bool:
    """Whether a folder was held by one of our processes, and is not now."""
    with suppress(OSError, InputError):
        if not folder.is_symlink() and is_ours(folder.stat()):
            with open_file(folder / HELD, 0) as file:
                return lock(file)
    return False
