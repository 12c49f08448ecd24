"""What a search asks of a heuristic."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from isolab.game.board import Board


class Evaluator(Protocol):
    """A heuristic as compiled code takes it.

    Attributes:
        compiled: `(view, own, opp)` to a float, part of the compiled search.
        parameters: the run-time numbers that it finds through the view.
    """

    @property
    def compiled(self) -> Callable[..., Any]:
        """See above."""

    @property
    def parameters(self) -> NDArray[np.float64]:
        """See above."""

    def mirrors(self, board: Board) -> bool:
        """Whether positions of that board have the same value on every image that a search may run on."""

    def raise_failure(self) -> None:
        """Raise what went wrong inside the heuristic since the last call, if anything did."""
