"""Openings and games as a results database stores them: many in each row, as columns.

A row of openings has the number of its first opening, the number of its openings, and their lengths, squares and
clusters as compressed columns.

The number of a game is its place in the plan: encounter by encounter, pair by pair, and both legs of a pair in order. A
row of games has the number of its first game, the number of its games, which follow one another without a gap, and the
bytes that a worker returned.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from struct import Struct
from struct import error as StructError  # noqa: N812 # an exception
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from isolarium.arena.batch_codec import MOST_GAMES, deflate, from_bytes, inflate, pack, size_of, to_bytes, unpack
from isolarium.arena.checksummed_db import ChecksummedDb, Layout
from isolarium.arena.game import Game, Moves, shown_note
from isolarium.arena.game_batch import Codes, GameBatch
from isolarium.arena.game_checks import GameRules, check_games, check_openings
from isolarium.arena.lines import Lines, Numbers
from isolarium.arena.plan import Plan
from isolarium.game.board import Board
from isolarium.game.position import Player, Reason
from isolarium.safe_files import read_json

BLOCK: Final = 4096
"""The number of openings in a block."""
BLOCKS: Final = 256
"""The maximum number of blocks kept in memory."""
OPENINGS: Final = Layout(
    "CREATE TABLE openings (first INTEGER PRIMARY KEY, openings INTEGER NOT NULL, data BLOB NOT NULL{checksum})",
    (int, int, bytes),
    ("first",),
    "openings",
)
HEADER: Final = Struct("<I3s")
"""The number of squares, and the type of each column."""
Block = tuple[Lines, Numbers]
"""The moves of openings, and the number of the first opening in the cluster of each."""


def opening_rows(openings: Block) -> Iterator[tuple[int, int, bytes]]:
    """Yield the rows of all openings."""
    lines, alike = openings
    for first in range(0, len(lines), BLOCK):
        end = min(first + BLOCK, len(lines))
        yield block_row(first, (lines.part(first, end), alike[first:end]))


def block_row(first: int, block: Block) -> tuple[int, int, bytes]:
    """Return the row of a block."""
    lines, alike = block
    distances = np.arange(first, first + len(lines)) - alike
    columns = [pack(column) for column in (lines.lengths, distances, lines.squares)]
    head = HEADER.pack(lines.squares.size, bytes(code for code, _ in columns))
    body = b"".join(data for _, data in columns)
    return first, len(lines), head + deflate(body)


class OpeningTable:
    """The openings in a database.

    Args:
        base: The database.
        board: The board.
        openings: The expected number of openings.
    """

    def __init__(self, base: ChecksummedDb, board: Board, openings: int) -> None:
        self._base, self._board, self._openings = base, board, openings
        self.block = lru_cache(BLOCKS)(self._read_block)

    def blocks(self) -> Iterator[Block]:
        """Yield all blocks.

        Raises:
            ValueError: If openings are missing or invalid.
        """
        count = 0
        for row in self._base.all_rows("openings"):
            yield self._decoded(row, count)
            count += row[1]
        if count != self._openings:
            raise ValueError(f"{count:,} openings for {self._openings:,} pairs")

    def lines(self, numbers: Numbers) -> Lines:
        """Return the moves of some openings.

        Raises:
            ValueError: If they are missing or invalid.
        """
        if not numbers.size:
            return Lines.of([])
        first, last = int(numbers.min()) // BLOCK, int(numbers.max()) // BLOCK
        parts = [self.block(number)[0] for number in range(first, last + 1)]
        lines = parts[0] if len(parts) == 1 else Lines.joined(parts)
        return lines.take(numbers - first * BLOCK)

    def _read_block(self, number: int) -> Block:
        rows = list(self._base.rows("openings", "WHERE first = ?", [number * BLOCK]))
        if not rows:
            raise ValueError("openings are missing")
        return self._decoded(rows[0], number * BLOCK)

    def _decoded(self, row: tuple[Any, ...], expected: int) -> Block:
        first, count, data = row
        if first != expected or count != min(BLOCK, self._openings - first):
            raise ValueError(f"opening {expected}: it is missing")
        try:
            squares, codes = HEADER.unpack_from(data)
        except StructError:
            raise ValueError("openings of the wrong size") from None
        if squares > count * self._board.size:
            raise ValueError("openings of the wrong size")
        counts = (count, count, squares)
        sizes = [size_of(code, size) for code, size in zip(codes, counts, strict=True)]
        body = memoryview(data)[HEADER.size :]
        if len(body) != sum(sizes):
            body = inflate(body, sum(sizes))
        if len(body) != sum(sizes):
            raise ValueError("openings of the wrong size")
        columns, place = list[Numbers](), 0
        for code, size, items in zip(codes, sizes, counts, strict=True):
            values = unpack(body[place : place + size], code, items)
            if values is None or values.dtype.kind == "f":
                raise ValueError("openings that are not whole numbers")
            columns.append(values.astype(np.int64))
            place += size
        return self._checked(first, *columns)

    def _checked(self, first: int, lengths: Numbers, distances: Numbers, squares: Numbers) -> Block:
        alike = np.arange(first, first + len(lengths)) - distances
        if (lengths < 0).any() or lengths.sum() != squares.size or (squares < 0).any():
            raise ValueError("openings of the wrong size")
        if (distances < 0).any() or (alike < 0).any() or (squares >= self._board.size).any():
            raise ValueError("openings that are out of range")
        lines = Lines.of_lengths(squares.astype(np.uint8), lengths)
        check_openings(self._board, lines)
        return lines, alike


GAMES: Final = Layout(
    "CREATE TABLE games (first INTEGER PRIMARY KEY, games INTEGER NOT NULL, data BLOB NOT NULL{checksum})",
    (int, int, bytes),
    ("first",),
    "games",
)
JOINED: Final = 8192
"""Batches are joined until they have at least this many games."""
MOST_IN_ROW: Final = 4096
"""The maximum number of games in a row that is not written as a worker returned it."""


class GameTable:
    """The games in a database.

    Args:
        base: The database.
        plan: The run's plan.
        board: The board.
        openings: The openings in the database.
    """

    def __init__(self, base: ChecksummedDb, plan: Plan, board: Board, openings: OpeningTable) -> None:
        self._base, self._plan, self._board, self._openings = base, plan, board, openings
        seats = [((met.first, met.second), (met.second, met.first)) for met in plan.encounters]
        self._seats = np.array(seats, dtype=np.int32).reshape(-1, 2, 2)

    def numbers(self, batch: GameBatch) -> Numbers:
        """Return the numbers of games."""
        pairs = batch.encounters.astype(np.int64) * self._plan.pairs + batch.pairs
        return 2 * pairs + batch.legs

    def decode(self, data: bytes, most_games: int = MOST_GAMES) -> GameBatch:
        """Return the games of a batch from any source, and check all of them.

        Raises:
            ValueError: If the bytes are damaged, or a game breaks a rule or is not in the plan.
        """
        batch = from_bytes(data, self._board, self._fill, most_games)
        check_games(batch)
        return batch

    def _fill(self, encounters: Numbers, pairs: Numbers, legs: Codes) -> tuple[NDArray[np.int32], Lines]:
        """Return the players and the openings of games of the plan."""
        count, most = len(self._plan.encounters), self._plan.pairs
        is_planned = (encounters >= 0) & (encounters < count) & (pairs >= 0) & (pairs < most)
        if not is_planned.all():
            number = int((~is_planned).argmax())
            place = f"{encounters[number]}, {pairs[number]}, {legs[number]}"
            raise ValueError(f"a game {place} that the plan does not have")
        return self._seats[encounters, legs], self._openings.lines(pairs)

    # Reading

    def batches(self, encounter: int | None = None, skip: int = 0, most: int | None = None) -> Iterator[GameBatch]:
        """Yield finished games by encounter, pair and leg.

        Args:
            encounter: The encounter whose games to yield; None for all.
            skip: The number of games to skip; skipped games are not checked.
            most: The maximum number of games to yield.

        Raises:
            ValueError: If a batch is damaged.
        """
        waiting, count = list[GameBatch](), 0
        for batch in self._parts(encounter, skip, most):
            waiting.append(batch)
            count += len(batch)
            if count >= JOINED:
                yield GameBatch.concatenate(waiting)
                waiting, count = [], 0
        if waiting:
            yield GameBatch.concatenate(waiting)

    def _parts(self, encounter: int | None, skip: int, most: int | None) -> Iterator[GameBatch]:
        if encounter is None and skip == 0 and most is None:
            end = 0
            for row in self._base.all_rows("games"):
                if row[0] < end:
                    raise ValueError("games that are stored twice")
                end = row[0] + row[1]
                yield self._decoded(row)
            return
        each = 2 * self._plan.pairs
        first, end = (0, self._plan.games)
        if encounter is not None:
            first, end = encounter * each, (encounter + 1) * each
        for start, games in self._index(first, end):
            if most == 0:
                return
            if skip >= games:
                skip -= games
                continue
            batch = self._row_of(start)
            stop = len(batch) if most is None else min(len(batch), skip + most)
            yield _part(batch, skip, stop)
            most = None if most is None else most - (stop - skip)
            skip = 0

    def stored_numbers(self) -> Numbers:
        """Return the numbers of all stored games, without reading the games."""
        ranges = [np.arange(first, first + games) for first, games in self._index(0, 1 << 62)]
        found: Numbers = np.concatenate([np.empty(0, dtype=np.int64), *ranges])
        return found

    def _index(self, first: int, end: int) -> list[tuple[Any, ...]]:
        """Return the first game and the number of games of each row within a range."""
        where = "WHERE first >= ? AND first < ? ORDER BY first"
        return list(self._base.columns("games", ("first", "games"), where, [first, end]))

    def _row_of(self, first: int) -> GameBatch:
        for row in self._base.rows("games", "WHERE first = ?", [first]):
            return self._decoded(row)
        raise ValueError("games are missing")

    def _decoded(self, row: tuple[Any, ...]) -> GameBatch:
        first, games, data = row
        if not 0 < games <= MOST_GAMES or not 0 <= first <= self._plan.games - games:
            raise ValueError("games that the plan does not have")
        batch = self.decode(data, games)
        if len(batch) != games or (self.numbers(batch) != first + np.arange(games)).any():
            raise ValueError("a batch of other games")
        return batch

    # Writing, within `changes`

    def add(self, batch: GameBatch, data: bytes | None = None) -> None:
        """Add games, in any order; stored games are left unchanged.

        Args:
            batch: Checked games.
            data: The same games as bytes, if they follow one another without a gap.
        """
        numbers = self.numbers(batch)
        if data is not None and numbers.size and not self._stored(numbers[0], numbers[-1] + 1):
            self._base.add("games", [(int(numbers[0]), len(batch), data)])
            return
        unique, places = np.unique(numbers, return_index=True)
        for first, end in self._stored(int(unique[0]), int(unique[-1]) + 1) if unique.size else ():
            is_new = (unique < first) | (unique >= end)
            unique, places = unique[is_new], places[is_new]
        self._base.add("games", _rows(batch, unique, places, self._plan.pairs))

    def _stored(self, first: int, end: int) -> list[tuple[int, int]]:
        """Return the ranges of stored games that overlap a range."""
        found = list[tuple[int, int]]()
        where = "WHERE first < ? ORDER BY first DESC"
        for start, games in self._base.columns("games", ("first", "games"), where, [int(end)]):
            if start + games <= first:
                break
            found.append((start, start + games))
        return found

    def remove(self, encounter: int, first_pair: int, end_pair: int) -> None:
        """Remove the games of some pairs."""
        start = encounter * self._plan.pairs
        first, end = 2 * (start + first_pair), 2 * (start + min(end_pair, self._plan.pairs))
        for stored, _ in self._stored(first, end):
            batch = self._row_of(stored)
            numbers = self.numbers(batch)
            self._base.remove("games", "first = ?", [stored])
            (places,) = np.nonzero((numbers < first) | (numbers >= end))
            rows = _rows(batch, numbers[places], places, self._plan.pairs)
            self._base.add("games", rows)


def game_rows(batches: Iterable[GameBatch], pairs: int) -> Iterator[tuple[int, int, bytes]]:
    """Yield the rows of games that are ordered by number.

    Args:
        batches: The games.
        pairs: The number of pairs of an encounter.
    """
    for batch in batches:
        places = np.arange(len(batch))
        numbers = 2 * (batch.encounters.astype(np.int64) * pairs + batch.pairs) + batch.legs
        yield from _rows(batch, numbers, places, pairs)


def _rows(batch: GameBatch, numbers: Numbers, places: Numbers, pairs: int) -> Iterator[tuple[int, int, bytes]]:
    """Yield a row for each range of games without a gap within an encounter."""
    is_first = (np.diff(numbers) != 1) | (np.diff(numbers // (2 * pairs)) != 0)
    for part in np.split(np.arange(len(numbers)), np.flatnonzero(is_first) + 1):
        for start in range(0, len(part), MOST_IN_ROW):
            own = part[start : start + MOST_IN_ROW]
            is_whole = len(own) == len(batch) and (places[own] == np.arange(len(batch))).all()
            found = batch if is_whole else batch.with_times().take(places[own])
            yield int(numbers[own[0]]), len(own), to_bytes(found)


def _part(batch: GameBatch, first: int, end: int) -> GameBatch:
    """Return some games of a batch."""
    if first == 0 and end == len(batch):
        return batch
    return batch.with_times().take(np.arange(first, end))


# Versions 1 and 2: a row for each opening and each game; only read, because writing converts a database


GAMES_AT_ONCE: Final = 1024
"""The number of games converted to columns at a time."""
# `alike` is the number of the first opening in the opening's cluster.
OPENING_ROWS: Final = Layout(
    """CREATE TABLE openings (
        number INTEGER PRIMARY KEY, moves TEXT NOT NULL, cluster TEXT NOT NULL, alike INTEGER NOT NULL{checksum}
    )""",
    (int, str, str, int),
    ("number",),
)
# `moves` are squares separated by spaces; `winner` is 0 if the first player won, else 1; scores,
# depths, nodes and times are JSON lists with one value per move; `busy_ms` is empty in a run
# without time limits.
GAME_ROWS: Final = Layout(
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
