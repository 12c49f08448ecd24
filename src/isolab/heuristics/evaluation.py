"""The value of one position by a compiled heuristic, outside any search."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numba import types

from isolab.errors import InputError
from isolab.game.outcome import Player
from isolab.game.position import Position
from isolab.game.symmetry import Symmetry
from isolab.game.tables import image_of, image_square, pack_words, table_address, words_for
from isolab.game.view import View
from isolab.native.entry import compile_entry
from isolab.native.memory import load_constant
from isolab.native.squareset import load_set

# Bound when compiled
WORDS: int = 0
evaluate: Any = None


class Compiled(Protocol):
    """What `value_of` needs of a heuristic."""

    @property
    def compiled(self) -> Any:
        """See `Bound`."""

    @property
    def parameters(self) -> Any:
        """See `Bound`."""


def value_of(
    heuristic: Compiled,
    position: Position,
    player: Player,
    symmetry: Symmetry = Symmetry.IDENTITY,
) -> float:
    """The heuristic's value of a position for a player, whoever is to move.

    The symmetry is the image of the board that compiled code works on; it makes no difference to a heuristic that asks
    `row` and `col` for coordinates.

    Raises:
        InputError: a player is not yet placed.
    """
    own, opp = position.square_of(player), position.square_of(player.other)
    if own is None or opp is None:
        raise InputError("a heuristic needs both players placed")
    board = position.board
    words = words_for(board)
    function = compiled_value(heuristic, words)
    blank = np.array(pack_words(position.blank, words), dtype=np.uint64)
    value: float = function(
        table_address(board, symmetry),
        heuristic.parameters.ctypes.data,
        blank.ctypes.data,
        board.index(own),
        board.index(opp),
        position.to_move == player,
    )
    return value


def compiled_value(heuristic: Compiled, words: int) -> Callable[..., float]:
    """`evaluate_once`, compiled for the heuristic and boards whose sets of squares take so many words.

    Raises:
        NumbaError: the heuristic cannot be compiled.
    """
    return compile_entry(
        evaluate_once,
        types.float64(*[types.int64] * 5, types.boolean),
        {"WORDS": words, "evaluate": heuristic.compiled},
    )


def evaluate_once(
    table: int, parameters: int, blank: int, own: int, opp: int, own_to_move: bool
) -> float:
    """The value of the view that the arguments describe by true square numbers."""
    view = View(
        image_of(table, load_set(blank, 0, WORDS)),
        own_to_move,
        load_constant(table, 0),
        load_constant(table, 1),
        table,
        parameters,
    )
    value: float = evaluate(view, image_square(table, own), image_square(table, opp))
    return value
