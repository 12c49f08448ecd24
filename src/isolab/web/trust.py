"""Which agents may be named over HTTP: none that loads a file or starts a program, unless its folder is allowed.

To read a spec is to load the files that it names, so their names are looked at before it is read. A heuristic's text
is words between the marks `( ) , =`, however deep they are nested (`isolab.heuristics.parsing`), and a word is a file
exactly if it has a colon; so nothing else can be loaded but what is looked at here.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from isolab.agents import AgentSpec, parse_spec
from isolab.errors import InputError, quoted
from isolab.heuristics.catalogue import catalogue
from isolab.heuristics.loading import installed_names
from isolab.heuristics.parsing import parse_heuristic
from isolab.web.limits import SPEC_CHARS, check_budget
from isolab.web.problems import Refused

if TYPE_CHECKING:
    from isolab.heuristics.binding import Bound

PROGRAMS: Final = ("course", "engine")
"""Kinds of agents that are a file or a program by themselves."""
NOWHERE: Final = "\0"
MOST_KNOWN: Final = 500


class Trust:
    """Reads specs, of allowed agents only.

    Args:
        folders: whose files may be agents.
    """

    def __init__(self, folders: Iterable[Path] = ()) -> None:
        self._folders = tuple(folder.resolve() for folder in folders)
        self._known: dict[str, AgentSpec] = {}

    def agent(self, text: str) -> AgentSpec:
        """Read an agent's spec.

        Raises:
            InputError: it is wrong, or asks for too much.
            Refused: it names a file or a program that is not allowed.
        """
        if text in self._known:
            return self._known[text]
        self.check(text)
        spec = parse_spec(text)
        check_budget(spec)
        if not spec.is_foreign:  # a file may change
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[text] = spec
        return spec

    def heuristic(self, text: str) -> "Bound":
        """Read a heuristic.

        Raises:
            InputError: it is wrong.
            Refused: it names a file that is not allowed.
        """
        self.check(f"alphabeta:{text}")
        return parse_heuristic(text)

    def check(self, text: str) -> None:
        """See that reading an agent's spec loads nothing that is not allowed; whether it is right is not looked at.

        Raises:
            Refused: it would.
        """
        if len(text) > SPEC_CHARS:
            raise InputError(f"agent {quoted(text)}: expected at most {SPEC_CHARS} characters")
        for file in files_named(text):
            if not self._is_allowed(file):
                raise Refused(
                    403,
                    f"{quoted(text)}: agents from files and programs are refused over HTTP; "
                    "expected one of Isolab's own, or one in a folder that --allow names",
                )

    def _is_allowed(self, file: str) -> bool:
        try:
            path = Path(file).expanduser().resolve()
        except (OSError, RuntimeError, ValueError):  # such as a null byte
            return False
        return any(path.is_relative_to(folder) for folder in self._folders)


def files_named(text: str) -> Iterator[str]:
    """The files and programs that reading a spec would load; one that no folder can hold stands for a package's."""
    search, colon, rest = text.partition(":")
    if search.partition("(")[0].strip() in PROGRAMS:
        yield from _program(rest) if colon else [NOWHERE]
        return
    for place, word in enumerate(map(str.strip, re.split(r"[(),=]", text))):
        name = word.removeprefix(":")
        if place == 0 and ":" in word:  # the search's own colon
            name = word.partition(":")[2]
        if ":" in name:
            yield name.rpartition(":")[0].strip()
        elif _is_installed(name.partition("@")[0].strip()):
            yield NOWHERE


def _program(text: str) -> Iterator[str]:
    """A program's path, wherever it ends; words after it are none that a folder could vouch for."""
    yield NOWHERE if len(text.split()) != 1 else text
    for place in re.finditer("@", text):
        yield text[: place.start()]


def _is_installed(name: str) -> bool:
    return bool(name) and name not in catalogue() and name in installed_names()
