"""A file that is written whole or not at all, however the command ends."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from isolab.errors import InputError


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Write beside `path`, and put it in its place at the end of the block; what was there stays until then.

    Raises:
        InputError: it cannot be written, which is mostly found out before the block begins.
    """
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: no ordinary file; expected a file to write to")
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with part.open("xb") as file:
            yield file
        part.replace(path)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; expected a file to write to") from None
    finally:
        part.unlink(missing_ok=True)
