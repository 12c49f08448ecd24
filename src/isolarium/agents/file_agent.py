"""Agents in Python from files, `agent:FILE.py:NAME`, and from installed packages.

Each runs in a process with the sandbox of course agents. An agent that does not answer for
`LONGEST_MOVE_S` is terminated and loses its game. The process calls `main`; before it loads the
agent, it enters its sandbox and reports the restrictions in force.
"""

import json
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from time import perf_counter_ns
from typing import Annotated, Any, Final, TypeVar

from pydantic import Field, TypeAdapter

from isolarium.agents.agent import AgentFailure
from isolarium.agents.python_agent import PythonAgent, required_parameters
from isolarium.agents.subprocess_agent import MOST_MOVES, NOTHING, PYTHON_AGENT, ThirdPartyProcess
from isolarium.compat import line_of
from isolarium.errors import InputError, quoted
from isolarium.game.board import Square
from isolarium.game.notation import parse_position
from isolarium.game.position import Position, Reason
from isolarium.limits import LONGEST_MOVE_S, Stop, longest_ms, read_seed
from isolarium.processes.code_description import failure_line
from isolarium.processes.code_loader import (
    AGENTS,
    check_permitted,
    files_of_loaded,
    installed_names,
    load_file,
    load_installed,
    python_file,
)
from isolarium.processes.rpc import CallServer
from isolarium.processes.sandbox import adapt_torch, confine, explained, python_agent
from isolarium.processes.sandboxed_process import Message, SandboxedProcess
from isolarium.processes.supervised_process import AGENT_SERVER
from isolarium.processes.supervisor import make_room
from isolarium.search.protocol import Choice, Report, check_unfinished
from isolarium.spec.parser import parse_limit
from isolarium.spec.spec import AgentSpec
from isolarium.text import did_you_mean

STARTING_S: Final = 60.0
"""The time limit for starting a process and loading its file, and for starting a game."""
GRACE_S: Final = 0.5
"""The time that an agent has to answer once it must stop; after that it is terminated."""
MOST_FILES: Final = 1000
LONGEST_PATH: Final = 4096
T = TypeVar("T")


class Loaded(Message):
    """The result of loading an agent in a process.

    Attributes:
        takes_limit: Whether the agent receives its limit; functions do not.
        files: The files that were loaded, except those of installed packages.
    """

    takes_limit: bool
    files: list[Annotated[str, Field(max_length=LONGEST_PATH)]] = Field(max_length=MOST_FILES)


class Moved(Message):
    """The number of the square that an agent chose, or None for a resignation."""

    move: int | None = Field(ge=0, lt=MOST_MOVES)


LOADED: Final = TypeAdapter(Loaded)
MOVED: Final = TypeAdapter(Moved)


