"""Games compared with perfect play: correct moves and mistakes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import pairwise

from isolarium.game.board import Square
from isolarium.game.position import Player, Position
from isolarium.game.record import GameRecord
from isolarium.limits import Limit
from isolarium.solver.solver import ONE_POSITION, ExactValues
from isolarium.solver.start_map import law_says_win


class Mark(StrEnum):
    """The exact value of a move."""

    FORCED = "forced"  # the only legal move
    RIGHT = "right"  # won before and after
    MISTAKE = "mistake"  # won before, lost after
    LOST = "lost"  # lost before the move
    UNKNOWN = "unknown"  # not solved within the limit


@dataclass(frozen=True, slots=True)
class MarkedMove:
    """A move with its mark.

    Attributes:
        ply: The number of the move in the game, from 1.
        player: The mover.
        move: The destination.
        mark: The exact value of the move.
        wins: Whether the position was won for the mover; None if unknown.
        decides: Whether the move is critical: the position was won and some move loses. None if
            unknown. Accuracy counts critical moves only.
        keeps: A move that would have kept the win, after a mistake.
    """

    ply: int
    player: Player
    move: Square
    mark: Mark
    wins: bool | None
    decides: bool | None = False
    keeps: Square | None = None


@dataclass(frozen=True)
class MarkedMoves:
    """The moves of a game compared with perfect play.

    Attributes:
        moves: The marked moves, from the first requested ply.
    """

    moves: tuple[MarkedMove, ...]

    def kept(self, player: Player) -> tuple[int, int]:
        """Return how many of a player's critical moves kept the win, and their number."""
        chances = [one for one in self.moves if one.player == player and one.decides]
        return sum(one.mark is not Mark.MISTAKE for one in chances), len(chances)

    def first_mistake(self, player: Player | None = None) -> MarkedMove | None:
        """Return the first mistake of a player, or of either player.

        Returns None if there is none.
        """
        for one in self.moves:
            if one.mark is Mark.MISTAKE and player in (None, one.player):
                return one
        return None

    @property
    def theoretical_winner(self) -> Player | None:
        """The winner with perfect play from the first marked move on; None if unknown."""
        if not self.moves or self.moves[0].wins is None:
            return None
        return self.moves[0].player if self.moves[0].wins else self.moves[0].player.other

    @property
    def is_known(self) -> bool:
        """Whether all positions were solved."""
        return all(one.wins is not None for one in self.moves)


@dataclass(frozen=True)
class GameAccuracy(MarkedMoves):
    """A game compared with perfect play.

    Attributes:
        game: The game.
    """

    game: GameRecord

    @cached_property
    def winner_by_law(self) -> Player | None:
        """The winner by the colour law after the placements.

        Returns None if the game ended before both players were placed.
        """
        for position in self.game.positions():
            if not position.placing and position.other is not None:
                return position.to_move if law_says_win(position) else position.to_move.other
        return None

    @property
    def law_is_wrong(self) -> bool:
        """Whether the colour law is known to be wrong about this start."""
        positions = self.game.positions()
        for one in self.moves:
            position = positions[one.ply - 1]
            if not position.placing and position.other is not None:
                winner = one.player if one.wins else one.player.other
                return one.wins is not None and winner != self.winner_by_law
        return False


class Marker:
    """Marks the moves of games with their exact values. Not thread-safe.

    Args:
        each: The limit for solving one position.
    """

    def __init__(self, each: Limit = ONE_POSITION) -> None:
        self._exact = ExactValues(each)

    def reaches(self, position: Position) -> bool:
        """Return whether a position can probably be solved within the limit."""
        return self._exact.reaches(position)

    def mark(self, game: GameRecord, first_ply: int = 1) -> GameAccuracy:
        """Mark every move of a game from `first_ply` on."""
        return GameAccuracy(tuple(self.marks(game.positions(), first_ply)), game)

    def marks(self, positions: Sequence[Position], first_ply: int = 1) -> Iterator[MarkedMove]:
        """Yield the marked moves between a game's positions, each as soon as it is solved."""
        for ply, before, move, wins, after_wins in self._steps(positions, first_ply):
            yield self._marked(ply, before, move, wins, after_wins)

    def who_erred(self, positions: Sequence[Position], first_ply: int = 1) -> frozenset[Player]:
        """Return the players known to have made a mistake from `first_ply` on.

        This is cheaper than marking the moves.
        """
        return frozenset(
            before.to_move
            for _, before, _, wins, after_wins in self._steps(positions, first_ply)
            if wins and after_wins
        )

    def _steps(
        self, positions: Sequence[Position], first_ply: int
    ) -> Iterator[tuple[int, Position, Square, bool | None, bool | None]]:
        """Yield each ply, its position, its move, and the exact values before and after.

        The exact value of a position is whether the player to move wins.
        """
        wins = None
        for ply, (before, after) in enumerate(pairwise(positions[first_ply - 1 :]), first_ply):
            move = after.other
            assert move is not None  # The player who moved is on the board.
            if wins is None:
                wins = self._exact.wins(before)
            after_wins = self._follows(before, wins, after)
            yield ply, before, move, wins, after_wins
            wins = after_wins

    def _follows(self, before: Position, wins: bool | None, after: Position) -> bool | None:
        """Return whether the player to move wins `after`.

        Solve `after` only if `before` does not imply the answer.
        """
        if wins is False:
            return True
        if wins and len(before.legal_moves()) == 1:
            return False
        return self._exact.wins(after)

    def _marked(
        self, ply: int, before: Position, move: Square, wins: bool | None, after_wins: bool | None
    ) -> MarkedMove:
        player = before.to_move
        if len(before.legal_moves()) == 1:
            return MarkedMove(ply, player, move, Mark.FORCED, wins)
        if wins is False:
            return MarkedMove(ply, player, move, Mark.LOST, wins)
        if wins is None or after_wins is None:
            return MarkedMove(ply, player, move, Mark.UNKNOWN, wins)
        if after_wins:
            keeps = self._exact.winning_move(before)
            return MarkedMove(ply, player, move, Mark.MISTAKE, wins, decides=True, keeps=keeps)
        return MarkedMove(ply, player, move, Mark.RIGHT, wins, decides=self._could_lose(before, move))

    def _could_lose(self, before: Position, move: Square) -> bool | None:
        """Return whether another move loses; None if unknown."""
        could: bool | None = False
        for other in before.legal_moves():
            if other != move:
                wins = self._exact.wins(before.play(other))
                if wins:
                    return True
                could = None if wins is None else could
        return could
