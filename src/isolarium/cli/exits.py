"""How commands end: exit statuses, signals, and complete output files."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import IO, Any, Final

from isolarium.compat import INTERRUPTS
from isolarium.errors import InputError
from isolarium.safe_files import check_ordinary

FAILED: Final = 1
BAD_INPUT: Final = 2
INTERRUPTED: Final = 130  # 128 + SIGINT, as shells count it
TERMINATED: Final = 143  # 128 + SIGTERM

STATUSES: Final = {
    0: "Success.",
    FAILED: "The command could not finish, for example because the disk is full.",
    BAD_INPUT: "Invalid input. One line on stderr explains the problem and what to do; nothing was written.",
    INTERRUPTED: "Stopped by Ctrl-C.",
    TERMINATED: "Stopped by SIGTERM.",
}
"""The meaning of the exit statuses that all commands share."""


@contextmanager
def terminable() -> Iterator[None]:
    """Turn SIGTERM into an exception within the block, so that the command cleans up."""

    def end(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # Ignore further signals.
        raise SystemExit(TERMINATED)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


_received: list[int] = []
"""Every Ctrl-C received so far.

Python drops exceptions raised in finalisers, as may happen during imports."""


@contextmanager
def interrupts_remembered() -> Iterator[None]:
    """Record each Ctrl-C in the block, which raises KeyboardInterrupt as usual.

    If Python drops the exception, `interruptible` can raise it again.
    """

    def interrupt(number: int, frame: FrameType | None) -> None:
        _received.append(number)
        raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    # Any other handler is kept: a shell's background jobs, for example, ignore Ctrl-C.
    is_default = before is signal.default_int_handler
    with _handled_by(interrupt if is_default else before):
        try:
            yield
        finally:
            _received.clear()


@contextmanager
def interruptible() -> Iterator[list[int]]:
    """Record the first Ctrl-C in the block; the second raises KeyboardInterrupt.

    The first Ctrl-C only adds an entry to the yielded list.
    """
    pressed: list[int] = []
    if _received:
        raise KeyboardInterrupt

    def note(number: int, frame: FrameType | None) -> None:
        if pressed:
            raise KeyboardInterrupt
        pressed.append(number)

    with _handled_by(note):
        yield pressed


@contextmanager
def _handled_by(handler: Any) -> Iterator[None]:
    """Handle Ctrl-C within the block, whatever signals the system sends for it."""
    before = [(number, signal.signal(number, handler)) for number in INTERRUPTS]
    try:
        yield
    finally:
        for number, earlier in before:
            signal.signal(number, earlier)


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Write a file that replaces `path` only if the block succeeds.

    A temporary file beside `path` is renamed when the block ends without an error.

    Raises:
        InputError: If the file cannot be written; usually raised before the block begins.
    """
    check_ordinary(path, "a file to write to")
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with part.open("xb") as file:
            yield file
        part.replace(path)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; expected a file to write to") from None
    finally:
        with suppress(OSError):  # A read-only file system also refuses the removal.
            part.unlink(missing_ok=True)
