"""How commands end: exit statuses, signals as a wish to stop in good order, and files that are whole or not there."""

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


@contextmanager
def terminable() -> Iterator[None]:
    """Within the block SIGTERM ends the command as an exception does: what it has begun is put in order first."""

    def end(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough
        raise SystemExit(TERMINATED)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


_heard: list[int] = []
"""Each Ctrl-C that was to end the command: raised in a finaliser, as happens in imports, it is lost to Python."""


@contextmanager
def interrupts_remembered() -> Iterator[None]:
    """Within the block Ctrl-C raises KeyboardInterrupt as usual; `interruptible` raises again what was lost."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        _heard.append(number)
        raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    # Else it is ignored, as in the background of a shell.
    is_heard = before is signal.default_int_handler
    with _handled_by(interrupt if is_heard else before):
        try:
            yield
        finally:
            _heard.clear()


@contextmanager
def interruptible() -> Iterator[list[int]]:
    """Within the block the first Ctrl-C only adds to the list; the second raises KeyboardInterrupt as usual."""
    pressed: list[int] = []
    if _heard:
        raise KeyboardInterrupt

    def note(number: int, frame: FrameType | None) -> None:
        if pressed:
            raise KeyboardInterrupt
        pressed.append(number)

    with _handled_by(note):
        yield pressed


@contextmanager
def _handled_by(handler: Any) -> Iterator[None]:
    """Within the block a handler hears Ctrl-C, however the system says it."""
    before = [(number, signal.signal(number, handler)) for number in INTERRUPTS]
    try:
        yield
    finally:
        for number, earlier in before:
            signal.signal(number, earlier)


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Write beside `path`, and put it in its place at the end of the block; what was there stays until then.

    Raises:
        InputError: it cannot be written, which is mostly found out before the block begins.
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
        with suppress(OSError):  # where nothing can be written, nothing can be removed
            part.unlink(missing_ok=True)
