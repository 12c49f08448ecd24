"""The games of a run with everything that belongs to each: its opening, and who sat where."""

from collections.abc import Iterator
from dataclasses import dataclass

from isolarium.arena.game_row import GameRow
from isolarium.arena.openings import Opening
from isolarium.arena.results import movers
from isolarium.arena.run_db import Record
from isolarium.game.board import Board
from isolarium.game.notation import parse_board, parse_square
from isolarium.game.outcome import Outcome, Player, Reason
from isolarium.game.position import Position
from isolarium.game.record import GameRecord


@dataclass(frozen=True, slots=True)
class SeatedGame:
    """A game of a run.

    Attributes:
        row: the game as the record keeps it.
        opening: the moves made for the agents.
        players: who moved first and who second, by their places among the plan's players.
    """

    row: GameRow
    opening: Opening
    players: tuple[int, int]

    @property
    def winner(self) -> int:
        """Who won, by place among the plan's players."""
        return self.players[self.row.winner]

    @property
    def loser(self) -> int:
        """Who lost."""
        return self.players[self.row.winner.other]

    @property
    def length(self) -> int:
        """The moves of the game, placements included."""
        return len(self.opening.moves) + len(self.row.moves)

    def offset(self, seat: int) -> int:
        """The place, among the moves that the agents made, of the first by this seat."""
        return (seat + len(self.opening.moves)) % 2

    def game(self, board: Board) -> GameRecord:
        """The whole game, from the empty board on."""
        agents_moves = tuple(parse_square(text, board) for text in self.row.moves)
        early = self.row.reason is not Reason.NO_MOVES
        return GameRecord(
            Position.empty(board),
            self.opening.moves + agents_moves,
            Outcome(Player(self.row.winner), self.row.reason) if early else None,
        )


def seated_games(record: Record, encounter: int | None = None) -> Iterator[SeatedGame]:
    """Every finished game, by encounter, pair and leg."""
    plan, openings = record.plan, record.openings()
    for row in record.games(encounter):
        yield SeatedGame(row, openings[row.pair], movers(plan, row))


def seated_game(record: Record, row: GameRow) -> SeatedGame:
    """One finished game, for which its own opening alone is read."""
    board = board_of(record)
    (line,) = record.opening_lines(row.pair, row.pair + 1)
    moves = tuple(parse_square(text, board) for text in line.split())
    return SeatedGame(row, Opening(moves, ""), movers(record.plan, row))


def board_of(record: Record) -> Board:
    """The board that a run is played on."""
    return parse_board(record.plan.board)
