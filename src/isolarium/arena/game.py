"""One game between two agents, and how it ended."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter_ns, thread_time_ns
from typing import Final

from isolarium.agents import Agent, AgentFailure
from isolarium.agents.search_agent import SearchingAgent
from isolarium.arena.game_row import report_fault
from isolarium.compat import processor_clock
from isolarium.errors import quoted
from isolarium.game.board import Square
from isolarium.game.outcome import FORFEITS, Outcome, Player, Reason
from isolarium.game.position import Position
from isolarium.limits import longest_ms
from isolarium.search.protocol import Choice, Report

FAIR_SHARE: Final = 0.9
"""A timed move is fair if its agent was at work for this share of the time on the clock,"""
FAIR_WAIT_MS: Final = 1.0
"""or was kept waiting for no longer than this."""


def is_held_up(time_ms: float, busy_ms: float) -> bool:
    """Whether the machine kept an agent waiting during a timed move."""
    return busy_ms < FAIR_SHARE * time_ms and time_ms - busy_ms > FAIR_WAIT_MS


@dataclass(frozen=True, slots=True)
class PlayedMove:
    """A move and what the agent said of it.

    Attributes:
        move: the square.
        report: the agent's report.
        time_ms: what the move took on the clock.
        busy_ms: what of that the agent was at work; the rest it was kept waiting. Where that was not watched, or cannot
            be, all of it.
    """

    move: Square
    report: Report
    time_ms: float
    busy_ms: float


@dataclass(frozen=True, slots=True)
class LateMove:
    """A move that was not made in time.

    Attributes:
        held_up: whether the machine kept the agent waiting meanwhile.
        is_doubtful: whether the machine may be why it was late: nothing shows that the agent was at work for longer
            than a move may take.
    """

    held_up: bool
    is_doubtful: bool


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A finished game.

    Attributes:
        opening: the moves made for the agents.
        moves: the moves they made.
        outcome: who won, and why the other lost.
        note: what the loser did, where it was not that it had no moves.
        late: where it was lost by `move_ms`, the move that lost it.
    """

    opening: tuple[Square, ...]
    moves: tuple[PlayedMove, ...]
    outcome: Outcome
    note: str = ""
    late: LateMove | None = None


def play_game(
    agents: Mapping[Player, Agent],
    start: Position,
    opening: tuple[Square, ...],
    seeds: Mapping[Player, int],
    move_ms: float | None = None,
    watch: bool = False,
    on_move: Callable[[Square], None] | None = None,
) -> PlayedGame:
    """Play from `start`, which the opening's moves led to, to the end.

    Whatever ends it but the rules is charged to the agent that caused it: an illegal move, no move (a resignation), an
    exception, too much memory, or more than `move_ms` for a move. With `watch`, see what of its time each agent was at
    work; then only that counts, up to `longest_ms` on the clock: what the machine took is nobody's loss. `on_move` is
    told of every move, on nobody's clock.
    """
    position, moves = start, list[PlayedMove]()
    for player in Player:
        try:
            with _charged(agents[player]):
                agents[player].new_game(seeds[player])
        except AgentFailure as failure:
            return PlayedGame(opening, (), Outcome(player.other, failure.reason), str(failure))
    while True:
        outcome = position.outcome()
        if outcome is not None:
            return PlayedGame(opening, tuple(moves), outcome)
        player = position.to_move
        clock = _Clock(agents[player], move_ms, watch)
        try:
            played = _timed_move(agents[player], position, clock)
        except AgentFailure as failure:
            lost = Outcome(player.other, failure.reason)
            late = clock.late_move() if failure.reason is Reason.TIME else None
            return PlayedGame(opening, tuple(moves), lost, str(failure), late)
        moves.append(played)
        position = position.play(played.move)
        if on_move is not None:
            on_move(played.move)


