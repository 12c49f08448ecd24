"""Code shared by the two alpha-beta kernels: frames, lines, transposition table.

Both kernels keep a frame of words for each ply, so they can stop at any node and resume there. A
frame starts with the untried moves (three words), followed by the words listed below; a kernel may
add its own words from `COMMON_WORDS` on. After the frames, each ply has a line, the best moves from
that ply on, stored as its length and its squares.

An entry of the transposition table holds the position's blanks, in as many words as a set takes,
then a tag and the value, a double:

    tag  mover | other << 8 | generation << 16 | remaining depth << 32 | bound << 40 | best move + 1 << 48

Every search stamps its entries with a new generation, so entries never carry over to the next
search.
"""

from typing import Any, Final

from isolarium.game.tables import MOST_SQUARES, true_square
from isolarium.limits import Limit
from isolarium.native.jit import kernel
from isolarium.native.memory import load_float, load_word, store_float, store_word
from isolarium.native.squareset import load_set, store_set
from isolarium.search.kernel_state import (
    DEPTH,
    ENTRIES,
    GENERATION,
    MASK,
    MAX_DEPTH,
    NODES,
    NOTHING,
    PROVEN,
    PV,
    PV_LENGTH,
    ROOT,
    ROOT_COUNT,
    SCORE,
    SPARE,
    STARTED,
    Block,
    Inputs,
    list_root_moves,
    root_position,
)

# Places in the state
PLY: Final = SPARE
ORDER: Final = SPARE + 1  # eight words of scratch memory for sorting moves
OWN: Final = SPARE + 9  # each kernel keeps its own words from here on

# Places in a frame
BEST_AT, BETA_AT, MOVER_AT = 3, 4, 5
FLOOR_AT: Final = 6  # alpha on entry
QUEUE_AT: Final = 7  # untried moves in order (see `game/move_order.py`), tried first
MOVE_AT: Final = 8  # the best move
COMMON_WORDS: Final = 9

MOST_PLIES: Final = MOST_SQUARES + 1
LINE_WORDS: Final = MOST_SQUARES + 2

NOTHING_MORE, LINE_BELOW = -1, -2
"""How a line continues after a move: it ends, or takes over the line below."""


@kernel
def write_frame(frame: int, moves: Any, mover: int, best: float, beta: float) -> None:
    """Write the untried moves, the mover, the best value and beta."""
    store_set(frame, 0, moves)
    store_float(frame, BEST_AT, best)
    store_float(frame, BETA_AT, beta)
    store_word(frame, MOVER_AT, mover)


@kernel
def read_frame(frame: int, words: int) -> tuple[Any, int, float, float]:
    """Read the values that `write_frame` wrote."""
    return (
        load_set(frame, 0, words),
        load_word(frame, MOVER_AT),
        load_float(frame, BEST_AT),
        load_float(frame, BETA_AT),
    )


@kernel
def write_order(frame: int, floor: float, queue: int, best_move: int) -> None:
    """Write the values that only a search with a table uses.

    These are alpha on entry, the queue and the best move.
    """
    store_float(frame, FLOOR_AT, floor)
    store_word(frame, QUEUE_AT, queue)
    store_word(frame, MOVE_AT, best_move)


@kernel
def read_order(frame: int) -> tuple[float, int, int]:
    """Read the values that `write_order` wrote."""
    return load_float(frame, FLOOR_AT), load_word(frame, QUEUE_AT), load_word(frame, MOVE_AT)


@kernel
def begin_search(table: int, state: int, frames: int, words: int) -> tuple[Any, int, int]:
    """Write the root as if the search had stopped before its first move.

    Returns the root's blanks and the squares of the mover and the other player.
    """
    blank, mover, other = root_position(table, state, words)
    list_root_moves(table, state, blank, mover)
    store_word(state, STARTED, 1)
    store_word(state, NODES, 1)
    store_word(state, PLY, 0)
    write_frame(frames, blank - blank, mover, -NOTHING, NOTHING)
    write_order(frames, -NOTHING, 0, -1)
    return blank, mover, other


@kernel
def write_line(line: int, square: int, follows: int) -> None:
    """Write the line that starts with a move to `square` and continues with `follows`."""
    below = line + LINE_WORDS * 8
    if follows != LINE_BELOW:
        store_word(below, 0, 0 if follows == NOTHING_MORE else 1)
        store_word(below, 1, follows)
    length = load_word(below, 0)
    store_word(line, 0, length + 1)
    store_word(line, 1, square)
    for i in range(1, length + 1):
        store_word(line, i + 1, load_word(below, i))


