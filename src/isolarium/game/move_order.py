"""In which order moves are tried.

At most eight moves stand in one word, the queue: a byte each, the next one lowest; 0 when there are none. They are
sorted in eight words of memory, the smallest entry first; the low byte of an entry is what the queue keeps.
"""

from typing import Any

from isolarium.game.view import targets
from isolarium.native.jit import kernel
from isolarium.native.memory import load_word, store_word
from isolarium.native.squareset import count, is_empty, lowest, single, without_lowest


@kernel
def queue_of(table: int, scratch: int, blank: Any, moves: Any, replies: Any, first: int) -> int:
    """The moves as a queue, where nothing better is known: `first`, then by twice the opponent's mobility less own.

    `scratch` is the address of eight words to sort in; what is queued is the square's number and one.
    """
    length = 0
    while not is_empty(moves):
        square = lowest(moves)
        moves = without_lowest(moves)
        left = blank - single(blank, square)
        key = 2 * count(replies & left) - count(targets(table, blank, square) & left)
        if square == first:
            key = -1000
        length = sort_in(scratch, length, key << 8 | (square + 1))
    return queued(scratch, length)


@kernel
def sort_in(scratch: int, length: int, entry: int) -> int:
    """Put an entry in its place among `length` sorted ones; how many there are then."""
    place = length
    while place > 0 and load_word(scratch, place - 1) > entry:
        store_word(scratch, place, load_word(scratch, place - 1))
        place -= 1
    store_word(scratch, place, entry)
    return length + 1


@kernel
def queued(scratch: int, length: int) -> int:
    """The queue of the sorted entries."""
    queue = 0
    for place in range(length - 1, -1, -1):
        queue = queue << 8 | load_word(scratch, place) & 255
    return queue
