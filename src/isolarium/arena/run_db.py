"""The results database of a run.

The database is one SQLite file. Games are written as they finish, and the file can be read
during the run. It has three tables: facts, and openings and games (see
`column_tables`, which also reads databases of earlier versions).

One process writes, in WAL mode, so a kill at any moment loses at most the games that were not yet
committed. A game is identified by its encounter, pair and leg (0 if the encounter's first agent
moves first, 1 if the second does), and a game that is stored is never written again.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, fields, replace
from datetime import datetime
from errno import ENOENT
from functools import cached_property
from math import inf
from pathlib import Path
from types import NoneType
from typing import Any, Final

import numpy as np

from isolarium.arena import column_tables
from isolarium.arena.checksummed_db import Layout, create_db, open_db
from isolarium.arena.column_tables import (
    BLOCK,
    Block,
    GameRows,
    GameTable,
    OpeningRows,
    OpeningTable,
    block_row,
    game_rows,
    opening_rows,
)
from isolarium.arena.game import MOST, NO_TROUBLES, ClockTroubles, Game, Moves
from isolarium.arena.game_batch import GameBatch
from isolarium.arena.game_checks import GameRules, check_span, check_troubles
from isolarium.arena.lines import Lines, Numbers
from isolarium.arena.openings import Opening, opening_of, position_after
from isolarium.arena.plan import Plan, plan_from_json
from isolarium.arena.schedule import Span
from isolarium.arena.sqlite_file import DatabaseError, RunLock, damaged
from isolarium.errors import InputError, RunAborted
from isolarium.game.board import parse_board
from isolarium.game.position import Player
from isolarium.limits import Stop
from isolarium.processes.own_code import Kind
from isolarium.safe_files import read_json
from isolarium.text import printable

VERSION: Final = 3
FILE_NAME: Final = "run.sqlite"
FACTS: Final = Layout(
    "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL{checksum}) WITHOUT ROWID", (str, str), ("name",)
)
TABLES: Final = {"facts": FACTS, "openings": column_tables.OPENINGS, "games": column_tables.GAMES}
ROW_TABLES: Final = {"facts": FACTS, "openings": column_tables.OPENING_ROWS, "games": column_tables.GAME_ROWS}
LAYOUTS: Final = {1: ROW_TABLES, 2: ROW_TABLES, VERSION: TABLES}
"""The tables of each version; version 1 has no checksums."""
MOST_SITTINGS: Final = 100_000
TROUBLES: Final = "clock"
"""The name of the fact that stores the machine's delays."""


