"""Looking up what specs and names stand for. Code that is not ours is loaded for it in a process that ends with it.

A file may crash when it is loaded, end its process or never come to an end: that is then one line of an `InputError`.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from isolab.agents.spec import AgentSpec, load_spec, parse_spec
from isolab.errors import InputError, located, shown
from isolab.grammar import ENGINE, MOST_SHOWN, Call, check_length, parse_call
from isolab.permits import FOLDERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from isolab.agents.host_process import HostProcess

STARTING_S: Final = 60.0
"""How long a process may take before it loads anything: it imports the compiler."""
LOADING_S: Final = 20.0
"""How long what one text names may take to load."""


def read_spec(text: str) -> AgentSpec:
    """Take a spec apart and look up everything that it names.

    Returns:
        The agent in its full form: parameters are named, and left out where they are at their default.

    Raises:
        InputError: names the spec, the part that is wrong, and what was probably meant.
    """
    return read_specs([text])[0]


def read_specs(texts: Sequence[str]) -> list[AgentSpec]:
    """The same for several; the code of others among them is loaded in one process.

    Raises:
        InputError: as above, for the first that is wrong.
    """
    specs = {text: parse_spec(text) for text in texts}
    for spec in specs.values():
        if isinstance(spec.book, str):
            # Inside: a book is read by what knows boards and values, which most specs do without.
            from isolab.agents.opening import book_of

            book_of(spec)
        if spec.kind.name == ENGINE:
            from isolab.agents.engine import find_program

            with located(str(spec)):
                find_program(spec.files[0])
    ours = {text: load_spec(text) for text, spec in specs.items() if not spec.is_foreign}
    hosted = [text for text, spec in specs.items() if _is_hosted(spec)]
    found = zip(hosted, _heuristics(hosted), strict=True)
    full = {text: _with_heuristic(specs[text], heuristic) for text, heuristic in found}
    of_course = {text: _of_course(text, spec) for text, spec in specs.items() if spec.is_of_course}
    return [{**specs, **ours, **full, **of_course}[text] for text in texts]


def _is_hosted(spec: AgentSpec) -> bool:
    """Whether it is one of our searches with somebody's heuristic."""
    return spec.is_foreign and spec.program is None and not spec.is_of_course


def _with_heuristic(spec: AgentSpec, heuristic: Call) -> AgentSpec:
    spec = replace(spec, heuristic=heuristic)
    check_length("agent", str(spec))
    return spec


def _of_course(text: str, spec: AgentSpec) -> AgentSpec:
    """A course agent with its class named, by what was found before where no file has changed since."""
    from isolab.agents.course import load_course

    key = (text, *_place())
    if key not in _known or not _known[key].is_current():
        with located(shown(text, MOST_SHOWN)):
            _known[key] = _Known(*load_course(spec))
    if spec.program is None:
        return spec
    spec = replace(spec, program=_known[key].body)
    check_length("agent", str(spec))
    return spec


@dataclass(frozen=True)
class _Known:
    """A heuristic or a program in full, and the files that were loaded to find out, with their texts."""

    body: Call
    files: Mapping[Path, bytes]

    def is_current(self) -> bool:
        with suppress(OSError):
            return all(path.read_bytes() == text for path, text in self.files.items())
        return False


_known: dict[tuple[str, ...], _Known] = {}


def _heuristics(texts: Sequence[str]) -> list[Call]:
    """The heuristics of specs in full, by what was found before where no file has changed since."""
    place = _place()
    unknown = [
        text
        for text in texts
        if (text, *place) not in _known or not _known[text, *place].is_current()
    ]
    if unknown:
        asked = ask("spec", unknown)
        for text, found in zip(unknown, asked.found, strict=False):
            _known[text, *place] = _Known(found, asked.files)
        if asked.error is not None:
            raise asked.error
    return [_known[text, *place].body for text in texts]


def _place() -> tuple[str, str]:
    """What decides, beside a text, which files it names."""
    return str(Path.cwd()), os.environ.get(FOLDERS, "")


def files_loaded_for(specs: Sequence[AgentSpec]) -> Mapping[Path, bytes]:
    """The files that making these agents loads and that are neither ours nor installed, each with its text.

    They are loaded in a process of its own, where nothing else is; none are known if that does not survive it.
    """
    files = dict[Path, bytes]()
    for spec in specs:
        if spec.is_of_course:
            _of_course(str(spec), spec)
            files |= _known[str(spec), *_place()].files
    hosted = [str(spec) for spec in specs if _is_hosted(spec)]
    return {**files, **ask("spec", hosted).files} if hosted else files


def heuristic_facts(name: str) -> tuple[dict[str, Any], str]:
    """What there is to say about a heuristic, and where it comes from.

    Raises:
        InputError: there is no such heuristic, or it cannot be loaded.
    """
    from isolab.heuristics.describing import facts, origin
    from isolab.heuristics.loading import find, is_foreign

    if not is_foreign(parse_call(name)):
        found = find(name)
        return facts(found), origin(found)
    told: tuple[dict[str, Any], str] = _asked_one("facts", name)
    return told


def read_heuristic(text: str) -> Call:
    """Look up a heuristic with its parameters; it in its full form.

    Raises:
        InputError: something in it is wrong, or cannot be loaded.
    """
    from isolab.heuristics.binding import bind_call
    from isolab.heuristics.loading import is_foreign

    call = parse_call(text)
    if call.program:
        return read_spec(f"greedy:{text}").heuristic or call
    full: Call = _asked_one("heuristic", text) if is_foreign(call) else bind_call(call).call
    return full


def _asked_one(kind: str, text: str) -> Any:
    asked = ask(kind, [text])
    if asked.error is not None:
        raise asked.error
    return asked.found[0]


@dataclass
class Asked:
    """What a process of others' code has answered.

    Attributes:
        found: for each text, up to the first that is wrong.
        error: what is wrong with that.
        files: those that all of it loaded, with their texts.
    """

    found: list[Any]
    error: InputError | None
    files: Mapping[Path, bytes]


def ask(kind: str, texts: Sequence[str]) -> Asked:
    """Have texts looked up where it does no harm; `kind` is one of `host.LOOKUPS`.

    Raises:
        InputError: this process may not start others.
    """
    found, error = list[Any](), None
    with _process() as process:
        process.line.send((kind, texts))
        _hear(process, "its process", STARTING_S)
        for text in texts:
            try:
                said, answer = _hear(process, shown(text, MOST_SHOWN), LOADING_S)
            except InputError as failure:  # the process is gone, or as good as gone
                return Asked(found, error or failure, {})
            if said == "wrong":
                error = error or answer
            elif error is None:
                found.append(answer)
        return Asked(found, error, _hear(process, "its process", STARTING_S)[1])


@contextmanager
def _process() -> "Iterator[HostProcess]":
    from isolab.agents.host_process import HostProcess

    process = HostProcess()
    try:
        yield process
    finally:
        process.end()


def _hear(process: "HostProcess", what: str, most_s: float) -> tuple[str, Any]:
    """The next answer.

    Raises:
        InputError: there is none, or none in time.
    """
    try:
        if process.line.poll(most_s):
            answer: tuple[str, Any] = process.line.recv()
            return answer
        raise InputError(f"{what}: did not finish loading in {most_s:g} s")
    except (EOFError, OSError):
        raise InputError(f"{what}: crashed while it was loaded ({process.ending})") from None
