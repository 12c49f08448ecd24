"""A game against the truth: which moves were right, which gave a won game away, and what would have kept it."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from isolarium.game.board import Square
from isolarium.game.outcome import Player
from isolarium.game.position import Position
from isolarium.game.record import GameRecord
from isolarium.limits import Limit
from isolarium.solver.exact_value import ONE_POSITION, Truth
from isolarium.solver.start_map import law_says_win


class Mark(StrEnum):
    """What the truth says of a move."""

    FORCED = "forced"  # there was no other
    RIGHT = "right"  # won before, and still
    MISTAKE = "mistake"  # won before, lost after
    LOST = "lost"  # lost already, whatever was played
    UNKNOWN = "unknown"  # not solved within the limit


@dataclass(frozen=True, slots=True)
class MarkedMove:
    """A move with its mark.

    Attributes:
        ply: its place in the game, from 1.
        player: who made it.
        move: where to.
        mark: what the truth says of it.
        wins: whether its position was won for who made it; None if not known.
        decides: whether that position was won and had moves that lose, None if not known; accuracy counts these alone.
        keeps: after a mistake, a move that would have kept the win.
    """

    ply: int
    player: Player
    move: Square
    mark: Mark
    wins: bool | None
    decides: bool | None = False
    keeps: Square | None = None


@dataclass(frozen=True)
class GameAccuracy:
    """How the players of a game did against perfect play.

    Attributes:
        game: The game.
        moves: The marks of its moves, from the first that was asked for.
    """

    game: GameRecord
    moves: tuple[MarkedMove, ...]

    def kept(self, player: Player) -> tuple[int, int]:
        """Of the won positions in which a player could err, how many it kept, and how many there were."""
        chances = [one for one in self.moves if one.player == player and one.decides]
        return sum(one.mark is not Mark.MISTAKE for one in chances), len(chances)

    def first_mistake(self, player: Player | None = None) -> MarkedMove | None:
        """The first mistake, of a player or of any."""
        for one in self.moves:
            if one.mark is Mark.MISTAKE and player in (None, one.player):
                return one
        return None

    @property
    def favourite(self) -> Player | None:
        """Who wins under perfect play from the first of the moves on; None if not known."""
        if not self.moves or self.moves[0].wins is None:
            return None
        return self.moves[0].player if self.moves[0].wins else self.moves[0].player.other

    @property
    def is_known(self) -> bool:
        """Whether all of its positions were solved."""
        return all(one.wins is not None for one in self.moves)

    @cached_property
    def called_by_law(self) -> Player | None:
        """Who wins by the colour law, told from where both were placed; None in a game without such a position."""
        for position in self.game.positions():
            if not position.placing and position.other is not None:
                return position.to_move if law_says_win(position) else position.to_move.other
        return None

    @property
    def law_is_wrong(self) -> bool:
        """Whether the start is known to be won by the one whom the colour law says loses."""
        positions = self.game.positions()
        for one in self.moves:
            position = positions[one.ply - 1]
            if not position.placing and position.other is not None:
                winner = one.player if one.wins else one.player.other
                return one.wins is not None and winner != self.called_by_law
        return False


class Marker:
    """Marks games; not to be shared between threads.

    Args:
        each: what one position may cost.
    """

    def __init__(self, each: Limit = ONE_POSITION) -> None:
        self._truth = Truth(each)

    def reaches(self, position: Position) -> bool:
        """Whether a position is likely to be solved."""
        return self._truth.reaches(position)

    def mark(self, game: GameRecord, first_ply: int = 1) -> GameAccuracy:
        """Mark every move of a game from a ply on."""
        return GameAccuracy(game, tuple(self.marks(game, first_ply)))

    def marks(self, game: GameRecord, first_ply: int = 1) -> Iterator[MarkedMove]:
        """The same, move by move as they get ready."""
        for ply, before, move, wins, after_wins in self._steps(game, first_ply):
            yield self._marked(ply, before, move, wins, after_wins)

    def who_erred(self, game: GameRecord, first_ply: int = 1) -> frozenset[Player]:
        """Who gave a win away with a move from that ply on, as far as that is known: less work than to mark it."""
        return frozenset(
            before.to_move
            for _, before, _, wins, after_wins in self._steps(game, first_ply)
            if wins and after_wins
        )

    def _steps(
        self, game: GameRecord, first_ply: int
    ) -> Iterator[tuple[int, Position, Square, bool | None, bool | None]]:
        """Each move: its ply, the position before it, and who wins there and after it, each for who is to move."""
        positions, wins = game.positions(), None
        for ply, move in enumerate(game.moves[first_ply - 1 :], start=first_ply):
            before, after = positions[ply - 1], positions[ply]
            if wins is None:
                wins = self._truth.wins(before)
            after_wins = self._follows(before, wins, after)
            yield ply, before, move, wins, after_wins
            wins = after_wins

    def _follows(self, before: Position, wins: bool | None, after: Position) -> bool | None:
        """Whether `after` is won for who moves there, solved only where it does not follow from `before`."""
        if wins is False:
            return True
        if wins and len(before.legal_moves()) == 1:
            return False
        return self._truth.wins(after)

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
            keeps = self._truth.winning_move(before)
            return MarkedMove(ply, player, move, Mark.MISTAKE, wins, decides=True, keeps=keeps)
        return MarkedMove(
            ply, player, move, Mark.RIGHT, wins, decides=self._could_lose(before, move)
        )

    def _could_lose(self, before: Position, move: Square) -> bool | None:
        """Whether another move loses; None if not known."""
        could: bool | None = False
        for other in before.legal_moves():
            if other != move:
                wins = self._truth.wins(before.play(other))
                if wins:
                    return True
                could = None if wins is None else could
        return could
