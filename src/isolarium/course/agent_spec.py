"""Agents written for the course: `course:game_agent.py@ms=150`, and their score functions for our own searches.

By the clock a move is late once the agent's process has been at work for longer than allowed, or ten times as long has
passed: what the machine took is nobody's loss. Positions are counted in the process.
"""

from collections.abc import Mapping
from time import perf_counter_ns
from typing import Annotated, Final

from pydantic import Field, TypeAdapter

from isolarium.agents.messages import Number
from isolarium.agents.search_agent import SearchingAgent
from isolarium.agents.subprocess_client import NOTHING
from isolarium.compat import processor_clock
from isolarium.course.adapter import LATER_BOARD
from isolarium.course.client import Guest, Loaded, load, wanted
from isolarium.course.module_set import ModuleSet
from isolarium.errors import InputError
from isolarium.game.board import Board, Square
from isolarium.game.outcome import Reason
from isolarium.game.position import Position
from isolarium.game.view import PlainView
from isolarium.heuristics.compiler import Callback
from isolarium.limits import Stop, longest_ms
from isolarium.processes.sandboxed_process import Message
from isolarium.search.protocol import Choice, Report, check_unfinished
from isolarium.spec.parser import Call
from isolarium.spec.spec import AgentSpec

COUNTED_S: Final = 60.0
"""How long a move may take where only positions are counted."""
WARMING_S: Final = 3.0
"""How long the move for nothing may take."""
GRACE_MS: Final = 500.0
"""How much longer an agent may work before it is ended; it has lost by then."""
WAY_MS: Final = 2.0
"""What the way to the process and back may take."""
MOST: Final = 1 << 40


Whole = Annotated[int, Field(ge=-(1 << 31), lt=1 << 31)]
Move = Annotated[list[Whole], Field(min_length=2, max_length=2)]
"""A row and a column, which may be on no board."""
Count = Annotated[int, Field(ge=0, le=MOST)]


class Chosen(Message):
    """What a process answers for a move: where to, None for a resignation, and what it took."""

    move: Move | None
    calls: Count
    plies: Count


class ScoreValue(Message):
    """A score: a number, or a word for one without bound."""

    value: Number


CHOSEN: Final = TypeAdapter(Chosen)
SCORE: Final = TypeAdapter(ScoreValue)


class CourseAgent:
    """An agent whose moves are chosen by somebody's file.

    Args:
        spec: the agent.
    """

    def __init__(self, spec: AgentSpec) -> None:
        assert spec.program is not None
        self.name = str(spec)
        self._limit = spec.limit
        self._guest = Guest(self.name, wanted(spec.program, "agent"))

    def new_game(self, seed: int) -> None:
        """Have the file loaded anew, and everything that is left to chance drawn from the seed.

        Raises:
            AgentFailure: it cannot be loaded.
        """
        self._guest.new_game(seed)

    def choose(self, position: Position, stop: Stop | None = None) -> Choice:
        """Have the process choose; one that is stopped from outside is ended, and has lost.

        Raises:
            InputError: the game is over.
            AgentFailure: it did something wrong, was late, or did not survive.
        """
        check_unfinished(position)
        stops_by_itself = self._guest.describe().modules is not ModuleSet.LATER
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
        chosen = self._guest.ask(request, CHOSEN, most_s, is_hopeless)
        took_ms, calls = busy_ms(), self._limit.calls
        if calls is not None and chosen.calls > calls and stops_by_itself:
            told = f"asked for {chosen.calls:,} positions where {calls:,} were allowed"
            raise self._guest.failure(Reason.TIME, told)
        if ms is not None and took_ms > ms + WAY_MS and stops_by_itself:
            raise self._guest.failure(Reason.TIME, f"{took_ms:.0f} ms where {ms:g} were allowed")
        if chosen.move is None:
            raise self._guest.failure(Reason.RESIGNATION, "resigned")
        move = Square(*chosen.move)
        return Choice(move, Report(None, chosen.plies, chosen.calls, took_ms, (move,)))

    def prepare(self, position: Position) -> None:
        """Start the process, and have it choose a move for nothing, on no clock, where the clock will count.

        Raises:
            InputError: the agent is for another board.
        """
        check_unfinished(position)
        if self._guest.describe().modules is ModuleSet.LATER and position.board != LATER_BOARD:
            raise InputError(
                f"{self.name}: written for the course's later project; expected --board {LATER_BOARD}"
            )
        if self._limit.time_ms is not None:
            self._guest.ask({"do": "warm_up", "position": str(position)}, NOTHING, WARMING_S)

    def values(self, position: Position) -> Mapping[Square, float]:
        """None: what the agent thinks is its own affair."""
        return {}

    @property
    def process_id(self) -> int | None:
        """The number of the process that chooses, while there is one."""
        return self._guest.process_id

    def close(self) -> None:
        """End the process."""
        self._guest.close()


class ScoringAgent(SearchingAgent):
    """One of our searches with a score function of somebody's file, which is asked about one position after the other.

    Args:
        spec: the agent.
    """

    def __init__(self, spec: AgentSpec) -> None:
        assert spec.heuristic is not None
        self._score = Guest(str(spec), wanted(without_course(spec.heuristic), "score"))
        super().__init__(spec, Callback(self._value_of))

    def new_game(self, seed: int) -> None:
        """Take the seed, and have the file loaded anew.

        Raises:
            AgentFailure: it cannot be loaded.
        """
        super().new_game(seed)
        self._score.new_game(seed)

    def close(self) -> None:
        """End the process."""
        self._score.close()

    def _value_of(self, view: PlainView, own: int, opp: int) -> float:
        blank = sum(1 << square for square in view.blank)
        board = Board(view.rows, view.cols)
        return ask_value(self._score, board, blank, own, opp, own_to_move=view.own_to_move)


def ask_value(
    score: Guest, board: Board, blank: int, own: int, opp: int, *, own_to_move: bool
) -> float:
    """What a score function says of a position for the player who stands on `own`.

    Raises:
        AgentFailure: it fails, or says what is no number.
    """
    request = {
        "do": "value",
        "rows": board.rows,
        "cols": board.cols,
        "blank": f"{blank:x}",
        "own": own,
        "opp": opp,
        "own_to_move": own_to_move,
    }
    found = score.ask(request, SCORE, COUNTED_S).value
    return float(found)


def without_course(call: Call) -> Call:
    """A score function's text without the word that says so."""
    return Call(call.word.partition(":")[2], call.arguments)


def load_course(spec: AgentSpec) -> Loaded:
    """Have the file of an agent, or of a score function, loaded where it does no harm.

    Raises:
        InputError: there is nothing of the kind, or it cannot be loaded.
    """
    if spec.program is not None:
        return load(str(spec), spec.program, "agent")
    assert spec.heuristic is not None
    found = load(str(spec), without_course(spec.heuristic), "score")
    return Loaded(spec.heuristic, found.files)
