"""The view that a heuristic receives, and the functions for writing heuristics.

A heuristic evaluates a `view` for the player on `own` against the player on `opp`. Squares are opaque numbers: use
`row` and `col` for coordinates, because a search may run on a mirror image of the board. Sets of squares behave like
frozensets: `a & b`, `a | b`, `a - b`, `len(a)`, `s in a`, `for s in squares(a)`.

Every function is defined twice. The plain version is the definition and runs on a `PlainView` in ordinary Python.
Compiled heuristics call its compiled twin, right below it. Tests check that both return the same results.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from isolarium.game.board import Board, Square
from isolarium.game.tables import IMAGE, INFO, SETS
from isolarium.native.jit import Part, compiled_twin, generator_kernel, kernel
from isolarium.native.memory import load_constant, load_float
from isolarium.native.simd_sets import lane, load_table_lanes, shift_lanes, shift_lanes_down, side_by_side
from isolarium.native.squareset import (
    SET_TYPES,
    count,
    is_empty,
    load_table_set,
    lowest,
    shift,
    shift_down,
    single,
    without_lowest,
)

Squares = frozenset[int]

UNREACHABLE: Final = 1 << 20
"""The distance of an unreachable square, larger than the length of any path."""


@dataclass(frozen=True, slots=True)
class PlainView:
    """A position as a heuristic sees it, in plain Python.

    Squares are numbered row by row from the top left.
    """

    board: Board
    blank: Squares
    own_to_move: bool
    parameters: tuple[float, ...] = ()

    @property
    def rows(self) -> int:
        """The number of rows of the board."""
        return self.board.rows

    @property
    def cols(self) -> int:
        """The number of columns of the board."""
        return self.board.cols


class View(NamedTuple):
    """A position as a heuristic sees it, in compiled code.

    `blank` is a `SquareSet`; `geometry` and `parameters` are addresses.
    """

    blank: Any
    own_to_move: bool
    rows: int
    cols: int
    geometry: int
    parameters: int


# Bound when compiled
evaluate: Any = None


def evaluation(heuristic: Any, words: int) -> Part:
    """Return a compiled heuristic as a component to bind, for sets of `words` words."""
    fields = SET_TYPES[words], types.boolean, *[types.int64] * 4
    view = types.NamedTuple(fields, View)
    signature = types.float64(view, types.int64, types.int64)
    return Part(value_of_view, signature, (("evaluate", heuristic),))


def value_of_view(view: View, own: int, opp: int) -> float:
    """Return the heuristic's value as a float."""
    return evaluate(view, own, opp)


# Moves


def legal_moves(view: PlainView, square: int) -> Squares:
    """Return L(x): the blank squares a knight's move from `square`."""
    return _knight_targets(view.board, square) & view.blank


@compiled_twin(legal_moves)
def _legal_moves(view: View, square: int) -> Any:
    return load_table_set(view.geometry, SETS, 4 + square, view.blank) & view.blank


def mobility(view: PlainView, square: int) -> int:
    """Return the number of moves of a player on `square`."""
    return len(legal_moves(view, square))


@compiled_twin(mobility)
def _mobility(view: View, square: int) -> int:
    return count(load_table_set(view.geometry, SETS, 4 + square, view.blank) & view.blank)


def after(view: PlainView, square: int) -> PlainView:
    """Return the view after a move to `square`, with the turn changed."""
    return replace(view, blank=view.blank - {square}, own_to_move=not view.own_to_move)


@compiled_twin(after)
def _after(view: View, square: int) -> View:
    return View(
        view.blank - single(view.blank, square),
        not view.own_to_move,
        view.rows,
        view.cols,
        view.geometry,
        view.parameters,
    )


# Sets of squares


def squares(of: Squares) -> Iterator[int]:
    """Iterate over the squares of a set."""
    return iter(sorted(of))


