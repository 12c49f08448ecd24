"""The agents allowed over HTTP, and the agents in files that a server offers.

An agent that loads a file or starts a program is allowed only if its file is in a folder of
`--allow`. Specs are only parsed here (`isolarium.spec.parser`), which loads nothing. A spec without
a file is also resolved here. A spec with an allowed file is resolved by a worker, because loading
the file can run any code and may never return.
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
from isolarium.processes.code_loader import Permit
from isolarium.safe_files import read_small
from isolarium.spec.parser import Call, parse_call, parse_tree
from isolarium.spec.template import sweep_of
from isolarium.web.http_errors import HttpError
from isolarium.web.quotas import check_agent
from isolarium.web.short_names import ShortNames

MOST_KNOWN: Final = 500


class AgentPolicy:
    """Reads the specs of allowed agents.

    Checking the text only serves to give clear error messages; the code that loads files enforces
    the permit.

    Args:
        folders: Folders whose files may be used as agents.
        drafts: The folder of heuristics written in the browser, if they may be used.

    Attributes:
        permit: The files that the server's processes may load.
        names: The short names of the files in the folders.
    """

    def __init__(self, folders: Iterable[Path] = (), drafts: Path | None = None) -> None:
        shown = tuple(folder.resolve() for folder in folders)
        self.permit = Permit((*shown, drafts.resolve()) if drafts else shown)
        self.names = ShortNames(shown)
        self._known: dict[str, AgentSpec] = {}

    def agent(self, text: str) -> AgentSpec:
        """Read an agent's spec, and resolve it completely unless it names a file.

        Raises:
            InputError: If the spec is invalid or exceeds the limits of a request.
            HttpError: If the spec names a file or a program that is not allowed.
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
        """Return an agent's spec with paths in place of the files' short names.

        Raises:
            InputError: If the spec cannot be parsed.
        """
        return self.names.full(text, parse_tree(text).files)

    def full_template(self, text: str) -> str:
        """Return a spec with values in braces, with paths in place of short names.

        Raises:
            InputError: If the spec is invalid.
        """
        return self.names.full(text, parse_tree(sweep_of(text, [])[1][0]).files)

    def heuristic(self, text: str) -> str:
        """Check a heuristic, and return its spec with the file's path.

        A heuristic in a file is not loaded.

        Raises:
            InputError: If the heuristic is invalid.
            HttpError: If the heuristic names a file that is not allowed.
        """
        path = self.names.full(text, parse_call(text).files)
        call = parse_call(path)
        self._check(text, call.files, call)
        if not is_third_party(call):
            bind_call(call)
        return path

    def check(self, text: str) -> None:
        """Check that an agent's spec names only allowed files.

        The agent itself is not resolved.

        Raises:
            InputError: If the spec cannot be parsed.
            HttpError: If the spec names a file or program that is not allowed.
        """
        tree = parse_tree(text)
        nowhere = ["\0"] if tree.is_program and not tree.files else []  # Not in any folder
        self._check(text, [*tree.files, *nowhere], tree.body)

    def _check(self, text: str, files: Iterable[str], body: Call | None) -> None:
        """Check the files and names of a spec.

        Files must be in an allowed folder; names from installed packages are not allowed.
        """
        if not all(self.permit.allows(Path(file)) for file in files) or (body is not None and names_installed(body)):
            raise HttpError(
                403,
                f"{quoted(text)}: agents from files and programs are not allowed over HTTP; "
                "expected a built-in agent, or a file in a folder that --allow names",
            )


MOST: Final = 100
MOST_FILES: Final = 2_000
MOST_ENTRIES: Final = 100_000
"""The maximum number of files and folders that are read in an allowed folder."""
MOST_BYTES: Final = 1 << 20
FRESH_S: Final = 10.0
"""The time for which the list is cached."""
PLAYER: Final = re.compile(rb"^\s+def get_(?:move|action)\(", re.MULTILINE)
CLASS: Final = re.compile(rb"class\s+([A-Za-z]\w*)")
CHOOSE: Final = re.compile(rb"\s+def choose\(")
NOT_AGENTS: Final = {"sample_players.py", "isolation.py", "isoviz.py"}
"""Files of the course that have an agent's methods but are not agents."""


class FileAgents:
    """The course agents and the classes with `choose` in some folders, found in the source text without loading it.

    Args:
        folders: The folders to search, with links resolved.
    """

    def __init__(self, folders: Iterable[Path]) -> None:
        self._folders = tuple(folders)
        self._known: list[str] = []
        self._looked = float("-inf")

    def specs(self) -> list[str]:
        """Return a spec for each agent, sorted by path."""
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
                for spec in _specs_in(file):
                    if _is_spec(spec, file):
                        yield spec


def _python_files(folder: Path) -> Iterator[Path]:
    """Yield the Python files below a folder, reading at most `MOST_ENTRIES` entries."""
    waiting, left = [folder], MOST_ENTRIES
    while waiting and left > 0:
        try:
            with os.scandir(waiting.pop()) as found:
                entries = sorted(islice(found, left), key=lambda entry: entry.name)
        except OSError:  # Not readable, or the path is too long
            continue
        left -= len(entries)
        inner = [entry for entry in entries if entry.is_dir(follow_symlinks=False)]
        waiting += [Path(entry.path) for entry in inner if not entry.name.startswith((".", "_"))]
        yield from (Path(entry.path) for entry in entries if _may_be_agent(entry))


def _may_be_agent(entry: os.DirEntry[str]) -> bool:
    name = entry.name
    is_python = name.endswith(".py") and name not in NOT_AGENTS and not name.startswith("test")
    return is_python and entry.is_file()


def _specs_in(file: Path) -> Iterator[str]:
    """Yield a spec for the course agent, and for each class with `choose`."""
    try:
        text = read_small(file, MOST_BYTES, follow_links=True)
    except (OSError, InputError):
        return
    if PLAYER.search(text) is not None:
        yield f"course:{file}"
    name = ""
    for line in text.splitlines():
        if line[:1].isalpha() or line[:1] in (b"@", b"_"):  # at the top level
            found = CLASS.match(line)
            name = found[1].decode() if found else ""
        elif name and CHOOSE.match(line):
            yield f"agent:{file}:{name}"
            name = ""


def _is_spec(spec: str, file: Path) -> bool:
    """Return whether a path can be written in a spec."""
    try:
        return parse_tree(spec).files == (str(file),)
    except InputError:
        return False
