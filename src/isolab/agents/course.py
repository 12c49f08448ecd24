"""An agent written for the course, in a process of its own that is shut in: `course:game_agent.py@ms=150`.

The process (`isolab.course.guest`) chooses; here its moves are asked for, and what it does wrong is charged. By the
clock a move is late once the process has been at work for longer than allowed, or ten times as long has passed: what
the machine took is nobody's loss. Positions are counted in the process.
"""

import weakref
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from time import perf_counter_ns
from typing import Any, Final, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from isolab.agents.agent import AgentFailure
from isolab.agents.guest_process import GuestProcess
from isolab.agents.spec import AgentSpec
from isolab.course.module_set import ModuleSet
from isolab.errors import InputError, located, quoted, shown
from isolab.game.board import Square
from isolab.game.outcome import Reason
from isolab.game.position import Position
from isolab.grammar import MOST_SHOWN, Call, check_length
from isolab.limits import Stop
from isolab.permits import check_permitted
from isolab.processes import processor_clock
from isolab.search.protocol import Choice, Report, check_unfinished

STARTING_S: Final = 60.0
"""How long a process may take to start and to load an agent, and a game to begin."""
COUNTED_S: Final = 60.0
"""How long a move may take where only positions are counted."""
PATIENCE: Final = 10
LEEWAY_MS: Final = 1000.0
"""An agent that is not at work, as one that sleeps, may take ten times what a move may, and a second."""
GRACE_MS: Final = 500.0
"""How much longer an agent may work before it is ended; it has lost by then."""
WAY_MS: Final = 2.0
"""What the way to the process and back may take."""
MOST: Final = 1 << 40


class Description(BaseModel):
    """What a process says of the agent that it has loaded."""

    model_config = ConfigDict(strict=True)

    name: str = Field(max_length=100)
    modules: ModuleSet = Field(strict=False)
    files: list[str] = Field(max_length=1000)


class Chosen(BaseModel):
    """What a process says of a move."""

    model_config = ConfigDict(strict=True)

    move: tuple[int, int] | None = Field(strict=False)
    calls: int = Field(ge=0, le=MOST)
    plies: int = Field(ge=0, le=MOST)
    late: bool


class Answer(BaseModel):
    """What a process answers: what was asked for; or what is wrong with the spec; or what the agent did."""

    done: Any = None
    wrong: str | None = Field(default=None, max_length=2000)
    failed: Reason | None = None
    told: str = Field(default="", max_length=2000)


M = TypeVar("M", bound=BaseModel)


