"""The syntax of agents and heuristics: parsing builds a tree and loads nothing.

    agent     = search [ ":" heuristic ] [ "@" limit ]
    search    = call                         its arguments are the search's options
    heuristic = call
    call      = word [ "(" [ argument { "," argument } ] ")" ]
    argument  = [ word "=" ] call            a number, a name or a heuristic; positional ones come first
    limit     = bound { "," bound }          depth=N, nodes=N, ms=N, calls=N, book, or book=FILE without commas
    word      = anything without ( ) , =     surrounding spaces are ignored

A heuristic in a file is written `FILE:FUNCTION`. **The path of a file may contain spaces, colons and at signs**:
everything up to the last `/` or `.py` of a word belongs to the path. After that, the last colon separates file and
function, and the first at sign outside parentheses starts the limit. The first colon of an agent ends its search.

In place of a search, or before a heuristic's path, `course:`, `engine:` and `agent:` introduce a
program: `course:game_agent.py:Player(score_fn=custom_score)@ms=150`, `alphabeta:course:game_agent.py:custom_score`. The
text after `engine:` is a command line, split as a shell would: `engine:isolarium engine(agent=strong:stealer)@ms=100`.
`agent:` is followed by a function or a class in a file, or by a name that an installed package registered:
`agent:my_agent.py:Patient@ms=100`, `agent:gambler`. In the same places `own:NAME` refers to an object in the running
Python program: `own:player@nodes=500`, `alphabeta:own:freer`.

The length (`MOST_CHARS`) and the depth (`MOST_NESTED`) of a text are limited, and parsing takes linear time.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import isfinite
from typing import Any, Final, NamedTuple

from isolarium.errors import InputError, located, quoted, shown
from isolarium.limits import Limit
from isolarium.text import did_you_mean

MOST_CHARS: Final = 500
MOST_NESTED: Final = 8
CACHED: Final = 1024
"""The number of parsed texts that a process caches."""
MOST_SHOWN: Final = 200
"""The maximum number of characters of a spec in a message."""
EXAMPLE: Final = "alphabeta:improved@nodes=8000"
FORM: Final = "SEARCH(OPTION=VALUE, ...):HEURISTIC(PARAMETER=VALUE, ...)@LIMIT=VALUE,..."
"""The form of an agent, for help texts."""
COURSE: Final = "course"
ENGINE: Final = "engine"
AGENT: Final = "agent"
OWN: Final = "own"
PROGRAMS: Final = (COURSE, ENGINE, AGENT, OWN)
BOUNDS: Final = {"depth": "depth", "nodes": "nodes", "ms": "time_ms", "calls": "calls"}
"""The bounds of a limit by their names in a text, and the attributes of `Limit`."""
BOOK: Final = "book"
SHORTHAND: Final = {"k": 1_000, "K": 1_000, "m": 1_000_000, "M": 1_000_000}

_PIECE: Final = re.compile(r"[(),=]|[^(),=]+")
_WORD: Final = re.compile(r"[^(),=]*")
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


class Argument(NamedTuple):
    """An argument and its name, which is empty for a positional argument."""

    name: str
    value: "Call"


@dataclass(frozen=True, slots=True)
class Call:
    """A word, and the arguments in the parentheses after it."""

    word: str
    arguments: tuple[Argument, ...] = ()

    def __str__(self) -> str:
        """Return text that parses to this call."""
        if not self.arguments:
            return self.word
        values = (f"{name}={value}" if name else str(value) for name, value in self.arguments)
        return f"{self.word}({', '.join(values)})"

    @property
    def program(self) -> str:
        """The kind of program that the word refers to; empty if it is not a program."""
        kind, colon, _ = self.word.partition(":")
        return kind.strip() if colon and kind.strip() in PROGRAMS else ""

    @property
    def file(self) -> str | None:
        """The path of the file that the word refers to, or None."""
        path, function = self._path_and_function()
        return path if (function is not None or self.program) and not self.own else None

    @property
    def own(self) -> str:
        """The name of an object in the running program; empty if the word is not one."""
        return self.word.partition(":")[2].strip() if self.program == OWN else ""

    @property
    def function(self) -> str:
        """The name of the function in the file, or an empty string."""
        return self._path_and_function()[1] or ""

    @property
    def names_file(self) -> bool:
        """Whether the word looks like a path, with or without a function."""
        return self.file is not None or "/" in self.word or self.word.endswith(".py")

    def _path_and_function(self) -> tuple[str, str | None]:
        if self.own:
            return self.own, None
        path = self.word.partition(":")[2] if self.program else self.word
        colon = path.rfind(":")
        return (path[:colon], path[colon + 1 :]) if colon >= _path_end(path) else (path, None)

    def calls(self) -> "Iterator[Call]":
        """Yield this call and all nested calls."""
        yield self
        for _, value in self.arguments:
            yield from value.calls()

    @property
    def files(self) -> tuple[str, ...]:
        """The files named, in order and without duplicates."""
        named = (call.file for call in self.calls())
        return tuple(dict.fromkeys(file for file in named if file is not None))


@dataclass(frozen=True, slots=True)
class AgentTree:
    """The parts of an agent's spec.

    Attributes:
        search: The search with its options, or the kind of program.
        body: The part after the colon, a heuristic or a program's path; its word is empty if the spec has none.
        limit: The part after the at sign.
    """

    search: Call
    body: Call | None = None
    limit: str | None = None

    def __str__(self) -> str:
        """Return text that parses to this spec."""
        return self.head if self.limit is None else f"{self.head}@{self.limit}"

    @property
    def head(self) -> str:
        """The text without the limit."""
        return str(self.search) if self.body is None else f"{self.search}:{self.body}"

    def without_limit(self) -> "AgentTree":
        """Return the agent without its limit."""
        return replace(self, limit=None)

    def without_search(self) -> "AgentTree":
        """Return the agent without its search, to shorten names that share a search."""
        return self if self.body is None else replace(self, search=self.body, body=None)

    @property
    def book(self) -> str | None:
        """The path of the opening book in the limit, or None."""
        for part in (self.limit or "").split(","):
            name, _, value = part.partition("=")
            if name.strip() == BOOK and value.strip():
                return value.strip()
        return None

    @property
    def is_program(self) -> bool:
        """Whether the agent is a third-party program."""
        return self.search.word in PROGRAMS

    @property
    def installed(self) -> str:
        """The name under which an installed package registered the agent, or an empty string."""
        if self.search.word != AGENT or self.body is None or self.body.names_file:
            return ""
        return self.body.word

    @property
    def own(self) -> tuple[str, ...]:
        """The names of the running program's objects, in order and without duplicates."""
        if self.body is None:
            return ()
        if self.search.word == OWN:
            return (self.body.word,)
        return tuple(dict.fromkeys(call.own for call in self.body.calls() if call.own))

    @property
    def files(self) -> tuple[str, ...]:
        """The files named, including a program's path, in order and without duplicates."""
        body = self.body
        named = () if body is None else body.files
        if self.search.word == ENGINE and body is not None:
            inside = (file for _, value in body.arguments for file in value.files)
            named = (*command_of(body.word)[:1], *inside)
        elif self.search.word == OWN or self.installed:
            named = ()
        elif self.is_program and body is not None and body.file is None:
            named = (body.word, *named)
        book = () if self.book is None else (self.book,)
        return tuple(dict.fromkeys((*self.search.files, *named, *book)))


