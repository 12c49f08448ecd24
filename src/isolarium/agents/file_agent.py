"""Agents in Python from files, `agent:FILE.py:NAME`, and from installed packages.

Each runs in a process (`file_agent_main.py`) with the sandbox of course agents. An agent that does
not answer for `LONGEST_MOVE_S` is terminated and loses its game.
"""

from collections.abc import Mapping
from pathlib import Path
from time import perf_counter_ns
from typing import Annotated, Any, Final, TypeVar

from pydantic import Field, TypeAdapter

from isolarium.agents.agent import AgentFailure
from isolarium.agents.subprocess_client import MOST_MOVES, NOTHING, PYTHON_AGENT, ThirdPartyProcess
from isolarium.errors import InputError, quoted
from isolarium.game.board import Square
from isolarium.game.position import Position, Reason
from isolarium.limits import LONGEST_MOVE_S, Stop, longest_ms, read_seed
from isolarium.processes.code_loader import AGENTS, check_permitted, installed_names, python_file
from isolarium.processes.sandboxed_process import Message, SandboxedProcess
from isolarium.processes.supervised_process import AGENT_SERVER
from isolarium.search.protocol import Choice, Report, check_unfinished
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
