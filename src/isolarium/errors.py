"""The exceptions for invalid input and aborted runs, and quoting for messages."""

import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from errno import EDQUOT, EFBIG, ENOSPC
from pathlib import Path
from typing import Final

LONGEST: Final = 300
"""The maximum number of characters of a third-party error in a message."""
OURS: Final = str(Path(__file__).parent)


class InputError(ValueError):
    """Invalid input from a user.

    The message is one line: what is wrong, where, and what to do. The command line prints it and
    exits with status 2; only bugs show a traceback.

    Args:
        message: The message.
        advice: Text to append on the command line only, because it names a command:
            `; isolarium runs lists them`.
        elsewhere: Text to append on web pages and in notebooks instead.
    """

    def __init__(self, message: str, *, advice: str = "", elsewhere: str = "") -> None:
        super().__init__(message)
        self.message, self.advice, self._elsewhere = message, advice, elsewhere

    def __str__(self) -> str:
        return f"{self.message}{self.advice}"

    @property
    def without_commands(self) -> str:
        """The message for users of web pages and notebooks."""
        return f"{self.message}{self._elsewhere}"

    def at(self, where: str) -> "InputError":
        """Return the error with its message prefixed by a location."""
        message = f"{where}: {self.message}"
        return InputError(message, advice=self.advice, elsewhere=self._elsewhere)


class RunAborted(Exception):  # noqa: N818 # not an error in the input
    """The run cannot continue; the message gives the reason. All finished games are kept."""


class AgentKeepsFailing(RunAborted):
    """An agent failed in several games in a row, or cannot play at all.

    Args:
        message: Why the run cannot continue.
        files: The agent's files. A run cannot be resumed after one of them changes, so a corrected
            agent needs a new run.
    """

    def __init__(self, message: str, files: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.files = tuple(files)


@contextmanager
def located(where: str) -> Iterator[None]:
    """Prefix the message of any `InputError` raised in the block with a location."""
    try:
        yield
    except InputError as error:
        raise error.at(where) from None


def check_kind(what: str, value: object, kinds: type | tuple[type, ...], expected: str) -> None:
    """Check the type of an argument; booleans do not count as numbers.

    Raises:
        InputError: If the argument has another type.
    """
    if isinstance(value, kinds) and not (isinstance(value, bool) and bool not in _several(kinds)):
        return
    raise InputError(f"{what} {quoted(value)}: expected {expected}")


def _several(kinds: type | tuple[type, ...]) -> tuple[type, ...]:
    return kinds if isinstance(kinds, tuple) else (kinds,)


def is_full(error: OSError) -> bool:
    """Return whether an error means that a disk, a quota or a file is full.

    Such an error is neither a bug nor bad input.
    """
    return error.errno in (ENOSPC, EDQUOT, EFBIG)


def quoted(value: object, limit: int = 60) -> str:
    """Quote a piece of input for a message: its repr, at most `limit` characters."""
    try:
        text = repr(value)
    except Exception:  # Nested too deeply, an int with too many digits, or a failing third-party repr
        text = f"a {type(value).__name__}"
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def shown(text: str, limit: int = 40) -> str:
    """Return text for a message, quoted if it is long or contains unprintable characters."""
    return text if len(text) <= limit and text.isprintable() else quoted(text, limit)


def error_line(error: BaseException) -> str:
    """Return an error as one line, with its location if third-party code raised it."""
    if isinstance(error, SyntaxError):
        file = (error.filename or "").rpartition("/")[2]
        where = f"line {error.lineno}" if not file or file[0] == "<" else f"{file}, line {error.lineno}"
        return f"{type(error).__name__}: {error.msg} ({where})"
    text = " ".join(f"{type(error).__name__}: {error}".removesuffix(": ").split())[:LONGEST]
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):  # The traceback may have a million frames.
        file = frame.f_code.co_filename
        if not file.startswith((OURS, "<")):
            place = f" ({file.rpartition('/')[2]}, line {line})"
    return text + place