@generator_kernel
def _each(of: Any) -> Iterator[int]:
    while not is_empty(of):
        yield lowest(of)
        of = without_lowest(of)


@compiled_twin(squares)
def _squares(of: Any) -> Iterator[int]:
    return _each(of)


def just(view: PlainView, square: int) -> Squares:
    """Return the set that contains one square."""
    return frozenset({square})


@compiled_twin(just)
def _just(view: View, square: int) -> Any:
    return single(view.blank, square)


def spread(view: PlainView, of: Squares) -> Squares:
    """Return the blank squares a knight's move from any square of the set."""
    return frozenset().union(*(legal_moves(view, square) for square in of))


@compiled_twin(spread)
def _spread(view: View, of: Any) -> Any:
    return knight_steps(view.geometry, of) & view.blank


@kernel
def knight_steps(geometry: int, of: Any) -> Any:
    """Return the squares a knight's move from any square of the set.

    The result may contain numbers past the end of the board, which the caller must mask.
    """
    cols = load_constant(geometry, 1)
    one = (shift(of, 1) & load_table_set(geometry, SETS, 0, of)) | (
        shift_down(of, 1) & load_table_set(geometry, SETS, 2, of)
    )
    two = (shift(of, 2) & load_table_set(geometry, SETS, 1, of)) | (
        shift_down(of, 2) & load_table_set(geometry, SETS, 3, of)
    )
    return shift(one, 2 * cols) | shift_down(one, 2 * cols) | shift(two, cols) | shift_down(two, cols)


def spread_both(view: PlainView, one: Squares, other: Squares) -> tuple[Squares, Squares]:
    """Return `spread` of two sets in little more time than for one set."""
    return spread(view, one), spread(view, other)


@compiled_twin(spread_both)
def _spread_both(view: View, one: Any, other: Any) -> tuple[Any, Any]:
    both = knight_steps_in_lanes(view.geometry, side_by_side(one, other))
    return lane(both, 0) & view.blank, lane(both, 1) & view.blank


@kernel
def knight_steps_in_lanes(geometry: int, of: Any) -> Any:
    """Apply `knight_steps` in every lane of a vector."""
    cols = load_constant(geometry, 1)
    one = (shift_lanes(of, 1) & load_table_lanes(geometry, SETS, 0, of)) | (
        shift_lanes_down(of, 1) & load_table_lanes(geometry, SETS, 2, of)
    )
    two = (shift_lanes(of, 2) & load_table_lanes(geometry, SETS, 1, of)) | (
        shift_lanes_down(of, 2) & load_table_lanes(geometry, SETS, 3, of)
    )
    up = shift_lanes_down(one, 2 * cols) | shift_lanes_down(two, cols)
    return up | shift_lanes(one, 2 * cols) | shift_lanes(two, cols)


def reachable(view: PlainView, square: int) -> Squares:
    """Return R(x): `square` and all squares reachable from it through blanks."""
    region, edge = frozenset({square}), frozenset({square})
    while edge:
        edge = spread(view, edge) - region
        region |= edge
    return region


@compiled_twin(reachable)
def _reachable(view: View, square: int) -> Any:
    region = single(view.blank, square)
    edge = region
    while not is_empty(edge):
        edge = (knight_steps(view.geometry, edge) & view.blank) - region
        region = region | edge
    return region


def distances(view: PlainView, square: int) -> NDArray[np.int64]:
    """Return d(x, s) for all squares s: the fewest moves, or `UNREACHABLE`."""
    found = np.full(view.rows * view.cols, UNREACHABLE)
    found[square] = 0
    edge, steps = frozenset({square}), 0
    while edge:
        steps += 1
        edge = frozenset(s for s in spread(view, edge) if found[s] == UNREACHABLE)
        for s in edge:
            found[s] = steps
    return found


