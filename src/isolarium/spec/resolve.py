"""Resolve specs and names; third-party code is loaded in a sandboxed process.

Third-party code may crash when it is loaded, exit, or never return: each becomes a one-line `InputError`.
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
from isolarium.game.board import Board
from isolarium.processes import own_code
from isolarium.processes.code_loader import FOLDERS
from isolarium.processes.own_code import Kind
from isolarium.safe_files import MOST_SOURCE, file_holds, read_small
from isolarium.spec.parser import AGENT, ENGINE, MOST_SHOWN, Call, check_length, check_path, parse_call, parse_tree
from isolarium.spec.spec import AgentSpec, ThirdPartyCode, parse_spec, third_party_code
from isolarium.text import printable

STARTING_S: Final = 60.0
"""The time limit for starting a process, which imports the compiler."""
LOADING_S: Final = 20.0
"""The time limit for loading the code that one spec names."""
MOST_FILES: Final = 1000


def read_spec(text: str) -> AgentSpec:
    """Parse a spec and look up everything that it names.

    Returns:
        The agent in its full form: parameters are named, and those with default values are left out.

    Raises:
        InputError: If the spec is invalid; the message names the part, and the likely intention.
    """
    return read_specs([text])[0]


def read_specs(texts: Sequence[str], board: Board | None = None) -> list[AgentSpec]:
    """Parse several specs as `read_spec` does.

    Specs with the same third-party code share one process.

    Args:
        texts: The specs.
        board: The board of the agents' opening books, if they will play on one board.

    Raises:
        InputError: If a spec is invalid; the first invalid spec is reported.
    """
    specs = {text: parse_spec(text) for text in texts}
    for spec in specs.values():
        for file in parse_tree(str(spec)).files:
            check_path(file)
        if isinstance(spec.book, str):
            # Imported here because it loads boards and values, which most specs do not need.
            from isolarium.agents.search_agent import book_of, check_book_board

            book = book_of(spec)
            if board is not None:
                check_book_board(spec, book, board)
        if spec.kind.name == ENGINE:
            from isolarium.agents.engine import find_program

            with located(str(spec)):
                find_program(spec.files[0])
    full = dict[str, AgentSpec]()
    for text, spec in specs.items():
        with located(shown(text, MOST_SHOWN)):
            if spec.is_own_agent:
                full[text] = _own_agent(spec)
            elif not spec.is_third_party:
                full[text] = spec.with_bound_heuristic()
    outside = {text: spec for text, spec in specs.items() if spec.loads_heuristic}
    for text, heuristic in _heuristics(outside).items():
        full[text] = replace(specs[text], heuristic=heuristic)
    for text, spec in specs.items():
        if spec.is_of_course:
            full[text] = _of_course(text, spec)
        elif spec.kind.name == AGENT:
            full[text] = _agent_in_file(text, spec)
    for spec in full.values():
        check_length("agent", str(spec))
    return [full.get(text, specs[text]) for text in texts]


def _own_agent(spec: AgentSpec) -> AgentSpec:
    """Return an agent of the running program, without a limit if it accepts none.

    Raises:
        InputError: If there is no such object.
    """
    assert spec.program is not None
    found = own_code.find(spec.program.word, Kind.AGENT)
    return spec if hasattr(found.thing, "choose") else _without_limit(spec)


def _without_limit(spec: AgentSpec) -> AgentSpec:
    return replace(spec, limit=spec.kind.default_limit, names_limit=False)


@dataclass(frozen=True)
class _Known:
    """A heuristic or a program in full form, with the contents of the files that were loaded to resolve it."""

    body: Call
    files: Mapping[Path, bytes]
    takes_limit: bool = True

    def is_current(self) -> bool:
        return all(file_holds(path, text) for path, text in self.files.items())


_known: dict[tuple[str, ...], _Known] = {}
"""Cached results; each is valid until one of its files changes."""


def _of_course(text: str, spec: AgentSpec) -> AgentSpec:
    """Return a course agent's spec with the name of its class."""
    from isolarium.course.course_agent import load_course

    key = (text, *_place())
    if key not in _known or not _known[key].is_current():
        with located(shown(text, MOST_SHOWN)):
            _known[key] = _Known(*load_course(spec))
    return spec if spec.program is None else replace(spec, program=_known[key].body)


