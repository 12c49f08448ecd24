"""The exceptions for bad input and for runs that cannot continue, and how messages quote input."""

import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from errno import EDQUOT, EFBIG, ENOSPC
from pathlib import Path
from typing import Final

LONGEST: Final = 300
"""Characters of an error in third-party code that messages show."""
OURS: Final = str(Path(__file__).parent)


class InputError(ValueError):
    """Invalid input from a user.

    The message is one line that says what is wrong, where, and what to do. The command line prints it and exits with
    status 2; a traceback is for bugs.

    Args:
        message: The line.
        advice: Text to append on the command line only, because it names a command: `; isolarium runs lists them`.
        elsewhere: Text to append on pages and in notebooks.
    """

    def __init__(self, message: str, *, advice: str = "", elsewhere: str = "") -> None:
        super().__init__(message)
        self.message, self.advice, self._elsewhere = message, advice, elsewhere

    def __str__(self) -> str:
        return f"{self.message}{self.advice}"

    @property
    def without_commands(self) -> str:
        """The line for users of pages and notebooks."""
        return f"{self.message}{self._elsewhere}"

    def at(self, where: str) -> "InputError":
        """Return the error with a place in front of its message."""
        message = f"{where}: {self.message}"
        return InputError(message, advice=self.advice, elsewhere=self._elsewhere)


class RunAborted(Exception):  # noqa: N818 # not an error in the input
    """The run cannot continue; the message says why. All finished games are kept."""


class AgentKeepsFailing(RunAborted):
    """An agent failed in one game after another.

    Args:
        message: Why the run cannot continue.
        files: The files of the agent. A run with a changed file is not resumed, so a corrected agent needs a new run.
    """

    def __init__(self, message: str, files: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.files = tuple(files)


@contextmanager
def located(where: str) -> Iterator[None]:
    """Add a place in front of any `InputError` raised in the block."""
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
    """Return whether an error means that a disk, a quota or a file is full: not a bug, and not bad input."""
    return error.errno in (ENOSPC, EDQUOT, EFBIG)


def quoted(value: object, limit: int = 60) -> str:
    """Quote a piece of input for a message: its repr, at most `limit` characters."""
    try:
        text = repr(value)
    except (
        Exception
    ):  # nested too deep, an int with too many digits, or a third-party repr that fails
        text = f"a {type(value).__name__}"
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def shown(text: str, limit: int = 40) -> str:
    """Return a text for a message, quoted if it is long or cannot be printed."""
    return text if len(text) <= limit and text.isprintable() else quoted(text, limit)


def error_line(error: BaseException) -> str:
    """Return an error in one line, with its place if that is in third-party code."""
    if isinstance(error, SyntaxError):
        file = (error.filename or "").rpartition("/")[2]
        where = (
            f"line {error.lineno}" if not file or file[0] == "<" else f"{file}, line {error.lineno}"
        )
        return f"{type(error).__name__}: {error.msg} ({where})"
    text = " ".join(f"{type(error).__name__}: {error}".removesuffix(": ").split())[:LONGEST]
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):  # there may be a million
        file = frame.f_code.co_filename
        if not file.startswith((OURS, "<")):
            place = f" ({file.rpartition('/')[2]}, line {line})"
    return text + place
