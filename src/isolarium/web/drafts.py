"""The files of heuristics written in the browser."""

import os
import re
from hashlib import sha256
from pathlib import Path
from typing import Final

from isolarium.errors import InputError
from isolarium.safe_files import file_holds

MOST_TYPED: Final = 30
"""The number of drafts that are kept, in addition to those that have played."""
NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,59}\.py")


class Drafts:
    """The files of drafts, named after their content, so each version has its own process.

    Args:
        folder: The folder of the drafts. It is created with the first one.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._typed = folder / "typed"
        self._saved = dict[Path, bytes]()

    def typed(self, text: str) -> Path:
        """Write a draft that is only evaluated, and remove the oldest of these."""
        path = _written(self._typed, "draft", text)
        others = sorted(self._typed.glob("*.py"), key=lambda file: file.stat().st_mtime_ns)
        for old in others[:-MOST_TYPED]:
            old.unlink(missing_ok=True)
        return path

    def kept(self, text: str, function: str) -> Path:
        """Write a draft that plays games; it is kept, because its run may be resumed."""
        return _written(self.folder, function, text)

    def save(self, text: str, folder: Path, name: str) -> Path:
        """Save a draft as a file in a folder.

        A file is overwritten only if this server saved it, and it has not changed since.

        Raises:
            InputError: If the name is invalid, or another file has it.
        """
        if not NAME.fullmatch(name):
            raise InputError(f"{name[:80]!r}: expected a name such as my_heuristic.py")
        path, content = folder / name, _encoded(text)
        if path in self._saved:
            if path.is_symlink() or not file_holds(path, self._saved[path]):
                raise InputError(f"{name}: changed since it was saved here; choose another name")
            path.unlink()
        try:
            _create(path, content)
        except FileExistsError:
            raise InputError(f"{name}: there is such a file already; choose another name") from None
        self._saved[path] = content
        return path


def _written(folder: Path, stem: str, text: str) -> Path:
    """Write a file named after its content, unless it exists, and return its path."""
    content = _encoded(text)
    path = folder / f"{stem}-{sha256(content).hexdigest()[:10]}.py"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        _create(path, content)
    except FileExistsError:
        os.utime(path)
    return path


def _encoded(text: str) -> bytes:
    """Return a text in UTF-8; lone surrogates become question marks."""
    return text.encode("utf-8", "replace")


def _create(path: Path, content: bytes) -> None:
    """Create a file that is not executable; never follow a link."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "wb") as file:
        file.write(content)
