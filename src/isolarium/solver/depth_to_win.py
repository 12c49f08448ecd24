"""The exact length of a game with perfect play, by alpha-beta to the end.

With perfect play, the winner wins as soon as possible and the loser delays the end as long as possible.

Contract: when the search is finished, VALUE is `FAR - p` if the player to move can force a win in p plies but no
sooner, and `-(FAR - p)` if it loses in p plies and cannot delay the end further. The best move is in BEST. Each table
entry holds its whole position, and its bounds are valid for that position on every path.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Final

import numpy as np
from numba import types

from isolarium.game.board import Square
from isolarium.game.move_order import FIRST, NO_MOVE, after_next, next_in, queue_of
from isolarium.game.position import Position
from isolarium.game.symmetry import Symmetry
from isolarium.game.tables import entry_address, pack_squares, pack_words, table_address, words_for
from isolarium.game.view import targets
from isolarium.limits import Allowance
from isolarium.native.entry_points import compile_entry
from isolarium.native.jit import kernel
from isolarium.native.memory import load_word, store_word
from isolarium.native.squareset import is_empty, load_set, single, store_set
from isolarium.solver.winloss import MOST_FRAMES, SLICE_NODES, Entry, Table

WORDS: int = 0  # Bound when compiled

FAR: Final = 1000

# Words of the state
NODES, VALUE, BEST, PLY, STARTED = 0, 1, 2, 3, 4
SORT: Final = 8
STATE_WORDS: Final = 16

# A frame: the blanks, starting at word 0, then these words.
MOVER_AT, OTHER_AT, QUEUE_AT, ALPHA_AT, BETA_AT, FLOOR_AT, VALUE_AT, TRIED_AT, BEST_AT = range(3, 12)
FRAME_WORDS: Final = 12

# A table entry: WORDS words of blanks, then mover | other << 8 | move + 1 << 16 | FILLED, then low,
# then high.
FILLED: Final = 1 << 24
ENTRY_EXTRA: Final = 3


@kernel
def from_below(value: int) -> int:
    """Convert a child's value for its parent: negate it and add a ply."""
    return -value + 1 if value > 0 else -value - 1


@kernel
def to_below(value: int) -> int:
    """Convert a parent's value for its child, the inverse of `from_below`.

    Open ends of the window stay open.
    """
    return -value - 1 if value > 0 else -value + 1