def command_of(word: str) -> list[str]:
    """Split an engine's command as a shell does, unless a quote is unclosed."""
    try:
        return shlex.split(word)
    except ValueError:
        return [word]


# From text to tree


@lru_cache(CACHED)
def parse_tree(text: str) -> AgentTree:
    """Parse an agent's spec; the result is cached.

    Raises:
        InputError: If the spec is too long, nested too deeply, or malformed.
    """
    if not text.strip():
        raise InputError(f"agent {quoted(text)}: expected a spec, such as {EXAMPLE}")
    check_length("agent", text)
    with located(shown(text, MOST_SHOWN)):
        search, body, limit = _split(text)
        return AgentTree(
            _parse_search(search),
            None if body is None else _Reader(body).read() if body.strip() else Call(""),
            None if limit is None else limit.strip(),
        )


def tree_of(text: str) -> AgentTree:
    """Parse unchecked text, such as a stored spec; invalid text becomes one word."""
    try:
        return parse_tree(text)
    except InputError:
        return AgentTree(Call(text))


def parse_call(text: str) -> Call:
    """Parse a heuristic's text.

    Raises:
        InputError: If the text is too long, nested too deeply, or malformed.
    """
    check_length("heuristic", text)
    return _Reader(text).read()


def check_path(path: str) -> None:
    """Check that a file's path can be printed, sent to a process and stored in a spec.

    Raises:
        InputError: If the path contains control characters or others that cannot be printed.
    """
    if not path.isprintable():
        raise InputError(f"{quoted(path, MOST_SHOWN)}: expected a path without control characters")


