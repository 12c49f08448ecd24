"""Agents with third-party heuristics, which run in a sandboxed process.

The process (`subprocess_agent_main.py`) regularly reports progress. If it sends nothing for `PATIENCE_S`, or for
`GRACE_S` after a request to stop, a heuristic has not returned: the process is killed and the agent loses its game.
"""

import os
import warnings
from collections.abc import Mapping
from hashlib import sha256
from math import nan
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from isolarium.agents.agent import AgentFailure
from isolarium.errors import InputError
from isolarium.game.board import Board, Square
from isolarium.game.position import Player, Position, Reason
from isolarium.limits import Stop, read_seed
from isolarium.native.cache import FOLDER_VARIABLE, cache_folder, private_folder
from isolarium.processes.code_loader import check_may_start
from isolarium.processes.forkserver import can_fork, startup_variables
from isolarium.processes.rpc import BadAnswer
from isolarium.processes.sandboxed_process import Message, SandboxedProcess, checked
from isolarium.processes.supervised_process import HEURISTIC_SERVER
from isolarium.processes.worker import ONE_THREAD, finalize
from isolarium.safe_files import MOST_SOURCE, read_small
from isolarium.search.protocol import Choice, Report, check_unfinished
from isolarium.spec.spec import AgentSpec, ThirdPartyCode
from isolarium.text import printable

NOTHING: Final = TypeAdapter(None)
PYTHON_AGENT: Final = {
    **ONE_THREAD,
    "PYTHONHASHSEED": "0",  # makes the order of sets reproducible
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",
}
"""The environment variables of every agent in Python."""
T = TypeVar("T")


class ThirdPartyProcess:
    """Third-party code in a process that is killed if it fails to answer a call.

    Args:
        name: The name of the code in messages: its spec.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._process: SandboxedProcess | None = None
        self._number: int | None = None

    @property
    def is_running(self) -> bool:
        """Whether the process is running."""
        return self._process is not None

    @property
    def process_id(self) -> int | None:
        """The process id while the process is running, otherwise None."""
        if self._process is not None and self._number is None:
            self._number = self._process.number
        return self._number

    def start(
        self, process: SandboxedProcess, request: Mapping[str, Any], expected: TypeAdapter[T], **waiting: Any
    ) -> T:
        """Adopt a new process, and return its answer to the first call; see `call`.

        Raises:
            AgentFailure: If it fails.
        """
        self._process = process
        finalize(self, process.end)
        try:
            return self.call(request, expected, **waiting)
        except AgentFailure:
            self.close()
            raise

    def call(self, request: Mapping[str, Any], expected: TypeAdapter[T], **waiting: Any) -> T:
        """Return the answer to a call.

        Args:
            request: The name of a method, as `do`, and its arguments.
            expected: The schema of the answer.
            waiting: How long to wait; see `SandboxedProcess.call`.

        Raises:
            AgentFailure: If the code fails, does not answer in time, sends an invalid answer, or ends its process.
        """
        process = self._process
        assert process is not None
        try:
            answer = process.call(request, **waiting)
            if "done" in answer.model_fields_set:
                return checked(expected, answer.done)
        except TimeoutError as error:
            self.close()
            raise self.failure(Reason.TIME, str(error), process) from None
        except EOFError:
            self.close()
            ended = f"its process ended ({process.ending})"
            raise self.failure(Reason.CRASH, ended, process) from None
        except BadAnswer as error:
            self.close()
            raise self.failure(Reason.CRASH, str(error), process) from None
        except BaseException:  # A late answer would be mistaken for the answer to the next call.
            self.close()
            raise
        if answer.failed is None:
            raise self.failure(Reason.CRASH, str(answer.wrong))
        failure = self.failure(Reason(answer.failed), answer.message)
        if failure.reason is Reason.MEMORY:  # The process may never release its resources.
            self.close()
        raise failure

    def failure(self, reason: Reason, what: str, process: SandboxedProcess | None = None) -> AgentFailure:
        """Return a failure that quotes the last lines that the code printed."""
        process = process or self._process
        printed = "" if process is None else process.last_words
        message = f"{self._name}: {printable(what)}"
        return AgentFailure(reason, f"{message}; it printed: {printed}" if printed else message)

    def close(self) -> None:
        """Terminate the process."""
        if self._process is not None:
            self._process.end()
            self._process = self._number = None


class HeuristicProcess(SandboxedProcess):
    """A sandboxed process that loads heuristic files.

    Args:
        code: The code that it loads.

    Raises:
        InputError: If this process may not start others.
    """

    def __init__(self, code: ThirdPartyCode) -> None:
        check_may_start()
        cache = str(private_folder(_cache_key(code)))
        self.loads = {"cache": cache, "files": list(map(str, code.files)), "data": list(map(str, code.data))}
        variables = {
            **({} if can_fork() else ONE_THREAD),
            **startup_variables(os.environ),  # for the fork server
            **{name: os.environ[name] for name in ("HOME",) if name in os.environ},  # for ~ in specs
            FOLDER_VARIABLE: str(cache_folder()),
        }
        # Paths in specs are relative to the current folder.
        super().__init__(HEURISTIC_SERVER, variables, folder=str(Path.cwd()), measured=[cache])


def _cache_key(code: ThirdPartyCode) -> str:
    """Return the private cache's key, derived from file paths and contents."""
    parts = [f"package {name}" for name in code.packages]
    for file in sorted(code.files):
        try:
            digest = sha256(read_small(file, MOST_SOURCE)).hexdigest()
        except (OSError, ValueError):  # The process reports the error.
            digest = "unreadable"
        parts.append(f"{file} {digest}")
    return "\n".join(parts)


