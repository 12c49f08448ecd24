"""Who wins by trying everything, placements included."""

from functools import cache

from isolarium.game.board import Board
from isolarium.game.position import Position
from tests.solver.brute_force import BruteForce


@cache
def _force(board: Board) -> BruteForce:
    return BruteForce(board)


def wins(position: Position) -> bool:
    """Whether the player to move wins."""
    if position.second is None:
        return any(not wins(position.play(move)) for move in position.legal_moves())
    return _force(position.board).wins(position)


def plies_of(position: Position) -> int:
    """Plies to the end when the winner hurries and the loser delays; both are placed."""
    return _force(position.board).plies(position)
