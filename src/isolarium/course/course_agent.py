"""Course agents, their score functions, and the contents of their files.

Each agent runs in a sandboxed process. With a time limit, a move is late if the process used more
processor time than allowed, or took ten times as long by the clock, so a busy machine does not cost
an agent the game. Positions are counted in the process.
"""

from collections.abc import Mapping
from time import perf_counter_ns
from typing import Annotated, Any, Final, Literal

from pydantic import Field, TypeAdapter

from isolarium.agents.agent import AgentFailure
from isolarium.agents.search_agent import SearchingAgent
from isolarium.agents.subprocess_agent import NOTHING, Number
from isolarium.compat import processor_clock
from isolarium.course.adapter import LATER_BOARD
from isolarium.course.client import CourseProcess, Loaded, Name, code_of, load, path_of
from isolarium.course.loader import ModuleSet
from isolarium.course.server import MOST_NAMES
from isolarium.errors import InputError, quoted, shown
from isolarium.game.board import Board, Square
from isolarium.game.position import Player, Position, Reason
from isolarium.game.view import PlainView
from isolarium.heuristics.compiler import Callback
from isolarium.limits import Stop, longest_ms
from isolarium.processes.sandboxed_process import Message
from isolarium.search.protocol import Choice, Report, check_unfinished
from isolarium.spec.parser import COURSE, Argument, Call, tree_of
from isolarium.spec.spec import AgentSpec

COUNTED_S: Final = 60.0
"""The time limit of a move when only positions are limited."""
WARMING_S: Final = 3.0
"""The time limit of the warm-up move."""
GRACE_MS: Final = 500.0
"""The time by which a late agent, which has already lost, may overrun."""
WAY_MS: Final = 2.0
"""The time allowed for messages to and from the process."""
USED_UP: Final = 0.8
"""The used share of a limit on positions from which an agent that resigns had little time left."""
MOST_COUNT: Final = 1 << 40

Whole = Annotated[int, Field(ge=-(1 << 31), lt=1 << 31)]
Move = Annotated[list[Whole], Field(min_length=2, max_length=2)]
"""A row and a column, not necessarily on the board."""
Count = Annotated[int, Field(ge=0, le=MOST_COUNT)]


class Chosen(Message):
    """A move chosen by an agent (None for a resignation), and its cost."""

    move: Move | None
    calls: Count
    plies: Count


class ScoreValue(Message):
    """A score: a finite number, or the text `inf` or `-inf`."""

    value: Number


CHOSEN: Final = TypeAdapter(Chosen)
SCORE: Final = TypeAdapter(ScoreValue)