def _agent_in_file(text: str, spec: AgentSpec) -> AgentSpec:
    """Return an agent in Python, without a limit if it takes none."""
    from isolarium.agents.file_agent import file_of, load_agent

    key = (text, *_place())
    if key not in _known or not _known[key].is_current():
        with located(shown(text, MOST_SHOWN)):
            path, loaded = file_of(spec), load_agent(spec)
        code = ThirdPartyCode([] if path is None else [path], [], [])
        assert spec.program is not None
        _known[key] = _Known(spec.program, _texts_of(loaded.files, code), loaded.takes_limit)
    return spec if _known[key].takes_limit else _without_limit(spec)


def _heuristics(specs: Mapping[str, AgentSpec]) -> dict[str, Call]:
    """Return the heuristics of specs in full form.

    Only specs that load the same files share a process, so one file cannot forge the answer of another.
    """
    place, by_code = _place(), dict[str, list[str]]()
    for text, spec in specs.items():
        if (text, *place) not in _known or not _known[text, *place].is_current():
            by_code.setdefault(str(spec.third_party_code), []).append(text)
    for texts in by_code.values():
        found = look_up("spec", texts, specs[texts[0]].third_party_code)
        for text, result in zip(texts, found.results, strict=False):
            _known[text, *place] = _Known(_full_form(specs[text].heuristic, result), found.files)
        if found.error is not None:
            raise found.error
    return {text: _known[text, *place].body for text in specs}


def _full_form(given: Call | None, found: Any) -> Call:
    """Return a heuristic in full form, as reported by a process.

    Raises:
        InputError: If it is not the requested heuristic.
    """
    with suppress(InputError):
        if isinstance(found, str):
            check_length("heuristic", found)
            full = parse_call(found)
            is_canonical = str(full) == found and found.isprintable()
            if given is not None and is_canonical and _names(full) == _names(given):
                return full
    raise InputError(f"{shown(str(given), MOST_SHOWN)}: its process sent an invalid answer")


def _place() -> tuple[str, str]:
    """Return the state that determines which files a text names."""
    return str(Path.cwd()), os.environ.get(FOLDERS, "")


def files_loaded_for(specs: Sequence[AgentSpec]) -> Mapping[Path, bytes]:
    """Return the third-party files that these agents load, with their contents.

    Each agent is loaded in a separate sandboxed process. If the process crashes, the agent's files are left out.
    """
    files = dict[Path, bytes]()
    for spec in specs:
        if spec.is_of_course:
            _of_course(str(spec), spec)
            files |= _known[str(spec), *_place()].files
        elif spec.kind.name == AGENT:
            _agent_in_file(str(spec), spec)
            files |= _known[str(spec), *_place()].files
        elif spec.loads_heuristic:
            files |= look_up("spec", [str(spec)], spec.third_party_code).files
    return files


def heuristic_facts(name: str) -> tuple[dict[str, Any], str]:
    """Return the facts about a heuristic and its origin.

    Raises:
        InputError: If there is no such heuristic, or it cannot be loaded.
    """
    from isolarium.heuristics.description import facts, origin
    from isolarium.heuristics.lookup import find, is_third_party

    if not is_third_party(parse_call(name)):
        ours = find(name)
        return facts(ours), origin(ours)
    described = _result_of("facts", name, parse_call(name))
    # Imported here because loading Pydantic takes as long as a short command.
    from isolarium.agents.subprocess_agent import facts_of

    found = facts_of(described)
    if found is None:
        raise InputError(f"{shown(name, MOST_SHOWN)}: its process sent an invalid answer")
    return found


