"""An agent that is a function, a class or an object in Python.

It plays in the caller's process. For an object of the running program, this is a worker of the run, without a sandbox,
because the program is the user's own. For an agent from a file, it is a sandboxed process (`file_agent.py`).
"""

import inspect
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from inspect import Parameter
from operator import index
from time import perf_counter_ns
from typing import Any, Final

from isolarium.agents.agent import AgentFailure
from isolarium.compat import raised_after
from isolarium.errors import InputError, quoted
from isolarium.game.board import Board, Square, parse_square
from isolarium.game.position import Position, Reason
from isolarium.limits import Limit, Stop, mixed_seed, read_seed, seeded_generators
from isolarium.processes.own_code import Kind, find
from isolarium.search.protocol import Choice, Report, check_unfinished
from isolarium.spec.spec import AgentSpec

AGAIN_S: Final = 0.1
"""The maximum number of attempts to interrupt code that catches everything."""


class PythonAgent:
    """An agent that asks an object for each move.

    The object is one of these:

    - a function `f(position) -> move`;
    - an object or a class with `choose(position, limit) -> move` and optionally `start(board, seed)`, called before the
        first move of each game; a class is called once, without arguments, to create the object;
    - an object with the methods of `Agent`.

    A move is a `Square`, a row and a column, or text such as `d4`; None resigns. The random
    generators of Python and NumPy are seeded before every call, and restored after it.

    Args:
        name: The agent's spec.
        thing: The object, or its class.
        limit: The limit that `choose` receives.

    Attributes:
        name: The spec, in its shortest form.
        thing: The object, or its class.
    """

    def __init__(self, name: str, thing: Any, limit: Limit) -> None:
        self.name = name
        self.thing = thing
        self._limit = limit
        self._player: Any = None if isinstance(self.thing, type) else self.thing
        self._seed, self._started = 0, False

    def new_game(self, seed: int) -> None:
        """Set the game's seed; the object receives it before its first move."""
        self._seed, self._started = read_seed(seed), False

    def choose(self, position: Position, stop: Stop | None = None) -> Choice:
        """Ask the object for a move.

        Raises:
            InputError: If the game is over.
            AgentFailure: If it returns something other than a move.
            Exception: Whatever the object raises.
        """
        check_unfinished(position)
        with seeded_generators(mixed_seed(self._seed, position.blank_count)):
            if not self._started:
                self._start(position.board)
            began = perf_counter_ns()
            chosen = self._ask(position, stop)
        if isinstance(chosen, Choice):
            return chosen
        move = None if chosen is None else self._square(chosen, position.board)
        time_ms = (perf_counter_ns() - began) / 1e6
        report = Report(None, 0, 0, time_ms, () if move is None else (move,))
        return Choice(move, report)  # type: ignore[arg-type] # the referee takes None for a resignation

    def _ask(self, position: Position, stop: Stop | None) -> Any:
        if hasattr(self._player, "new_game"):
            return self._player.choose(position, stop)
        if hasattr(self._player, "choose"):
            return self._player.choose(position, self._limit)
        return self._player(position)

    def _start(self, board: Board) -> None:
        """Begin a game."""
        self._make()
        self._started = True
        if hasattr(self._player, "new_game"):
            self._player.new_game(self._seed)
        elif hasattr(self._player, "start"):
            self._player.start(board, self._seed)

    def _make(self) -> None:
        if self._player is None:
            self._player = self.thing()

    def _square(self, chosen: Any, board: Board) -> Square:
        """Return the square of a move.

        Raises:
            AgentFailure: If it is not a square of the board.
        """
        try:
            if isinstance(chosen, str):
                return parse_square(chosen, board)
            row, col = chosen
            square = Square(index(row), index(col))
            board.index(square)
            return square
        except (InputError, TypeError, ValueError, IndexError):
            problem = f"returned {quoted(chosen)}; expected a square such as 'd4', or None to resign"
            raise AgentFailure(Reason.ILLEGAL_MOVE, f"{self.name}: {problem}") from None

    def prepare(self, position: Position) -> None:
        """Create the object if only its class is known."""
        with seeded_generators(0):
            self._make()

    def values(self, position: Position) -> Mapping[Square, float]:
        """Return an empty mapping: the object does not evaluate positions."""
        return {}

    def close(self) -> None:
        """Do nothing: the agent has no processes."""


def python_agent_of(spec: AgentSpec) -> PythonAgent:
    """Return the agent of a spec such as `own:player@nodes=500`.

    Raises:
        InputError: If this process has no such object.
    """
    assert spec.program is not None
    return PythonAgent(str(spec), find(spec.program.word, Kind.AGENT).thing, spec.limit)


def required_parameters(function: Callable[..., Any]) -> int:
    """Return the number of positional parameters without defaults; -1 if unknown."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # some built-in functions have no signature
        return -1
    kinds = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return sum(one.kind in kinds and one.default is Parameter.empty for one in parameters)


class TooLate(BaseException):
    """A move takes far too long.

    The class does not derive from `Exception`, which the user's code may catch.
    """


@contextmanager
def ended_after(seconds: float | None) -> Iterator[None]:
    """Interrupt the block, even an endless loop, after the given time.

    Only the main thread can be interrupted. A cluster's worker that takes too long is dismissed instead.

    Raises:
        TooLate: If the block takes longer.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if seconds is None or not is_main:
        yield
        return
    with raised_after(seconds, AGAIN_S, TooLate):
        yield
