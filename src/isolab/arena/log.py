"""What agents print while they play: it goes into a file of the run and not between its figures."""

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

LOG_NAME: Final = "agents.log"
STDERR: Final = 2
MOST_BYTES: Final = 1 << 20


def write_to(log: Path) -> None:
    """Have this process, and all that it starts, print into a file from now on."""
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(file, STDERR)
    os.close(file)


def shorten() -> None:
    """Begin the file anew once it is long: agents may print with every move."""
    status = os.fstat(STDERR)
    if stat.S_ISREG(status.st_mode) and status.st_size > MOST_BYTES:
        with suppress(OSError):
            os.ftruncate(STDERR, 0)


def drop_if_empty(log: Path) -> None:
    """Leave no file where nothing was printed."""
    with suppress(OSError):
        if log.stat().st_size == 0:
            log.unlink()
