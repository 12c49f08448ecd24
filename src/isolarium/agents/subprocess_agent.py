"""Agents with third-party heuristics, which run in a sandboxed process.

The process (`subprocess_agent_main.py`) regularly reports progress. If it sends nothing for `PATIENCE_S`, or for
`GRACE_S` after a request to stop, a heuristic has not returned: the process is killed and the agent loses its game.
"""

import warnings
from collections.abc import Mapping
from math import nan
from typing import Annotated, Any, Final, TypeVar

from pydantic import ConfigDict, Field, TypeAdapter

from isolarium.agents.agent import AgentFailure
from isolarium.agents.subprocess_client import (
    NOTHING,
    ChoiceMessage,
    HeuristicProcess,
    Number,
    ThirdPartyProcess,
    choice_of,
    number_of,
)
from isolarium.errors import InputError
from isolarium.game.board import Board, Square
from isolarium.game.position import Player, Position, Reason
from isolarium.heuristics.compiler import SlowHeuristicWarning
from isolarium.limits import Stop, read_seed
from isolarium.search.protocol import Choice, check_unfinished
from isolarium.spec.spec import AgentSpec
from isolarium.text import printable

PATIENCE_S: Final = 20.0
GRACE_S: Final = 3.0
ALIVE_S: Final = 1.0
"""The maximum time, in seconds, between two progress reports of the process."""
USUAL_BOARD: Final = Board(7, 7)
"""The board for which code is compiled before the first position."""
T = TypeVar("T")
_STRICT: Final = ConfigDict(strict=True, allow_inf_nan=False)
_WARNINGS: Final = TypeAdapter(Annotated[list[str], Field(max_length=20)], config=_STRICT)
_VALUES: Final = TypeAdapter(Annotated[dict[str, Number | None], Field(max_length=200)], config=_STRICT)
_VALUE: Final[TypeAdapter[Any]] = TypeAdapter(Number | None, config=_STRICT)
_CHOICE: Final = TypeAdapter(ChoiceMessage)


class SubprocessAgent:
    """An agent whose moves are chosen in another process.

    Args:
        spec: The agent.
        patience_s: The maximum time, in seconds, without a message from its process.
    """

    def __init__(self, spec: AgentSpec, patience_s: float = PATIENCE_S) -> None:
        self.name, self._spec = str(spec), spec
        self._patience_s = patience_s
        self._seed = 0
        self._warned = False
        self._code = ThirdPartyProcess(self.name)

    def new_game(self, seed: int) -> None:
        """Set the seed, and start the process if it is not running."""
        self._seed = read_seed(seed)
        self._start_if_needed(USUAL_BOARD)

    def choose(self, position: Position, stop: Stop | None = None) -> Choice:
        """Choose a move in the process.

        Raises:
            InputError: If the game is over.
            AgentFailure: If the process raises an error, exits, falls silent, or chooses an illegal move.
        """
        check_unfinished(position)
        message = self._call(_CHOICE, position, stop, do="choose", seed=self._seed)
        try:
            return choice_of(message, position)
        except InputError as error:
            raise AgentFailure(Reason.ILLEGAL_MOVE, f"{self.name}: {error}") from None

    def prepare(self, position: Position) -> None:
        """Let the process compile for a board without calling the heuristic."""
        check_unfinished(position)
        self._call(NOTHING, position, do="prepare")

    def values(self, position: Position) -> Mapping[Square, float]:
        """See `SpecAgent`."""
        found = self._call(_VALUES, position, do="values")
        squares = {str(square): square for square in position.board.squares}
        if not found.keys() <= squares.keys():
            self.close()
            raise AgentFailure(Reason.CRASH, f"{self.name}: sent an invalid answer")
        return {squares[name]: _float(value) for name, value in found.items()}

    def value(self, position: Position, player: Player) -> float:
        """Return the heuristic's value of a position for a player."""
        return _float(self._call(_VALUE, position, do="value", player=int(player)))

    @property
    def process_id(self) -> int | None:
        """The process id while the process is running, otherwise None."""
        return self._code.process_id

    def close(self) -> None:
        """Terminate the process."""
        self._code.close()

    def _start_if_needed(self, board: Board) -> None:
        """Start the process if it is not running; show its warnings once."""
        if self._code.is_running:
            return
        process = HeuristicProcess(self._spec.third_party_code)
        alive_s = min(ALIVE_S, self._patience_s / 4)
        request = {"kind": "agent", "spec": self.name, "alive_s": alive_s, "board": str(board)}
        found = self._code.start(
            process, {**request, **process.loads}, _WARNINGS, patience_s=max(self._patience_s, PATIENCE_S)
        )
        for message in () if self._warned else found:
            warnings.warn(printable(message), SlowHeuristicWarning, stacklevel=3)
        self._warned = True

    def _call(self, expected: TypeAdapter[T], position: Position, stop: Stop | None = None, **request: Any) -> T:
        """Return the process's answer to a call about a position.

        Raises:
            AgentFailure: If the process does not answer.
        """
        self._start_if_needed(position.board)
        request["position"] = str(position)
        waiting = {"patience_s": self._patience_s, "stop": stop, "grace_s": GRACE_S}
        return self._code.call(request, expected, **waiting)


def _float(message: float | str | None) -> float:
    """Return the number in a message, or NaN for None."""
    found = number_of(message)
    return nan if found is None else found