def distance_slice(table: int, state: int, frames: int, entries: int, mask: int, quota: int) -> bool:
    """Search up to about `quota` nodes in total; return whether VALUE is known.

    The first frame holds the position, and the window in ALPHA_AT and BETA_AT.
    """
    nodes, ply = load_word(state, NODES), load_word(state, PLY)
    frame = frames + ply * FRAME_WORDS * 8
    entering = load_word(state, STARTED) == 0
    store_word(state, STARTED, 1)

    while True:
        blank: Any = load_set(frame, 0, WORDS)
        mover, other = load_word(frame, MOVER_AT), load_word(frame, OTHER_AT)
        known = False
        if entering:
            # 1. Enter the node: the table may settle it.
            entering = False
            nodes += 1
            alpha, beta = load_word(frame, ALPHA_AT), load_word(frame, BETA_AT)
            moves: Any = targets(table, blank, mover) & blank
            best, first, queue = -FAR, -1, 0
            if is_empty(moves):
                known = True
            else:
                entry = entry_address(entries, mask, WORDS + ENTRY_EXTRA, blank, mover, other)
                tag = load_word(entry, WORDS)
                if tag & ~0xFF0000 == mover | other << 8 | FILLED and is_empty(load_set(entry, 0, WORDS) ^ blank):
                    first = (tag >> 16 & 255) - 1
                    low, high = load_word(entry, WORDS + 1), load_word(entry, WORDS + 2)
                    if ply > 0 and (low >= beta or low == high):
                        best, known = low, True
                    elif ply > 0 and high <= alpha:
                        best, known = high, True
                if not known:
                    replies = targets(table, blank, other)
                    queue = queue_of(table, state + SORT * 8, blank, moves, replies, first, FIRST, NO_MOVE)
            store_word(frame, FLOOR_AT, alpha)
            store_word(frame, VALUE_AT, best)
            store_word(frame, BEST_AT, -1)
            store_word(frame, QUEUE_AT, queue)
        if not known:
            queue = load_word(frame, QUEUE_AT)
            alpha, beta = load_word(frame, ALPHA_AT), load_word(frame, BETA_AT)
            if queue == 0 or alpha >= beta:
                # 2. No relevant move is left: store the result.
                known = True
                best, floor = load_word(frame, VALUE_AT), load_word(frame, FLOOR_AT)
                entry = entry_address(entries, mask, WORDS + ENTRY_EXTRA, blank, mover, other)
                tag = mover | other << 8 | FILLED
                move = load_word(frame, BEST_AT)
                store_set(entry, 0, blank)
                store_word(entry, WORDS, tag | (move + 1) << 16)
                store_word(entry, WORDS + 1, best if best > floor else -FAR)
                store_word(entry, WORDS + 2, best if best < beta else FAR)
            else:
                # 3. Descend into the next move, unless the slice is over.
                if nodes >= quota:
                    store_word(state, NODES, nodes)
                    store_word(state, PLY, ply)
                    return False
                square = next_in(queue)
                store_word(frame, QUEUE_AT, after_next(queue))
                store_word(frame, TRIED_AT, square)
                frame += FRAME_WORDS * 8
                ply += 1
                store_set(frame, 0, blank - single(blank, square))
                store_word(frame, MOVER_AT, other)
                store_word(frame, OTHER_AT, square)
                store_word(frame, ALPHA_AT, to_below(beta))
                store_word(frame, BETA_AT, to_below(alpha))
                entering = True
                continue

        # 4. The node is known: update its parent.
        value = load_word(frame, VALUE_AT)
        if ply == 0:
            store_word(state, NODES, nodes)
            store_word(state, VALUE, value)
            store_word(state, BEST, load_word(frame, BEST_AT))
            return True
        value = from_below(value)
        ply -= 1
        frame -= FRAME_WORDS * 8
        if value > load_word(frame, VALUE_AT):
            store_word(frame, VALUE_AT, value)
            store_word(frame, BEST_AT, load_word(frame, TRIED_AT))
            if value > load_word(frame, ALPHA_AT):
                store_word(frame, ALPHA_AT, value)


def distance_entry(words: int) -> Entry:
    """Return the search for boards whose square sets take `words` words."""
    return distance_slice, types.boolean(*[types.int64] * 6), {"WORDS": words}


@cache
def compiled_distance(words: int) -> Callable[..., Any]:
    """Return the compiled search for boards whose square sets take `words` words."""
    return compile_entry(*distance_entry(words))


class DistanceSearch:
    """A search for the length of a game whose winner is known.

    Args:
        table: The memory for the table, as in `WinLossSearch`.
    """

    def __init__(self, table: Table | None = None) -> None:
        self._state = np.zeros(STATE_WORDS, dtype=np.int64)
        self._frames = np.zeros(MOST_FRAMES * FRAME_WORDS, dtype=np.int64)
        self._addresses = self._state.ctypes.data, self._frames.ctypes.data
        self._table = table or Table()

    def run(self, position: Position, wins: bool, allowance: Allowance) -> tuple[int | None, Square | None]:
        """Return the length in plies and a move that achieves it.

        Both are None if the allowance runs out first.
        """
        board, words = position.board, words_for(position.board)
        state, frames = self._state, self._frames
        state[:] = 0
        frames.view(np.uint64)[:words] = pack_words(position.blank, words)
        frames[MOVER_AT], frames[OTHER_AT] = pack_squares(position)
        frames[ALPHA_AT] = 0 if wins else -FAR
        frames[BETA_AT] = FAR if wins else 0
        bits = 10 if position.blank_count <= 16 else 14 if position.blank_count <= 26 else 18
        run = compiled_distance(words)
        fixed = (
            table_address(board, Symmetry.IDENTITY),
            *self._addresses,
            *self._table.begin(bits, words + ENTRY_EXTRA),
        )
        nodes = 0
        while not allowance.is_over():
            known = run(*fixed, nodes + allowance.nodes_left(SLICE_NODES))
            allowance.spent += int(state[NODES]) - nodes
            nodes = int(state[NODES])
            if known:
                best = int(state[BEST])
                return FAR - abs(int(state[VALUE])), board.square(best) if best >= 0 else None
        return None, None
