"""The mirror theorem, in plain Python.

Take a symmetry of the board that is its own inverse, such as the half turn. If it leaves the blanks of a position as
they are and exchanges the players, and no blank square is its own image, then the player NOT to move wins: it answers
every move with its image. The image of a blank is blank, and it is another square, so it is still blank after the move;
a symmetry takes knight's moves to knight's moves; and what is left is a mirror position again. So it always has an
answer.
"""

from dataclasses import replace
from functools import cache
from typing import NamedTuple

from isolarium.game.board import Board, Square
from isolarium.game.position import Position
from isolarium.game.symmetry import Symmetry, symmetries


class _Mirror(NamedTuple):
    """A symmetry of a board that is its own inverse, as a table."""

    image: dict[Square, Square]
    own_images: int  # the mask of the squares that it leaves where they are

    def keeps(self, position: Position) -> bool:
        """Whether it leaves the blanks as they are and none of them in its place."""
        if position.blank & self.own_images:
            return False
        blanks = position.board.squares_in(position.blank)
        return position.board.mask_of(self.image[square] for square in blanks) == position.blank


@cache
def _mirrors(board: Board) -> tuple[_Mirror, ...]:
    found = []
    for symmetry in symmetries(board):
        if symmetry is not Symmetry.IDENTITY and symmetry.inverse is symmetry:
            image = {square: symmetry.square(square, board) for square in board.squares}
            found.append(
                _Mirror(image, board.mask_of(square for square in image if image[square] == square))
            )
    return tuple(found)


def is_mirror(position: Position) -> bool:
    """Whether the mirror theorem decides the position: then the player NOT to move wins."""
    first, second = position.first, position.second
    if first is None or second is None:
        return False
    return any(
        mirror.image[first] == second and mirror.keeps(position)
        for mirror in _mirrors(position.board)
    )


def is_mirror_within_reach(position: Position) -> bool:
    """Whether the theorem decides the position once the blanks that neither can ever get to are left out.

    They play no part, such as the middle of 3x3.
    """
    if position.first is None or position.second is None:
        return False
    reached, waiting = 0, [position.first, position.second]
    while waiting:
        found = position.blank & position.board.knight_mask(waiting.pop()) & ~reached
        reached |= found
        waiting += position.board.squares_in(found)
    return is_mirror(replace(position, blank=reached))
