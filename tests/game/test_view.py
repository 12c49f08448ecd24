"""The functions for heuristics: compiled code equals plain Python under every symmetry of a board."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from numba import types
from numpy.typing import NDArray

from isolarium.game.board import Board, parse_board
from isolarium.game.notation import parse_position
from isolarium.game.position import Player, Position
from isolarium.game.symmetry import Symmetry, symmetries
from isolarium.game.tables import image_of, image_square, pack_words, permutation, table_address, words_for
from isolarium.game.view import (
    UNREACHABLE,
    PlainView,
    Squares,
    View,
    after,
    center_distance,
    col,
    distances,
    filled,
    just,
    legal_moves,
    mobility,
    number,
    parameter,
    reachable,
    rectangle,
    row,
    spread,
    spread_both,
    square_at,
    squares,
)
from isolarium.heuristics.definition import helper
from isolarium.native.entry_points import compile_entry
from isolarium.native.memory import load_constant, store_float, store_word
from isolarium.native.squareset import load_set, store_set
from tests.heuristics.sampling import plain_view, random_positions, squares_of

BOARDS = [parse_board(text) for text in ("3x3", "5x4", "7x7", "8x8", "9x11", "11x12", "13x13")]

SETS = [
    "legal_moves",
    "after",
    "just",
    "spread",
    "one of spread_both",
    "other of spread_both",
    "reachable",
    "rectangle",
    "whole_board",
    "squares",
    "and",
    "or",
    "minus",
    "xor",
]
NUMBERS = [
    "mobility",
    "after_turn",
    "row",
    "col",
    "number",
    "square_at",
    "center_distance",
    "filled",
    "parameter",
    "length",
    "contains",
    "misses",
    "truth",
    "equal",
    "unequal",
    "rows",
    "cols",
    "own_to_move",
]


@helper
def each_once(view: PlainView, of: Squares) -> Squares:
    found = of - of
    for square in squares(of):
        if square not in found:
            found = found | just(view, square)
    return found


@helper
def one_if(true: bool) -> float:
    return 1.0 if true else 0.0


@helper
def sets(view: PlainView, own: int, opp: int) -> tuple[Squares, ...]:
    ours, theirs = legal_moves(view, own), legal_moves(view, opp)
    both = spread_both(view, ours, theirs)
    return (
        ours,
        after(view, square_at(view, 1, 1)).blank,
        just(view, own),
        spread(view, ours | theirs),
        both[0],
        both[1],
        reachable(view, own),
        rectangle(view, 1, 0, view.rows - 2, view.cols - 1),
        rectangle(view, 0, 0, view.rows, view.cols),
        each_once(view, view.blank),
        ours & theirs,
        ours | theirs,
        ours - theirs,
        ours ^ theirs,
    )


@helper
def numbers(view: PlainView, own: int, opp: int) -> tuple[float, ...]:
    ours, theirs = legal_moves(view, own), legal_moves(view, opp)
    return (
        float(mobility(view, own)),
        one_if(after(view, own).own_to_move),
        float(row(view, own)),
        float(col(view, own)),
        float(number(view, own)),
        float(number(view, square_at(view, 2, 1))),
        center_distance(view, own),
        float(filled(view)),
        parameter(view, 1),
        float(len(view.blank)),
        one_if(square_at(view, 1, 1) in view.blank),
        one_if(own not in view.blank),
        one_if(bool(ours & theirs)),
        one_if(ours == theirs),
        one_if(ours != theirs),
        float(view.rows),
        float(view.cols),
        one_if(view.own_to_move),
    )


# Bound when compiled
WORDS: int = 0

PARAMETERS = np.array([1.5, -2.25])
SET_WORDS = 3
NUMBERS_AT = SET_WORDS * len(SETS)
DISTANCES_AT = NUMBERS_AT + len(NUMBERS)


def say_everything(table: int, parameters: int, blank: int, own: int, opp: int, own_to_move: bool, out: int) -> None:
    view: Any = View(
        image_of(table, load_set(blank, 0, WORDS)),
        own_to_move,
        load_constant(table, 0),
        load_constant(table, 1),
        table,
        parameters,
    )
    mine, theirs = image_square(table, own), image_square(table, opp)
    place = 0
    for found in sets(view, mine, theirs):
        store_set(out, place, found)
        place += 3
    for value in numbers(view, mine, theirs):
        store_float(out, place, value)
        place += 1
    for steps in distances(view, mine):
        store_word(out, place, steps)
        place += 1


def compiled_words(position: Position, player: Player, symmetry: Symmetry) -> dict[str, Any]:
    board = position.board
    words = words_for(board)
    signature = types.void(*[types.int64] * 5, types.boolean, types.int64)
    function = compile_entry(say_everything, signature, {"WORDS": words})
    blank = np.array(pack_words(position.blank, words), dtype=np.uint64)
    out = np.zeros(DISTANCES_AT + board.size, dtype=np.int64)
    function(
        table_address(board, symmetry),
        PARAMETERS.ctypes.data,
        blank.ctypes.data,
        *squares_of(position, player),
        position.to_move == player,
        out.ctypes.data,
    )
    image = permutation(board, symmetry)
    masks = [_mask(out[i : i + SET_WORDS]) for i in range(0, NUMBERS_AT, SET_WORDS)]
    true_sets = [frozenset(number for number in range(board.size) if mask >> image[number] & 1) for mask in masks]
    steps = out[DISTANCES_AT:][list(image)]
    return {
        **dict(zip(SETS, true_sets, strict=True)),
        **dict(zip(NUMBERS, out[NUMBERS_AT:DISTANCES_AT].view(np.float64).tolist(), strict=True)),
        "distances": steps.tolist(),
        "past the board": [mask >> board.size for mask in masks],
    }


def _mask(found: NDArray[np.int64]) -> int:
    return int.from_bytes(found.tobytes(), "little")


def plain_words(position: Position, player: Player) -> dict[str, Any]:
    seen = plain_view(position, player)
    view = PlainView(seen.board, seen.blank, seen.own_to_move, tuple(PARAMETERS.tolist()))
    own, opp = squares_of(position, player)
    return {
        **dict(zip(SETS, sets(view, own, opp), strict=True)),
        **dict(zip(NUMBERS, numbers(view, own, opp), strict=True)),
        "distances": distances(view, own).tolist(),
        "past the board": [0] * len(SETS),
    }


@cache
def said(board: Board) -> list[tuple[Position, dict[str, Any], list[dict[str, Any]]]]:
    """Return the result in plain Python, and the compiled results under each symmetry."""
    return [
        (
            position,
            plain_words(position, player),
            [compiled_words(position, player, symmetry) for symmetry in symmetries(board)],
        )
        for position in random_positions(board, 10)
        for player in Player
    ]


@pytest.mark.parametrize("board", BOARDS, ids=str)
@pytest.mark.parametrize("name", [*SETS, *NUMBERS, "distances", "past the board"])
def test_compiled_function_equals_the_plain_one(name: str, board: Board) -> None:
    for position, plain, images in said(board):
        for compiled in images:
            assert compiled[name] == plain[name], position


# What the plain words say
#
#     A . . x      moves of A to each square:     . 3 4 .
#     . . . .                                     3 4 1 4
#     . x . .                                     2 . 4 3
#     . . . B                                     5 2 3 .

POSITION = parse_position("A2x/4/1x2/3B a")
VIEW = plain_view(POSITION, Player.FIRST)
OWN, OPP = squares_of(POSITION, Player.FIRST)
AHEAD = square_at(VIEW, 1, 2)


def test_plain_moves() -> None:
    assert legal_moves(VIEW, OWN) == legal_moves(VIEW, OPP) == just(VIEW, AHEAD) == {AHEAD}
    assert mobility(VIEW, OWN) == 1
    assert spread(VIEW, just(VIEW, AHEAD)) == {square_at(VIEW, 2, 0), square_at(VIEW, 3, 1)}
    assert reachable(VIEW, OWN) == VIEW.blank | {OWN}
    assert reachable(after(VIEW, AHEAD), OWN) == {OWN}


def test_plain_distances() -> None:
    far = UNREACHABLE
    assert distances(VIEW, OWN).reshape(4, 4).tolist() == [[0, 3, 4, far], [3, 4, 1, 4], [2, far, 4, 3], [5, 2, 3, far]]


def test_plain_view_after_a_move() -> None:
    later = after(VIEW, AHEAD)
    assert later.blank == VIEW.blank - {AHEAD}
    assert (VIEW.own_to_move, later.own_to_move) == (True, False)
    assert (filled(VIEW), filled(later)) == (4, 5)


def test_plain_places() -> None:
    assert (row(VIEW, AHEAD), col(VIEW, AHEAD), number(VIEW, AHEAD)) == (1, 2, 6)
    assert (center_distance(VIEW, OWN), center_distance(VIEW, AHEAD)) == (3, 1)
    corners = (square_at(VIEW, row, col) for row in (1, 2) for col in (0, 1))
    assert rectangle(VIEW, 1, 0, 2, 2) == set(corners)
    assert list(squares(frozenset({9, 1, 5}))) == [1, 5, 9]
