"""All starts of a board: both players placed, up to symmetry; and what the colour law and the mirror theorem say."""

from isolab.game.board import Board, Square
from isolab.game.position import Position
from isolab.game.symmetry import canonical
from isolab.solver.mirror import is_mirror


def starts(board: Board) -> list[Position]:
    """Every placement of both players up to symmetry, the first player to move, row by row."""
    found: dict[Position, None] = {}
    for first in board.squares:
        once = Position.empty(board).play(first)
        for second in once.legal_moves():
            found.setdefault(canonical(once.play(second))[0])
    return list(found)


def same_colour(one: Square, other: Square) -> bool:
    """Whether two squares have the same colour on a chessboard."""
    return (one.row + one.col - other.row - other.col) % 2 == 0


def law_says_win(position: Position) -> bool:
    """What the colour law says of a start: the player to move wins if both stand on the same colour."""
    assert position.mover is not None
    assert position.other is not None
    return same_colour(position.mover, position.other)


def mirror_exception(position: Position, mover_wins: bool) -> bool:
    """Whether an exception to the colour law is one that the mirror theorem explains.

    Either the start is a mirror position, which its mover loses, or its mover can make one, and wins.
    """
    if not mover_wins:
        return is_mirror(position)
    return any(is_mirror(position.play(move)) for move in position.legal_moves())