class CourseAgent:
    """An agent written for the course.

    Args:
        spec: The agent's spec.
    """

    def __init__(self, spec: AgentSpec) -> None:
        assert spec.program is not None
        self.name = str(spec)
        self._limit = spec.limit
        self._process = CourseProcess(self.name, code_of(spec.program, "agent"))

    def new_game(self, seed: int) -> None:
        """Reload the file and seed its random generators.

        Raises:
            AgentFailure: If the file cannot be loaded.
        """
        self._process.new_game(seed)

    def choose(self, position: Position, stop: Stop | None = None) -> Choice:
        """Return the agent's move.

        If `stop` returns true, the agent's process is terminated and it loses.

        Raises:
            InputError: If the game is over.
            AgentFailure: If the agent resigns, returns no valid move, is late, or crashes.
        """
        check_unfinished(position)
        must_stop_itself = self._process.describe().modules is not ModuleSet.LATER
        ms, started_ns = self._limit.time_ms, perf_counter_ns()
        work_ns = processor_clock(self.process_id) or perf_counter_ns
        began_ns = work_ns()

        def busy_ms() -> float:
            return min(work_ns() - began_ns, perf_counter_ns() - started_ns) / 1e6

        def is_hopeless() -> bool:
            is_late = ms is not None and busy_ms() > ms + GRACE_MS
            return is_late or (stop is not None and stop())

        request = {"do": "move", "position": str(position), "ms": ms, "calls": self._limit.calls}
        most_s = COUNTED_S if ms is None else longest_ms(ms) / 1e3
        chosen = self._process.ask(request, CHOSEN, most_s, is_hopeless, is_timed=ms is not None)
        took_ms, calls = busy_ms(), self._limit.calls
        if calls is not None and chosen.calls > calls and must_stop_itself:
            problem = f"generated {chosen.calls:,} positions; {calls:,} were allowed"
            raise self._process.failure(Reason.TIME, problem)
        if ms is not None and took_ms > ms + WAY_MS and must_stop_itself:
            problem = f"took {took_ms:.0f} ms; {ms:g} were allowed"
            raise self._process.failure(Reason.TIME, problem)
        if chosen.move is None:
            is_used_up = calls is not None and chosen.calls >= USED_UP * calls
            why = f"its budget of {calls:,} positions was nearly used up" if is_used_up else "resigned"
            raise self._process.failure(Reason.RESIGNATION, why)
        move = Square(*chosen.move)
        return Choice(move, Report(None, chosen.plies, chosen.calls, took_ms, (move,)))

    def prepare(self, position: Position) -> None:
        """Start the process; with a time limit, also make an untimed warm-up move.

        Raises:
            InputError: If the agent was written for another board.
        """
        check_unfinished(position)
        if self._process.describe().modules is ModuleSet.LATER and position.board != LATER_BOARD:
            raise InputError(f"{self.name}: written for the course's later project; use --board {LATER_BOARD}")
        if self._limit.time_ms is not None:
            self._process.ask({"do": "warm_up", "position": str(position)}, NOTHING, WARMING_S, is_timed=True)

    def values(self, position: Position) -> Mapping[Square, float]:
        """Return no values: a course agent does not report them."""
        return {}

    @property
    def process_id(self) -> int | None:
        """The agent's process id, or None if the process is not running."""
        return self._process.process_id

    def close(self) -> None:
        """Terminate the process."""
        self._process.close()


class ScoringAgent(SearchingAgent):
    """One of Isolarium's searches with the score function of a course file.

    Args:
        spec: The agent's spec.
    """

    def __init__(self, spec: AgentSpec) -> None:
        assert spec.heuristic is not None
        self._score = CourseProcess(str(spec), code_of(without_course(spec.heuristic), "score"))
        super().__init__(spec, Callback(self._value_of))

    def new_game(self, seed: int) -> None:
        """Seed the search, reload the file and seed its random generators.

        Raises:
            AgentFailure: If the file cannot be loaded.
        """
        super().new_game(seed)
        self._score.new_game(seed)

    def close(self) -> None:
        """Terminate the process."""
        self._score.close()

    def _value_of(self, view: PlainView, own: int, opp: int) -> float:
        blank = sum(1 << square for square in view.blank)
        board = Board(view.rows, view.cols)
        return ask_value(self._score, board, blank, own, opp, own_to_move=view.own_to_move)


def ask_value(
    score: CourseProcess, board: Board, blank: int, own: int, opp: int, *, own_to_move: bool, is_sorted: bool = False
) -> float:
    """Return a score function's value of a position for the player on square `own`.

    With `is_sorted`, `get_legal_moves` returns moves in order, instead of at random.

    Raises:
        AgentFailure: If the function fails or does not return a number.
    """
    request = {
        "do": "value",
        "rows": board.rows,
        "cols": board.cols,
        "blank": f"{blank:x}",
        "own": own,
        "opp": opp,
        "own_to_move": own_to_move,
        "is_sorted": is_sorted,
    }
    return float(score.ask(request, SCORE, COUNTED_S).value)


def without_course(call: Call) -> Call:
    """Return a score function's call without the prefix `course:`."""
    return Call(call.word.partition(":")[2], call.arguments)


def load_course(spec: AgentSpec) -> Loaded:
    """Check the file of an agent or a score function in a sandboxed process.

    Raises:
        InputError: If the file cannot be loaded, or has no such class or function.
    """
    if spec.program is not None:
        return load(str(spec), spec.program, "agent")
    assert spec.heuristic is not None
    found = load(str(spec), without_course(spec.heuristic), "score")
    return Loaded(spec.heuristic, found.files)


# Files


SEARCH_S: Final = 20.0
"""The time limit of a search to a fixed depth."""


class CourseClass(Message):
    """A class that can play.

    Attributes:
        takes: The names of its constructor's parameters.
        searches: Which of the methods `minimax` and `alphabeta` it has.
    """

    takes: list[Name] = Field(max_length=MOST_NAMES)
    searches: list[Literal["minimax", "alphabeta"]] = Field(max_length=2)


