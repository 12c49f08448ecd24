"""One game between two agents, and how it ended."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter_ns, thread_time_ns
from typing import Final

from isolab.agents import Agent, AgentFailure
from isolab.agents.searching import SearchingAgent
from isolab.game.board import Square
from isolab.game.outcome import Outcome, Player, Reason
from isolab.game.position import Position
from isolab.search.protocol import Choice, Report

PATIENCE: Final = 10
LEEWAY_MS: Final = 1000.0
"""An agent that is not at work, as one that sleeps, may take ten times what a move may, and a second."""


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
class PlayedGame:
    """A finished game.

    Attributes:
        opening: the moves made for the agents.
        moves: the moves they made.
        outcome: who won, and why the other lost.
        note: what the loser did, where it was not that it had no moves.
    """

    opening: tuple[Square, ...]
    moves: tuple[PlayedMove, ...]
    outcome: Outcome
    note: str = ""


def play_game(
    agents: Mapping[Player, Agent],
    start: Position,
    opening: tuple[Square, ...],
    seeds: Mapping[Player, int],
    move_ms: float | None = None,
    watch: bool = False,
) -> PlayedGame:
    """Play from `start`, which the opening's moves led to, to the end.

    Whatever ends it but the rules is charged to the agent that caused it: an illegal move, no move (a resignation), an
    exception, too much memory, or more than `move_ms` for a move. With `watch`, see what of its time each agent was at
    work; then only that counts, up to `PATIENCE` times as much on the clock: what the machine took is nobody's loss.
    """
    position, moves = start, list[PlayedMove]()
    for player in Player:
        try:
            agents[player].new_game(seeds[player])
        except AgentFailure as failure:
            return PlayedGame(opening, (), Outcome(player.other, failure.reason), str(failure))
    while True:
        outcome = position.outcome()
        if outcome is not None:
            return PlayedGame(opening, tuple(moves), outcome)
        player = position.to_move
        try:
            played = _timed_move(agents[player], position, move_ms, watch)
        except AgentFailure as failure:
            lost = Outcome(player.other, failure.reason)
            return PlayedGame(opening, tuple(moves), lost, str(failure))
        moves.append(played)
        position = position.play(played.move)


def _timed_move(agent: Agent, position: Position, move_ms: float | None, watch: bool) -> PlayedMove:
    """Ask for a move and check it.

    Raises:
        AgentFailure: it is not a legal move in time.
    """
    at_work_ns = _work_clock(agent) if watch else perf_counter_ns
    started_ns, worked_ns = perf_counter_ns(), at_work_ns()
    choice = _chosen(agent, position, move_ms)
    busy_ms, time_ms = (at_work_ns() - worked_ns) / 1e6, (perf_counter_ns() - started_ns) / 1e6
    busy_ms = min(busy_ms, time_ms)
    if choice.move is None:
        raise AgentFailure(Reason.RESIGNATION, f"{agent.name}: resigned")
    if move_ms is not None and (busy_ms > move_ms or time_ms > PATIENCE * move_ms + LEEWAY_MS):
        spent_ms = busy_ms if busy_ms > move_ms else time_ms
        raise AgentFailure(
            Reason.TIME, f"{agent.name}: {spent_ms:.0f} ms where {move_ms:g} were allowed"
        )
    why_not = position.why_illegal(choice.move)
    if why_not is not None:
        raise AgentFailure(Reason.ILLEGAL_MOVE, f"{agent.name}: {choice.move}: {why_not}")
    return PlayedMove(choice.move, choice.report, time_ms, busy_ms)


def _chosen(agent: Agent, position: Position, move_ms: float | None) -> Choice:
    """The agent's choice; one that is late is asked to stop, so that it loses and not hangs."""
    deadline_ns = None if move_ms is None else perf_counter_ns() + move_ms * 1e6

    def is_late() -> bool:
        return deadline_ns is not None and perf_counter_ns() > deadline_ns

    try:
        return agent.choose(position, None if deadline_ns is None else is_late)
    except AgentFailure:
        raise
    except MemoryError:
        raise AgentFailure(Reason.MEMORY, f"{agent.name}: out of memory") from None
    except Exception as error:  # whatever an agent may raise loses its game, not ours
        told = " ".join(f"{type(error).__name__}: {error}".removesuffix(": ").split())
        raise AgentFailure(Reason.CRASH, f"{agent.name}: {told}") from error


def _work_clock(agent: Agent) -> Callable[[], int]:
    """What counts the nanoseconds an agent is at work.

    Our own search in this thread. Where an agent thinks in a process of its own and says which (`process_id`), that
    process's clock is read; where it does not say, the time on the clock has to do.
    """
    if isinstance(agent, SearchingAgent):
        return thread_time_ns
    process = getattr(agent, "process_id", None)
    if process is None:
        return perf_counter_ns
    clock = (~process << 3) | 2  # how Linux numbers the processor-time clocks of processes
    try:
        time.clock_gettime_ns(clock)
    except OSError:
        return perf_counter_ns
    return lambda: _read(clock)


def _read(clock: int) -> int:
    try:
        return time.clock_gettime_ns(clock)
    except OSError:  # the process has just ended
        return 0