class Record:
    """The results database of one run, in the run's own folder.

    The folder may come from an untrusted source. Values are checked as they are read. If a value is
    damaged or could not have been written by a run, reading raises an InputError naming the file.

    Attributes:
        folder: The run's folder.
        plan: The run's plan.
        board: The plan's board.
    """

    def __init__(self, folder: Path, *, writes: bool = False) -> None:
        """Open the database in `folder`.

        A database opened for writing is locked until it is closed.

        Raises:
            InputError: If the database is missing, damaged or of another version, or if another
                process is writing to it.
        """
        self.folder = folder
        self._path = folder / FILE_NAME
        if not self._path.is_file():
            raise InputError(f"{folder}: not the folder of a run", advice="; isolarium runs lists them")
        with ExitStack() as held:  # Released again if the database cannot be opened
            if writes:
                held.callback(RunLock(folder).release)
            self._base = open_db(self._path, LAYOUTS, writes=writes)
            held.callback(self._base.close)
            self._file = self._path.stat().st_ino
            facts: dict[str, str] = dict(self._base.all_rows("facts"))
            with self.checked():
                self.plan: Plan = plan_from_json(facts.get("plan", ""))
            self._rules, self.board = GameRules(self.plan), parse_board(self.plan.board)
            if writes and not self.is_current:
                self._convert()
            self._openings, self._games = self._tables()
            self._held = held.pop_all()

    def _tables(self) -> tuple[OpeningTable | OpeningRows, GameTable | GameRows]:
        if self.is_current:
            openings = OpeningTable(self._base, self.board, self.plan.pairs)
            return openings, GameTable(self._base, self.plan, self.board, openings)
        rows = OpeningRows(self._base, self.board, self._rules, self.plan.pairs)
        return rows, GameRows(self._base, self.plan, self.board, self._rules, rows)

    def _convert(self) -> None:
        """Convert a database of an earlier version, all or nothing."""
        openings, games = self._tables()
        with self.checked():
            blocks, first = list[tuple[int, int, bytes]](), 0
            for block in openings.blocks():
                blocks.append(block_row(first, block))
                first += len(block[0])
            rows = {
                "facts": list(self._base.all_rows("facts")),
                "openings": blocks,
                "games": list(game_rows(games.batches(), self.plan.pairs)),
            }
        self._base.convert(TABLES, VERSION, rows)

    @classmethod
    def create(cls, folder: Path, plan: Plan, openings: Block | None = None) -> "Record":
        """Create the database in a folder without one, and open it for writing.

        Args:
            folder: The folder.
            plan: The run's plan.
            openings: The run's openings; by default the plan's own.

        Raises:
            OSError: If no space is left.
            InputError: If the folder cannot be written to.
        """
        folder.mkdir(parents=True, exist_ok=True)
        rows: dict[str, Iterable[tuple[Any, ...]]] = {
            "facts": [("plan", plan.to_json())],
            "openings": opening_rows(openings or plan.opening_columns()),
        }
        path = folder / FILE_NAME
        create_db(path, TABLES, VERSION, rows)
        try:
            return cls(folder, writes=True)
        except Exception:  # For example, the disk is full. Ctrl-C keeps the run, which can be resumed.
            for suffix in ("", "-wal", "-shm"):
                path.with_name(f"{path.name}{suffix}").unlink(missing_ok=True)
            raise

    def close(self) -> None:
        """Close the file and release its lock."""
        self._held.close()

    @property
    def has_checksums(self) -> bool:
        """Whether damage is detected; databases of version 1 have no checksums."""
        return self._base.has_checksums

    @property
    def is_current(self) -> bool:
        """Whether the database has the current version; writing converts earlier ones."""
        return self._base.version == VERSION

    @contextmanager
    def checked(self) -> Iterator[None]:
        """Report an error within the block as damage to the database."""
        try:
            yield
        except DatabaseError:
            raise
        except (ValueError, ArithmeticError) as error:  # InputError is a ValueError.
            problem = error.message if isinstance(error, InputError) else str(error)
            raise damaged(self._path, problem) from None

    # Facts

    def fact(self, name: str) -> str | None:
        """Return a fact about the run as printable text; None if it is not stored."""
        value = self._fact(name)
        return None if value is None else printable(value)

    def _fact(self, name: str) -> str | None:
        for _, value in self._base.rows("facts", "WHERE name = ?", [name]):
            return str(value)
        return None

    def set_fact(self, name: str, value: str) -> None:
        """Write a fact about the run."""
        self._check_in_place()
        with self._base.changes():
            self._base.replace("facts", (name, value))

    def json_fact(self, name: str, default: Any) -> Any:
        """Return a fact stored as JSON, unchecked, or the default if it is not stored."""
        text = self._fact(name)
        with self.checked():
            return default if text is None else read_json(text)

    def facts_beginning(self, start: str) -> list[str]:
        """Return the names of the facts that begin with `start`."""
        where, values = "WHERE name >= ? AND name < ?", [start, f"{start}\U0010ffff"]
        return [name for name, _ in self._base.rows("facts", where, values)]

    def sittings(self) -> list[dict[str, Any]]:
        """Return the circumstances of each session of the run.

        They include the session's start, `since`, and the number of earlier games, `games_before`.
        """
        with self.checked():
            found = self.json_fact("circumstances", [])
            if type(found) is not list or len(found) > MOST_SITTINGS:
                raise ValueError("its circumstances are not a list")
            for sitting in found:
                _check_sitting(sitting)
            return found

    def files(self) -> dict[str, str] | None:
        """Return the digests of the agents' files by name; None before the run begins."""
        text = self._fact("files")
        if text is None:
            return None
        with self.checked():
            found = read_json(text)
            if type(found) is not dict or not all(type(value) is str for value in found.values()):
                raise ValueError("its files are not names with digests")
            return found

    def own_code(self) -> dict[str, dict[str, str]]:
        """Return the objects of the user's program by name.

        Each object has a `kind`, a `digest`, a `source` and `values`.
        """
        with self.checked():
            found = self.json_fact("own_code", {})
            if type(found) is not dict or not all(map(_is_own_code, found.values())):
                raise ValueError("its own code is invalid")
            return found

    def troubles(self) -> ClockTroubles:
        """Return the machine's delays so far, if the clock affects the games."""
        with self.checked():
            found = self.json_fact(TROUBLES, {})
            names = {field.name for field in fields(ClockTroubles)}
            if type(found) is not dict or not found.keys() <= names:
                raise ValueError("its delays by the machine are not counts")
            troubles = ClockTroubles(**found)
            check_troubles(troubles)
            return troubles

    def _check_in_place(self) -> None:
        """Check that the open file is still the one in the folder.

        Raises:
            FileNotFoundError: If the file was removed or replaced.
        """
        if self._path.stat().st_ino != self._file:
            raise FileNotFoundError(ENOENT, "another file is in its place", str(self._path))

    @property
    def is_finished(self) -> bool:
        """Whether every game is played, or a test ended the run."""
        return self.fact("finished") is not None

    def finish(self, when: str, pairs: int | None = None, give_up: Stop | None = None) -> None:
        """Mark the run as complete.

        Args:
            when: The time of completion.
            pairs: If a test ended the run, the number of pairs until then; games of later pairs are removed.
            give_up: Called repeatedly while another process locks the file; returns whether to stop waiting.
        """
        self._check_in_place()
        with self._base.changes(give_up):
            if pairs is not None:
                for encounter in range(len(self.plan.encounters)):
                    self._written.remove(encounter, pairs, self.plan.pairs)
            self._base.replace("facts", ("finished", when))

    # Openings and games

    def add(
        self,
        games: Iterable[Game],
        troubles: ClockTroubles = NO_TROUBLES,
        origin: tuple[str, str] | None = None,
        give_up: Stop | None = None,
    ) -> None:
        """Write finished games, all or nothing; stored games are left unchanged.

        Args:
            games: The games, from any source; each is checked as when reading the database.
            troubles: The machine's delays in the games.
            origin: A fact that identifies the worker that played the games.
            give_up: Called repeatedly while another process locks the file; returns whether to stop waiting.

        Raises:
            OSError: If no space is left, or the database was removed.
            InputError: If the file cannot be written.
            ValueError: If a game does not belong to the plan or breaks a rule.
        """
        found = list(games)
        for game in found:
            self._rules.check_game(game, self._opening)
        batch = GameBatch.from_games(self.board, found)
        if not self.plan.is_timed:
            batch = replace(batch, busy_ms=None)
        self._add(batch, None, troubles, origin, give_up)

    def read_batch(self, data: bytes, span: Span) -> GameBatch:
        """Decode the games of a span, and check all of them.

        Raises:
            ValueError: If the bytes are not exactly the games of the span, or a game breaks a rule.
        """
        batch = self._written.decode(data, 2 * (span.end - span.first))
        check_span(batch, span)
        return batch

    def add_batch(
        self,
        batch: GameBatch,
        data: bytes,
        troubles: ClockTroubles = NO_TROUBLES,
        origin: tuple[str, str] | None = None,
        give_up: Stop | None = None,
    ) -> None:
        """Write games that `read_batch` has returned for these bytes; see `add`."""
        self._add(batch, data, troubles, origin, give_up)

    def _add(
        self,
        batch: GameBatch,
        data: bytes | None,
        troubles: ClockTroubles,
        origin: tuple[str, str] | None,
        give_up: Stop | None,
    ) -> None:
        self._check_in_place()
        with self._base.changes(give_up):
            self._written.add(batch, data)
            if troubles != NO_TROUBLES:
                check_troubles(troubles)
                summed = self.troubles() + troubles
                check_troubles(summed)
                self._base.replace("facts", (TROUBLES, json.dumps(asdict(summed))))
            if origin is not None:
                self._base.replace("facts", origin)

    @property
    def _written(self) -> GameTable:
        assert isinstance(self._games, GameTable)  # Opening a database for writing converts it.
        return self._games

    def remove(self, spans: Iterable[tuple[int, int, int]], facts: Iterable[str]) -> None:
        """Remove games that cannot be trusted, and facts about them.

        Args:
            spans: The spans, each an encounter, its first pair, and the pair after the last.
            facts: The names of the facts.
        """
        self._check_in_place()
        with self._base.changes():
            for span in spans:
                self._written.remove(*span)
            for name in facts:
                self._base.remove("facts", "name = ?", [name])

    @cached_property
    def opening_lines(self) -> Lines:
        """The moves of all openings, by square number."""
        with self.checked():
            return Lines.joined([lines for lines, _ in self._openings.blocks()])

    def openings(self) -> list[Opening]:
        """Return the openings in order."""
        return [
            opening_of(position_after(self.board, moves), moves)
            for line in self.opening_lines
            for moves in [tuple(self.board.squares[square] for square in line.tolist())]
        ]

    def _opening(self, pair: int) -> Moves:
        lines, _ = self._openings.block(pair // BLOCK)
        return lines.text(pair % BLOCK, self.board)

    def clusters(self) -> Numbers:
        """Return the cluster of each opening in order.

        A cluster is identified by the number of its first opening.
        """
        with self.checked():
            return np.concatenate([alike for _, alike in self._openings.blocks()])

    def batches(self, encounter: int | None = None, *, skip: int = 0, most: int | None = None) -> Iterator[GameBatch]:
        """Yield finished games by encounter, pair and leg, many at a time.

        Args:
            encounter: The encounter whose games to yield; None for all.
            skip: The number of games to skip; skipped games are not checked.
            most: The maximum number of games to yield.
        """
        with self.checked():
            yield from self._games.batches(encounter, skip, most)

    def games(self, encounter: int | None = None, *, skip: int = 0, most: int | None = None) -> Iterator[Game]:
        """Yield finished games singly; see `batches`."""
        for batch in self.batches(encounter, skip=skip, most=most):
            yield from batch

    def complete_pairs(self) -> Numbers:
        """Return the numbers of the pairs whose games are both stored, without reading the games.

        The number of a pair is its place in the plan, encounter by encounter.
        """
        with self.checked():
            pairs, games = np.unique(self._games.stored_numbers() // 2, return_counts=True)
        found: Numbers = pairs[games == 2]
        return found

    def winners(self) -> Iterator[tuple[int, int, int, Player]]:
        """Yield four columns of every finished game: encounter, pair, leg and winner."""
        for batch in self.batches():
            columns = (batch.encounters, batch.pairs, batch.legs, batch.winners)
            for *place, winner in zip(*(column.tolist() for column in columns), strict=True):
                yield *place, Player(winner)

    def count(self) -> int:
        """Return the number of finished games."""
        return self._base.count("games")


def _check_sitting(sitting: Any) -> None:
    plain = (str, int, float, NoneType)  # The load is unknown on some systems.
    if type(sitting) is not dict or not all(
        type(value) in plain and value not in (inf, -inf) for value in sitting.values()
    ):
        raise ValueError("its circumstances have values of the wrong type")
    if type(sitting.get("games_before")) is not int or not 0 <= sitting["games_before"] < MOST:
        raise ValueError("its circumstances have no number of games before them")
    if datetime.fromisoformat(str(sitting.get("since"))).tzinfo is None:
        raise ValueError("its circumstances have no time with a time zone")


@contextmanager
def written(record: Record) -> Iterator[None]:
    """Abort the run if the database cannot be written within the block.

    Raises:
        RunAborted: If the database cannot be written.
    """
    try:
        yield
    except FileNotFoundError:
        raise RunAborted(
            f"{record.folder}: the folder was removed while the run was played; its games are lost"
        ) from None
    except InputError as error:
        raise RunAborted(str(error)) from None
    except OSError as error:
        raise RunAborted(f"{record.folder}: {error.strerror}") from None


def _is_own_code(value: Any) -> bool:
    if type(value) is not dict or value.keys() != {"kind", "digest", "source", "values"}:
        return False
    return all(type(text) is str for text in value.values()) and value["kind"] in tuple(Kind)