def check_length(what: str, text: str) -> None:
    """Check that a text is not too long.

    Raises:
        InputError: If it is too long.
    """
    if len(text) > MOST_CHARS:
        problem = f"expected at most {MOST_CHARS} characters, not {len(text):,}"
        raise InputError(f"{what} {quoted(text)}: {problem}")


def _path_end(word: str) -> int:
    """Return the index in a word after its path, where colons and at signs count."""
    return 1 + max(word.rfind("/"), word.rfind(".py"))


def _split(text: str) -> tuple[str, str | None, str | None]:
    """Return the texts of the search, the body and the limit."""
    depth, colon = 0, None
    head, limit = text, None
    for piece in _PIECE.finditer(text):
        if piece[0] in ("(", ")"):
            depth += 1 if piece[0] == "(" else -1
        elif depth == 0:
            at = piece[0].find("@", _path_end(piece[0]))
            word = piece[0] if at < 0 else piece[0][:at]
            if colon is None and ":" in word:
                colon = piece.start() + word.index(":")
            if at >= 0:
                at += piece.start()
                head, limit = text[:at], text[at + 1 :]
                break
    if colon is None:
        return head, None, limit
    return head[:colon], head[colon + 1 :], limit


def _parse_search(text: str) -> Call:
    if not text.strip():
        return Call("")
    try:
        return _Reader(text).read()
    except InputError:
        problem = "expected NAME or NAME(OPTION=VALUE, ...)"
        raise InputError(f"search {quoted(text)}: {problem}") from None


