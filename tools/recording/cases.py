"""The cases in the files of `recorded_cases`.

A file is a group of cases. A case consists of steps: one text, a list of them, or a table with `run` and other keys:

    run        the steps
    files      initial files, by name
    copy       initial files from `recorded_cases/files`
    change     by file, pairs of a text in it and its replacement
    env        environment variables
    blur       further keys of JSON objects whose values differ from run to run
    replace    further patterns with their replacements
    notices    whether to keep lines that are printed only if something takes long
    untold     whether to leave out the contents of the files that the case makes
    sort       whether lines come in any order

A step is a command line, or a table with it as `do` and, for a command, its `input` (stdin), `env`, `stdout` (a file,
or `closed`), `terminal` (`ROWSxCOLUMNS`: it runs in one) and `type` (what a person types there, each after a prompt, or
as a pair of the text to wait for and the text to type; `^C` is Ctrl-C).

    isolarium ...            the command
    python ...            its interpreter
    sh ...                preparations, which are not recorded
    sql FILE STATEMENTS   changes a database
    serve ...             starts `isolarium serve`, which ends with the case
    GET PATH              sends it a request; POST PATH BODY too; with `headers`, `until` (repeat until this is in the
                          answer, or with a ! before it no longer is) and `brief` (only the answer's status counts)
    WS PATH               opens a WebSocket: `say` has the messages to send, one a line (0x00 is a byte), and after each
                          the step waits for a message of a kind in `hear`

TODAY, PORT and TOKEN stand for the date, the server's port and its token; in variables, {DIR}, {HOME} and {TMP} for the
case's folders; <<x*100>> for a hundred x. `defaults` applies to all cases of the file.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parents[1] / "recorded_cases"
FILES: Final = FOLDER / "files"


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a case; its fields are the keys of its table."""

    do: str
    input: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    stdout: str = ""
    terminal: str = ""
    type: Sequence[str | Sequence[str]] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    until: str = ""
    brief: bool = False
    say: Sequence[str] = ()
    hear: Sequence[str] = ("move", "summary", "error", "busy", "run")


@dataclass(frozen=True, slots=True)
class Case:
    """A case; its fields are the keys of its table."""

    name: str
    run: Sequence[Step]
    files: Mapping[str, str] = field(default_factory=dict)
    copy: Sequence[str] = ()
    change: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    blur: Sequence[str] = ()
    replace: Sequence[Sequence[str]] = ()
    notices: bool = False
    untold: bool = False
    sort: bool = False


def read_cases(only: Sequence[str] = ()) -> list[Case]:
    """Return every case, or those whose names match one of the patterns."""
    found = [case for path in sorted(FOLDER.glob("*.toml")) for case in _cases_of(path)]
    return [case for case in found if not only or any(fnmatch(case.name, one) for one in only)]


def _cases_of(path: Path) -> Iterator[Case]:
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    defaults = tables.pop("defaults", {})
    for name, found in tables.items():
        table = {**defaults, **(found if isinstance(found, dict) else {"run": found})}
        steps = [table["run"]] if isinstance(table["run"], str) else table["run"]
        table["run"] = [_step(step) for step in steps]
        yield Case(f"{path.stem}/{name.replace(' ', '-').replace('/', '-')}", **table)


def _step(found: str | dict[str, Any]) -> Step:
    return Step(found) if isinstance(found, str) else Step(**found)


def set_stage(case: Case, folder: Path) -> None:
    """Create the files of a case in its folder."""
    for name in case.copy:
        _write(folder / name, (FILES / name).read_text(encoding="utf-8"))
    for name, text in case.files.items():
        _write(folder / name, text)
    for name, changes in case.change.items():
        text = (folder / name).read_text(encoding="utf-8")
        for old, new in changes:
            if old not in text:
                raise ValueError(f"{case.name}: {name}: no {old!r} in it")
            text = text.replace(old, new)
        _write(folder / name, text)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
