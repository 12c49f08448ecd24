"""A game against the truth: which moves were right, which gave a won game away, and what would have kept it."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final

from isolab.game.board import Square
from isolab.game.outcome import Player
from isolab.game.position import Position
from isolab.game.record import GameRecord
from isolab.limits import Limit
from isolab.solver.book import book_for
from isolab.solver.solver import Solver, likely_nodes
from isolab.solver.starts import law_says_win

MOST_NODES: Final = 2_000_000
"""What one position may cost; every position of 7x7 costs less."""
WITHIN_REACH: Final = 4.0
"""A position is tried where it is likely to cost no more than so many times that."""


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
        decides: whether that position was won and had moves that lose; only these count for accuracy.
        keeps: after a mistake, a move that would have kept the win.
    """

    ply: int
    player: Player
    move: Square
    mark: Mark
    wins: bool | None
    decides: bool = False
    keeps: Square | None = None


@dataclass(frozen=True)
class MarkedGame:
    """A game with a mark for each of its moves.

    Attributes:
        game: the game.
        moves: its moves, from the first that was asked for.
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
        most_nodes: what one position may cost.
    """

    def __init__(self, most_nodes: int = MOST_NODES) -> None:
        self._solver = Solver()
        self._most_nodes = most_nodes

    def mark(self, game: GameRecord, first_ply: int = 1) -> MarkedGame:
        """Mark every move of a game from a ply on."""
        return MarkedGame(game, tuple(self.marks(game, first_ply)))

    def marks(self, game: GameRecord, first_ply: int = 1) -> Iterator[MarkedMove]:
        """The same, move by move as they get ready."""
        positions, wins = game.positions(), None
        for ply, move in enumerate(game.moves[first_ply - 1 :], start=first_ply):
            before, after = positions[ply - 1], positions[ply]
            if wins is None:
                wins = self._wins(before)
            yield self._marked(
                ply, before, move, wins, after_wins := self._follows(before, wins, after)
            )
            wins = after_wins

    def _follows(self, before: Position, wins: bool | None, after: Position) -> bool | None:
        """Whether `after` is won for who moves there, solved only where it does not follow from `before`."""
        if wins is False:
            return True
        if wins and len(before.legal_moves()) == 1:
            return False
        return self._wins(after)

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
            keeps = self._winning_move(before)
            return MarkedMove(ply, player, move, Mark.MISTAKE, wins, decides=True, keeps=keeps)
        others = (before.play(other) for other in before.legal_moves() if other != move)
        could_lose = any(self._wins(other) for other in others)
        return MarkedMove(ply, player, move, Mark.RIGHT, wins, decides=could_lose)

    def _wins(self, position: Position) -> bool | None:
        if position.outcome() is not None:
            return False
        book = book_for(position.board)
        entry = None if book is None else book.entry(position)
        if entry is not None:
            return entry.wins
        if likely_nodes(position) > WITHIN_REACH * self._most_nodes:
            return None
        return self._solver.solve(position, Limit(nodes=self._most_nodes)).wins

    def _winning_move(self, position: Position) -> Square | None:
        book = book_for(position.board)
        entry = None if book is None else book.entry(position)
        if entry is not None and entry.move is not None:
            return entry.move
        return self._solver.solve(position, Limit(nodes=self._most_nodes)).move
