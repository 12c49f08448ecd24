"""Errors in input and aborted runs, and how messages quote and describe them."""

import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from errno import EDQUOT, EFBIG, ENOSPC
from pathlib import Path
from typing import Any, Final

from isolarium.text import did_you_mean

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


# Pydantic's validation errors as one-line messages

KINDS: Final = {
    "bool": "true or false",
    "dict": "a table",
    "enum": "one of {expected}",
    "finite_number": "a finite number",
    "float": "a number",
    "int": "a whole number",
    "list": "a list",
    "literal_error": "{expected}",
    "model": "a table",
    "string": "text",
    "tuple": "a list",
}
"""Descriptions of the expected value, by the prefix of Pydantic's error type."""
BOUNDS: Final = {
    "greater_than": "more than {gt:g}",
    "greater_than_equal": "at least {ge:g}",
    "less_than": "less than {lt:g}",
    "less_than_equal": "at most {le:g}",
    "string_too_long": "text of at most {max_length} characters",
    "string_too_short": "text that is not empty",
    "too_long": "at most {max_length} of them",
    "too_short": "at least {min_length} of them",
    "union_tag_invalid": "one of {expected_tags}",
}
Fault = Mapping[str, Any]
"""An item of `ValidationError.errors()`."""


def fault_in_words(faults: Sequence[Fault], known: Sequence[str] = (), example: str = "{key}") -> str:
    """Describe the first error and the expected value, without the location.

    Args:
        faults: The errors that Pydantic found.
        known: The valid keys at the location of the first error.
        example: An example of a key at that location.
    """
    fault = faults[0]
    kind, key = str(fault["type"]), fault["loc"][-1] if fault["loc"] else ""
    if kind == "missing":
        near = did_you_mean(str(key), _unknown_beside(fault, faults))
        return f"missing; {near + '; ' if near else ''}expected {example.format(key=key)}"
    if kind == "extra_forbidden":
        hint = did_you_mean(str(key), known) or (f"there are {', '.join(known)}" if known else "")
        return f"no key named {quoted(key)}" + (f" ({hint})" if hint else "")
    if kind == "value_error":
        return str(fault["ctx"]["error"])
    return f"{quoted(fault['input'])}: expected {_expected(kind, fault)}"


def _unknown_beside(fault: Fault, faults: Sequence[Fault]) -> list[str]:
    """Return the unknown keys in the table of an error.

    One of them may be a misspelling of the missing key.
    """
    return [
        str(other["loc"][-1])
        for other in faults
        if other["type"] == "extra_forbidden" and other["loc"][:-1] == fault["loc"][:-1]
    ]


def _expected(kind: str, fault: Fault) -> str:
    context = fault.get("ctx", {})
    if kind in BOUNDS:
        return BOUNDS[kind].format(**context)
    if kind in KINDS:
        return KINDS[kind].format(**context)
    begins = kind.partition("_")[0]
    if begins in KINDS:
        return KINDS[begins].format(**context)
    message: str = fault["msg"]
    return message[:1].lower() + message[1:]
