"""Which agents may be named over HTTP: none that loads a file or starts a program, unless its folder is allowed.

Here specs are only parsed (`isolarium.spec.parser`), which loads nothing. What names no file is also looked up; what
names an allowed one is left to a worker: the file may do anything when it is loaded, and never come to an end.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from isolarium.agents import AgentSpec, parse_spec, read_spec
from isolarium.errors import quoted
from isolarium.heuristics.bound_heuristic import bind_call
from isolarium.heuristics.lookup import is_foreign, names_installed
from isolarium.processes.permissions import Permit
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
        if not spec.is_foreign:
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
        if not is_foreign(call):
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