@kernel
def report_line(table: int, state: int, line: int, score: float) -> None:
    """Report the line at an address as the principal variation, with its score."""
    length = load_word(line, 0)
    store_word(state, PV_LENGTH, length)
    for i in range(length):
        store_word(state, PV + i, true_square(table, load_word(line, 1 + i)))
    store_float(state, SCORE, score)


@kernel
def report_iteration(table: int, state: int, line: int, score: float, depth: int) -> bool:
    """Report a completed iteration and return whether it was the last."""
    report_line(table, state, line, score)
    store_word(state, DEPTH, depth)
    return depth == load_word(state, MAX_DEPTH) or score > PROVEN or score < -PROVEN


@kernel
def put_first(state: int, best: int) -> None:
    """Move the best move to the front of the root's moves, in stable order."""
    front = best
    for i in range(load_word(state, ROOT_COUNT)):
        move = load_word(state, ROOT + i)
        store_word(state, ROOT + i, front)
        if move == best:
            break
        front = move


# The transposition table

TAG_AT: Final = 0  # After the blanks
VALUE_AT: Final = 1
ENTRY_EXTRA: Final = 2  # The words of an entry in addition to the blanks
EXACT, AT_LEAST, AT_MOST = 0, 1, 2

LEAST_BITS, MOST_BITS = 12, 18
"""The table has 2**12 to 2**18 entries, so that it fits into the caches."""
LAST_GENERATION: Final = 0xFFFF


def table_mask(limit: Limit) -> int:
    """Return the number of entries minus one of the table for a limit."""
    bits = MOST_BITS if limit.nodes is None else (limit.nodes // 4).bit_length()
    return (1 << max(LEAST_BITS, min(MOST_BITS, bits))) - 1


class TranspositionTable:
    """The memory of a search's transposition table."""

    def __init__(self, inputs: Inputs) -> None:
        self._inputs = inputs
        self._block = Block(1)

    def prepare(self, words: int, limit: Limit) -> None:
        """Write the table's address, size and generation into the search's inputs.

        The size of the table depends only on the limit and the board.
        """
        entries = table_mask(limit) + 1
        needed = entries * (words + ENTRY_EXTRA)
        if len(self._block.words) != needed:
            self._block = Block(needed)
            self._inputs.words[GENERATION] = 0
        self._inputs.words[ENTRIES], self._inputs.words[MASK] = self._block.address, entries - 1


@kernel
def begin_table(inputs: int, words: int) -> None:
    """Start a new generation of the transposition table, in which the table is empty."""
    generation = load_word(inputs, GENERATION) + 1
    if generation > LAST_GENERATION:
        entries, size = load_word(inputs, ENTRIES), load_word(inputs, MASK) + 1
        for place in range(size * (words + ENTRY_EXTRA)):
            store_word(entries, place, 0)
        generation = 1
    store_word(inputs, GENERATION, generation)


@kernel
def tag_start(mover: int, other: int, stamp: int) -> int:
    """Return the part of a tag that identifies the position and the search.

    `stamp` is the generation << 16.
    """
    return mover | other << 8 | stamp


@kernel
def tag_of(start: int, depth: int, best: float, floor: float, beta: float, best_move: int) -> int:
    """Return the tag of a searched node.

    `floor` and `beta` are the node's window on entry; `best_move` may be -1.
    """
    bound = AT_LEAST if best >= beta else AT_MOST if best <= floor else EXACT
    return start | depth << 32 | bound << 40 | (best_move + 1) << 48


@kernel
def starts_with(tag: int, start: int) -> bool:
    """Return whether a tag starts with `start`, a value returned by `tag_start`."""
    return tag & 0xFFFFFFFF == start


@kernel
def tag_depth(tag: int) -> int:
    """Return the number of plies searched below the position."""
    return tag >> 32 & 255


@kernel
def tag_move(tag: int) -> int:
    """Return the best move of an entry, or -1."""
    return (tag >> 48) - 1


@kernel
def settles(tag: int, value: float, low: float, high: float) -> bool:
    """Return whether an entry's value settles a search with this window."""
    bound = tag >> 40 & 255
    return bound == EXACT or (bound == AT_LEAST and value >= high) or (bound == AT_MOST and value <= low)
