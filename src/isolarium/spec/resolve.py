"""Looking up what specs and names stand for. Code that is not ours is loaded for it in a process that ends with it.

A file may crash when it is loaded, end its process or never come to an end: that is then one line of an `InputError`.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from os.path import isabs
from pathlib import Path
from typing import Any, Final

from isolarium.errors import InputError, located, shown
from isolarium.processes.permissions import FOLDERS
from isolarium.safe_files import MOST_SOURCE, file_holds, read_small
from isolarium.spec.parser import ENGINE, MOST_SHOWN, Call, check_length, parse_call
from isolarium.spec.spec import AgentSpec, ForeignCode, foreign_code, load_spec, parse_spec
from isolarium.text import printable

STARTING_S: Final = 60.0
"""How long a process may take before it loads anything: it imports the compiler."""
LOADING_S: Final = 20.0
"""How long what one text names may take to load."""
MOST_FILES: Final = 1000


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
            from isolarium.agents.opening_book import book_of

            book_of(spec)
        if spec.kind.name == ENGINE:
            from isolarium.agents.engine import find_program

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
    from isolarium.course.agent_spec import load_course

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
        return all(file_holds(path, text) for path, text in self.files.items())


_known: dict[tuple[str, ...], _Known] = {}


def _heuristics(texts: Sequence[str]) -> list[Call]:
    """Return the heuristics of specs in full, by what was found before where no file has changed since.

    Texts that load the same files are looked up in one process, others never: no file can answer for another.
    """
    place, codes = _place(), dict[str, list[str]]()
    for text in texts:
        if (text, *place) not in _known or not _known[text, *place].is_current():
            codes.setdefault(str(parse_spec(text).foreign_code), []).append(text)
    for unknown in codes.values():
        specs = [parse_spec(text) for text in unknown]
        asked = ask("spec", unknown, specs[0].foreign_code)
        for text, spec, found in zip(unknown, specs, asked.found, strict=False):
            _known[text, *place] = _Known(_full_form(spec.heuristic, found), asked.files)
        if asked.error is not None:
            raise asked.error
    return [_known[text, *place].body for text in texts]


def _full_form(given: Call | None, found: Any) -> Call:
    """Return a heuristic in full as a process wrote it, if it is the one that was given.

    Raises:
        InputError: If it is another.
    """
    with suppress(InputError):
        if isinstance(found, str):
            check_length("heuristic", found)
            full = parse_call(found)
            is_written_so = str(full) == found and found.isprintable()
            if given is not None and is_written_so and _names(full) == _names(given):
                return full
    raise InputError(f"{shown(str(given), MOST_SHOWN)}: its process sent what is not an answer")


def _place() -> tuple[str, str]:
    """What decides, beside a text, which files it names."""
    return str(Path.cwd()), os.environ.get(FOLDERS, "")


def files_loaded_for(specs: Sequence[AgentSpec]) -> Mapping[Path, bytes]:
    """Return the files that making these agents loads and that are neither ours nor installed, each with its text.

    They are loaded in sandboxed processes, where nothing else is; none are known of one that does not survive it.
    """
    files = dict[Path, bytes]()
    for spec in specs:
        if spec.is_of_course:
            _of_course(str(spec), spec)
            files |= _known[str(spec), *_place()].files
        elif _is_hosted(spec):
            files |= ask("spec", [str(spec)], spec.foreign_code).files
    return files


def heuristic_facts(name: str) -> tuple[dict[str, Any], str]:
    """What there is to say about a heuristic, and where it comes from.

    Raises:
        InputError: there is no such heuristic, or it cannot be loaded.
    """
    from isolarium.heuristics.description import facts, origin
    from isolarium.heuristics.lookup import find, is_foreign

    if not is_foreign(parse_call(name)):
        ours = find(name)
        return facts(ours), origin(ours)
    told = _asked_one("facts", name, parse_call(name))
    # Inside: pydantic takes as long to load as a short command.
    from isolarium.agents.messages import facts_of

    found = facts_of(told)
    if found is None:
        raise InputError(f"{shown(name, MOST_SHOWN)}: its process sent what is not an answer")
    return found


def read_heuristic(text: str) -> Call:
    """Look up a heuristic with its parameters; it in its full form.

    Raises:
        InputError: something in it is wrong, or cannot be loaded.
    """
    from isolarium.heuristics.bound_heuristic import bind_call
    from isolarium.heuristics.lookup import is_foreign

    call = parse_call(text)
    if call.program:
        return read_spec(f"greedy:{text}").heuristic or call
    if is_foreign(call):
        return _full_form(call, _asked_one("heuristic", text, call))
    return bind_call(call).call


def _asked_one(kind: str, text: str, call: Call) -> Any:
    asked = ask(kind, [text], foreign_code(call))
    if asked.error is not None:
        raise asked.error
    return asked.found[0]


@dataclass
class Asked:
    """What a sandboxed process has answered.

    Attributes:
        found: for each text, up to the first that is wrong.
        error: what is wrong with that.
        files: those that all of it loaded, with their texts.
    """

    found: list[Any]
    error: InputError | None
    files: Mapping[Path, bytes]


def ask(kind: str, texts: Sequence[str], code: ForeignCode) -> Asked:
    """Have texts looked up in a sandboxed process; `kind` is one of `host.LOOKUPS`.

    Args:
        kind: what to look up.
        texts: of what.
        code: what all of them load.

    Raises:
        InputError: If this process may not start others.
    """
    from isolarium.agents.subprocess_client import HeuristicProcess
    from isolarium.processes.rpc import BadAnswer

    found, error, what = list[Any](), None, "its process"
    process = HeuristicProcess(code)
    try:
        process.call({"kind": "lookup", **process.loads}, most_s=STARTING_S)
        for text in texts:
            what = shown(text, MOST_SHOWN)
            answer = process.call({"do": kind, "text": text}, most_s=LOADING_S)
            if answer.wrong is not None:
                error = error or InputError(
                    printable(answer.wrong),
                    advice=printable(answer.advice),
                    elsewhere=printable(answer.elsewhere),
                )
            elif error is None:
                found.append(answer.done)
        what = "its process"
        names = process.call({"do": "files"}, most_s=LOADING_S).done
        return Asked(found, error, _texts_of(names, code))
    except TimeoutError:
        why = f"{what}: did not finish loading in {LOADING_S:g} s"
        return Asked(found, error or InputError(why), {})
    except BadAnswer as bad:
        return Asked(found, error or InputError(f"{what}: {bad}"), {})
    except EOFError:
        why = f"{what}: crashed while it was loaded ({process.ending})"
        return Asked(found, error or InputError(why), {})
    finally:
        process.end()


def _texts_of(names: Any, code: ForeignCode) -> dict[Path, bytes]:
    """Read the files that a process says it has loaded.

    Only Python files count that lie where its code, or a module that is not installed, can come from: whatever it
    names becomes part of the run.
    """
    folders = {file.parent for file in code.files} | set(map(_real, filter(isabs, sys.path)))
    found = list(code.files)
    for name in names if isinstance(names, list) and len(names) <= MOST_FILES else ():
        path = _real(str(name))
        if path.suffix == ".py" and any(map(path.is_relative_to, folders)):
            found.append(path)
    texts = dict[Path, bytes]()
    for path in found:
        with suppress(OSError, InputError):  # removed since
            texts[path] = read_small(path, MOST_SOURCE)
    return texts


def _names(call: Call) -> tuple[str, set[str]]:
    return call.word, set(call.files)


def _real(text: str) -> Path:
    """Return where a path leads; nowhere that can be read if it is not one."""
    try:
        return Path(text).resolve()
    except (OSError, RuntimeError, ValueError):
        return Path(os.devnull)
