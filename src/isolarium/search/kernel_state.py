"""The state and the inputs of a compiled search, and the order of values.

Every compiled search is a function `choose(inputs, quota) -> status` of two 64-bit words. `inputs`
is the address of a block of words, laid out below. The first call for a position (STARTED in the
state is 0) prepares the state and starts the search; each call searches up to `quota` nodes in
total and writes the best choice so far into the state. How the nodes are divided into calls never
affects the result. A call returns

    AT_QUOTA   if the quota ended it: call again with a larger quota, or stop
    FINISHED   if nothing is left to search
    PAUSED     if it ended earlier for another reason: call again with the same quota

The state is an array of 64-bit words without addresses. The caller writes the seed and the position
into it, sets STARTED to 0, and reads the choice from it:

    SEED       draws the symmetry and the order of the root's moves; negative: no symmetry, row by row
    MOVER, OTHER, BLANK..    the position, by true square numbers; BLANK takes three words
    NODES      positions entered so far
    DEPTH      plies searched in full          MAX_DEPTH  the largest depth to search
    SCORE      the value found, a double; NaN while there is none
    STARTED    0 before the first call
    FIRST_DEPTH  the first depth to search: 1, or MAX_DEPTH to search that depth only
    PV_LENGTH, PV..          the principal variation by true square numbers; its first move is the choice
    ROOT_COUNT, ROOT..       the root's moves in the order they are tried, by square numbers under the symmetry
    SPARE..                  the search's own words

The inputs are an array of 64-bit words:

    STATE          the address of the state, which has STATE_WORDS words
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

Values are doubles in the order: proven loss < heuristic -inf < finite < heuristic +inf < proven
win. A heuristic's finite values lie within `FINITE`, its infinities become `INFINITE`, and the end
of the game lies beyond: a win at ply p is `WIN - p`, so the winner prefers short games and the
loser long ones. All of these values are exact.
"""

from collections.abc import Callable, Sequence
from math import nan
from struct import Struct
from typing import Any, Final

import numpy as np
from numba import types
from numpy.typing import NDArray

from isolarium.game.position import Position
from isolarium.game.tables import MOST_SQUARES, WORD_MASK, image_of, image_square, pack_squares, true_square
from isolarium.game.view import targets
from isolarium.limits import Limit
from isolarium.native.arithmetic import GAMMA, mixed
from isolarium.native.jit import kernel
from isolarium.native.memory import load_word, store_float, store_word
from isolarium.native.squareset import count, is_empty, load_set, lowest, without_lowest
from isolarium.search.protocol import Choice, Report

SEED: Final = 0
MOVER: Final = 1
OTHER: Final = 2
BLANK: Final = 3
NODES: Final = 6
DEPTH: Final = 7
MAX_DEPTH: Final = 8
SCORE: Final = 9
STARTED: Final = 10
FIRST_DEPTH: Final = 11
PV_LENGTH: Final = 12
PV: Final = 13
ROOT_COUNT: Final = PV + MOST_SQUARES
ROOT: Final = ROOT_COUNT + 1
SPARE: Final = ROOT + MOST_SQUARES
STATE_WORDS: Final = SPARE + 32

_HEAD: Final = Struct("=3q3Q")  # the seed and the position
_FOUND: Final = Struct("=3qd3q")  # from NODES to the principal variation

FINITE: Final = 1e12
INFINITE: Final = 2e12
PROVEN: Final = 3e12
WIN: Final = 4e12
NOTHING: Final = 9e12
"""The open end of a window, beyond all values."""


class Block:
    """Zeroed 64-bit words for compiled code.

    The address is stored because NumPy is slow to return it.
    """

    def __init__(self, size: int) -> None:
        self.words: NDArray[np.int64] = np.zeros(size, dtype=np.int64)
        self.address: int = self.words.ctypes.data