class _Reader:
    """Parses a call from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0

    def read(self) -> Call:
        found = self._call("a name, such as improved,")
        if self._at < len(self._text):
            is_path = _path_end(self._text[self._at :]) > 0
            raise self._wrong("nothing more", "; the path of a file may not contain ( ) , or =" if is_path else "")
        return found

    def _call(self, expected: str) -> Call:
        word = self._word()
        if not word:
            raise self._wrong(expected)
        if not self._skip("(") or self._skip(")"):
            return Call(word)
        self._depth += 1
        if self._depth > MOST_NESTED:
            problem = f"expected parentheses at most {MOST_NESTED} deep"
            raise InputError(f"heuristic {quoted(self._text)}: {problem}")
        arguments = [self._argument()]
        while self._skip(","):
            arguments.append(self._argument())
        if not self._skip(")"):
            raise self._wrong("',' or ')'")
        self._depth -= 1
        return Call(word, tuple(arguments))

    def _argument(self) -> Argument:
        before = self._at
        name = self._word()
        if name and self._skip("="):
            return Argument(name, self._call(f"a value for {shown(name)}"))
        self._at = before
        return Argument("", self._call("a value"))

    def _word(self) -> str:
        found = _WORD.match(self._text, self._at)
        assert found is not None
        self._at = found.end()
        return found.group().strip()

    def _skip(self, mark: str) -> bool:
        """Skip `mark` and the following spaces if next; return whether it was there."""
        if not self._text.startswith(mark, self._at):
            return False
        self._at += 1
        while self._text[self._at : self._at + 1].isspace():
            self._at += 1
        return True

    def _wrong(self, expected: str, more: str = "") -> InputError:
        rest = self._text[self._at :]
        where = f"before {quoted(rest, 20)}" if rest else "at its end"
        return InputError(f"heuristic {quoted(self._text)}: expected {expected} {where}{more}")


# Limits and numbers


def parse_limit(text: str) -> tuple[Limit | None, bool]:
    """Parse a limit given on its own, such as `depth=3,nodes=8000,book`.

    Returns:
        The limit, with None for each part that is unlimited, and whether the opening book may be used.

    Raises:
        InputError: If it is not a limit.
    """
    if not text.strip():
        raise InputError("a limit without a bound: expected one such as nodes=8000 or ms=150")
    with located(f"limit {shown(text)}"):
        limit, book = read_limit(text, "expected one such as nodes=8000 or ms=150")
        if isinstance(book, str):
            raise InputError("book=FILE: works only in an agent's own limit; use book here")
        return limit, book


def read_limit(text: str, hint: str = "expected depth=, nodes= or ms=") -> tuple[Limit | None, bool | str]:
    """Parse the limit of an agent, which may also name the file of a book.

    Args:
        text: The limit.
        hint: The suggestion in the message for an unknown name.

    Returns:
        The limit, with None for each part that is unlimited, and whether to use the opening book, or the path of
            another book.

    Raises:
        InputError: If the text is not a limit; the caller adds the location.
    """
    bounds: dict[str, Any] = {}
    given, book = set[str](), ""
    for part in text.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if name not in (*BOUNDS, BOOK):
            raise InputError(f"no limit named {quoted(name)} ({did_you_mean(name, [*BOUNDS, BOOK]) or hint})")
        check_once(name, given)
        if name != BOOK:
            bounds[BOUNDS[name]] = _parse_bound(name, value if equals else None)
        elif equals and not value:
            raise InputError("book=: expected the file of an opening book, or book alone")
        else:
            book = value
    return Limit(**bounds) if bounds else None, book or BOOK in given


def _parse_bound(name: str, text: str | None) -> float:
    number = parse_amount(name, text)
    if name == "ms":
        return number
    if not number.is_integer():
        raise InputError(f"{assigned(name, text)}: expected a whole number")
    return int(number)


def parse_amount(name: str, text: str | None) -> float:
    """Parse the number of an option or a bound, such as `8000`, `20k` or `1.5m`.

    Raises:
        InputError: If it is not a finite number.
    """
    digits, factor = text or "", 1
    if digits[-1:] in SHORTHAND:
        digits, factor = digits[:-1], SHORTHAND[digits[-1]]
    number = parse_number(digits)
    if number is None or not isfinite(number * factor):
        raise InputError(f"{assigned(name, text)}: expected a number, such as {name}=100")
    return number * factor


def parse_number(text: str) -> float | None:
    """Parse a finite number in plain digits; return None for anything else."""
    value = float(text) if _NUMBER.fullmatch(text) else float("nan")
    return value if isfinite(value) else None


def check_once(name: str, given: set[str]) -> None:
    """Record a name, and check that it is given only once.

    Raises:
        InputError: If the name was already given.
    """
    if name in given:
        raise InputError(f"{name} is given twice; give it once")
    given.add(name)


def assigned(name: str, text: str | None) -> str:
    """Return `name=text` for a message."""
    return name if text is None else f"{name}={shown(text)}"
