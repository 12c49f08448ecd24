"""In which order moves are tried, where nothing better is known."""

from typing import Any

from isolab.game.view import targets
from isolab.native.jit import kernel
from isolab.native.queue import queued, sort_in
from isolab.native.squareset import count, is_empty, lowest, single, without_lowest


@kernel
def queue_of(table: int, scratch: int, blank: Any, moves: Any, replies: Any, first: int) -> int:
    """The moves, at most eight, as a queue: `first`, then by twice the opponent's mobility less own.

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