class _Clock:
    """The time that one move takes, on the clock and at work.

    Attributes:
        time_ms: on the clock, when it was last read.
        busy_ms: what of that the agent was at work.
    """

    def __init__(self, agent: Agent, move_ms: float | None, watch: bool) -> None:
        self.move_ms = move_ms
        self.time_ms = self.busy_ms = 0.0
        work_ns = _work_clock(agent) if watch else None
        self._tells_work, self._work_ns = work_ns is not None, work_ns or perf_counter_ns
        self._started_ns, self._worked_ns = perf_counter_ns(), self._work_ns()

    def read(self) -> None:
        """See what time it is; of a process that has ended, what it was at work is what was seen last."""
        busy_ms = (self._work_ns() - self._worked_ns) / 1e6
        self.time_ms = (perf_counter_ns() - self._started_ns) / 1e6
        self.busy_ms = min(max(busy_ms, self.busy_ms), self.time_ms)

    def is_late(self) -> bool:
        """Whether it is time to stop."""
        self.read()
        return self.move_ms is not None and self.time_ms > self.move_ms

    def overrun_ms(self) -> float | None:
        """What the move took, if that is more than it may; waiting counts once there is very much of it."""
        if self.move_ms is None:
            return None
        if self.busy_ms > self.move_ms:
            return self.busy_ms
        return self.time_ms if self.time_ms > longest_ms(self.move_ms) else None

    def late_move(self) -> LateMove | None:
        """What there is to say of a move that was not made in time, where there is a time for moves."""
        if self.move_ms is None:
            return None
        at_work = self._tells_work and self.busy_ms > self.move_ms
        return LateMove(is_held_up(self.time_ms, self.busy_ms), is_doubtful=not at_work)


def _timed_move(agent: Agent, position: Position, clock: _Clock) -> PlayedMove:
    """Ask for a move and check it.

    Raises:
        AgentFailure: it is not a legal move in time.
    """
    choice = _chosen(agent, position, clock)
    if not isinstance(choice, Choice):
        raise AgentFailure(Reason.CRASH, f"{agent.name}: chose {quoted(choice)}; expected a Choice")
    if choice.move is None:
        raise AgentFailure(Reason.RESIGNATION, f"{agent.name}: resigned")
    spent_ms = clock.overrun_ms()
    if spent_ms is not None:
        told = f"{spent_ms:.0f} ms where {clock.move_ms:g} were allowed"
        raise AgentFailure(Reason.TIME, f"{agent.name}: {told}")
    why_not = position.why_illegal(choice.move)
    if why_not is not None:
        raise AgentFailure(Reason.ILLEGAL_MOVE, f"{agent.name}: {choice.move}: {why_not}")
    fault = report_fault(choice.report)
    if fault is not None:
        raise AgentFailure(Reason.CRASH, f"{agent.name}: {fault}")
    move = position.board.square(position.board.index(choice.move))  # (0.0, 0.0) is a1 too
    return PlayedMove(move, choice.report, clock.time_ms, clock.busy_ms)


def _chosen(agent: Agent, position: Position, clock: _Clock) -> object:
    """The agent's choice, if it is one; one that is late is asked to stop, so that it loses and not hangs."""
    try:
        with _charged(agent):
            return agent.choose(position, None if clock.move_ms is None else clock.is_late)
    finally:
        clock.read()


@contextmanager
def _charged(agent: Agent) -> Iterator[None]:
    """Whatever an agent may raise in the block loses its game, not ours.

    Raises:
        AgentFailure: it did.
    """
    try:
        yield
    except AgentFailure as failure:
        if type(failure.reason) is Reason and failure.reason in FORFEITS:
            raise
        told = (
            f"reported the reason {quoted(failure.reason)}, by which no agent can lose: {failure}"
        )
        raise AgentFailure(Reason.CRASH, f"{agent.name}: {told}") from None
    except MemoryError:
        raise AgentFailure(Reason.MEMORY, f"{agent.name}: out of memory") from None
    except Exception as error:
        told = " ".join(f"{type(error).__name__}: {error}".removesuffix(": ").split())
        raise AgentFailure(Reason.CRASH, f"{agent.name}: {told}") from error


def _work_clock(agent: Agent) -> Callable[[], int] | None:
    """What counts the nanoseconds an agent is at work; None where nothing does.

    Our own search in this thread. Where an agent thinks in a process of its own and says which (`process_id`), that
    process's clock is read.
    """
    if isinstance(agent, SearchingAgent):
        return thread_time_ns
    return processor_clock(getattr(agent, "process_id", None))
