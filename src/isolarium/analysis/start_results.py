"""Results by the square a player starts on; squares that are mirror images of each other count as one."""

from dataclasses import dataclass

from isolarium.arena.game import Game
from isolarium.game.board import Board, Square
from isolarium.game.outcome import Player
from isolarium.game.symmetry import symmetries
from isolarium.stats import Pair, PairTally, RateEstimate, win_rate


@dataclass(frozen=True, slots=True)
class StartShare:
    """How games went that began on a square.

    Attributes:
        square: where the player started.
        games: how many games began there, or on a mirror image.
        rate: the share of them that the player won.
    """

    square: Square
    games: int
    rate: RateEstimate


class Starts:
    """Counts games by where they began."""

    def __init__(self, board: Board, players: int) -> None:
        self.board = board
        self._class_of = {str(square): _least_image(square, board) for square in board.squares}
        self._first_mover: dict[Square, PairTally] = {}
        self._agents: list[dict[Square, PairTally]] = [{} for _ in range(players)]

    def add(self, game: Game, cluster: int) -> None:
        """Count a game, whose opening belongs to a cluster."""
        for seat in Player:
            start = self._class_of[game.opening[seat]]
            # A game is counted as a pair of its own: the tally knows which share an opening.
            result = Pair(float(game.winner == seat), cluster)
            self._agents[game.players[seat]].setdefault(start, PairTally()).add(result)
            if seat is Player.FIRST:
                self._first_mover.setdefault(start, PairTally()).add(result)

    def first_mover(self) -> list[StartShare]:
        """The first mover's share by the square it started on; squares without a game are left out."""
        return self._shares(self._first_mover)

    def agent(self, player: int) -> list[StartShare]:
        """An agent's share by the square it started on."""
        return self._shares(self._agents[player])

    def _shares(self, tallies: dict[Square, PairTally]) -> list[StartShare]:
        known = {
            start: (summary.pairs, win_rate(summary))
            for start, summary in ((start, tally.summary()) for start, tally in tallies.items())
        }
        return [
            StartShare(square, *known[start])
            for square in self.board.squares
            if (start := self._class_of[str(square)]) in known
        ]


def _least_image(square: Square, board: Board) -> Square:
    return min(symmetry.square(square, board) for symmetry in symmetries(board))
