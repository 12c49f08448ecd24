"""At most eight moves in the order to try them, in one word: a byte each, the next one lowest; 0 when there are none.

They are sorted in eight words of memory, the smallest entry first; the low byte of an entry is what the queue keeps.
"""

from isolab.native.jit import kernel
from isolab.native.memory import load_word, store_word


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
