"""Exact values by brute force: plain Python that shares nothing with the solver but the rules."""

from isolarium.game.board import Board
from isolarium.game.position import Position


class BruteForce:
    """Who wins on a board, and how soon, by trying the moves of every position once; both players placed."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._targets = [board.knight_mask(square) for square in board.squares]
        self._wins: dict[tuple[int, int, int], bool] = {}
        self._plies: dict[tuple[int, int, int], int] = {}

    def wins(self, position: Position) -> bool:
        """Whether the mover wins."""
        return self._search_wins(*self._parts(position))

    def plies(self, position: Position) -> int:
        """Plies to the end when the winner hurries and the loser delays; odd if the mover wins."""
        return self._search_plies(*self._parts(position))

    def _parts(self, position: Position) -> tuple[int, int, int]:
        assert position.board == self._board
        assert position.mover is not None
        assert position.other is not None
        index = self._board.index
        return position.blank, index(position.mover), index(position.other)

    def _search_wins(self, blank: int, mover: int, other: int) -> bool:
        key = blank, mover, other
        known = self._wins.get(key)
        if known is not None:
            return known
        wins = False
        left = blank & self._targets[mover]
        while left and not wins:
            bit = left & -left
            left ^= bit
            wins = not self._search_wins(blank ^ bit, other, bit.bit_length() - 1)
        self._wins[key] = wins
        return wins

    def _search_plies(self, blank: int, mover: int, other: int) -> int:
        key = blank, mover, other
        if key not in self._plies:
            left = blank & self._targets[mover]
            found = []
            while left:
                bit = left & -left
                left ^= bit
                found.append(1 + self._search_plies(blank ^ bit, other, bit.bit_length() - 1))
            winning = [plies for plies in found if plies % 2 == 1]
            self._plies[key] = min(winning) if winning else max(found, default=0)
        return self._plies[key]
