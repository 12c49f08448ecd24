"""Agents of the course in the folders that the operator allows: found by their text, never loaded to find out."""

import os
import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from isolab.errors import InputError
from isolab.grammar import parse_tree

MOST: Final = 100
MOST_FILES: Final = 2_000
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
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        for name in sorted(files):
            if name.endswith(".py") and name not in BESIDE and not name.startswith("test"):
                yield Path(place, name)


def _has_player(file: Path) -> bool:
    try:
        if file.stat().st_size > MOST_BYTES:
            return False
        return PLAYER.search(file.read_bytes()) is not None
    except OSError:
        return False


def _is_spec(spec: str, file: Path) -> bool:
    """Whether a path can be written in a spec."""
    try:
        return parse_tree(spec).files == (str(file),)
    except InputError:
        return False