# The schemas that answers are validated against


MOST_NUMBER: Final = 1 << 40
MOST_MOVES: Final = 200
"""The maximum length of a principal variation: the squares of the largest board."""

Number = float | Literal["inf", "-inf"]
"""A number in an answer; JSON has no infinite numbers."""


class ChoiceMessage(Message):
    """A choice with its report; squares are given by number."""

    move: int = Field(ge=0, le=MOST_MOVES)
    score: Number | None
    depth: int = Field(ge=0, le=MOST_NUMBER)
    nodes: int = Field(ge=0, le=MOST_NUMBER)
    time_ms: float = Field(ge=0, le=MOST_NUMBER)
    pv: list[int] = Field(max_length=MOST_MOVES)
    proven: bool
    plies: int | None = Field(ge=0, le=MOST_MOVES)


class ParameterMessage(Message):
    """See `isolarium.heuristics.description.Parameter`."""

    name: str = Field(max_length=100)
    default: str = Field(max_length=1000)
    takes: str = Field(max_length=1000)


class FactsMessage(Message):
    """See `isolarium.heuristics.description.facts`."""

    name: str = Field(max_length=1000)
    family: str = Field(max_length=100)
    report: str = Field(max_length=100)
    formula: str = Field(max_length=1000)
    parameters: list[ParameterMessage] = Field(max_length=100)
    about: str = Field(max_length=10_000)


class HeuristicMessage(Message):
    """The facts about a heuristic and its origin."""

    facts: FactsMessage
    origin: str = Field(max_length=100)


def facts_of(message: Any) -> tuple[dict[str, Any], str] | None:
    """Return the facts about a heuristic and its origin; None if the message does not contain them."""
    try:
        found = HeuristicMessage.model_validate(message)
    except ValidationError:
        return None
    facts: dict[str, Any] = _printable(found.facts.model_dump())
    return facts, printable(found.origin)


def _printable(value: Any) -> Any:
    """Replace all control characters in texts, lists and objects."""
    if isinstance(value, str):
        return "\n".join(map(printable, value.split("\n")))
    if isinstance(value, list):
        return [_printable(one) for one in value]
    return {name: _printable(one) for name, one in value.items()}


def number_of(message: float | str | None) -> float | None:
    """Return the number in a message, or None if it has none."""
    return None if message is None else float(message)


def choice_of(message: ChoiceMessage, position: Position) -> Choice:
    """Return the choice in a message about a position.

    The principal variation is cut before its first illegal move.

    Raises:
        InputError: If the chosen move is not legal.
    """
    move = _square(position.board, message.move)
    if move is None or position.why_illegal(move) is not None:
        raise InputError(f"chose {'square ' + str(message.move) if move is None else move}")
    return Choice(
        move,
        Report(
            number_of(message.score),
            message.depth,
            message.nodes,
            message.time_ms,
            _line(message.pv, move, position),
            message.proven,
            message.plies,
        ),
    )


def _line(numbers: list[int], move: Square, position: Position) -> tuple[Square, ...]:
    line = list[Square]()
    for number in numbers:
        square = _square(position.board, number)
        if square is None or position.why_illegal(square) is not None:
            break
        line.append(square)
        position = position.play(square)
    return tuple(line) if line[:1] == [move] else (move,)


