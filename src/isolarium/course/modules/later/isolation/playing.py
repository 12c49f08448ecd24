"""Games between agents: each move is chosen in a process of its own, which ends with the time for it.

An agent chooses by putting an action on its `queue`, as often as it likes. What it put there last in time counts.
"""

from __future__ import annotations

import logging
import multiprocessing
import time
from enum import Enum
from typing import Any, Callable, NamedTuple

from .isolation import Isolation

_START_S = 0.5
"""What starting a process may take, on top of the agent's time."""

_log = logging.getLogger(__name__)


class Agent(NamedTuple):
    """Who plays: a class whose objects are made with the number of the player, and what to call it."""

    agent_class: Callable[[int], Any]
    name: str


class Status(Enum):
    """How a game ended."""

    STUCK = "could not move"
    NOTHING = "chose nothing in time"
    ILLEGAL = "chose what is no legal action"
    FAILED = "raised an exception"


class StopSearch(Exception):  # noqa: N818 # agents know it by this name
    """Raised in an agent that puts an action on its queue when the time is over."""


class _Choices:
    """An agent's queue: hands on whatever is put on it in time, with the agent's `context` as it then is."""

    def __init__(
        self, player: Any, time_limit: float, hand_on: Callable[[tuple[Any, Any]], object]
    ) -> None:
        self._player, self._hand_on = player, hand_on
        self._ends = time.monotonic() + time_limit / 1000

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        if time.monotonic() > self._ends:
            raise StopSearch
        self._hand_on((item, self._player.context))

    put_nowait = put


def fork_get_action(
    game_state: Isolation, active_player: Any, time_limit: float, debug: bool = False
) -> Any:
    """Return the action that an agent chooses; its `context` is afterwards as the agent left it.

    Args:
        game_state: where it is to move.
        active_player: the agent.
        time_limit: milliseconds.
        debug: whether it chooses here and not in a process of its own. Nothing ends it then.

    Raises:
        TimeoutError: it chose nothing.
        RuntimeError: its process ended by an exception.
    """
    ask = _choices_here if debug else _choices_of_process
    choices = ask(game_state, active_player, time_limit)
    if not choices:
        raise TimeoutError("nothing was put on the queue in time")
    action, active_player.context = choices[-1]
    return action


def _choices_here(state: Isolation, player: Any, time_limit: float) -> list[tuple[Any, Any]]:
    choices: list[tuple[Any, Any]] = []
    _have_chosen(state, player, time_limit, choices.append)
    return choices


def _have_chosen(
    state: Isolation, player: Any, time_limit: float, hand_on: Callable[[tuple[Any, Any]], object]
) -> None:
    player.queue = _Choices(player, time_limit, hand_on)
    try:
        player.get_action(state)
    except StopSearch:
        pass
    finally:
        player.queue = None


def _choices_of_process(state: Isolation, player: Any, time_limit: float) -> list[tuple[Any, Any]]:
    if (
        "fork" not in multiprocessing.get_all_start_methods()
    ):  # what an agent holds need not be picklable
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
            except EOFError:  # it has finished
                child.join()
                break
    child.kill()
    child.join()
    if child.exitcode > 0:
        raise RuntimeError("its process ended by an exception")
    return choices


def play(args: tuple[Any, ...]) -> tuple[Agent, list[Any], int]:
    """Play a game; return who won, the actions in order, and the game's number.

    Args:
        args: two of `Agent`, the state to begin from, the milliseconds for a move and the game's number; and whether
            agents choose here instead of in processes of their own.
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


def _next_action(
    state: Isolation, player: Any, time_limit: float, debug: bool = False
) -> tuple[Any, Status | None]:
    """Return the action, and if it loses the game, how."""
    try:
        action = fork_get_action(state, player, time_limit, debug)
    except TimeoutError:
        return None, Status.NOTHING
    except Exception:  # whatever an agent may raise
        return None, Status.FAILED
    return action, None if action in state.actions() else Status.ILLEGAL