def read_heuristic(text: str) -> Call:
    """Look up a heuristic and return it in full form.

    Raises:
        InputError: If it is invalid, or cannot be loaded.
    """
    from isolarium.heuristics.bound_heuristic import bind_call
    from isolarium.heuristics.lookup import is_third_party

    call = parse_call(text)
    for file in call.files:
        check_path(file)
    if call.program:
        return read_spec(f"greedy:{text}").heuristic or call
    if is_third_party(call):
        return _full_form(call, _result_of("heuristic", text, call))
    return bind_call(call).call


# In a sandboxed process


@dataclass
class Lookup:
    """The results of a lookup in a sandboxed process.

    Attributes:
        results: The result for each text, up to the first invalid text.
        error: The error in the first invalid text.
        files: All files that the lookup loaded, with their contents.
    """

    results: list[Any]
    error: InputError | None
    files: Mapping[Path, bytes]


def _result_of(kind: str, text: str, call: Call) -> Any:
    found = look_up(kind, [text], third_party_code(call))
    if found.error is not None:
        raise found.error
    return found.results[0]


def look_up(kind: str, texts: Sequence[str], code: ThirdPartyCode) -> Lookup:
    """Look texts up in a sandboxed process.

    Args:
        kind: One of `subprocess_agent_main.LOOKUPS`.
        texts: The texts.
        code: The third-party code that all texts load.

    Raises:
        InputError: If this process may not start others.
    """
    from isolarium.agents.subprocess_agent import HeuristicProcess
    from isolarium.processes.rpc import BadAnswer

    results, error, what = list[Any](), None, "its process"
    process = HeuristicProcess(code)
    try:
        process.call({"kind": "lookup", **process.loads}, most_s=STARTING_S)
        for text in texts:
            what = shown(text, MOST_SHOWN)
            answer = process.call({"do": kind, "text": text}, most_s=LOADING_S)
            if answer.wrong is not None:
                error = error or InputError(
                    printable(answer.wrong), advice=printable(answer.advice), elsewhere=printable(answer.elsewhere)
                )
            elif error is None:
                results.append(answer.done)
        what = "its process"
        names = process.call({"do": "files"}, most_s=LOADING_S).done
        return Lookup(results, error, _texts_of(names, code))
    except TimeoutError:
        why = f"{what}: did not finish loading in {LOADING_S:g} s"
        return Lookup(results, error or InputError(why), {})
    except BadAnswer as bad:
        return Lookup(results, error or InputError(f"{what}: {bad}"), {})
    except EOFError:
        why = f"{what}: crashed while it was loaded ({process.ending})"
        return Lookup(results, error or InputError(why), {})
    finally:
        process.end()


def _texts_of(names: Any, code: ThirdPartyCode) -> dict[Path, bytes]:
    """Read the files that a process reports as loaded.

    Only Python files in folders that may contain its code, or modules that are not installed, are accepted, because
    these files become part of the run.
    """
    folders = {file.parent for file in code.files} | set(map(_real, filter(isabs, sys.path)))
    found = list(code.files)
    for name in names if isinstance(names, list) and len(names) <= MOST_FILES else ():
        path = _real(str(name))
        if path.suffix == ".py" and any(map(path.is_relative_to, folders)):
            found.append(path)
    texts = dict[Path, bytes]()
    for path in found:
        with suppress(OSError, InputError):  # The file was removed in the meantime.
            texts[path] = read_small(path, MOST_SOURCE)
    return texts


def _names(call: Call) -> tuple[str, set[str]]:
    return call.word, set(call.files)


def _real(text: str) -> Path:
    """Return the real path; for text that is not a path, an unreadable path."""
    try:
        return Path(text).resolve()
    except (OSError, RuntimeError, ValueError):
        return Path(os.devnull)
