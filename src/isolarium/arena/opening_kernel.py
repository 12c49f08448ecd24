"""Random openings in compiled code, as `random.Random` draws them in Python.

The state of the Mersenne Twister (Matsumoto, Nishimura 1998) is taken from `random.Random`, and the
functions below use its words as `sample` and `choice` of the standard library do.
"""

from typing import Final

from numba import types

from isolarium.native.jit import kernel
from isolarium.native.memory import load_word, store_word

STATE_WORDS: Final = 624
"""The words of the generator; the index of the next word follows them."""
MIDDLE: Final = 397
MOST_IN_POOL: Final = 21
"""Up to this many squares, `random.sample` removes drawn items; with more it draws again."""
TARGET_WORDS: Final = 9
"""A knight has at most eight targets; their number comes first."""

SIGNATURE: Final = types.int64(*[types.int64] * 10)


def draw_openings(
    state: int,
    targets: int,
    size: int,
    images: int,
    symmetries: int,
    count: int,
    length: int,
    moves: int,
    keys: int,
    are_open: int,
) -> int:
    """Draw openings: two placements and random moves.

    All arrays consist of words, and are passed as addresses.

    Args:
        state: The state of the random numbers, which changes.
        targets: For each square, the number of a knight's targets, and the targets in order.
        size: The number of squares.
        images: For each symmetry, the image of each square.
        symmetries: The number of symmetries.
        count: The number of openings to draw.
        length: The number of moves of each opening.
        moves: Receives the squares of each opening.
        keys: Receives a key that is the same for all mirror images of a position, of two more
            words than moves: the squares of the first and the second player in the least image,
            and all squares played, from the highest to the lowest.
        are_open: Receives whether the game is not over after the opening.
    """
    for number in range(count):
        line = moves + number * length * 8
        is_open = draw_line(state, targets, size, length, line)
        store_word(are_open, number, is_open)
        if is_open:
            write_key(images, symmetries, size, length, line, keys + number * (length + 2) * 8)
    return 0


@kernel
def draw_line(state: int, targets: int, size: int, length: int, line: int) -> bool:
    """Draw one opening; return False if the game ends in it."""
    one = below(state, size)
    if size <= MOST_IN_POOL:
        other = below(state, size - 1)
        if other == one:
            other = size - 1
    else:
        other = below(state, size)
        while other == one:
            other = below(state, size)
    store_word(line, 0, one)
    store_word(line, 1, other)
    for ply in range(2, length + 1):
        mover = targets + load_word(line, ply - 2) * TARGET_WORDS * 8
        legal = 0
        for place in range(1, load_word(mover, 0) + 1):
            legal += not is_played(line, ply, load_word(mover, place))
        if legal == 0:
            return False
        if ply < length:
            chosen = below(state, legal)
            for place in range(1, load_word(mover, 0) + 1):
                square = load_word(mover, place)
                if not is_played(line, ply, square):
                    if chosen == 0:
                        store_word(line, ply, square)
                    chosen -= 1
    return True


@kernel
def is_played(line: int, length: int, square: int) -> bool:
    """Return whether a square is one of the first moves of a line."""
    found = False
    for ply in range(length):
        found = found or load_word(line, ply) == square
    return found


@kernel
def write_key(images: int, symmetries: int, size: int, length: int, line: int, key: int) -> None:
    """Write the key of the position after a line: that of the least image, see `canonical`.

    A smaller mask of blanks means that the highest square that differs was played.
    """
    first = load_word(line, length - 2 + length % 2)
    second = load_word(line, length - 1 - length % 2)
    for number in range(symmetries):
        image = images + number * size * 8
        one, other = load_word(image, first), load_word(image, second)
        least_one, least_other = load_word(key, 0), load_word(key, 1)
        is_less = number == 0 or one < least_one or (one == least_one and other < least_other)
        if not is_less and (one != least_one or other != least_other):
            continue
        previous = size
        for place in range(2, length + 2):
            highest = -1
            for ply in range(length):
                square = load_word(image, load_word(line, ply))
                if highest < square < previous:
                    highest = square
            known = load_word(key, place)
            if not is_less and highest < known:
                break
            is_less = is_less or highest > known
            store_word(key, place, highest)
            previous = highest
        store_word(key, 0, one)
        store_word(key, 1, other)


# Random numbers


@kernel
def below(state: int, bound: int) -> int:
    """Return a random number below `bound`, as `random.Random._randbelow` does."""
    bits = 0
    while bound >> bits != 0:
        bits += 1
    number = next_word(state) >> (32 - bits)
    while number >= bound:
        number = next_word(state) >> (32 - bits)
    return number


@kernel
def next_word(state: int) -> int:
    """Return the next 32 bits of the Mersenne Twister."""
    index = load_word(state, STATE_WORDS)
    if index >= STATE_WORDS:
        for place in range(STATE_WORDS):
            after = load_word(state, (place + 1) % STATE_WORDS)
            word = (load_word(state, place) & 0x80000000) | (after & 0x7FFFFFFF)
            other = load_word(state, (place + MIDDLE) % STATE_WORDS)
            store_word(state, place, other ^ word >> 1 ^ (word & 1) * 0x9908B0DF)
        index = 0
    store_word(state, STATE_WORDS, index + 1)
    drawn: int = load_word(state, index)
    drawn ^= drawn >> 11
    drawn ^= drawn << 7 & 0x9D2C5680
    drawn ^= drawn << 15 & 0xEFC60000
    return drawn ^ drawn >> 18
