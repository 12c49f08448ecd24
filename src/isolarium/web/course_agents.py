"""Agents of the course in the folders that the operator allows: found by their text, never loaded to find out."""

import os
import re
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from isolarium.errors import InputError
from isolarium.safe_files import read_small
from isolarium.spec.parser import parse_tree

MOST: Final = 100
MOST_FILES: Final = 2_000
MOST_ENTRIES: Final = 100_000
"""Files and folders of an allowed folder that are looked at."""
MOST_BYTES: Final = 1 << 20
FRESH_S: Final = 10.0
"""For how long what was found is told again."""
PLAYER: Final = re.compile(rb"^\s+def get_(?:move|action)\(", re.MULTILINE)
BESIDE: Final = {"sample_players.py", "isolation.py", "isoviz.py"}
"""Files of the course that have such methods too, and are no guests."""


class Guests:
    """Those in some folders.

    Args:
        folders: whose files may be agents, links resolved.
    """

    def __init__(self, folders: Iterable[Path]) -> None:
        self._folders = tuple(folders)
        self._known: list[str] = []
        self._looked = float("-inf")

    def specs(self) -> list[str]:
        """A spec for each, by path."""
        if time.monotonic() - self._looked > FRESH_S:
            self._known = sorted(self._found())[:MOST]
            self._looked = time.monotonic()
        return self._known

    def _found(self) -> Iterator[str]:
        looked = 0
        for folder in self._folders:
            for file in _python_files(folder):
                looked += 1
                if looked > MOST_FILES:
                    return
                spec = f"course:{file}"
                if _has_player(file) and _is_spec(spec, file):
                    yield spec


def _python_files(folder: Path) -> Iterator[Path]:
    """Yield the regular Python files in a folder, however deep; look at `MOST_ENTRIES` entries at most."""
    waiting, left = [folder], MOST_ENTRIES
    while waiting and left > 0:
        try:
            with os.scandir(waiting.pop()) as found:
                entries = sorted(islice(found, left), key=lambda entry: entry.name)
        except OSError:  # not readable, or a path that is too long
            continue
        left -= len(entries)
        inner = [entry for entry in entries if entry.is_dir(follow_symlinks=False)]
        waiting += [Path(entry.path) for entry in inner if not entry.name.startswith((".", "_"))]
        yield from (Path(entry.path) for entry in entries if _may_be_agent(entry))


def _may_be_agent(entry: os.DirEntry[str]) -> bool:
    name = entry.name
    is_python = name.endswith(".py") and name not in BESIDE and not name.startswith("test")
    return is_python and entry.is_file()


def _has_player(file: Path) -> bool:
    try:
        return PLAYER.search(read_small(file, MOST_BYTES, follow_links=True)) is not None
    except (OSError, InputError):
        return False


def _is_spec(spec: str, file: Path) -> bool:
    """Whether a path can be written in a spec."""
    try:
        return parse_tree(spec).files == (str(file),)
    except InputError:
        return False
