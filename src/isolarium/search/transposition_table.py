"""The transposition table of `strong` and the champion: its size, and what its entries hold.

An entry is the position's blanks, in as many words as a set takes, then its tag and its value, a double:

    tag  mover | other << 8 | generation << 16 | remaining depth << 32 | bound << 40 | best move + 1 << 48

Every search stamps its entries with a new generation, so that no entry survives from one search to the next.
"""

from typing import Final

from isolarium.limits import Limit
from isolarium.native.jit import kernel
from isolarium.search.kernel_state import Block

TAG_AT: Final = 0  # after the blanks
VALUE_AT: Final = 1
ENTRY_EXTRA: Final = 2  # words of an entry besides the blanks
EXACT, AT_LEAST, AT_MOST = 0, 1, 2

LEAST_BITS, MOST_BITS = 12, 18
"""The table has from 2**12 to 2**18 entries: beyond what the caches hold, a larger one costs more than it saves."""
LAST_GENERATION: Final = 0xFFFF


class TranspositionTable:
    """The memory of one search at a time, which several threads may share.

    Attributes:
        generation: the stamp of the current search's entries, at least 1.
    """

    def __init__(self) -> None:
        self._block = Block(1)
        self.generation = 0

    def begin(self, words: int, limit: Limit) -> tuple[int, int]:
        """Start a new generation, whose table is empty; only the limit and the board decide the size.

        Returns:
            The table's address, and the number of its entries less one.
        """
        bits = MOST_BITS if limit.nodes is None else (limit.nodes // 4).bit_length()
        entries = 1 << max(LEAST_BITS, min(MOST_BITS, bits))
        needed = entries * (words + ENTRY_EXTRA)
        if len(self._block.words) != needed or self.generation == LAST_GENERATION:
            self._block, self.generation = Block(needed), 0
        self.generation += 1
        return self._block.address, entries - 1


@kernel
def tag_start(mover: int, other: int, stamp: int) -> int:
    """The part of a tag that identifies position and search; `stamp` is the generation << 16."""
    return mover | other << 8 | stamp


@kernel
def tag_of(start: int, depth: int, best: float, floor: float, beta: float, best_move: int) -> int:
    """The tag of a searched node: `floor` and `beta` are its window on entry, `best_move` may be -1."""
    bound = AT_LEAST if best >= beta else AT_MOST if best <= floor else EXACT
    return start | depth << 32 | bound << 40 | (best_move + 1) << 48


@kernel
def starts_with(tag: int, start: int) -> bool:
    """Whether a tag begins as `tag_start` has it."""
    return tag & 0xFFFFFFFF == start


@kernel
def tag_depth(tag: int) -> int:
    """How many plies below the position were searched."""
    return tag >> 32 & 255


@kernel
def tag_move(tag: int) -> int:
    """The best move of an entry, or -1."""
    return (tag >> 48) - 1


@kernel
def settles(tag: int, value: float, low: float, high: float) -> bool:
    """Whether an entry's value is enough for a search of its position with the window from `low` to `high`."""
    bound = tag >> 40 & 255
    return (
        bound == EXACT
        or (bound == AT_LEAST and value >= high)
        or (bound == AT_MOST and value <= low)
    )
