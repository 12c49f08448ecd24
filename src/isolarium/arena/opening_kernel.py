"""Random openings in compiled code, as `random.Random` draws them in Python.

The state of the Mersenne Twister (Matsumoto, Nishimura 1998) is taken from `random.Random`, and the
functions below use its words as `sample` and `choice` of the standard library do.
"""

from typing import Any, Final

from numba import types

from isolarium.native.jit import kernel

STATE_WORDS: Final = 624
"""The words of the generator; the index of the next word follows them."""
MIDDLE: Final = 397
MOST_IN_POOL: Final = 21
"""`random.sample` of two draws from a list of at most so many, and else draws again what it has."""
MOST_TARGETS: Final = 8

_WORDS: Final = types.int64[::1]
_BYTES: Final = types.uint8[:, ::1]
SIGNATURE: Final = types.void(
    *(_WORDS, _BYTES, _BYTES, types.int64, types.int64),
    *(_BYTES, _BYTES, types.boolean[::1]),
)


def draw_openings(
    state: Any,
    targets: Any,
    images: Any,
    first: int,
    end: int,
    moves: Any,
    keys: Any,
    are_open: Any,
) -> None:
    """Draw openings: two placements and random moves, as many as a row of `moves` has columns.

    Args:
        state: The state of the random numbers, which changes.
        targets: For each square, the number of a knight's targets, and the targets in order.
        images: For each symmetry, the image of each square.
        first: The number of the first opening to draw.
        end: The number after the last.
        moves: Receives the squares of each opening.
        keys: Receives a key that is the same for all mirror images of a position, of two more
            bytes than moves: the squares of the first and the second player in the least image,
            and all squares played, from the highest to the lowest.
        are_open: Receives whether the game is not over after the opening.
    """
    for number in range(first, end):
        line, key = moves[number], keys[number]
        are_open[number] = draw_line(state, targets, line)
        if are_open[number]:
            write_key(images, line, key)


@kernel
def draw_line(state: Any, targets: Any, line: Any) -> bool:
    """Draw one opening; return False if the game ends in it."""
    size, length = len(targets), len(line)
    one = below(state, size)
    if size <= MOST_IN_POOL:
        other = below(state, size - 1)
        if other == one:
            other = size - 1
    else:
        other = below(state, size)
        while other == one:
            other = below(state, size)
    line[0], line[1] = one, other
    for ply in range(2, length + 1):
        mover = targets[line[ply - 2]]
        legal = 0
        for place in range(1, mover[0] + 1):
            legal += not is_played(line, ply, mover[place])
        if legal == 0:
            return False
        if ply == length:
            return True
        chosen = below(state, legal)
        for place in range(1, mover[0] + 1):
            if not is_played(line, ply, mover[place]):
                if chosen == 0:
                    line[ply] = mover[place]
                chosen -= 1
    return True


@kernel
def is_played(line: Any, length: int, square: int) -> bool:
    """Return whether a square is one of the first moves of a line."""
    found = False
    for ply in range(length):
        found = found or line[ply] == square
    return found


@kernel
def write_key(images: Any, line: Any, key: Any) -> None:
    """Write the key of the position after a line: the first of all images, see `canonical`.

    A smaller mask of blanks means that the highest square that differs was played.
    """
    length = len(line)
    first = line[length - 2 + length % 2]
    second = line[length - 1 - length % 2]
    for number in range(len(images)):
        image = images[number]
        one, other = image[first], image[second]
        is_less = number == 0 or one < key[0] or (one == key[0] and other < key[1])
        if not is_less and (one != key[0] or other != key[1]):
            continue
        previous = 255  # Beyond all squares
        for place in range(2, length + 2):
            highest = -1
            for ply in range(length):
                square = types.int64(image[line[ply]])
                if highest < square < previous:
                    highest = square
            if not is_less and highest < key[place]:
                break
            is_less = is_less or highest > key[place]
            key[place] = highest
            previous = highest
        key[0], key[1] = one, other


# Random numbers


@kernel
def below(state: Any, bound: int) -> int:
    """Return a random number below `bound`, as `random.Random._randbelow` does."""
    bits = 0
    while bound >> bits != 0:
        bits += 1
    number = next_word(state) >> (32 - bits)
    while number >= bound:
        number = next_word(state) >> (32 - bits)
    return number


@kernel
def next_word(state: Any) -> int:
    """Return the next 32 bits of the Mersenne Twister."""
    index = state[STATE_WORDS]
    if index >= STATE_WORDS:
        for place in range(STATE_WORDS):
            after = state[(place + 1) % STATE_WORDS]
            word = (state[place] & 0x80000000) | (after & 0x7FFFFFFF)
            mixed = state[(place + MIDDLE) % STATE_WORDS] ^ word >> 1
            state[place] = mixed ^ 0x9908B0DF if word & 1 else mixed
        index = 0
    state[STATE_WORDS] = index + 1
    drawn: int = state[index]
    drawn ^= drawn >> 11
    drawn ^= drawn << 7 & 0x9D2C5680
    drawn ^= drawn << 15 & 0xEFC60000
    return drawn ^ drawn >> 18
