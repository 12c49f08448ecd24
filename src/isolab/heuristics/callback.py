"""A heuristic that Numba cannot compile: compiled code calls it back in Python, position by position."""

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from isolab.game.board import Board
from isolab.game.tables import WORD_MASK
from isolab.game.view import PlainView, View
from isolab.heuristics.binding import Bound
from isolab.native.jit import kernel
from isolab.native.memory import call_address, load_word
from isolab.native.squareset import word_of

CALL: Final = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_int64] * 7)


class Callback:
    """A bound heuristic as a search takes it, run in Python.

    Its square numbers are those of the board itself, so the search must run on no other image. What it raises is kept
    until it is asked for; until then every further value is not a number.
    """

    def __init__(self, bound: Bound) -> None:
        self._plain = bound.plain
        self._failure: BaseException | None = None
        self._call = CALL(self._value)  # kept alive: compiled code holds its address
        address = ctypes.cast(self._call, ctypes.c_void_p).value
        self.parameters: NDArray[np.float64] = np.array([address], dtype=np.int64).view(np.float64)

    @property
    def compiled(self) -> Callable[..., Any]:
        """The same function for all of them: the address to call is found through the view."""
        return call_back

    def mirrors(self, board: Board) -> bool:
        """Never: it sees square numbers, and no image's tables."""
        return False

    def raise_failure(self) -> None:
        """Raise what the heuristic raised."""
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def _value(
        self,
        low: int,
        middle: int,
        high: int,
        size: int,
        own: int,
        opp: int,
        own_to_move: int,
    ) -> float:
        if self._failure is not None:
            return float("nan")
        try:
            mask = low & WORD_MASK | (middle & WORD_MASK) << 64 | (high & WORD_MASK) << 128
            board = _board(size)
            blank = frozenset(i for i in range(board.size) if mask >> i & 1)
            return self._plain(PlainView(board, blank, bool(own_to_move)), own, opp)
        except BaseException as error:  # kept for `raise_failure`: none may cross compiled code
            self._failure = error
            return float("nan")


@cache
def _board(size: int) -> Board:
    """The board of 256 * rows + columns."""
    return Board(*divmod(size, 256))


@kernel
def call_back(view: View, own: int, opp: int) -> float:
    """Call Python with the blank squares' words, the board's size, the players' squares and whose turn it is."""
    value: float = call_address(
        load_word(view.parameters, 0),
        word_of(view.blank, 0),
        word_of(view.blank, 1),
        word_of(view.blank, 2),
        view.rows * 256 + view.cols,
        own,
        opp,
        1 if view.own_to_move else 0,
    )
    return value
