"""Move ordering in compiled code.

A queue is one 64-bit word that holds up to eight moves, one per byte, with the next move in the
lowest byte. Each byte is the square's number plus 1, so 0 is the empty queue. The entries are
sorted in eight words of memory, smallest first; the queue keeps the low byte of each entry.
"""

from typing import Any, Final

from isolarium.game.view import targets
from isolarium.native.jit import kernel
from isolarium.native.memory import load_word, store_word
from isolarium.native.squareset import count, is_empty, lowest, single, without_lowest

FIRST: Final = 1000
"""A bonus larger than the difference between any two keys, so the move comes first."""
NO_MOVE: Final = -1


@kernel
def queue_of(
    table: int, scratch: int, blank: Any, moves: Any, replies: Any, best: int, bonus: int, next_best: int
) -> int:
    """Sort the moves into a queue, by twice the opponent's mobility minus the mover's.

    Args:
        table: The address of the board's table.
        scratch: The address of eight words of memory for sorting.
        blank: The blanks before the move.
        moves: The moves to sort.
        replies: The opponent's targets.
        best: A move to try earlier, or `NO_MOVE`.
        bonus: The amount subtracted from the key of `best`.
        next_best: A move whose key is reduced by half the bonus, or `NO_MOVE`.
    """
    length = 0
    while not is_empty(moves):
        square = lowest(moves)
        moves = without_lowest(moves)
        left = blank - single(blank, square)
        key = 2 * count(replies & left) - count(targets(table, blank, square) & left)
        if square == best:
            key -= bonus
        elif square == next_best:
            key -= bonus >> 1
        length = sort_in(scratch, length, key << 8 | (square + 1))
    return queued(scratch, length)


@kernel
def next_in(queue: int) -> int:
    """Return the square of the next move; the queue must not be empty."""
    return (queue & 255) - 1


@kernel
def after_next(queue: int) -> int:
    """Return the queue without its next move."""
    return queue >> 8 & 0xFFFFFFFFFFFFFF


@kernel
def sort_in(scratch: int, length: int, entry: int) -> int:
    """Insert an entry into `length` sorted entries and return the new length."""
    place = length
    while place > 0 and load_word(scratch, place - 1) > entry:
        store_word(scratch, place, load_word(scratch, place - 1))
        place -= 1
    store_word(scratch, place, entry)
    return length + 1


@kernel
def queued(scratch: int, length: int) -> int:
    """Return the queue of the sorted entries."""
    queue = 0
    for place in range(length - 1, -1, -1):
        queue = queue << 8 | load_word(scratch, place) & 255
    return queue
