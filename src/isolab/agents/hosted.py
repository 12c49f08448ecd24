"""An agent in a process of its own, for code that is not ours: it may crash or hang without taking us along.

The process (`host.py`) shows again and again that it is alive. If it is silent for `PATIENCE_S`, or for `GRACE_S` once
it was told to stop, a heuristic did not return: the process is ended and the agent loses its game. It ends with its
parent too, however that ends.
"""

import warnings
from collections.abc import Mapping
from typing import Any, Final

from isolab.agents.agent import AgentFailure
from isolab.agents.host_process import HostProcess, wait_for_answer
from isolab.agents.spec import AgentSpec
from isolab.game.board import Square
from isolab.game.outcome import Player, Reason
from isolab.game.position import Position
from isolab.heuristics.compiling import SlowHeuristicWarning
from isolab.limits import Stop, read_seed
from isolab.processes import when_gone
from isolab.search.protocol import Choice, check_unfinished

PATIENCE_S: Final = 20.0
GRACE_S: Final = 3.0
ALIVE_S: Final = 1.0
"""How often the process shows that it is alive, at least."""


class HostedAgent:
    """An agent whose moves are chosen in another process, started with its first game and again after it has failed.

    Args:
        spec: the agent.
        patience_s: how long its process may be silent.
    """

    def __init__(self, spec: AgentSpec, patience_s: float = PATIENCE_S) -> None:
        self.name = str(spec)
        self._patience_s = patience_s
        self._seed = 0
        self._warned = False
        self._process: HostProcess | None = None
        self._number: int | None = None

    def new_game(self, seed: int) -> None:
        """Take the seed, and start the process if there is none."""
        self._seed = read_seed(seed)
        self._running()

    def choose(self, position: Position, stop: Stop | None = None) -> Choice:
        """Have the process choose.

        Raises:
            InputError: the game is over.
            AgentFailure: the process raised, ended, or fell silent.
        """
        check_unfinished(position)
        choice: Choice = self._ask(("choose", self._seed, position), self._patience_s, stop)
        return choice

    def prepare(self, position: Position) -> None:
        """Have the process compile everything that it needs there; the heuristic is asked nothing."""
        check_unfinished(position)
        self._ask(("prepare", self._seed, position), self._patience_s)

    def values(self, position: Position) -> Mapping[Square, float]:
        """See `SpecAgent`."""
        values: Mapping[Square, float] = self._ask(
            ("values", self._seed, position), self._patience_s
        )
        return values

    def value(self, position: Position, player: Player) -> float:
        """The heuristic's value of a position for a player."""
        found: float = self._ask(("value", player, position), self._patience_s)
        return found

    @property
    def process_id(self) -> int | None:
        """The number of the process that chooses, while there is one."""
        return None if self._process is None else self._number

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def _running(self) -> HostProcess:
        """The process, started if there is none, its warnings passed on once."""
        if self._process is None:
            self._process = HostProcess()
            when_gone(self, self._process.end)
            alive_s = min(ALIVE_S, self._patience_s / 4)
            try:
                made = self._ask(("agent", alive_s, self.name), max(self._patience_s, PATIENCE_S))
            except AgentFailure:
                self.close()
                raise
            self._number, told = made
            for message in () if self._warned else told:
                warnings.warn(message, SlowHeuristicWarning, stacklevel=3)
            self._warned = True
        return self._process

    def _ask(self, request: Any, patience_s: float, stop: Stop | None = None) -> Any:
        """The process's answer to a request.

        Raises:
            AgentFailure: it raised, ended, or fell silent.
        """
        process = self._running()
        try:
            process.line.send(request)
            kind, answer = wait_for_answer(process.line, patience_s, stop, GRACE_S)
        except TimeoutError:
            self.close()
            silent = f"{self.name}: no sign of life for {patience_s:g} s; ended"
            if stop is not None and stop():
                silent = f"{self.name}: told to stop, and did not; ended"
            raise AgentFailure(Reason.TIME, silent) from None
        except (EOFError, OSError):
            self.close()
            ended = f"{self.name}: its process ended ({process.ending})"
            raise AgentFailure(Reason.CRASH, ended) from None
        except BaseException:  # an answer that nobody waits for would be taken for the next one
            self.close()
            raise
        if kind == "failed":
            if answer.reason is Reason.MEMORY:  # what it holds it may hold for ever
                self.close()
            raise answer
        return answer
