"""The beginning of every compiled search: the position, mapped onto an image of the board, and the root's moves.

The state is an array of 64-bit words that Python fills in and compiled code works on:

    SEED       draws the order of the root's moves; negative: row by row, not shuffled
    MOVER, OTHER, BLANK..    the position, by true square numbers; BLANK takes WORDS words
    NODES      positions entered so far
    DEPTH      plies searched in full          MAX_DEPTH  plies to search at the most
    FIRST_DEPTH  plies to search first: 1, or MAX_DEPTH to search to that depth alone
    SCORE      the value found, a double; not a number while there is none
    PV_LENGTH, PV..          the principal variation by true square numbers; its first move is the choice
    STARTED    0 before the first slice
    ROOT_COUNT, ROOT..       the root's moves, in the order in which they are tried, by the image's numbers
    SPARE..                  what the search keeps for itself
"""

from typing import Any, Final

from isolab.game.geometry import MOST_SQUARES
from isolab.game.image import true_square
from isolab.game.view import targets
from isolab.native.jit import kernel
from isolab.native.memory import load_word, store_word
from isolab.native.mixing import mixed
from isolab.native.squareset import is_empty, lowest, without_lowest

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


@kernel
def draw(seed: int, count: int, below: int) -> int:
    """The `count`-th random number of a seed, from 0 up to but not including `below`."""
    word = mixed(seed + count * -7046029254386353131) >> 1 & 0x3FFFFFFFFFFFFFFF
    return word % below


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
