"""Games between agents of the course's later project, which put their choice on a queue while they think.

Each move is asked for in a process of its own, which ends with it: an agent carries over what it has in `context`, and
nothing else.
"""

from __future__ import annotations

import time
from contextlib import suppress
from copy import deepcopy
from enum import Enum
from multiprocessing import Pipe, Process
from queue import Empty
from typing import Any, Callable, NamedTuple

from .isolation import Isolation

PROCESS_TIMEOUT = 5
"""Seconds after its time at which an agent that does not stop by itself is ended."""


class Agent(NamedTuple):
    """Who plays: a class that is made with `player_id`, and a name."""

    agent_class: Any
    name: str


class Status(Enum):
    """How a game stands."""

    NORMAL = 0
    EXCEPTION = 1
    TIMEOUT = 2
    INVALID_MOVE = 3
    GAME_OVER = 4


class StopSearch(Exception):  # noqa: N818 - agents know it by this name
    """The time is over: it comes out of the agent's `queue.put`."""


class TimedQueue:
    """What an agent puts its choice on, as often as it likes; the last one in time counts."""

    def __init__(self, send: Callable[[Any], object], agent: Any, time_limit: float) -> None:
        self._send = send
        self._agent = agent
        self._ends = time.perf_counter() + time_limit / 1000

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """Choose an action.

        Raises:
            StopSearch: the time is over.
        """
        if time.perf_counter() > self._ends:
            raise StopSearch
        self._send((getattr(self._agent, "context", None), item))

    def put_nowait(self, item: Any) -> None:
        """Choose an action, as `put` does."""
        self.put(item)


def fork_get_action(
    game_state: Isolation, active_player: Any, time_limit: float, debug: bool = False
) -> Any:
    """Return the action that an agent chose last within its time, in milliseconds.

    With `debug` it thinks in this process, and whatever it raises comes out.

    Raises:
        Empty: it chose none.
    """
    if debug:
        answers: list[Any] = [None]
        _ask(deepcopy(active_player), answers.append, game_state, time_limit)
        answer = answers[-1]
    else:
        answer = _last_of_process(active_player, game_state, time_limit)
    if answer is None:
        raise Empty
    active_player.context, action = answer
    return action


def _ask(
    agent: Any, send: Callable[[Any], object], game_state: Isolation, time_limit: float
) -> None:
    agent.queue = TimedQueue(send, agent, time_limit)
    with suppress(StopSearch):
        agent.get_action(game_state)


def _last_of_process(agent: Any, game_state: Isolation, time_limit: float) -> Any:
    """Return what an agent in a process of its own chose last, None if it chose nothing."""
    ends = time.perf_counter() + time_limit / 1000 + PROCESS_TIMEOUT
    receiver, sender = Pipe(duplex=False)
    process = Process(target=_ask, args=(agent, sender.send, game_state, time_limit))
    process.start()
    sender.close()  # the process has its own: when that is closed too, nothing more can come
    answer = None
    try:
        with suppress(EOFError):
            while receiver.poll(max(0.0, ends - time.perf_counter())):
                answer = receiver.recv()
    finally:
        process.terminate()
        process.join()
        receiver.close()
    return answer


def play(args: tuple[Any, ...]) -> tuple[Agent, list[Any], int]:
    """Play a game.

    Args:
        args: the two agents, the state to begin with, the milliseconds a move and the number of the match, and
            optionally whether to think in this process.

    Returns:
        The winner, the actions, and the number of the match.
    """
    return _play(*args)


def _play(
    agents: tuple[Agent, Agent],
    game_state: Isolation,
    time_limit: float,
    match_id: int,
    debug: bool = False,
) -> tuple[Agent, list[Any], int]:
    history: list[Any] = []
    players = [agent.agent_class(player_id=number) for number, agent in enumerate(agents)]
    while not game_state.terminal_test():
        active = game_state.player()
        try:
            action = fork_get_action(game_state, players[active], time_limit, debug)
        except Exception:  # whatever goes wrong, the agent that was to move has lost
            return agents[1 - active], history, match_id
        if action not in game_state.actions():
            return agents[1 - active], history, match_id
        game_state = game_state.result(action)
        history.append(action)
    return agents[0 if game_state.utility(0) > 0 else 1], history, match_id