def _square(board: Board, number: int) -> Square | None:
    return board.squares[number] if 0 <= number < board.size else None


PATIENCE_S: Final = 20.0
GRACE_S: Final = 3.0
ALIVE_S: Final = 1.0
"""The maximum time, in seconds, between two progress reports of the process."""
USUAL_BOARD: Final = Board(7, 7)
"""The board for which code is compiled before the first position."""
_STRICT: Final = ConfigDict(strict=True, allow_inf_nan=False)
_WARNINGS: Final = TypeAdapter(Annotated[list[str], Field(max_length=20)], config=_STRICT)
_VALUES: Final = TypeAdapter(Annotated[dict[str, Number | None], Field(max_length=200)], config=_STRICT)
_VALUE: Final[TypeAdapter[Any]] = TypeAdapter(Number | None, config=_STRICT)
_CHOICE: Final = TypeAdapter(ChoiceMessage)


class SubprocessAgent:
    """An agent whose moves are chosen in another process.

    Args:
        spec: The agent.
        patience_s: The maximum time, in seconds, without a message from its process.
    """

    def __init__(self, spec: AgentSpec, patience_s: float = PATIENCE_S) -> None:
        self.name, self._spec = str(spec), spec
        self._patience_s = patience_s
        self._seed = 0
        self._shown = set[str]()
        self._code = ThirdPartyProcess(self.name)

    def new_game(self, seed: int) -> None:
        """Set the seed, and start the process if it is not running."""
        self._seed = read_seed(seed)
        self._start_if_needed(USUAL_BOARD)

    def choose(self, position: Position, stop: Stop | None = None) -> Choice:
        """Choose a move in the process.

        Raises:
            InputError: If the game is over.
            AgentFailure: If the process raises an error, exits, falls silent, or chooses an illegal move.
        """
        check_unfinished(position)
        message = self._call(_CHOICE, position, stop, do="choose", seed=self._seed)
        try:
            return choice_of(message, position)
        except InputError as error:
            raise AgentFailure(Reason.ILLEGAL_MOVE, f"{self.name}: {error}") from None

    def prepare(self, position: Position) -> None:
        """Let the process compile for a board without calling the heuristic."""
        check_unfinished(position)
        self._show(self._call(_WARNINGS, position, do="prepare"))

    def values(self, position: Position) -> Mapping[Square, float]:
        """See `SpecAgent`."""
        found = self._call(_VALUES, position, do="values")
        squares = {str(square): square for square in position.board.squares}
        if not found.keys() <= squares.keys():
            self.close()
            raise AgentFailure(Reason.CRASH, f"{self.name}: sent an invalid answer")
        return {squares[name]: _float(value) for name, value in found.items()}

    def value(self, position: Position, player: Player) -> float:
        """Return the heuristic's value of a position for a player."""
        return _float(self._call(_VALUE, position, do="value", player=int(player)))

    @property
    def process_id(self) -> int | None:
        """The process id while the process is running, otherwise None."""
        return self._code.process_id

    def close(self) -> None:
        """Terminate the process."""
        self._code.close()

    def _start_if_needed(self, board: Board) -> None:
        """Start the process if it is not running; show its warnings once."""
        if self._code.is_running:
            return
        process = HeuristicProcess(self._spec.third_party_code)
        alive_s = min(ALIVE_S, self._patience_s / 4)
        request = {"kind": "agent", "spec": self.name, "alive_s": alive_s, "board": str(board)}
        found = self._code.start(
            process, {**request, **process.loads}, _WARNINGS, patience_s=max(self._patience_s, PATIENCE_S)
        )
        self._show(found)

    def _show(self, messages: list[str]) -> None:
        """Show warnings about the heuristic that were not shown before."""
        for message in dict.fromkeys(messages):
            if message not in self._shown:
                from isolarium.heuristics.compiler import HeuristicWarning  # loads the compiler

                self._shown.add(message)
                warnings.warn(printable(message), HeuristicWarning, stacklevel=4)

    def _call(self, expected: TypeAdapter[T], position: Position, stop: Stop | None = None, **request: Any) -> T:
        """Return the process's answer to a call about a position.

        Raises:
            AgentFailure: If the process does not answer.
        """
        self._start_if_needed(position.board)
        request["position"] = str(position)
        waiting = {"patience_s": self._patience_s, "stop": stop, "grace_s": GRACE_S}
        return self._code.call(request, expected, **waiting)


def _float(message: float | str | None) -> float:
    """Return the number in a message, or NaN for None."""
    found = number_of(message)
    return nan if found is None else found
