"""The contract of a search: start it, advance it, read the best move at any time.

    search.start(position, limit, seed)
    search.advance(stop)  # returns once `stop()` is true or the search is done; call it again to continue
    search.best(), search.done

Agents, the server and the benchmarks use searches through this protocol only. `Random` is the
simplest search to copy; a compiled search extends `driver.CompiledSearch`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, Protocol

from isolarium.errors import InputError, check_kind
from isolarium.game.board import Board, Square
from isolarium.game.position import Position
from isolarium.limits import Limit, Stop, mixed_seed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Report:
    """The information that a search reports about the move it chose.

    Attributes:
        score: The value for the searching player; infinite if the result is proven or the heuristic
            is infinite, None if the search does not score moves.
        depth: The number of plies searched in full.
        nodes: The number of positions entered.
        time_ms: The time the search took.
        pv: The principal variation, which starts with the chosen move.
        proven: Whether the score is the result under perfect play and not an estimate.
        plies: The number of moves to the end of the game, if the score is proven and the number is
            known. The principal variation then has this length, unless it breaks off early.
    """

    score: float | None
    depth: int
    nodes: int
    time_ms: float
    pv: tuple[Square, ...]
    proven: bool = False
    plies: int | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """A move with its report."""

    move: Square
    report: Report


class Search(Protocol):
    """A search algorithm, which chooses a move.

    A search works on one position at a time and does not keep state between positions. Threads must
    not share a search.
    """

    def start(self, position: Position, limit: Limit, seed: int | None = None) -> None:
        """Prepare to search a position, compiling if needed.

        The clock starts when the method returns.

        Args:
            position: A position in which the player to move has a legal move.
            limit: The limit at which the search ends, unless it proves the result earlier.
            seed: The seed of every random choice. Without a seed, the search uses no symmetry and
                tries moves row by row.

        Raises:
            InputError: If the game is over, or if this limit cannot end the search.
        """

    def advance(self, stop: Stop | None = None) -> None:
        """Search until done or until `stop()` is true; call again to continue.

        `stop` is called about every millisecond, at least once, and may call `best`. A search that
        cannot be continued may report that it is done after a stop.
        """

    def best(self) -> Choice:
        """Return the best move found so far; it exists as soon as `start` has returned."""

    @property
    def done(self) -> bool:
        """Whether `advance` has nothing left to do."""

    def choose(self, position: Position, limit: Limit, seed: int | None = None, stop: Stop | None = None) -> Choice:
        """Start, advance and return the best move.

        Raises:
            InputError: If `start` raises an InputError.
        """
        self.start(position, limit, seed)
        self.advance(stop)
        return self.best()


class Evaluator(Protocol):
    """A heuristic in the form that compiled searches accept."""

    @property
    def compiled(self) -> Callable[..., Any]:
        """The function `(view, own, opp) -> float` to compile into the search."""

    @property
    def parameters(self) -> "NDArray[np.float64]":
        """The run-time numbers that `compiled` reads through the view."""

    def is_symmetric(self, board: Board) -> bool:
        """Return whether the board's symmetries leave every value unchanged."""

    def raise_failure(self) -> None:
        """Raise the exception, if any, that the heuristic has raised since the last call."""


def check_position(position: object) -> None:
    """Check that the argument is a position, and not text that describes a position.

    Raises:
        InputError: If it is not a position.
    """
    check_kind("position", position, Position, "a Position, as parse_position reads it")


def check_unfinished(position: Position) -> None:
    """Check that the player to move has a legal move.

    Raises:
        InputError: If the game is over or the argument is not a position.
    """
    check_position(position)
    if not position.legal_mask:
        raise InputError(f"{position}: the game is over; expected a position with a legal move")


class Random(Search):
    """A search that plays a random legal move, or the first one without a seed.

    The limit has no effect.
    """

    done = True

    def start(self, position: Position, limit: Limit, seed: int | None = None) -> None:
        """See `Search`."""
        check_unfinished(position)
        started_ns = perf_counter_ns()
        moves = position.legal_moves()
        move = moves[0 if seed is None else mixed_seed(seed, 0) % len(moves)]
        time_ms = (perf_counter_ns() - started_ns) / 1e6
        self._best = Choice(move, Report(None, depth=0, nodes=0, time_ms=time_ms, pv=(move,)))

    def advance(self, stop: Stop | None = None) -> None:
        """See `Search`."""

    def best(self) -> Choice:
        """See `Search`."""
        return self._best
