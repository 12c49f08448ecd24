"""Perft: count move sequences of a given length.

The counts verify the compiled rules, and the time they take measures the speed of the core.
"""

from typing import Any

import numpy as np
from numba import types

from isolarium.game.position import Position
from isolarium.game.symmetry import Symmetry
from isolarium.game.tables import pack_squares, pack_words, table_address, words_for
from isolarium.game.view import targets
from isolarium.native.entry_points import compile_entry
from isolarium.native.memory import load_word, store_word
from isolarium.native.squareset import count, is_empty, load_set, lowest, single, store_set, without_lowest

WORDS: int = 0  # Bound when compiled: the number of words in a set
SLICE = 20_000_000
"""The number of nodes between two checks for Ctrl-C: about a tenth of a second."""

PLY, TOTAL = 0, 1  # words of the state
EACH_FRAME = 2  # the words of a frame besides its two sets: the two players' squares


def perft(position: Position, depth: int) -> int:
    """Count the sequences of exactly `depth` legal moves from a position."""
    if depth < 0:
        raise ValueError("depth must not be negative")
    if depth == 0:
        return 1
    board = position.board
    words = words_for(board)
    count_slice = compile_entry(perft_slice, types.boolean(*[types.int64] * 5), {"WORDS": words})
    table = table_address(board, Symmetry.IDENTITY)
    state = np.zeros(2, dtype=np.int64)
    frames = np.zeros((depth + 1) * (2 * words + EACH_FRAME), dtype=np.uint64)
    frames[:words] = pack_words(position.blank, words)
    frames[2 * words : 2 * words + 2] = pack_squares(position)
    moves = position.board.mask_of(position.legal_moves())
    frames[words : 2 * words] = pack_words(moves, words)
    while not count_slice(table, state.ctypes.data, frames.ctypes.data, depth, SLICE):
        pass
    return int(state[TOTAL])


def perft_slice(table: int, state: int, frames: int, depth: int, quota: int) -> bool:
    """Visit about `quota` nodes and return whether the count is complete.

    A frame holds the blanks, the untried moves, and the squares of the mover and the other player.
    The last two plies are counted at the node above them, the last ply by population count.
    """
    size = 8 * (2 * WORDS + EACH_FRAME)
    ply, total = load_word(state, PLY), load_word(state, TOTAL)
    while quota > 0:
        # 1. Resume at the node at `ply`.
        frame = frames + ply * size
        blank: Any = load_set(frame, 0, WORDS)
        moves: Any = load_set(frame, WORDS, WORDS)
        other = load_word(frame, 2 * WORDS + 1)
        replies = targets(table, blank, other)
        # 2. With one or two plies left, count them here.
        if depth - ply == 1:
            total += count(moves)
            moves = moves - moves
        elif depth - ply == 2:
            while not is_empty(moves):
                total += count(replies & (blank - single(blank, lowest(moves))))
                moves = without_lowest(moves)
                quota -= 1
        # 3. If no move is left to try, return to the parent.
        if is_empty(moves):
            if ply == 0:
                store_word(state, TOTAL, total)
                return True
            ply -= 1
            continue
        # 4. Descend into the next move.
        square = lowest(moves)
        store_set(frame, WORDS, without_lowest(moves))
        ply += 1
        quota -= 1
        below = frames + ply * size
        left = blank - single(blank, square)
        store_set(below, 0, left)
        store_set(below, WORDS, replies & left)
        store_word(below, 2 * WORDS, other)
        store_word(below, 2 * WORDS + 1, square)
    store_word(state, PLY, ply)
    store_word(state, TOTAL, total)
    return False
