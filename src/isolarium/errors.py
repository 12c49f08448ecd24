"""The exceptions for bad input and for runs that cannot continue, and how messages quote input."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EDQUOT, EFBIG, ENOSPC
from pathlib import Path
from typing import Final

LONGEST: Final = 300
"""Letters that are told of an error of somebody's code."""
OURS: Final = str(Path(__file__).parent)


class InputError(ValueError):
    """Bad input from a person.

    The message is one line that says what was wrong, where, and what would be right. The command
    line prints it and exits with status 2; a traceback is for bugs.

    Args:
        message: that line.
        advice: its end for somebody at a command line, where it names a command: `; isolarium runs lists them`.
        elsewhere: its end for everybody else.
    """

    def __init__(self, message: str, *, advice: str = "", elsewhere: str = "") -> None:
        super().__init__(message)
        self.message, self.advice, self._elsewhere = message, advice, elsewhere

    def __str__(self) -> str:
        return f"{self.message}{self.advice}"

    @property
    def without_commands(self) -> str:
        """The line for people who have no command line before them."""
        return f"{self.message}{self._elsewhere}"

    def at(self, where: str) -> "InputError":
        """The same with where it stands in front."""
        message = f"{where}: {self.message}"
        return InputError(message, advice=self.advice, elsewhere=self._elsewhere)


class RunAborted(Exception):  # noqa: N818 # not an error in what a person typed
    """The run cannot continue; the message says why. Everything finished is kept."""


@contextmanager
def located(where: str) -> Iterator[None]:
    """Put in front of what is wrong inside the block where it stands."""
    try:
        yield
    except InputError as error:
        raise error.at(where) from None


def check_kind(what: str, value: object, kinds: type | tuple[type, ...], expected: str) -> None:
    """See that something given in Python is of the right kind; True and False are no numbers.

    Raises:
        InputError: it is of another.
    """
    if isinstance(value, kinds) and not (isinstance(value, bool) and bool not in _several(kinds)):
        return
    raise InputError(f"{what} {quoted(value)}: expected {expected}")


def _several(kinds: type | tuple[type, ...]) -> tuple[type, ...]:
    return kinds if isinstance(kinds, tuple) else (kinds,)


def is_full(error: OSError) -> bool:
    """Whether a disk, or what a person may have of it or of a file, is full: nobody's mistake, and no bug."""
    return error.errno in (ENOSPC, EDQUOT, EFBIG)


def quoted(value: object, limit: int = 60) -> str:
    """Show a piece of input in a message: its repr, on one line, at most ``limit`` characters."""
    try:
        text = repr(value)
    except Exception:  # nested too deep, an int with too many digits, or somebody's own that fails
        text = f"a {type(value).__name__}"
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def shown(text: str, limit: int = 40) -> str:
    """Show a text in a message as it is, or quoted where it is long or cannot be printed."""
    return text if len(text) <= limit and text.isprintable() else quoted(text, limit)


def told(error: BaseException) -> str:
    """An error in one line, with the line in which it arose of code that is not ours."""
    if isinstance(error, SyntaxError):
        return f"{type(error).__name__}: {error.msg} (line {error.lineno})"
    said = " ".join(f"{type(error).__name__}: {error}".removesuffix(": ").split())[:LONGEST]
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):  # there may be a million
        file = frame.f_code.co_filename
        if not file.startswith((OURS, "<")):
            place = f" ({file.rpartition('/')[2]}, line {line})"
    return said + place
