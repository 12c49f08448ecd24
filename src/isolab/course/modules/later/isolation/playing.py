"""Games between agents of the course's later project, which put their choice on a queue while they think.

Each move is asked for in a process of its own, which ends with it: an agent carries over what it has in `context`, and
nothing else.
"""

from __future__ import annotations

import time
from enum import Enum
from multiprocessing import Pipe, Process
from queue import Empty
from typing import Any, NamedTuple

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

    def __init__(self, connection: Any, agent: Any, time_limit: float) -> None:
        self._connection = connection
        self._agent = agent
        self._ends = time.perf_counter() + time_limit / 1000

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """Choose an action.

        Raises:
            StopSearch: the time is over.
        """
        if time.perf_counter() > self._ends:
            raise StopSearch
        self._connection.send((getattr(self._agent, "context", None), item))

    def put_nowait(self, item: Any) -> None:
        """Choose an action, as `put` does."""
        self.put(item, block=False)


def fork_get_action(
    game_state: Isolation, active_player: Any, time_limit: float, debug: bool = False
) -> Any:
    """Return the action that an agent chose last within its time, in milliseconds.

    Raises:
        Empty: it chose none.
    """
    receiver, sender = Pipe(duplex=False)
    arguments = (active_player, sender, game_state, time_limit)
    if debug:
        _ask(*arguments)
        answer = _last_of(receiver)
    else:
        process = Process(target=_ask, args=arguments)
        process.start()
        answer = _last_until(receiver, process, time_limit / 1000 + PROCESS_TIMEOUT)
    if answer is None:
        raise Empty
    active_player.context, action = answer
    return action


def _ask(agent: Any, connection: Any, game_state: Isolation, time_limit: float) -> None:
    agent.queue = TimedQueue(connection, agent, time_limit)
    try:
        agent.get_action(game_state)
    except StopSearch:
        pass
    finally:
        agent.queue = None
        connection.send(None)


def _last_of(receiver: Any) -> Any:
    """Return what came last before the None at the end."""
    answer = None
    while True:
        received = receiver.recv()
        if received is None:
            return answer
        answer = received


def _last_until(receiver: Any, process: Any, seconds: float) -> Any:
    """Return what comes last from a process that has some seconds, and end it."""
    ends = time.perf_counter() + seconds
    answer = None
    try:
        while receiver.poll(max(0.0, ends - time.perf_counter())):
            received = receiver.recv()
            if received is None:
                break
            answer = received
    except EOFError:  # it ended without a word
        pass
    finally:
        process.terminate()
        process.join()
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
