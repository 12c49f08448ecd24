"""The mirror theorem, in plain Python.

Take a symmetry of the board that is its own inverse, such as the half turn. Suppose that it maps
the set of blank squares to itself and swaps the players' squares, and that no blank square is its
own image. Then the player NOT to move wins by answering every move with its image. The image of a
blank square is a different blank square, so it is still blank after the move. A symmetry maps
knight's moves to knight's moves, and the result is a mirror position again. So the player not to
move always has a reply.
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
    fixed: int  # The mask of the squares that are their own images

    def keeps(self, position: Position) -> bool:
        """Return whether every blank maps to a different blank."""
        if position.blank & self.fixed:
            return False
        blanks = position.board.squares_in(position.blank)
        return position.board.mask_of(self.image[square] for square in blanks) == position.blank


@cache
def _mirrors(board: Board) -> tuple[_Mirror, ...]:
    found = []
    for symmetry in symmetries(board):
        if symmetry is not Symmetry.IDENTITY and symmetry.inverse is symmetry:
            image = {square: symmetry.square(square, board) for square in board.squares}
            found.append(_Mirror(image, board.mask_of(square for square in image if image[square] == square)))
    return tuple(found)


def is_mirror(position: Position) -> bool:
    """Return whether the mirror theorem applies, so that the player NOT to move wins."""
    first, second = position.first, position.second
    if first is None or second is None:
        return False
    return any(mirror.image[first] == second and mirror.keeps(position) for mirror in _mirrors(position.board))


def is_mirror_within_reach(position: Position) -> bool:
    """Return whether the theorem applies when unreachable blanks are ignored.

    Blanks that neither player can ever reach, such as the middle of a 3x3 board, do not affect the
    game.
    """
    if position.first is None or position.second is None:
        return False
    reached, waiting = 0, [position.first, position.second]
    while waiting:
        found = position.blank & position.board.knight_mask(waiting.pop()) & ~reached
        reached |= found
        waiting += position.board.squares_in(found)
    return is_mirror(replace(position, blank=reached))
