"""Small files that anybody may have put there: whatever they are, reading one neither waits nor takes much memory."""

import json
import os
from errno import ELOOP
from pathlib import Path
from stat import S_ISREG
from typing import Any, Final

from isolab.errors import InputError

MOST_BYTES: Final = 1 << 20
"""Of settings and texts that a folder of runs has."""


class TooLargeError(InputError):
    """A file that is larger than what is read of its kind."""


def read_small(path: Path, most: int = MOST_BYTES) -> bytes:
    """What is in a regular file of at most so many bytes; a link is not followed, and nobody at a pipe waited for.

    Raises:
        InputError: it is no such file; names it.
        OSError: it cannot be read.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == ELOOP:
            raise InputError(f"{path}: a link; expected a regular file") from None
        raise
    with os.fdopen(handle, "rb") as file:
        if not S_ISREG(os.fstat(handle).st_mode):
            raise InputError(f"{path}: expected a regular file")
        found = file.read(most + 1)
    if len(found) > most:
        raise TooLargeError(f"{path}: expected at most {most:,} bytes")
    return found


def is_unicode(text: str) -> bool:
    """Whether a text can be written down and sent; JSON can say half a letter, which cannot."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def read_text_file(path: Path) -> str:
    """The text in a small file.

    Raises:
        InputError: it holds none, or cannot be read; names it.
    """
    try:
        return read_small(path).decode()
    except UnicodeDecodeError:
        raise InputError(f"{path}: expected UTF-8") from None
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None


def read_json_file(path: Path) -> Any:
    """What is written in a small file as JSON.

    Raises:
        InputError: it holds none, or cannot be read; names it.
    """
    text = read_text_file(path)
    try:
        return json.loads(text)
    except RecursionError:
        raise InputError(f"{path}: not JSON: nested too deep") from None
    except ValueError as error:
        raise InputError(f"{path}: not JSON: {error}") from None
