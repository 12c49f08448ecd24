"""An agent with a heuristic file or an installed heuristic, in a sandboxed process: it may crash, hang or lie.

The process (`subprocess_agent_main.py`) shows again and again that it is alive. If it is silent for `PATIENCE_S`, or
for `GRACE_S` once it was told to stop, a heuristic did not return: the process is ended and the agent loses its game.
It ends with its parent too, however that ends.
"""

import warnings
from collections.abc import Callable, Mapping
from math import nan
from typing import Annotated, Any, Final, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from isolarium.agents.agent import AgentFailure
from isolarium.agents.messages import ChoiceMessage, Number, choice_of, number_of
from isolarium.agents.subprocess_client import HostProcess
from isolarium.errors import InputError
from isolarium.game.board import Board, Square
from isolarium.game.outcome import Player, Reason
from isolarium.game.position import Position
from isolarium.heuristics.compiler import SlowHeuristicWarning
from isolarium.limits import Stop, read_seed
from isolarium.processes.json_channel import BadAnswer
from isolarium.processes.worker import when_gone
from isolarium.search.protocol import Choice, check_unfinished
from isolarium.spec.spec import AgentSpec
from isolarium.text import printable

PATIENCE_S: Final = 20.0
GRACE_S: Final = 3.0
ALIVE_S: Final = 1.0
"""How often the process shows that it is alive, at least."""
USUAL_BOARD: Final = Board(7, 7)
"""What is compiled for where nobody has said yet on which board it will play."""
T = TypeVar("T")
_WARNINGS: Final = TypeAdapter(Annotated[list[str], Field(max_length=20)])
_VALUES: Final = TypeAdapter(Annotated[dict[str, Number | None], Field(max_length=200)])
_VALUE: Final[TypeAdapter[Any]] = TypeAdapter(Number | None)
_CHOICE: Final = TypeAdapter(ChoiceMessage)
_NOTHING: Final = TypeAdapter(None)


class HostedAgent:
    """An agent whose moves are chosen in another process, started with its first game and again after it has failed.

    Args:
        spec: the agent.
        patience_s: how long its process may be silent.
    """

    def __init__(self, spec: AgentSpec, patience_s: float = PATIENCE_S) -> None:
        self.name, self._spec = str(spec), spec
        self._patience_s = patience_s
        self._seed = 0
        self._warned = False
        self._process: HostProcess | None = None

    def new_game(self, seed: int) -> None:
        """Take the seed, and start the process if there is none."""
        self._seed = read_seed(seed)
        self._running()

    def choose(self, position: Position, stop: Stop | None = None) -> Choice:
        """Have the process choose.

        Raises:
            InputError: If the game is over.
            AgentFailure: If the process raised, ended, fell silent, or chose what is not a move.
        """
        check_unfinished(position)
        message = self._asked(_CHOICE, position, stop, do="choose", seed=self._seed)
        try:
            return choice_of(message, position)
        except InputError as error:
            raise AgentFailure(Reason.ILLEGAL_MOVE, f"{self.name}: {error}") from None

    def prepare(self, position: Position) -> None:
        """Have the process compile everything that it needs there; the heuristic is asked nothing."""
        check_unfinished(position)
        self._asked(_NOTHING, position, do="prepare")

    def values(self, position: Position) -> Mapping[Square, float]:
        """See `SpecAgent`."""
        found = self._asked(_VALUES, position, do="values")
        squares = {str(square): square for square in position.board.squares}
        if not found.keys() <= squares.keys():
            raise self._nonsense()
        return {squares[name]: _float(value) for name, value in found.items()}

    def value(self, position: Position, player: Player) -> float:
        """The heuristic's value of a position for a player."""
        return _float(self._asked(_VALUE, position, do="value", player=int(player)))

    @property
    def process_id(self) -> int | None:
        """The number of the process that chooses, while there is one."""
        return None if self._process is None else self._process.number

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def _running(self, board: Board = USUAL_BOARD) -> HostProcess:
        """Return the process, started if there is none; its warnings are passed on once."""
        if self._process is None:
            process = self._process = HostProcess(self._spec.foreign_code)
            when_gone(self, process.end)
            alive_s = min(ALIVE_S, self._patience_s / 4)
            begin = {"spec": self.name, "alive_s": alive_s, "board": str(board)}
            patience_s = max(self._patience_s, PATIENCE_S)
            try:
                told = self._answered(
                    process, lambda: process.begin("agent", **begin), _WARNINGS, patience_s
                )
            except AgentFailure:
                self.close()
                raise
            for message in () if self._warned else told:
                warnings.warn(printable(message), SlowHeuristicWarning, stacklevel=3)
            self._warned = True
        return self._process

    def _asked(
        self, kind: TypeAdapter[T], position: Position, stop: Stop | None = None, **request: Any
    ) -> T:
        """Return the process's answer to a request about a position.

        Raises:
            AgentFailure: If it raised, ended, fell silent, or answered with something else.
        """
        process = self._running(position.board)
        request["position"] = str(position)
        return self._answered(process, lambda: process.send(request), kind, self._patience_s, stop)

    def _answered(
        self,
        process: HostProcess,
        ask: Callable[[], None],
        kind: TypeAdapter[T],
        patience_s: float,
        stop: Stop | None = None,
    ) -> T:
        try:
            ask()
            return kind.validate_python(process.answer(patience_s, stop, GRACE_S), strict=True)
        except TimeoutError:
            self.close()
            silent = f"no sign of life for {patience_s:g} s; ended"
            if stop is not None and stop():
                silent = "told to stop, and did not; ended"
            raise self._failure(Reason.TIME, silent, process) from None
        except EOFError:
            self.close()
            ended = f"its process ended ({process.ending})"
            raise self._failure(Reason.CRASH, ended, process) from None
        except BadAnswer as error:
            self.close()
            raise self._failure(Reason.CRASH, str(error), process) from None
        except ValidationError:
            raise self._nonsense() from None
        except AgentFailure as failure:
            if failure.reason is Reason.MEMORY:  # what it holds it may hold for ever
                self.close()
            raise
        except BaseException:  # an answer that nobody waits for would be taken for the next one
            self.close()
            raise

    def _nonsense(self) -> AgentFailure:
        self.close()
        return AgentFailure(Reason.CRASH, f"{self.name}: sent what is not an answer")

    def _failure(self, reason: Reason, what: str, process: HostProcess) -> AgentFailure:
        said = process.last_words
        return AgentFailure(reason, f"{self.name}: {what}" + (f"; it said: {said}" if said else ""))


def _float(message: float | str | None) -> float:
    """Return a number; what is not a number stays so."""
    found = number_of(message)
    return nan if found is None else found
