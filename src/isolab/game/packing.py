"""Positions as the words that compiled code takes."""

from isolab.game.geometry import WORD_MASK
from isolab.game.position import Position


def pack_words(mask: int, words: int) -> list[int]:
    """A mask of squares as 64-bit words, the lowest first."""
    return [mask >> 64 * word & WORD_MASK for word in range(words)]


def pack_squares(position: Position) -> tuple[int, int]:
    """The numbers of the squares of the side to move and of the other; the board's size for who is not yet placed."""
    board = position.board
    mover, other = position.mover, position.other
    return (
        board.size if mover is None else board.index(mover),
        board.size if other is None else board.index(other),
    )
