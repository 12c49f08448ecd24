"""Bitboards, with the C library for counting and for the seed."""

import ctypes
import ctypes.util
import struct
from array import array

libc = ctypes.CDLL(ctypes.util.find_library("c"))
libc.time.restype = ctypes.c_long
libc.labs.restype = ctypes.c_long
libc.labs.argtypes = [ctypes.c_long]


def c_sorted(numbers):
    """Sort an array of C, as large as it has to be."""
    values = (ctypes.c_int * len(numbers))(*sorted(numbers, reverse=True))
    copy = (ctypes.c_int * len(numbers))()
    ctypes.memmove(copy, values, ctypes.sizeof(values))
    return list(copy)


class Bits(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint32), ("high", ctypes.c_uint32)]


def popcount(x):
    return bin(x).count("1")


class CustomPlayer:
    def __init__(self):
        assert libc.time(None) > 0
        self.masks = {}

    def mask(self, square, height, width):
        key = square, height, width
        if key not in self.masks:
            bits = 0
            for dr, dc in ((1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)):
                r, c = square[0] + dr, square[1] + dc
                if 0 <= r < height and 0 <= c < width:
                    bits |= 1 << (r + c * height)
            self.masks[key] = bits
        return self.masks[key]

    def get_move(self, game, time_left):
        moves = game.get_legal_moves()
        if not moves:
            return (-1, -1)
        cells = array("B", [1 if cell else 0 for cell in game._board_state[:-3]])
        blank = sum(1 << i for i, cell in enumerate(cells) if not cell)
        packed = struct.pack("<Q", blank & (1 << 64) - 1)
        halves = Bits.from_buffer_copy(packed)
        assert halves.low | halves.high << 32 == blank & (1 << 64) - 1
        opp = game.get_player_location(game.get_opponent(self))
        theirs = 0 if opp is None else self.mask(opp, game.height, game.width)
        worth = {}
        for r, c in moves:
            left = blank & ~(1 << (r + c * game.height))
            onward = popcount(self.mask((r, c), game.height, game.width) & left)
            worth[r, c] = 8 * onward - 9 * popcount(theirs & left) + libc.labs(r - c) % 3
        best = c_sorted(list(worth.values()))[0]
        return min(m for m in moves if worth[m] == best)