class CourseContents(Message):
    """The contents of a file.

    Attributes:
        classes: The classes that can play, by name.
        functions: The names of functions.
    """

    classes: dict[Name, CourseClass] = Field(max_length=MOST_NAMES)
    functions: list[Name] = Field(max_length=MOST_NAMES)


class SearchResult(Message):
    """The result of a search to a fixed depth: a move, if any, and its positions."""

    move: Move | None
    calls: Count


CONTENTS: Final = TypeAdapter(CourseContents)
SEARCHED: Final = TypeAdapter(SearchResult)


class CourseFile:
    """A course file, loaded in a sandboxed process to find out what it contains.

    Args:
        path: The file's path as given by the user.

    Attributes:
        path: The file's path.
        modules: The module set that the file was written for.
        contents: The classes and functions in the file.

    Raises:
        InputError: If the file cannot be loaded, or its path cannot be written in a spec.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        if tree_of(f"course:{path}:Player").files != (path,):
            expected = "expected a path without commas, brackets or colons"
            raise InputError(f"{quoted(path)}: {expected}")
        process = CourseProcess(path, {"kind": "file", "file": str(path_of(Call(path)))})
        try:
            self.modules = process.describe().modules
            self.contents = process.ask({"do": "contents"}, CONTENTS)
        except AgentFailure as failure:
            message = str(failure).removeprefix(f"{path}: ")
            raise InputError(f"{shown(path, 200)}: {message}") from None
        finally:
            process.close()

    @property
    def is_later(self) -> bool:
        """Whether the file is written for the later project."""
        return self.modules is ModuleSet.LATER

    def spec(self, name: str, arguments: Mapping[str, str]) -> str:
        """Return the spec of an agent of a class, without a limit."""
        return f"{COURSE}:{self._call(name, arguments)}"

    def player(self, name: str, arguments: Mapping[str, str]) -> "CoursePlayer":
        """Return an agent of a class for running its searches."""
        return CoursePlayer(CourseProcess(name, code_of(self._call(name, arguments), "agent")))

    def score(self, name: str) -> "CourseScore":
        """Return a score function that can be called."""
        return CourseScore(CourseProcess(name, code_of(self._call(name, {}), "score")))

    def _call(self, name: str, arguments: Mapping[str, str]) -> Call:
        found = tuple(Argument(key, Call(value)) for key, value in arguments.items())
        return Call(f"{self.path}:{name}", found)


class _InProcess:
    """An agent or a function in a separate process.

    Args:
        process: The process.
    """

    def __init__(self, process: CourseProcess) -> None:
        self._process = process

    def close(self) -> None:
        """Terminate the process."""
        self._process.close()


class CoursePlayer(_InProcess):
    """An agent whose searches can be run separately."""

    def search(self, position: Position, method: str, depth: int, seed: int) -> SearchResult:
        """Reload the file, and return the result of a method's search to a given depth.

        Raises:
            AgentFailure: If the search fails or does not finish.
        """
        self._process.new_game(seed)
        request: dict[str, Any] = {"do": "search", "position": str(position), "method": method, "depth": depth}
        return self._process.ask(request, SEARCHED, SEARCH_S)


class CourseScore(_InProcess):
    """A score function, which is called for the first player."""

    def begin(self, seed: int) -> None:
        """Reload the file and seed its random generators.

        Raises:
            AgentFailure: If the file cannot be loaded.
        """
        self._process.new_game(seed)

    def value(self, position: Position, *, is_sorted: bool = False) -> float:
        """Return the first player's score of a position with both players placed.

        With `is_sorted`, `get_legal_moves` returns moves in order, instead of at random.

        Raises:
            AgentFailure: If the function fails or does not return a number.
        """
        board = position.board
        first, second = (board.index(square) for square in _placed(position))
        own_to_move = position.to_move is Player.FIRST
        return ask_value(
            self._process, board, position.blank, first, second, own_to_move=own_to_move, is_sorted=is_sorted
        )


def _placed(position: Position) -> tuple[Square, Square]:
    assert position.first is not None
    assert position.second is not None
    return position.first, position.second
