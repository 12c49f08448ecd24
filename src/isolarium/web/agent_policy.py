"""The agents that visitors may use: in which files, and under which names.

An agent that loads a file or starts a program is allowed only if its file is in a folder of
`--allow`. Specs are only parsed here (`isolarium.spec.parser`), which loads nothing. A spec without
a file is also resolved here. A spec with an allowed file is resolved by a worker, because loading
the file can run any code and may never return.

Visitors see short names of files, which hide the server's paths: a file's path within an allowed
folder, prefixed with the folder's name if there are several. Any other file in the results of a
run is shown as the name of its folder and its own name. Names become paths in requests (`full`),
and paths become names in every response of the API. Responses are rewritten as they are sent, so
that no path is missed.
"""

import html
import json
import os
import re
import time
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from isolarium.agents import AgentSpec, parse_spec, read_spec
from isolarium.errors import InputError, quoted
from isolarium.heuristics.bound_heuristic import bind_call
from isolarium.heuristics.lookup import is_third_party, names_installed
from isolarium.processes.code_loader import Permit
from isolarium.safe_files import file_holds, read_small
from isolarium.spec.parser import Call, parse_call, parse_tree
from isolarium.spec.template import sweep_of
from isolarium.web.http_errors import HttpError
from isolarium.web.schema import check_agent

TEXTS = ("application/json", "text/", "image/svg+xml")
RECORDS = "/api/runs"
PART = rb"[^\s\"'/,()@<&\\\\]+"
ELSEWHERE = re.compile(rb"(?<=[a-z]:)/(?:%b/)*(?=%b/%b(?!/))" % (PART, PART, PART))
"""The start of a path in a spec, up to the last folder."""


class ShortNames:
    """The short names of the files in some folders.

    Args:
        folders: The allowed folders, with links resolved.
    """

    def __init__(self, folders: Iterable[Path]) -> None:
        known = [folder for folder in folders if folder != Path(folder.anchor)]
        self._labels = {_label(folder, known): folder for folder in known}
        names = [(f"{folder}/", f"{label}/" if label else "") for label, folder in self._labels.items()]
        self._shown = {
            written(path).encode(): written(name).encode()
            for path, name in sorted(names, key=lambda one: -len(one[0]))
            for written in (str, _in_json, html.escape)
        }

    def full(self, text: str, files: Iterable[str]) -> str:
        """Return a spec with the names of its files replaced by paths.

        Other names are unchanged.
        """
        for file in set(files):
            path = self._path(file)
            if path is not None:
                name = rf"(?<![\w./-]){re.escape(file)}(?![\w/-])"
                text = re.sub(name, str(path).replace("\\", r"\\"), text)
        return text

    def _path(self, name: str) -> Path | None:
        if Path(name).is_absolute():
            return None
        for label, folder in self._labels.items():
            inside = name.removeprefix(f"{label}/") if label else name
            if (inside != name or not label) and (folder / inside).is_file():
                return folder / inside
        return None

    def shown(self, text: bytes, is_record: bool = False) -> bytes:
        """Return a response with short names in place of paths.

        In a run's results, the paths of files outside the folders are shortened, too.
        """
        for path, name in self._shown.items():
            text = text.replace(path, name)
        return ELSEWHERE.sub(b"", text) if is_record else text


def _label(folder: Path, folders: list[Path]) -> str:
    """Return the prefix for a folder's files.

    The prefix is empty if there is only one folder, and numbered if the folder's name is not
    unique.
    """
    if len(folders) == 1:
        return ""
    alike = [other for other in folders if other.name == folder.name]
    place = alike.index(folder)
    return folder.name if place == 0 else f"{folder.name}-{place + 1}"


def _in_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


class Shortened:
    """Middleware that replaces paths with short names in the API's responses.

    Args:
        app: The application.
        names: The names of the files in the allowed folders.
    """

    def __init__(self, app: ASGIApp, names: ShortNames) -> None:
        self._app, self._names = app, names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        is_record = scope["type"] != "lifespan" and scope["path"].startswith(RECORDS)
        if scope["type"] == "http" and scope["path"].startswith("/api/"):
            send = self._rewrite_response(send, is_record)
        elif scope["type"] == "websocket":
            send = self._rewrite_socket(send, is_record)
        await self._app(scope, receive, send)

    def _rewrite_socket(self, send: Send, is_record: bool) -> Send:
        async def rewriting(message: Message) -> None:
            if message.get("text"):
                shown = self._names.shown(message["text"].encode(), is_record)
                message = {**message, "text": shown.decode()}
            await send(message)

        return rewriting

    def _rewrite_response(self, send: Send, is_record: bool) -> Send:
        """Collect each text response, and send it in one piece.

        A path may be split between two parts of a response, and replacing it changes the length.
        """
        start: Message = {}
        body = bytearray()

        async def rewriting(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                is_text = headers.get("content-type", "").startswith(TEXTS)
                if is_text and "content-encoding" not in headers:  # Compressed responses already contain short names.
                    start.update(message)
                    return
            if not start or message["type"] != "http.response.body":
                await send(message)
                return
            body.extend(message.get("body", b""))
            if not message.get("more_body", False):
                shown = self._names.shown(bytes(body), is_record)
                MutableHeaders(scope=start)["content-length"] = str(len(shown))
                await send(start)
                await send({**message, "body": shown})

        return rewriting


MOST_TYPED: Final = 30
"""The number of drafts that are kept, in addition to those that have played."""
NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,59}\.py")


class Drafts:
    """The files of drafts, named after their content, so each version has its own process.

    Args:
        folder: The folder of the drafts. It is created with the first one.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._typed = folder / "typed"
        self._saved = dict[Path, bytes]()

    def typed(self, text: str) -> Path:
        """Write a draft that is only evaluated, and remove the oldest of these."""
        path = _written(self._typed, "draft", text)
        others = sorted(self._typed.glob("*.py"), key=lambda file: file.stat().st_mtime_ns)
        for old in others[:-MOST_TYPED]:
            old.unlink(missing_ok=True)
        return path

    def kept(self, text: str, function: str) -> Path:
        """Write a draft that plays games; it is kept, because its run may be resumed."""
        return _written(self.folder, function, text)

    def save(self, text: str, folder: Path, name: str) -> Path:
        """Save a draft as a file in a folder.

        A file is overwritten only if this server saved it, and it has not changed since.

        Raises:
            InputError: If the name is invalid, or another file has it.
        """
        if not NAME.fullmatch(name):
            raise InputError(f"{name[:80]!r}: expected a name such as my_heuristic.py")
        path, content = folder / name, _encoded(text)
        if path in self._saved:
            if path.is_symlink() or not file_holds(path, self._saved[path]):
                raise InputError(f"{name}: changed since it was saved here; choose another name")
            path.unlink()
        try:
            _create(path, content)
        except FileExistsError:
            raise InputError(f"{name}: there is such a file already; choose another name") from None
        self._saved[path] = content
        return path


def _written(folder: Path, stem: str, text: str) -> Path:
    """Write a file named after its content, unless it exists, and return its path."""
    content = _encoded(text)
    path = folder / f"{stem}-{sha256(content).hexdigest()[:10]}.py"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        _create(path, content)
    except FileExistsError:
        os.utime(path)
    return path


def _encoded(text: str) -> bytes:
    """Return a text in UTF-8; lone surrogates become question marks."""
    return text.encode("utf-8", "replace")


def _create(path: Path, content: bytes) -> None:
    """Create a file that is not executable; never follow a link."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "wb") as file:
        file.write(content)


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
