"""Visits: which squares each agent went to, and which its opponents did.

Squares of the opening do not count, since chance or a file chose them. Visits are kept by opening, because the games of
one opening, its repeats and its mirror images are not independent.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from isolarium.arena.game import Game
from isolarium.game.board import Board

Counts = NDArray[np.int64]


@dataclass(slots=True)
class _ByOpening:
    """Visits of one agent, or of its opponents: for each cluster of openings a count for every square."""

    size: int
    games: int = 0
    counts: dict[int, list[int]] = field(default_factory=dict)

    def add(self, cluster: int, squares: list[int]) -> None:
        self.games += 1
        counts = self.counts.get(cluster)
        if counts is None:
            counts = self.counts[cluster] = [0] * self.size
        for square in squares:
            counts[square] += 1

    def table(self) -> Counts:
        """Return a row for each opening, in order of their numbers, with a column for each square."""
        rows = [self.counts[cluster] for cluster in sorted(self.counts)]
        return np.array(rows, dtype=np.int64).reshape(len(rows), self.size)


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Where one agent, or its opponents, went.

    Attributes:
        games: games that count.
        by_opening: visits, a row for each opening and a column for each square.
    """

    games: int
    by_opening: Counts

    @property
    def share(self) -> NDArray[np.float64]:
        """For each square, the share of the games in which it was gone to."""
        total: NDArray[np.float64] = self.by_opening.sum(axis=0) / max(1, self.games)
        return total


class Visits:
    """Counts visits, game by game."""

    def __init__(self, board: Board, players: int) -> None:
        self.board = board
        self._index = {str(square): index for index, square in enumerate(board.squares)}
        self._own = [_ByOpening(board.size) for _ in range(players)]
        self._opponents = [_ByOpening(board.size) for _ in range(players)]

    def add(self, game: Game, cluster: int) -> None:
        """Count a game, whose opening belongs to a cluster."""
        squares = [self._index[move] for move in game.moves]
        if game.players[0] == game.players[1]:  # against itself all moves are its own
            self._own[game.players[0]].add(cluster, squares)
            self._opponents[game.players[0]].add(cluster, squares)
            return
        first, second = (squares[game.offset(seat) :: 2] for seat in (0, 1))
        for player, own, others in zip(game.players, (first, second), (second, first), strict=True):
            self._own[player].add(cluster, own)
            self._opponents[player].add(cluster, others)

    def own(self, player: int) -> HeatMap:
        """Where the agent went."""
        return HeatMap(self._own[player].games, self._own[player].table())

    def opponents(self, player: int) -> HeatMap:
        """Where those it played against went."""
        return HeatMap(self._opponents[player].games, self._opponents[player].table())
