"""Alpha-beta in plain Python, as a competent student of the course would write it.

Isolarium's speed is compared with this program. As in the course, a board consists of a set of
blank squares and the players' squares, and a move returns a new board. Knight moves are computed
once. The heuristic is a function of board and player. The search visits the same positions as
Isolarium's `alphabeta` without a seed, which tries moves row by row.
"""

from collections.abc import Callable
from functools import cache
from typing import Final, NamedTuple

from isolarium.game.position import Position

Square = tuple[int, int]

KNIGHT: Final = ((-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1))
WIN: Final = 1e9


@cache
def knight_moves(rows: int, cols: int) -> dict[Square, list[Square]]:
    """Return the knight moves from each square of an empty board, row by row."""
    return {
        (row, col): [
            (row + down, col + right) for down, right in KNIGHT if 0 <= row + down < rows and 0 <= col + right < cols
        ]
        for row in range(rows)
        for col in range(cols)
    }


class StudentBoard(NamedTuple):
    """A position in which both players, 0 and 1, are placed."""

    knight_moves: dict[Square, list[Square]]
    blank: frozenset[Square]
    places: tuple[Square, Square]
    active: int

    def legal_moves(self, player: int) -> list[Square]:
        """Return the legal moves of a player."""
        blank = self.blank
        return [square for square in self.knight_moves[self.places[player]] if square in blank]

    def forecast_move(self, square: Square) -> "StudentBoard":
        """Return the board after a move of the active player."""
        first, second = self.places
        places = (square, second) if self.active == 0 else (first, square)
        return StudentBoard(self.knight_moves, self.blank - {square}, places, 1 - self.active)


Score = Callable[[StudentBoard, int], float]


def improved_score(board: StudentBoard, player: int) -> float:
    """Return the number of the player's moves minus the opponent's."""
    return len(board.legal_moves(player)) - len(board.legal_moves(1 - player))


class StudentAlphaBeta:
    """A search for one player.

    Attributes:
        nodes: positions entered so far, including the root and leaves.
    """

    def __init__(self, player: int, score: Score) -> None:
        self.player = player
        self.score = score
        self.nodes = 0

    def max_value(self, board: StudentBoard, depth: int, alpha: float, beta: float, ply: int) -> float:
        """Return the value of a position with the searching player to move."""
        self.nodes += 1
        moves = board.legal_moves(board.active)
        if not moves:
            return ply - WIN
        if depth == 0:
            return self.score(board, self.player)
        best = -2 * WIN
        for move in moves:
            value = self.min_value(board.forecast_move(move), depth - 1, alpha, beta, ply + 1)
            best = max(best, value)
            if best >= beta:
                break
            alpha = max(alpha, best)
        return best

    def min_value(self, board: StudentBoard, depth: int, alpha: float, beta: float, ply: int) -> float:
        """Return the value of a position with the opponent to move."""
        self.nodes += 1
        moves = board.legal_moves(board.active)
        if not moves:
            return WIN - ply
        if depth == 0:
            return self.score(board, self.player)
        best = 2 * WIN
        for move in moves:
            value = self.max_value(board.forecast_move(move), depth - 1, alpha, beta, ply + 1)
            best = min(best, value)
            if best <= alpha:
                break
            beta = min(beta, best)
        return best


def student_search(position: Position, depth: int) -> tuple[float, int]:
    """Search with `improved`, and return the value and the number of positions entered.

    Both players must be placed.
    """
    first, second = position.first, position.second
    assert first is not None
    assert second is not None
    board = position.board
    blank = frozenset(square for square in board.squares if position.is_blank(square))
    moves = knight_moves(board.rows, board.cols)
    root = StudentBoard(moves, blank, (first, second), int(position.to_move))
    search = StudentAlphaBeta(root.active, improved_score)
    return search.max_value(root, depth, -2 * WIN, 2 * WIN, 0), search.nodes
