"""Sets in SIMD lanes give the same results as single sets."""

import random
from typing import Any

import numpy as np
import pytest
from numba import types

from isolarium.game.board import Board, Square
from isolarium.game.symmetry import Symmetry
from isolarium.game.tables import table_address, words_for
from isolarium.game.view import knight_steps_in_lanes
from isolarium.native.entry_points import compile_entry
from isolarium.native.simd_sets import load_lanes, occupied, store_counts, store_lanes
from isolarium.solver.separated_endgame import meeting

BOARDS = [Board(7, 7), Board(8, 8), Board(9, 11), Board(13, 13), Board(3, 13), Board(12, 11)]
ROOM = 8 * 3

WORDS: int = 0  # bound when compiled
LANES: int = 0


def grow(table: int, blank: int, one: int, other: int, out: int) -> int:
    """Do everything that lanes can to the sets behind three addresses."""
    blanks: Any = load_lanes(blank, 0, WORDS, LANES)
    ones: Any = load_lanes(one, 0, WORDS, LANES)
    others: Any = load_lanes(other, 0, WORDS, LANES)
    got_one, got_other, meet = meeting(table, blanks, ones, others)
    store_lanes(out, 0, got_one)
    store_lanes(out, ROOM, got_other)
    store_lanes(out, 2 * ROOM, knight_steps_in_lanes(table, ones) & blanks)
    store_lanes(out, 3 * ROOM, (ones | others) - blanks)
    store_counts(out, 4 * ROOM, blanks)
    return meet << 8 | int(occupied(blanks))


def packed(sets: list[int], words: int) -> np.ndarray[Any, Any]:
    array = np.zeros(ROOM, dtype=np.uint64)
    for lane, squares in enumerate(sets):
        for word in range(words):
            array[8 * word + lane] = squares >> 64 * word & (1 << 64) - 1
    return array


def unpacked(array: np.ndarray[Any, Any], lanes: int, words: int) -> list[int]:
    return [sum(int(array[8 * word + lane]) << 64 * word for word in range(words)) for lane in range(lanes)]


def spread(board: Board, squares: int) -> int:
    """The squares a knight's move from any of a mask."""
    result = 0
    for square in board.squares_in(squares):
        result |= board.knight_mask(square)
    return result


def grown(board: Board, blank: int, one: int, other: int) -> tuple[int, int, bool]:
    """What `meeting` promises, step by step, and whether all that each can reach overlaps."""
    reach = []
    for start in (one, other):
        reached, edge = 0, start
        while edge:
            edge = spread(board, edge) & blank & ~reached
            reached |= edge
        reach.append(reached)
    got, fronts, free = [0, 0], [one, other], blank
    while fronts[0] | fronts[1]:
        fronts = [spread(board, front) & free for front in fronts]
        got = [had | front for had, front in zip(got, fronts, strict=True)]
        free &= ~(fronts[0] | fronts[1])
    return got[0], got[1], bool(reach[0] & reach[1])


@pytest.mark.parametrize("board", BOARDS, ids=str)
@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_lanes_agree_with_single_sets(board: Board, lanes: int) -> None:
    rng = random.Random(board.size * 10 + lanes)
    words, table = words_for(board), table_address(board, Symmetry.IDENTITY)
    run = compile_entry(grow, types.int64(*[types.int64] * 5), {"WORDS": words, "LANES": lanes})
    for density in (0.1, 0.3, 0.6, 0.9, 0.3, 0.3):
        starts = [rng.sample(range(board.size), 2) for _ in range(lanes)]
        blanks = [_blank(rng, board, density) & ~(1 << a | 1 << b) for a, b in starts]
        blanks[rng.randrange(lanes)] = 0
        ones, others = ([1 << pair[side] for pair in starts] for side in (0, 1))
        arrays = [packed(sets, words) for sets in (blanks, ones, others)]
        out = np.zeros(5 * ROOM, dtype=np.uint64)
        bits = run(table, *(array.ctypes.data for array in arrays), out.ctypes.data)
        parts = [unpacked(out[ROOM * part :], lanes, words) for part in range(4)]
        for lane in range(lanes):
            blank, one, other = blanks[lane], ones[lane], others[lane]
            got_one, got_other, meet = grown(board, blank, one, other)
            assert (parts[0][lane], parts[1][lane]) == (got_one, got_other)
            assert parts[2][lane] == spread(board, one) & blank
            assert parts[3][lane] == (one | other) & ~blank
            assert int(out[4 * ROOM + lane]) == blank.bit_count()
            assert bits >> 8 + lane & 1 == meet
            assert bits >> lane & 1 == bool(blank)


def _blank(rng: random.Random, board: Board, density: float) -> int:
    return board.mask_of(Square(*square) for square in board.squares if rng.random() < density)