class FileAgent:
    """An agent in Python from a file or an installed package.

    Args:
        spec: The agent's spec.

    Raises:
        InputError: If there is no such file or registered name, or it may not be loaded.
    """

    def __init__(self, spec: AgentSpec) -> None:
        self.name = str(spec)
        self._limit = spec.limit
        self._code = {**code_of(spec), "name": self.name, "limit": str(spec.limit)}
        self._process = ThirdPartyProcess(self.name)
        self._loaded: Loaded

    def load(self) -> Loaded:
        """Start the process if it is not running; return what it has loaded.

        Raises:
            AgentFailure: If the agent cannot be loaded.
        """
        if not self._process.is_running:
            process = SandboxedProcess(AGENT_SERVER, PYTHON_AGENT)
            self._loaded = self._process.start(process, self._code, LOADED, most_s=STARTING_S)
        return self._loaded

    def new_game(self, seed: int) -> None:
        """Set the seed of the game; the agent receives it with its first move."""
        self._ask({"do": "game", "seed": read_seed(seed)}, NOTHING, most_s=STARTING_S)

    def choose(self, position: Position, stop: Stop | None = None) -> Choice:
        """Return the agent's move.

        Once `stop` returns true, the agent has `GRACE_S` left to answer.

        Raises:
            InputError: If the game is over.
            AgentFailure: If the agent resigns, returns no move, is late, or crashes.
        """
        check_unfinished(position)
        began = perf_counter_ns()
        found = self._ask(
            {"do": "move", "position": str(position)}, MOVED, patience_s=self._patience_s, stop=stop, grace_s=GRACE_S
        )
        time_ms = (perf_counter_ns() - began) / 1e6
        if found.move is None:
            raise self._process.failure(Reason.RESIGNATION, "resigned")
        if found.move >= position.board.size:
            raise self._process.failure(Reason.ILLEGAL_MOVE, f"chose square {found.move}")
        move: Square = position.board.squares[found.move]
        return Choice(move, Report(None, 0, 0, time_ms, (move,)))

    @property
    def _patience_s(self) -> float:
        ms = self._limit.time_ms
        return LONGEST_MOVE_S if ms is None else max(LONGEST_MOVE_S, longest_ms(ms) / 1e3)

    def prepare(self, position: Position) -> None:
        """Start the process, and create the object if the agent is a class."""
        check_unfinished(position)
        self._ask({"do": "prepare", "position": str(position)}, NOTHING, most_s=STARTING_S)

    def values(self, position: Position) -> Mapping[Square, float]:
        """Return an empty mapping: the agent does not evaluate positions."""
        return {}

    @property
    def process_id(self) -> int | None:
        """The id of the agent's process, while it is running."""
        return self._process.process_id

    def close(self) -> None:
        """End the process."""
        self._process.close()

    def _ask(self, request: dict[str, Any], expected: TypeAdapter[T], **waiting: Any) -> T:
        """Return the process's answer; the process is started if needed.

        Raises:
            AgentFailure: If the agent fails or does not answer in time, or its process ends.
        """
        self.load()
        return self._process.call(request, expected, **waiting)


def load_agent(spec: AgentSpec) -> Loaded:
    """Load an agent in a sandboxed process, to check it.

    Raises:
        InputError: If it cannot be loaded.
    """
    agent = FileAgent(spec)
    try:
        return agent.load()
    except AgentFailure as failure:
        raise InputError(str(failure).removeprefix(f"{agent.name}: ")) from None
    finally:
        agent.close()


def file_of(spec: AgentSpec) -> Path | None:
    """Return the path of an agent's file, with links resolved; None for an agent of a package.

    Raises:
        InputError: If there is no such file, or it may not be loaded.
    """
    if spec.installed:
        return None
    path = python_file(spec.files[0])
    check_permitted(path)
    return path


def code_of(spec: AgentSpec) -> dict[str, Any]:
    """Return the message with the code to load.

    Raises:
        InputError: If there is no such file or registered name, or it may not be loaded.
    """
    path = file_of(spec)
    if path is not None:
        assert spec.program is not None
        return {"file": str(path), "function": spec.program.function}
    known = installed_names(AGENTS)
    if spec.installed not in known:
        hint = did_you_mean(spec.installed, known)
        problem = f"no installed package has an agent named {quoted(spec.installed)}"
        raise InputError(f"{problem} ({hint or 'for an agent in a file, write agent:FILE.py:NAME'})")
    return {"file": "", "function": spec.installed}


# The agent's process


HEURISTIC: Final = ("view", "own", "opp")
"""The parameters of a heuristic."""


def main(handle: int, scratch: str, personal: str) -> None:
    """Answer calls until the parent closes the pipe; write only to `scratch`.

    The first call names the agent.
    """
    with line_of(handle) as line, suppress(EOFError, OSError):  # The parent has exited.
        server = CallServer(line)
        wanted = server.receive()
        protection = confine(
            python_agent(),
            personal=[Path(folder) for folder in json.loads(personal)],
            beside=[Path(wanted["file"]).parent] if wanted["file"] else [],
            scratch=Path(scratch),
            descriptors=[handle],
        )
        server.send_protection(asdict(protection))
        agent = _Agent(**wanted)
        server.send(**_outcome(agent.load))
        server.serve(lambda do, **request: _outcome(getattr(agent, do), **request))