@compiled_twin(distances)
def _distances(view: View, square: int) -> NDArray[np.int64]:
    found = np.full(view.rows * view.cols, UNREACHABLE)
    found[square] = 0
    left = view.blank
    edge = single(view.blank, square)
    steps = 0
    while not is_empty(edge):
        steps += 1
        edge = knight_steps(view.geometry, edge) & left
        left = left - edge
        for s in _each(edge):
            found[s] = steps
    return found


# The board


def row(view: PlainView, square: int) -> int:
    """Return the row of a square, 0 at the top."""
    return view.board.square(square).row


@compiled_twin(row)
def _row(view: View, square: int) -> int:
    return load_constant(view.geometry, INFO + square) & 255


def col(view: PlainView, square: int) -> int:
    """Return the column of a square, 0 at the left."""
    return view.board.square(square).col


@compiled_twin(col)
def _col(view: View, square: int) -> int:
    return load_constant(view.geometry, INFO + square) >> 8 & 255


def number(view: PlainView, square: int) -> int:
    """Return a square's row-by-row number, which is the same under every symmetry."""
    return square


@compiled_twin(number)
def _number(view: View, square: int) -> int:
    return load_constant(view.geometry, INFO + square) >> 16


def square_at(view: PlainView, row: int, col: int) -> int:
    """Return the square in a row and column, which must be on the board."""
    return view.board.index(Square(row, col))


@compiled_twin(square_at)
def _square_at(view: View, row: int, col: int) -> int:
    return load_constant(view.geometry, IMAGE + row * view.cols + col)


def rectangle(view: PlainView, top: int, left: int, height: int, width: int) -> Squares:
    """Return the squares of a rectangle, which must lie on the board."""
    return frozenset(square_at(view, row, col) for row in range(top, top + height) for col in range(left, left + width))


@compiled_twin(rectangle)
def _rectangle(view: View, top: int, left: int, height: int, width: int) -> Any:
    upper = 4 + view.rows * view.cols + 1
    leftward = upper + view.rows + 1
    return (
        load_table_set(view.geometry, SETS, upper + top + height, view.blank)
        - load_table_set(view.geometry, SETS, upper + top, view.blank)
    ) & (
        load_table_set(view.geometry, SETS, leftward + left + width, view.blank)
        - load_table_set(view.geometry, SETS, leftward + left, view.blank)
    )


def center_distance(view: PlainView, square: int) -> float:
    """Return dist(s): the rows plus the columns between the square and the centre."""
    return abs(row(view, square) - (view.rows - 1) / 2) + abs(col(view, square) - (view.cols - 1) / 2)


@compiled_twin(center_distance)
def _center_distance(view: View, square: int) -> float:
    info = load_constant(view.geometry, INFO + square)
    twice = abs(2 * (info & 255) - view.rows + 1) + abs(2 * (info >> 8 & 255) - view.cols + 1)
    return twice / 2


def filled(view: PlainView) -> int:
    """Return the number of blocked squares, including those the players stand on."""
    return view.rows * view.cols - len(view.blank)


@compiled_twin(filled)
def _filled(view: View) -> int:
    return view.rows * view.cols - count(view.blank)


def parameter(view: PlainView, place: int) -> float:
    """Return the run-time number at index `place` of the heuristic's parameters."""
    return view.parameters[place]


@compiled_twin(parameter)
def _parameter(view: View, place: int) -> float:
    return load_float(view.parameters, place)


def weight(view: PlainView, place: int) -> int:
    """Return the 64-bit word at index `place` of the heuristic's parameters."""
    return int(view.parameters[place])


@compiled_twin(weight)
def _weight(view: View, place: int) -> int:
    return load_constant(view.parameters, place)


def _knight_targets(board: Board, square: int) -> Squares:
    return frozenset(map(board.index, board.knight_moves(board.square(square))))


@kernel
def targets(geometry: int, like: Any, square: int) -> Any:
    """Return a knight's targets from `square`, blank or not.

    A player not yet placed has every square as a target.
    """
    return load_table_set(geometry, SETS, 4 + square, like)
