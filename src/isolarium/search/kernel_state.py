"""The state of a compiled search, its root, and the order of values.

The caller writes the seed and the position into the state, sets STARTED to 0, and reads the choice
from the state. The rest of what a search needs is in its inputs (`inputs.py`).

The state is an array of 64-bit words without addresses:

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

Values are doubles in the order: proven loss < heuristic -inf < finite < heuristic +inf < proven
win. A heuristic's finite values lie within `FINITE`, its infinities become `INFINITE`, and the end
of the game lies beyond: a win at ply p is `WIN - p`, so the winner prefers short games and the
loser long ones. All of these values are exact.
"""

from struct import Struct
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from isolarium.game.position import Position
from isolarium.game.tables import MOST_SQUARES, WORD_MASK, image_of, image_square, pack_squares, true_square
from isolarium.game.view import targets
from isolarium.native.arithmetic import GAMMA, mixed
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
    """Return `random.mixed_seed(seed, stream)`."""
    return mixed(seed + (stream + 1) * GAMMA) >> 2 & 0x3FFFFFFFFFFFFFFF