def _outcome(action: Callable[..., Any], **request: Any) -> dict[str, Any]:
    """Return the result of an action as an event: its value, or the reason for its failure."""
    try:
        return {"done": action(**request)}
    except AgentFailure as failure:
        return {"failed": failure.reason, "message": str(failure)}
    except InputError as error:
        return {"failed": Reason.CRASH, "message": explained(str(error))}
    except MemoryError:
        make_room()
        return {"failed": Reason.MEMORY, "message": "out of memory"}
    except BaseException as error:  # An agent may raise anything, even SystemExit.
        return {"failed": Reason.CRASH, "message": explained(failure_line(error))}


class _Agent:
    """The agent.

    Args:
        file: Its file; empty for an agent of an installed package.
        function: The name of the function, class or object in the file, or the registered name.
        name: Its spec.
        limit: Its limit.
    """

    def __init__(self, file: str, function: str, name: str, limit: str) -> None:
        self._file, self._function, self._name = file, function, name
        self._limit = parse_limit(limit)[0]
        self._player: PythonAgent

    def load(self) -> dict[str, Any]:
        """Load the agent; return whether it takes a limit, and the files that were loaded.

        Raises:
            InputError: If there is no such agent.
        """
        before = set(sys.modules)
        thing = _from_file(self._file, self._function) if self._file else _installed(self._function)
        assert self._limit is not None
        self._player = PythonAgent(self._name, thing, self._limit)
        files = files_of_loaded(set(sys.modules) - before)
        adapt_torch()
        return {"takes_limit": hasattr(thing, "choose"), "files": files}

    def game(self, seed: int) -> None:
        """Begin a game."""
        self._player.new_game(seed)

    def prepare(self, position: str) -> None:
        """Create the object if the agent is a class."""
        self._player.prepare(parse_position(position))

    def move(self, position: str) -> dict[str, int | None]:
        """Return the number of the chosen square, or None for a resignation.

        Raises:
            AgentFailure: If the agent returns something other than a move.
        """
        where = parse_position(position)
        try:
            move: Any = self._player.choose(where).move
            return {"move": None if move is None else where.board.index(move)}
        except AgentFailure as failure:  # The parent adds the name.
            text = str(failure).removeprefix(f"{self._name}: ")
            raise AgentFailure(failure.reason, text) from None


def _from_file(file: str, name: str) -> Any:
    """Return the agent with this name in a file.

    Raises:
        InputError: If the file cannot be loaded, or has no such agent.
    """
    module = load_file(file)
    thing: Any = getattr(module, name, None)
    if thing is None:
        known = {key: one for key, one in vars(module).items() if not key.startswith("_")}
        agents = [key for key, one in known.items() if _fault(one, module.__name__) is None]
        has = f"it has {', '.join(agents)}" if agents else "it has none"
        raise InputError(f"no agent named {name!r} ({did_you_mean(name, agents) or has})")
    fault = _fault(thing)
    if fault is not None:
        raise InputError(fault)
    return thing


def _installed(name: str) -> Any:
    """Return the agent that an installed package has registered.

    Raises:
        InputError: If it cannot be loaded, or is not an agent.
    """
    loaded = load_installed(AGENTS, name)
    if loaded is None:
        raise InputError(f"no installed package has an agent named {quoted(name)}")
    thing, place = loaded
    fault = _fault(thing)
    if fault is not None:
        raise InputError(f"{place}: {fault}")
    return thing


def _fault(thing: Any, module: str | None = None) -> str | None:
    """Return the reason why an object is not an agent, or None if it is one.

    Args:
        thing: The object.
        module: If given, functions and classes of other modules are not agents.
    """
    expected = "expected f(position), or a class with choose(position, limit)"
    if isinstance(thing, PythonAgent):  # For example, what `isolarium.policy` returns.
        return None
    if module is not None and getattr(thing, "__module__", module) != module:
        return expected
    if callable(getattr(thing, "choose", None)):
        return None
    if not callable(thing) or isinstance(thing, type):
        return f"not an agent; {expected}"
    required = required_parameters(thing)
    if required == len(HEURISTIC):
        arguments = ", ".join(HEURISTIC)
        return f"a function of {arguments} is a heuristic; write alphabeta:FILE.py:FUNCTION"
    return None if required == 1 else f"not a function of one position; {expected}"
