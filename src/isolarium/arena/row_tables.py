"""Results databases of versions 1 and 2, which have a row for each opening and each game.

They are only read: a database that is opened for writing is converted to the current version.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, Final

import numpy as np

from isolarium.arena.checksummed_db import ChecksummedDb, Layout
from isolarium.arena.column_tables import BLOCK, BLOCKS, Block
from isolarium.arena.game import Game, GameRules, Moves, shown_note
from isolarium.arena.game_batch import GameBatch
from isolarium.arena.lines import Lines, Numbers
from isolarium.arena.plan import Plan
from isolarium.game.board import Board
from isolarium.game.position import Player, Reason
from isolarium.safe_files import read_json

GAMES_AT_ONCE: Final = 1024
"""The number of games converted to columns at a time."""
# `alike` is the number of the first opening in the opening's cluster.
OPENINGS: Final = Layout(
    """CREATE TABLE openings (
        number INTEGER PRIMARY KEY, moves TEXT NOT NULL, cluster TEXT NOT NULL, alike INTEGER NOT NULL{checksum}
    )""",
    (int, str, str, int),
    ("number",),
)
# `moves` are squares separated by spaces; `winner` is 0 if the first player won, else 1; scores,
# depths, nodes and times are JSON lists with one value per move; `busy_ms` is empty in a run
# without time limits.
GAMES: Final = Layout(
    """CREATE TABLE games (
        encounter INTEGER NOT NULL, pair INTEGER NOT NULL, leg INTEGER NOT NULL,
        moves TEXT NOT NULL, winner INTEGER NOT NULL, reason TEXT NOT NULL, note TEXT NOT NULL,
        scores TEXT NOT NULL, depths TEXT NOT NULL, nodes TEXT NOT NULL,
        times_ms TEXT NOT NULL, busy_ms TEXT NOT NULL{checksum}, PRIMARY KEY (encounter, pair, leg)
    )""",
    (int, int, int, str, int, str, str, str, str, str, str, str),
    ("encounter", "pair", "leg"),
)


class OpeningRows:
    """The openings in a database with a row for each.

    Args:
        base: The database.
        board: The board.
        rules: The check of openings.
        openings: The expected number of openings.
    """

    def __init__(self, base: ChecksummedDb, board: Board, rules: GameRules, openings: int) -> None:
        self._base, self._board, self._rules, self._openings = base, board, rules, openings
        self.block = lru_cache(BLOCKS)(self._read_block)

    def blocks(self) -> Iterator[Block]:
        """Yield all openings in blocks; see `OpeningTable.blocks`."""
        rows, count = self._base.all_rows("openings"), 0
        while block := list(islice(rows, BLOCK)):
            yield self._decoded(block, count)
            count += len(block)
        if count != self._openings:
            raise ValueError(f"{count:,} openings for {self._openings:,} pairs")

    def lines(self, numbers: Numbers) -> Lines:
        """Return the moves of some openings; see `OpeningTable.lines`."""
        blocks = dict.fromkeys((numbers // BLOCK).tolist())
        starts = {number: place * BLOCK for place, number in enumerate(blocks)}
        joined = Lines.joined([self.block(number)[0] for number in blocks])
        shifts = [starts[number] - number * BLOCK for number in (numbers // BLOCK).tolist()]
        return joined.take(numbers + np.array(shifts, dtype=np.int64))

    def _read_block(self, number: int) -> Block:
        first, end = number * BLOCK, min((number + 1) * BLOCK, self._openings)
        where = "WHERE number >= ? AND number < ?"
        rows = list(self._base.rows("openings", where, [first, end]))
        if len(rows) != max(0, end - first):
            raise ValueError("openings are missing")
        return self._decoded(rows, first)

    def _decoded(self, rows: list[tuple[Any, ...]], first: int) -> Block:
        lines = list[Moves]()
        for expected, (number, moves, _, alike) in enumerate(rows, first):
            lines.append(tuple(moves.split()))
            self._rules.check_opening(lines[-1])
            if number != expected or not 0 <= alike <= number:
                raise ValueError(f"opening {expected}: it is missing")
        alike = np.array([row[3] for row in rows], dtype=np.int64)
        return Lines.of_texts(self._board, lines), alike


class GameRows:
    """The games in a database with a row for each.

    Args:
        base: The database.
        plan: The run's plan.
        board: The board.
        rules: The check of games.
        openings: The openings in the database.
    """

    def __init__(self, base: ChecksummedDb, plan: Plan, board: Board, rules: GameRules, openings: OpeningRows) -> None:
        self._base, self._plan, self._board = base, plan, board
        self._rules, self._openings = rules, openings

    def batches(self, encounter: int | None = None, skip: int = 0, most: int | None = None) -> Iterator[GameBatch]:
        """Yield games; see `GameTable.batches`."""
        if encounter is None and skip == 0 and most is None:
            rows = self._base.all_rows("games")
        else:
            where, values = ("", []) if encounter is None else ("WHERE encounter = ?", [encounter])
            rows = self._base.rows("games", where, values, skip=skip, most=most)
        while games := [self._game(row) for row in islice(rows, GAMES_AT_ONCE)]:
            yield GameBatch.from_games(self._board, games)

    def stored_numbers(self) -> Numbers:
        """Return the numbers of all stored games; see `GameTable.stored_numbers`."""
        names, order = ("encounter", "pair", "leg"), "ORDER BY encounter, pair, leg"
        rows = list(self._base.columns("games", names, order, []))
        places = np.array(rows, dtype=np.int64).reshape(-1, 3)
        numbers: Numbers = 2 * (places[:, 0] * self._plan.pairs + places[:, 1]) + places[:, 2]
        return numbers

    def _game(self, row: tuple[Any, ...]) -> Game:
        encounter, pair, leg, moves, winner, reason, note, *lists, busy_ms = row
        self._rules.check_place(encounter, pair, leg)
        scores, depths, nodes, times_ms = map(_read_list, lists)
        game = Game(
            encounter,
            pair,
            leg,
            self._rules.players(encounter, leg),
            self._opening(pair),
            tuple(moves.split()),
            Player(winner),
            Reason(reason),
            shown_note(note),
            scores,
            depths,
            nodes,
            times_ms,
            busy_ms=_read_list(busy_ms) if busy_ms else times_ms,
        )
        self._rules.check_game(game, self._opening)
        return game

    def _opening(self, pair: int) -> Moves:
        return self._openings.block(pair // BLOCK)[0].text(pair % BLOCK, self._board)


def _read_list(text: str) -> list[Any]:
    values = read_json(text)
    if type(values) is not list:
        raise ValueError("not a list")
    return values