class CourseAgent:
    """An agent whose moves are chosen by somebody's file; its process is started with its first game.

    Args:
        spec: the agent.
    """

    def __init__(self, spec: AgentSpec) -> None:
        assert spec.program is not None
        self.name = str(spec)
        self._program, self._limit = spec.program, spec.limit
        self._process: GuestProcess | None = None
        self._stops_by_itself = True

    def new_game(self, seed: int) -> None:
        """Have the file loaded anew, and everything that is left to chance drawn from the seed.

        Raises:
            AgentFailure: it cannot be loaded.
        """
        if self._ask({"do": "game", "seed": seed}, STARTING_S) is not True:
            self.close()  # a game before has left something running
            self._ask({"do": "game", "seed": seed}, STARTING_S)

    def choose(self, position: Position, stop: Stop | None = None) -> Choice:
        """Have the process choose; one that is stopped from outside is ended, and has lost.

        Raises:
            InputError: the game is over.
            AgentFailure: it did something wrong, was late, or did not survive.
        """
        check_unfinished(position)
        self._running()
        ms, started_ns = self._limit.time_ms, perf_counter_ns()
        work_ns = processor_clock(self.process_id) or perf_counter_ns
        began_ns = work_ns()

        def busy_ms() -> float:
            return min(work_ns() - began_ns, perf_counter_ns() - started_ns) / 1e6

        def is_hopeless() -> bool:
            is_late = ms is not None and busy_ms() > ms + GRACE_MS
            return is_late or (stop is not None and stop())

        request = {"do": "move", "position": str(position), "ms": ms, "calls": self._limit.calls}
        most_s = COUNTED_S if ms is None else (PATIENCE * ms + LEEWAY_MS) / 1e3
        chosen = self._checked(Chosen, self._ask(request, most_s, is_hopeless))
        took_ms = busy_ms()
        if chosen.late:
            told = f"asked for {chosen.calls:,} positions where {self._limit.calls:,} were allowed"
            raise self._failure(Reason.TIME, told)
        if ms is not None and took_ms > ms + WAY_MS and self._stops_by_itself:
            raise self._failure(Reason.TIME, f"{took_ms:.0f} ms where {ms:g} were allowed")
        if chosen.move is None:
            raise self._failure(Reason.RESIGNATION, "resigned")
        move = Square(*chosen.move)
        return Choice(move, Report(None, chosen.plies, chosen.calls, took_ms, (move,)))

    def prepare(self, position: Position) -> None:
        """Start the process, and have it choose a move for nothing, on no clock, where the clock will count."""
        check_unfinished(position)
        self._running()
        if self._limit.time_ms is not None:
            self._ask({"do": "warm_up", "position": str(position)}, STARTING_S)

    def values(self, position: Position) -> Mapping[Square, float]:
        """None: what the agent thinks is its own affair."""
        return {}

    @property
    def process_id(self) -> int | None:
        """The number of the process that chooses, while there is one."""
        return None if self._process is None else self._process.number

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def describe(self) -> Description:
        """What there is to say of the agent.

        Raises:
            AgentFailure: it cannot be loaded.
        """
        self._running()
        return self._described

    def _running(self) -> GuestProcess:
        """The process, started if there is none."""
        if self._process is None:
            process = self._process = GuestProcess()
            weakref.finalize(self, process.end)
            try:
                told = self._hear(process, _first_request(self._program), STARTING_S)
                self._described = self._checked(Description, told)
            except AgentFailure:
                self.close()
                raise
            self._stops_by_itself = self._described.modules is not ModuleSet.LATER
        return self._process

    def _ask(self, request: dict[str, Any], most_s: float, give_up: Stop | None = None) -> Any:
        return self._hear(self._running(), request, most_s, give_up)

    def _hear(
        self,
        process: GuestProcess,
        request: dict[str, Any],
        most_s: float,
        give_up: Stop | None = None,
    ) -> Any:
        """The process's answer.

        Raises:
            AgentFailure: it failed, ended, or gave none.
        """
        try:
            told = process.ask(request, most_s, give_up)
        except TimeoutError:
            self.close()
            raise self._failure(
                Reason.TIME, "did not stop when its time was over", process
            ) from None
        except EOFError:
            self.close()
            ended = f"its process ended ({process.ending})"
            raise self._failure(Reason.CRASH, ended, process) from None
        except BaseException:  # an answer that nobody waits for would be taken for the next one
            self.close()
            raise
        answer = self._checked(Answer, told)
        if answer.wrong is not None:
            raise self._failure(Reason.CRASH, answer.wrong)
        if answer.failed is not None:
            failure = self._failure(answer.failed, answer.told)
            if answer.failed is Reason.MEMORY:  # what it holds it may hold for ever
                self.close()
            raise failure
        return answer.done

    def _checked(self, model: type[M], told: Any) -> M:
        """What was told, if it is of that form; a program may send anything."""
        try:
            return model.model_validate(told)
        except ValidationError:
            failure = self._failure(Reason.CRASH, "sent what is no answer")
            self.close()
            raise failure from None

    def _failure(
        self, reason: Reason, told: str, process: GuestProcess | None = None
    ) -> AgentFailure:
        """What the agent did, with the last lines that it printed."""
        process = process or self._process
        said = "" if process is None else process.last_words
        return AgentFailure(reason, f"{self.name}: {told}" + (f"; it said: {said}" if said else ""))


class Loaded(NamedTuple):
    """A program in full, with its class named; and the files that it is made of, with their texts."""

    program: Call
    files: Mapping[Path, bytes]


def load_course(spec: AgentSpec) -> Loaded:
    """Have an agent's file loaded where it does no harm.

    Raises:
        InputError: there is no such agent, or it cannot be loaded.
    """
    assert spec.program is not None
    with located(shown(str(spec), MOST_SHOWN)):
        path = _path_of(spec.program)
        agent = CourseAgent(spec)
        try:
            described = agent.describe()
        except AgentFailure as failure:
            raise InputError(str(failure).removeprefix(f"{agent.name}: ")) from None
        finally:
            agent.close()
        file = spec.program.file or spec.program.word
        program = replace(spec.program, word=f"{file}:{described.name}")
        check_length("agent", str(replace(spec, program=program)))
        named = (Path(name).resolve() for name in described.files)
        own = [one for one in named if one.is_relative_to(path.parent) and one.is_file()]
        return Loaded(program, {one: one.read_bytes() for one in (path, *own)})


def _first_request(program: Call) -> dict[str, Any]:
    for name, _ in program.arguments:
        if not name:
            raise InputError("expected ARGUMENT=VALUE, such as score_fn=custom_score")
    return {
        "file": str(_path_of(program)),
        "name": program.function,
        "arguments": {name: str(value) for name, value in program.arguments},
    }


def _path_of(program: Call) -> Path:
    """The file that a program names.

    Raises:
        InputError: it is none that may be loaded.
    """
    file = program.file or program.word
    try:
        path = Path(file).expanduser().resolve()
        if not path.is_file():
            why = "it is no file" if path.exists() else "no such file"
            raise InputError(f"{quoted(file)}: {why}; expected a Python file")
    except (OSError, RuntimeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{quoted(file)}: {error}; expected a Python file") from None
    check_permitted(path)
    return path
