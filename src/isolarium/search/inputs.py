"""The inputs of a compiled search: the addresses and settings that one call receives.

Every compiled search is a function `choose(inputs, quota) -> status` of two 64-bit words. `inputs`
is the address of a block of words, laid out below. The first call for a position (STARTED in the
state is 0) prepares the state and starts the search; each call searches up to `quota` nodes in
total and writes the best choice so far into the state. How the nodes are divided into calls never
affects the result. A call returns

    AT_QUOTA   if the quota ended it: call again with a larger quota, or stop
    FINISHED   if nothing is left to search
    PAUSED     if it ended earlier for another reason: call again with the same quota

The inputs are an array of 64-bit words:

    STATE          the address of the state (`kernel_state.py`), which has STATE_WORDS words
    TABLES         the address of the addresses of the board's tables (`game/tables.py`), one for
                   each symmetry, IDENTITY first
    SYMMETRIES     the number of symmetries to draw from; 1 for none
    PARAMETERS     the address of the heuristic's run-time numbers
    MEMORY         the address of the search's memory, whose size depends on the search
    ENTRIES, MASK  the address of the transposition table and its number of entries minus one; an
                   entry takes as many words as a set of squares, and two more; zero at first
    GENERATION     counts the searches since the table was zero; written by the search
    DEPTH_LIMIT    the largest depth to search; 0 for none
    ONE_DEPTH      1 to search only the largest depth; 0 to deepen iteratively from depth 1
    DEEPER         how many plies deeper than usual iterative deepening starts
    TABLE          the address of the table under the drawn symmetry; written by the search
    OWN_INPUTS..   the search's own settings
"""

from collections.abc import Callable, Sequence
from math import nan
from typing import Any, Final

import numpy as np
from numba import types

from isolarium.limits import Limit
from isolarium.native.jit import kernel
from isolarium.native.memory import load_word, store_float, store_word
from isolarium.native.squareset import count, load_set
from isolarium.search.kernel_state import (
    BLANK,
    DEPTH,
    FIRST_DEPTH,
    MAX_DEPTH,
    NODES,
    PV_LENGTH,
    SCORE,
    SEED,
    Block,
    stream_seed,
)

STATE: Final = 0
TABLES: Final = 1
SYMMETRIES: Final = 2
PARAMETERS: Final = 3
MEMORY: Final = 4
ENTRIES: Final = 5
MASK: Final = 6
GENERATION: Final = 7
DEPTH_LIMIT: Final = 8
ONE_DEPTH: Final = 9
DEEPER: Final = 10
TABLE: Final = 11
OWN_INPUTS: Final = 12
INPUT_WORDS: Final = OWN_INPUTS + 20

AT_QUOTA, FINISHED, PAUSED = range(3)

CHOOSE_SIGNATURE: Final = types.int64(types.int64, types.int64)
"""The signature of every compiled search."""
EVERYTHING: Final = 1 << 60
"""A quota that no search reaches."""

Choose = Callable[[int, int], int]


class Inputs(Block):
    """The inputs of one search at a time."""

    def __init__(self, state: Block) -> None:
        super().__init__(INPUT_WORDS)
        self.floats = self.words.view(np.float64)
        self.words[STATE] = state.address
        self._tables = Block(1)

    def set_tables(self, addresses: Sequence[int]) -> None:
        """Set the tables of the symmetries to draw from."""
        self._tables = Block(len(addresses))
        self._tables.words[:] = addresses
        self.words[TABLES], self.words[SYMMETRIES] = self._tables.address, len(addresses)

    def set_depth(self, limit: Limit) -> None:
        """Set the depth of a limit.

        If the depth is the only limit, only that depth is searched. Otherwise, iterative deepening
        ends at that depth.
        """
        alone = limit.depth is not None and limit.nodes is None and limit.time_ms is None
        # Deeper than any game lasts, and small enough for a word.
        self.words[DEPTH_LIMIT] = min(limit.depth or 0, EVERYTHING)
        self.words[ONE_DEPTH] = alone


@kernel
def begin_choice(inputs: int, state: int, words: int) -> int:
    """Prepare the state for a new position; return the table under the drawn symmetry."""
    blank: Any = load_set(state, BLANK, words)
    depth = max(1, count(blank))
    limit = load_word(inputs, DEPTH_LIMIT)
    if limit > 0:
        depth = min(depth, limit)
    first = depth if load_word(inputs, ONE_DEPTH) != 0 else 1
    store_word(state, MAX_DEPTH, depth)
    store_word(state, FIRST_DEPTH, min(first + load_word(inputs, DEEPER), depth))
    store_word(state, NODES, 0)
    store_word(state, DEPTH, 0)
    store_word(state, PV_LENGTH, 0)
    store_float(state, SCORE, nan)
    seed, drawn = load_word(state, SEED), 0
    if seed >= 0:
        drawn = stream_seed(seed, 1) % load_word(inputs, SYMMETRIES)
    table = load_word(load_word(inputs, TABLES), drawn)
    store_word(inputs, TABLE, table)
    return table
