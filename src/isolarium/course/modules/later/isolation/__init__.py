"""Knight Isolation on 9x11 with the interface of the course's later project.

This is Isolarium's own implementation of that interface, for agents written for it; it needs only
Python 3.8. `play` plays a game between two agents. Each move is chosen in a process of its own,
which ends when its time is up: an agent puts actions on its `queue`, as often as it likes, and the
last one in time counts.
"""

from __future__ import annotations

import logging
import multiprocessing
import time
from enum import Enum
from typing import Any, Callable, NamedTuple

from .isolation import DebugState, Isolation

__all__ = ["Agent", "DebugState", "Isolation", "Status", "StopSearch", "fork_get_action", "play"]

_START_S = 0.5
"""The time allowed for starting a process, on top of the agent's time."""

_log = logging.getLogger(__name__)


class Agent(NamedTuple):
    """A player: a class that is called with the player's number, and a name."""

    agent_class: Callable[[int], Any]
    name: str


class Status(Enum):
    """How a game ended."""

    STUCK = "could not move"
    NOTHING = "chose nothing in time"
    ILLEGAL = "chose an illegal action"
    FAILED = "raised an exception"


class StopSearch(Exception):  # noqa: N818 # agents know it by this name
    """Raised in an agent that puts an action on its queue after its time is up."""


class _Choices:
    """An agent's queue: passes on actions put in time, with the agent's `context`."""

    def __init__(self, player: Any, time_limit: float, send: Callable[[tuple[Any, Any]], object]) -> None:
        self._player, self._send = player, send
        self._ends = time.monotonic() + time_limit / 1000

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        if time.monotonic() > self._ends:
            raise StopSearch
        self._send((item, self._player.context))

    put_nowait = put


def fork_get_action(game_state: Isolation, active_player: Any, time_limit: float, debug: bool = False) -> Any:
    """Return the action that an agent chooses, and update the agent's `context`.

    Args:
        game_state: The state to move in.
        active_player: The agent.
        time_limit: The time limit in milliseconds.
        debug: Whether to call the agent in this process; then nothing interrupts it.

    Raises:
        TimeoutError: If the agent chose nothing in time.
        RuntimeError: If its process raised an exception and had chosen nothing.
    """
    get_choices = _choices_here if debug else _choices_of_process
    choices = get_choices(game_state, active_player, time_limit)
    if not choices:
        raise TimeoutError("nothing was put on the queue in time")
    action, active_player.context = choices[-1]
    return action


def _choices_here(state: Isolation, player: Any, time_limit: float) -> list[tuple[Any, Any]]:
    choices: list[tuple[Any, Any]] = []
    _have_chosen(state, player, time_limit, choices.append)
    return choices


def _have_chosen(state: Isolation, player: Any, time_limit: float, send: Callable[[tuple[Any, Any]], object]) -> None:
    player.queue = _Choices(player, time_limit, send)
    try:
        player.get_action(state)
    except StopSearch:
        pass
    finally:
        player.queue = None


def _choices_of_process(state: Isolation, player: Any, time_limit: float) -> list[tuple[Any, Any]]:
    # An agent need not be picklable, so only fork will do.
    if "fork" not in multiprocessing.get_all_start_methods():
        return _choices_here(state, player, time_limit)
    forking: Any = multiprocessing.get_context("fork")
    ours, theirs = forking.Pipe(duplex=False)
    child = forking.Process(target=_have_chosen, args=(state, player, time_limit, theirs.send))
    child.start()
    theirs.close()
    ends = time.monotonic() + time_limit / 1000 + _START_S
    choices = []
    with ours:
        while ours.poll(max(0.0, ends - time.monotonic())):
            try:
                choices.append(ours.recv())
            except EOFError:  # the agent has finished
                child.join()
                break
    child.kill()
    child.join()
    if child.exitcode > 0 and not choices:
        raise RuntimeError("the agent raised an exception")
    return choices


def play(args: tuple[Any, ...]) -> tuple[Agent, list[Any], int]:
    """Play a game; return the winner, the actions in order, and the game's number.

    Args:
        args: Two of `Agent`, the initial state, the milliseconds per move and the game's number;
            optionally whether to call the agents in this process.
    """
    agents, state, time_limit, match_id, *more = args
    players = [agent.agent_class(number) for number, agent in enumerate(agents)]
    history: list[Any] = []
    ended = None
    while ended is None and not state.terminal_test():
        action, ended = _next_action(state, players[state.player()], time_limit, *more)
        if ended is None:
            history.append(action)
            state = state.result(action)
    if ended is None:
        ended, loser = Status.STUCK, 0 if state.utility(0) < 0 else 1
    else:
        loser = state.player()
    _log.info("game %s: %s %s", match_id, agents[loser].name, ended.value)
    return agents[1 - loser], history, match_id


def _next_action(state: Isolation, player: Any, time_limit: float, debug: bool = False) -> tuple[Any, Status | None]:
    """Return the action, and the game's end if the agent lost."""
    try:
        action = fork_get_action(state, player, time_limit, debug)
    except TimeoutError:
        return None, Status.NOTHING
    except Exception:  # an agent may raise anything
        return None, Status.FAILED
    return action, None if action in state.actions() else Status.ILLEGAL
