"""What Python and a compiled search tell each other: the position and the limit in, the choice so far out.

The state is an array of 64-bit words:

    SEED       draws the order of the root's moves; negative: row by row, not shuffled
    MOVER, OTHER, BLANK..    the position, by true square numbers; BLANK takes three words
    NODES      positions entered so far
    DEPTH      plies searched in full          MAX_DEPTH  plies to search at the most
    SCORE      the value found, a double; not a number while there is none
    STARTED    0 before the first slice
    FIRST_DEPTH  plies to search first: 1, or MAX_DEPTH to search to that depth alone
    PV_LENGTH, PV..          the principal variation by true square numbers; its first move is the choice
    ROOT_COUNT, ROOT..       the root's moves, in the order in which they are tried, by the image's numbers
    SPARE..                  what the search keeps for itself

Values are doubles in the order: proven loss < heuristic -inf < finite < heuristic +inf < proven win. A heuristic's
finite values lie within `FINITE`, its infinities become `INFINITE`, and the end of the game lies beyond: a win at ply p
is `WIN - p`, so that the winner hurries and the loser delays. All are exact.
"""

from math import nan
from struct import Struct
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from isolarium.game.position import Position
from isolarium.game.tables import (
    MOST_SQUARES,
    WORD_MASK,
    image_of,
    image_square,
    pack_squares,
    true_square,
)
from isolarium.game.view import targets
from isolarium.limits import Limit
from isolarium.native.arithmetic import mixed
from isolarium.native.jit import kernel
from isolarium.native.memory import load_word, store_word
from isolarium.native.squareset import is_empty, load_set, lowest, without_lowest
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

_HEAD: Final = Struct("=3q3Q3qd3q")  # everything before the principal variation,
_FOUND: Final = Struct("=3qd3q")  # and from NODES on

FINITE: Final = 1e12
INFINITE: Final = 2e12
PROVEN: Final = 3e12
WIN: Final = 4e12
NOTHING: Final = 9e12
"""Outside all values: a window's open end."""


class Block:
    """A block of zeroed 64-bit words for compiled code, with its address, which is slow to ask for."""

    def __init__(self, size: int) -> None:
        self.words: NDArray[np.int64] = np.zeros(size, dtype=np.int64)
        self.address: int = self.words.ctypes.data


class Workspace(Block):
    """The state of one search at a time; reused from move to move, and never shared between threads."""

    def __init__(self) -> None:
        super().__init__(STATE_WORDS)
        self.floats = self.words.view(np.float64)
        self._integers = self.words.data  # quicker to read from than an array
        self._bytes = self._integers.cast("B")

    def lay(self, position: Position, limit: Limit, seed: int | None) -> None:
        """Write the position, the seed and the depths into a fresh state.

        A depth alone is searched at once; beside another limit it is where the deepening ends.
        """
        blank = position.blank
        deepest = blank.bit_count() or 1
        most = deepest if limit.depth is None else min(limit.depth, deepest)
        alone = limit.depth is not None and limit.nodes is None and limit.time_ms is None
        _HEAD.pack_into(
            self._bytes,
            0,
            -1 if seed is None else seed,
            *pack_squares(position),
            blank & WORD_MASK,
            blank >> 64 & WORD_MASK,
            blank >> 128,
            0,
            0,
            most,
            nan,
            0,
            most if alone else 1,
            0,
        )

    @property
    def is_started(self) -> bool:
        """Whether there was a first slice, and so a choice."""
        return self._integers[STARTED] != 0

    def choice(self, position: Position, time_ms: float) -> Choice:
        """The move chosen so far and its report."""
        nodes, depth, _, score, _, _, length = _FOUND.unpack_from(self._bytes, 8 * NODES)
        squares = position.board.squares
        line = tuple([squares[number] for number in self._integers[PV : PV + length]])
        if score != score:
            return Choice(line[0], Report(None, depth, nodes, time_ms, line))
        proven = is_proven(score)
        plies = plies_to_end(score) if proven else None
        report = Report(public_score(score), depth, nodes, time_ms, line, proven, plies)
        return Choice(line[0], report)


# Values


@kernel
def ranked(value: float) -> float:
    """A heuristic's value at its place in the order; a value that is not a number counts as -inf."""
    if not value >= -FINITE:
        return -INFINITE
    return INFINITE if value > FINITE else value


def is_proven(score: float) -> bool:
    """Whether the score is the end of the game."""
    return abs(score) > PROVEN


def plies_to_end(score: float) -> int:
    """The ply at which a proven score ends the game."""
    return round(WIN - abs(score))


def public_score(score: float) -> float:
    """The score as people see it: infinities as such."""
    if abs(score) > FINITE:
        return float("inf") if score > 0 else float("-inf")
    return score


# The root


@kernel
def root_position(table: int, state: int, words: int) -> tuple[Any, int, int]:
    """The root's blanks, mover and other, by the image's square numbers."""
    return (
        image_of(table, load_set(state, BLANK, words)),
        image_square(table, load_word(state, MOVER)),
        image_square(table, load_word(state, OTHER)),
    )


@kernel
def list_root_moves(table: int, state: int, blank: Any, mover: int) -> int:
    """Write the root's moves into the state, shuffled by the seed; how many there are.

    The first of them is the choice until the search knows better.
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
    """The `count`-th random number of a seed, from 0 up to but not including `below`."""
    word = mixed(seed + count * -7046029254386353131) >> 1 & 0x3FFFFFFFFFFFFFFF
    return word % below
