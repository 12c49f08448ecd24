"""What a search is: started on a position, it advances, and at any time has a best move and may be done.

    search.start(position, limit, seed)
    search.advance(stop)  # until `stop` says so, and again as often as you like
    search.best(), search.done

Whoever wants a move from a search, an agent, the server or a benchmark, uses this and nothing else of it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from isolarium.errors import InputError, check_kind
from isolarium.game.board import Board, Square
from isolarium.game.position import Position
from isolarium.limits import Limit, Stop

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Report:
    """What a search knows about the move that it chose.

    Attributes:
        score: the value for the player who searched, infinite where the end of the game, or the heuristic, says so;
            None where the search has no opinion.
        depth: plies looked ahead in full.
        nodes: positions entered.
        time_ms: how long it took.
        pv: the principal variation, the chosen move first.
        proven: the score is the true end of the game under perfect play, not an estimate.
        plies: moves to the end of the game, where the score is proven and that is known; a principal variation that
            does not break off before is as long.
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
    """A way to choose a move. It works on one position at a time, and keeps nothing from one to the next.

    It is not to be shared between threads.
    """

    def start(self, position: Position, limit: Limit, seed: int | None = None) -> None:
        """Take up a position, with everything compiled that this needs; the clock starts when it returns.

        Args:
            position: where the player to move has a move.
            limit: when the search is done, unless it finds out the truth before.
            seed: draws what is left to chance. Without one the board is seen as it is, and its moves row by row.

        Raises:
            InputError: the game is over, or the limit is none that ends this search.
        """

    def advance(self, stop: Stop | None = None) -> None:
        """Go on until the search is done, or `stop` says to go no further, and again when called again.

        `stop` is asked about every millisecond, at least once, and may ask for `best`. After a stop a search may be
        done if it has no way to go on.
        """

    def best(self) -> Choice:
        """The move to make by what is known so far; there is one from the start."""

    @property
    def done(self) -> bool:
        """Whether `advance` has nothing more to do."""

    def choose(
        self, position: Position, limit: Limit, seed: int | None = None, stop: Stop | None = None
    ) -> Choice:
        """Start, advance and tell the best.

        Raises:
            InputError: as `start` does.
        """
        self.start(position, limit, seed)
        self.advance(stop)
        return self.best()


class Evaluator(Protocol):
    """A heuristic as compiled searches take it.

    Attributes:
        compiled: `(view, own, opp)` to a float, part of the compiled search.
        parameters: the run-time numbers that it finds through the view.
    """

    @property
    def compiled(self) -> Callable[..., Any]:
        """See above."""

    @property
    def parameters(self) -> "NDArray[np.float64]":
        """See above."""

    def mirrors(self, board: Board) -> bool:
        """Whether positions of that board have the same value on every image that a search may run on."""

    def raise_failure(self) -> None:
        """Raise what went wrong inside the heuristic since the last call, if anything did."""


def check_position(position: object) -> None:
    """See that it is a position: whoever has a text reads it first.

    Raises:
        InputError: it is none.
    """
    check_kind("position", position, Position, "a Position, as parse_position reads it")


def check_unfinished(position: Position) -> None:
    """Refuse a position in which there is nothing to choose.

    Raises:
        InputError: the game is over, or it is no position.
    """
    check_position(position)
    if not position.legal_mask:
        raise InputError(f"{position}: the game is over; expected a position with a legal move")
