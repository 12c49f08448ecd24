"""One move of an agent: its clocks, its checks, and whose fault a failure is."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from time import perf_counter_ns, thread_time_ns
from typing import NamedTuple

from isolarium.agents import Agent, AgentFailure
from isolarium.agents.python_agent import PythonAgent, TooLate, ended_after
from isolarium.agents.search_agent import SearchingAgent
from isolarium.arena.game import is_held_up, report_fault
from isolarium.arena.live_game import thinking
from isolarium.compat import processor_clock
from isolarium.errors import quoted
from isolarium.game.board import Square
from isolarium.game.position import FORFEITS, Position, Reason
from isolarium.limits import longest_ms
from isolarium.processes.code_description import failure_line
from isolarium.search.protocol import Choice, Report


@dataclass(frozen=True, slots=True)
class LateMove:
    """A move that was not made in time.

    Attributes:
        held_up: Whether the machine kept the agent waiting during the move.
        is_doubtful: Whether the machine may have caused the delay, since no clock shows that the
            agent worked for longer than the time limit.
    """

    held_up: bool
    is_doubtful: bool


class Move(NamedTuple):
    """A legal move that was made in time.

    Attributes:
        square: The square.
        report: The agent's report.
        time_ms: The time on the clock.
        busy_ms: The time at work; the same as `time_ms` if it was not or cannot be measured.
    """

    square: Square
    report: Report
    time_ms: float
    busy_ms: float


class MoveClock:
    """A clock for one move, which measures clock time and the agent's time at work.

    Attributes:
        time_ms: The time on the clock at the last reading.
        busy_ms: The time at work at the last reading.
    """

    def __init__(self, agent: Agent, move_ms: float | None, watch: bool) -> None:
        self.move_ms = move_ms
        self.time_ms = self.busy_ms = 0.0
        work_ns = _work_clock(agent) if watch else None
        self._measures_work, self._work_ns = work_ns is not None, work_ns or perf_counter_ns
        self._started_ns, self._worked_ns = perf_counter_ns(), self._work_ns()

    def read(self) -> None:
        """Update both times.

        If the agent's process has ended, its last known time at work is kept.
        """
        busy_ms = (self._work_ns() - self._worked_ns) / 1e6
        self.time_ms = (perf_counter_ns() - self._started_ns) / 1e6
        self.busy_ms = min(max(busy_ms, self.busy_ms), self.time_ms)

    def is_late(self) -> bool:
        """Return whether the time limit is exceeded."""
        self.read()
        return self.move_ms is not None and self.time_ms > self.move_ms

    def overrun_ms(self) -> float | None:
        """Return the time of a move that exceeds its limit, otherwise None.

        Waiting time counts only if the time on the clock exceeds `longest_ms`.
        """
        if self.move_ms is None:
            return None
        if self.busy_ms > self.move_ms:
            return self.busy_ms
        return self.time_ms if self.time_ms > longest_ms(self.move_ms) else None

    def late_move(self) -> LateMove | None:
        """Describe a move that was not made in time; None without a time limit."""
        if self.move_ms is None:
            return None
        at_work = self._measures_work and self.busy_ms > self.move_ms
        return LateMove(is_held_up(self.time_ms, self.busy_ms), is_doubtful=not at_work)


def timed_move(agent: Agent, position: Position, clock: MoveClock) -> Move:
    """Request a move from an agent and check the move.

    Raises:
        AgentFailure: If the agent does not make a legal move in time.
    """
    choice = _choice(agent, position, clock)
    if not isinstance(choice, Choice):
        raise AgentFailure(Reason.CRASH, f"{agent.name}: chose {quoted(choice)}; expected a Choice")
    if choice.move is None:
        raise AgentFailure(Reason.RESIGNATION, f"{agent.name}: resigned")
    spent_ms = clock.overrun_ms()
    if spent_ms is not None:
        problem = f"{spent_ms:.0f} ms where {clock.move_ms:g} were allowed"
        raise AgentFailure(Reason.TIME, f"{agent.name}: {problem}")
    why_not = position.why_illegal(choice.move)
    if why_not is not None:
        raise AgentFailure(Reason.ILLEGAL_MOVE, f"{agent.name}: {choice.move}: {why_not}")
    fault = report_fault(choice.report)
    if fault is not None:
        raise AgentFailure(Reason.CRASH, f"{agent.name}: {fault}")
    move = position.board.square(position.board.index(choice.move))  # (0.0, 0.0) is also a1
    return Move(move, choice.report, clock.time_ms, clock.busy_ms)


def _choice(agent: Agent, position: Position, clock: MoveClock) -> object:
    """Return the agent's choice, unchecked.

    An agent that exceeds its time is stopped, so that it loses instead of hanging.
    """
    move_ms = clock.move_ms
    longest_s = longest_ms(move_ms) / 1000 if move_ms and isinstance(agent, PythonAgent) else None
    try:
        with charged(agent), noted(agent), ended_after(longest_s):
            return agent.choose(position, None if move_ms is None else clock.is_late)
    except TooLate:
        problem = f"no move after {longest_s:.1f} s, where {move_ms:g} ms were allowed"
        raise AgentFailure(Reason.TIME, f"{agent.name}: {problem}") from None
    finally:
        clock.read()


def noted(agent: Agent) -> AbstractContextManager[None]:
    """Record that an agent is thinking while the block runs, unless it is a built-in search."""
    return nullcontext() if isinstance(agent, SearchingAgent) else thinking(agent.name)


@contextmanager
def charged(agent: Agent) -> Iterator[None]:
    """Turn any exception within the block into the agent's failure.

    Raises:
        AgentFailure: If the block raises an exception.
    """
    try:
        yield
    except AgentFailure as failure:
        if type(failure.reason) is Reason and failure.reason in FORFEITS:
            raise
        problem = f"reported the reason {quoted(failure.reason)}, by which no agent can lose: {failure}"
        raise AgentFailure(Reason.CRASH, f"{agent.name}: {problem}") from None
    except MemoryError:
        raise AgentFailure(Reason.MEMORY, f"{agent.name}: out of memory") from None
    except Exception as error:
        problem = failure_line(error)
        raise AgentFailure(Reason.CRASH, f"{agent.name}: {problem}") from error


def _work_clock(agent: Agent) -> Callable[[], int] | None:
    """Return a clock of an agent's time at work in nanoseconds, or None.

    Built-in searches and the user's Python objects run in this thread. For an agent with its own
    process, the clock of the process `process_id` is read.
    """
    if isinstance(agent, SearchingAgent | PythonAgent):
        return thread_time_ns
    return processor_clock(getattr(agent, "process_id", None))