class Workspace(Block):
    """The state of one search at a time, reused from move to move.

    Threads must not share it.
    """

    def __init__(self) -> None:
        super().__init__(STATE_WORDS)
        self.floats = self.words.view(np.float64)
        self._integers = self.words.data  # A memoryview is faster to read than an array.
        self._bytes = self._integers.cast("B")

    def reset(self, position: Position, seed: int | None) -> None:
        """Write the position and the seed; the first call of the search writes the rest."""
        blank = position.blank
        _HEAD.pack_into(
            self._bytes,
            0,
            -1 if seed is None else seed,
            *pack_squares(position),
            blank & WORD_MASK,
            blank >> 64 & WORD_MASK,
            blank >> 128,
        )
        self._integers[STARTED] = 0

    @property
    def is_started(self) -> bool:
        """Whether the first call was made, so that there is a choice."""
        return self._integers[STARTED] != 0

    def choice(self, position: Position, time_ms: float, *, hides_plies: bool = False) -> Choice:
        """Return the best move so far, with its report.

        With `hides_plies`, a proven result has no number of plies.
        """
        nodes, depth, _, score, _, _, length = _FOUND.unpack_from(self._bytes, 8 * NODES)
        squares = position.board.squares
        line = tuple([squares[number] for number in self._integers[PV : PV + length]])
        if score != score:
            return Choice(line[0], Report(None, depth, nodes, time_ms, line))
        proven = is_proven(score)
        plies = plies_to_end(score) if proven and not hides_plies else None
        report = Report(public_score(score), depth, nodes, time_ms, line, proven, plies)
        return Choice(line[0], report)


# Values


@kernel
def ranked(value: float) -> float:
    """Map a heuristic's value into the order of values; NaN counts as -inf."""
    if not value >= -FINITE:
        return -INFINITE
    return INFINITE if value > FINITE else value


def is_proven(score: float) -> bool:
    """Return whether a score is the proven end of a game."""
    return abs(score) > PROVEN


def plies_to_end(score: float) -> int:
    """Return the ply at which a proven score ends the game."""
    return round(WIN - abs(score))


def public_score(score: float) -> float:
    """Return the score shown to users, which is infinite beyond the finite values."""
    if abs(score) > FINITE:
        return float("inf") if score > 0 else float("-inf")
    return score


# The root


@kernel
def root_position(table: int, state: int, words: int) -> tuple[Any, int, int]:
    """Return the root's blanks, mover and other, by square numbers under the symmetry."""
    return (
        image_of(table, load_set(state, BLANK, words)),
        image_square(table, load_word(state, MOVER)),
        image_square(table, load_word(state, OTHER)),
    )


@kernel
def list_root_moves(table: int, state: int, blank: Any, mover: int) -> int:
    """Write the root's moves, shuffled by the seed, and return their number.

    The first move is the choice until the search finds a better one.
    """
    seed = load_word(state, SEED)
    count = 0
    moves = targets(table, blank, mover) & blank
    while not is_empty(moves):
        store_word(state, ROOT + count, lowest(moves))
        moves = without_lowest(moves)
        count += 1
    store_word(state, ROOT_COUNT, count)
    if seed >= 0:
        for last in range(count - 1, 0, -1):
            other = draw(seed, last, last + 1)
            move = load_word(state, ROOT + last)
            store_word(state, ROOT + last, load_word(state, ROOT + other))
            store_word(state, ROOT + other, move)
    store_word(state, PV_LENGTH, 1)
    store_word(state, PV, true_square(table, load_word(state, ROOT)))
    return count


@kernel
def draw(seed: int, count: int, below: int) -> int:
    """Return the `count`-th random number of a seed, below `below`."""
    word = mixed(seed + count * GAMMA) >> 1 & 0x3FFFFFFFFFFFFFFF
    return word % below


@kernel
def stream_seed(seed: int, stream: int) -> int:
    """Return `limits.mixed_seed(seed, stream)`."""
    return mixed(seed + (stream + 1) * GAMMA) >> 2 & 0x3FFFFFFFFFFFFFFF


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
