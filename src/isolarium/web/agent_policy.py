"""Which agents may be named over HTTP, and which course agents a server offers.

An agent that loads a file or starts a program is allowed only if its file is in a folder of `--allow`. Specs are only
parsed here (`isolarium.spec.parser`), which loads nothing. A spec that names no file is also looked up; one that names
an allowed file is left to a worker, because loading the file can run any code and may never return.
"""

import os
import re
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from isolarium.agents import AgentSpec, parse_spec, read_spec
from isolarium.errors import InputError, quoted
from isolarium.heuristics.bound_heuristic import bind_call
from isolarium.heuristics.lookup import is_third_party, names_installed
from isolarium.processes.permissions import Permit
from isolarium.safe_files import read_small
from isolarium.spec.parser import Call, parse_call, parse_tree
from isolarium.spec.template import sweep_of
from isolarium.web.http_errors import Refused
from isolarium.web.quotas import check_agent
from isolarium.web.short_names import ShortNames

MOST_KNOWN: Final = 500


class Trust:
    """Reads specs, of allowed agents only. The text is checked for the sake of the message; loaders ask the permit.

    Args:
        folders: whose files may be agents.

    Attributes:
        permit: what every process of the server keeps to when it loads files.
        names: what files in the folders are called.
    """

    def __init__(self, folders: Iterable[Path] = ()) -> None:
        self.permit = Permit(tuple(folder.resolve() for folder in folders))
        self.names = ShortNames(self.permit.folders or ())
        self._known: dict[str, AgentSpec] = {}

    def agent(self, text: str) -> AgentSpec:
        """Read an agent's spec, in its full form unless it names a file: what is in that has yet to be seen.

        Raises:
            InputError: it is wrong, or asks for too much.
            Refused: it names a file or a program that is not allowed.
        """
        if text in self._known:
            return self._known[text]
        path = self.full(text)
        self.check(path)
        spec = parse_spec(path)
        check_agent(spec)
        if not spec.is_third_party:
            spec = read_spec(path)
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[text] = spec
        return spec

    def full(self, text: str) -> str:
        """An agent's spec with paths in place of the names of files in the folders.

        Raises:
            InputError: it cannot be parsed.
        """
        return self.names.full(text, parse_tree(text).files)

    def full_template(self, text: str) -> str:
        """The same of a spec with values in braces.

        Raises:
            InputError: it is none.
        """
        return self.names.full(text, parse_tree(sweep_of(text, [])[1][0]).files)

    def heuristic(self, text: str) -> str:
        """See that a heuristic may be named, and that it is there, unless it is in a file; with the file's path.

        Raises:
            InputError: it is wrong.
            Refused: it names a file that is not allowed.
        """
        path = self.names.full(text, parse_call(text).files)
        call = parse_call(path)
        self._check(text, call.files, call)
        if not is_third_party(call):
            bind_call(call)
        return path

    def check(self, text: str) -> None:
        """See that an agent's spec names nothing that is not allowed; whether there is such an agent is not looked at.

        Raises:
            InputError: it cannot be parsed.
            Refused: it does.
        """
        tree = parse_tree(text)
        nowhere = ["\0"] if tree.is_program and not tree.files else []  # no folder can hold that
        self._check(text, [*tree.files, *nowhere], tree.body)

    def _check(self, text: str, files: Iterable[str], body: Call | None) -> None:
        """See that the files are allowed, and that no word is a package's: whose folder is none that was meant."""
        if not all(self.permit.allows(Path(file)) for file in files) or (
            body is not None and names_installed(body)
        ):
            raise Refused(
                403,
                f"{quoted(text)}: agents from files and programs are refused over HTTP; "
                "expected one of Isolarium's own, or one in a folder that --allow names",
            )


MOST: Final = 100
MOST_FILES: Final = 2_000
MOST_ENTRIES: Final = 100_000
"""Files and folders of an allowed folder that are looked at."""
MOST_BYTES: Final = 1 << 20
FRESH_S: Final = 10.0
"""For how long what was found is told again."""
PLAYER: Final = re.compile(rb"^\s+def get_(?:move|action)\(", re.MULTILINE)
BESIDE: Final = {"sample_players.py", "isolation.py", "isoviz.py"}
"""Files of the course that have such methods too, and are no guests."""


class Guests:
    """Those in some folders.

    Args:
        folders: whose files may be agents, links resolved.
    """

    def __init__(self, folders: Iterable[Path]) -> None:
        self._folders = tuple(folders)
        self._known: list[str] = []
        self._looked = float("-inf")

    def specs(self) -> list[str]:
        """A spec for each, by path."""
        if time.monotonic() - self._looked > FRESH_S:
            self._known = sorted(self._found())[:MOST]
            self._looked = time.monotonic()
        return self._known

    def _found(self) -> Iterator[str]:
        looked = 0
        for folder in self._folders:
            for file in _python_files(folder):
                looked += 1
                if looked > MOST_FILES:
                    return
                spec = f"course:{file}"
                if _has_player(file) and _is_spec(spec, file):
                    yield spec


def _python_files(folder: Path) -> Iterator[Path]:
    """Yield the regular Python files in a folder, however deep; look at `MOST_ENTRIES` entries at most."""
    waiting, left = [folder], MOST_ENTRIES
    while waiting and left > 0:
        try:
            with os.scandir(waiting.pop()) as found:
                entries = sorted(islice(found, left), key=lambda entry: entry.name)
        except OSError:  # not readable, or a path that is too long
            continue
        left -= len(entries)
        inner = [entry for entry in entries if entry.is_dir(follow_symlinks=False)]
        waiting += [Path(entry.path) for entry in inner if not entry.name.startswith((".", "_"))]
        yield from (Path(entry.path) for entry in entries if _may_be_agent(entry))


def _may_be_agent(entry: os.DirEntry[str]) -> bool:
    name = entry.name
    is_python = name.endswith(".py") and name not in BESIDE and not name.startswith("test")
    return is_python and entry.is_file()


def _has_player(file: Path) -> bool:
    try:
        return PLAYER.search(read_small(file, MOST_BYTES, follow_links=True)) is not None
    except (OSError, InputError):
        return False


def _is_spec(spec: str, file: Path) -> bool:
    """Whether a path can be written in a spec."""
    try:
        return parse_tree(spec).files == (str(file),)
    except InputError:
        return False
