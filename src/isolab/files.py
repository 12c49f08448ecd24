"""Small files that anybody may have put there: whatever they are, reading one neither waits nor takes much memory."""

import json
import os
from errno import ELOOP
from pathlib import Path
from stat import S_ISREG
from typing import Any, Final

from isolab.errors import InputError
from isolab.system import AS_IT_IS

MOST_BYTES: Final = 1 << 20
"""Of settings and texts that a folder of runs has."""


def check_ordinary(path: Path, expected: str) -> None:
    """See that there is an ordinary file, or none yet: a device may never end, and a pipe keeps nothing.

    Raises:
        InputError: something else is there.
    """
    try:
        is_other = path.exists() and not path.is_file()
    except OSError:  # whoever opens it will say why
        return
    if is_other:
        raise InputError(f"{path}: no ordinary file; expected {expected}")


class TooLargeError(InputError):
    """A file that is larger than what is read of its kind."""


def read_small(path: Path, most: int = MOST_BYTES) -> bytes:
    """What is in a regular file of at most so many bytes; a link is not followed, and nobody at a pipe waited for.

    Raises:
        InputError: it is no such file; names it.
        OSError: it cannot be read.
    """
    try:
        handle = os.open(path, os.O_RDONLY | AS_IT_IS)
    except OSError as error:
        if error.errno == ELOOP:
            raise InputError(f"{path}: a link; expected a regular file") from None
        raise
    try:
        about = os.fstat(handle)
        if not S_ISREG(about.st_mode):
            raise InputError(f"{path}: expected a regular file")
        if about.st_size <= most:
            with os.fdopen(handle, "rb", closefd=False) as file:
                found = file.read(most + 1)  # it may have grown
            if len(found) <= most:
                return found
        raise TooLargeError(f"{path}: expected at most {most:,} bytes")
    finally:
        os.close(handle)


def read_text_file(path: Path, most: int = MOST_BYTES, errors: str = "strict") -> str:
    """The text in a small file; `errors` as `bytes.decode` has it.

    Raises:
        InputError: it holds none, or cannot be read; names it.
    """
    try:
        return read_small(path, most).decode("utf-8", errors)
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: {error.reason}; expected UTF-8") from None
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; expected a file") from None


def read_json_file(path: Path, most: int = MOST_BYTES) -> Any:
    """What is written in a small file as JSON; texts in it can be written down, and it can be looked through.

    Raises:
        InputError: it holds none, or cannot be read; names it.
    """
    text = read_text_file(path, most)
    try:
        found = json.loads(text)
        json.dumps(found, ensure_ascii=False).encode()  # half a letter cannot be
    except RecursionError:
        why = "nested too deep"
    except UnicodeEncodeError:
        why = "half a letter in a text"
    except json.JSONDecodeError as error:
        why = str(error)
    except ValueError:
        why = "a number with too many digits"
    else:
        return found
    raise InputError(f"{path}: {why}; expected JSON")


def write_whole(path: Path, text: str) -> None:
    """Put a text into a file that is there once it is whole.

    Raises:
        OSError: it cannot be written.
    """
    draft = path.with_name(f"{path.name}.draft")
    with draft.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
