"""The results database of a run.

The database is one SQLite file. Games are written as they finish, and the file can be read
during the run.

One process writes, in WAL mode, so a kill at any moment loses at most the games that were not yet
committed. A game's key is its encounter, pair and leg (0 if the encounter's first agent moves
first, 1 if the second does), so replaying a game can only write the same row.
"""

import json
import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, fields
from datetime import datetime
from errno import ENOENT
from functools import cached_property, lru_cache
from math import inf
from pathlib import Path
from types import NoneType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from isolarium.arena.batch_codec import from_bytes
from isolarium.arena.batch_rules import check_games, check_span
from isolarium.arena.checksummed_db import Layout, create_db, damaged, open_db
from isolarium.arena.game import (
    MOST,
    NO_TROUBLES,
    ClockTroubles,
    Game,
    GameRules,
    check_troubles,
    from_columns,
    to_columns,
)
from isolarium.arena.game_batch import Codes, GameBatch
from isolarium.arena.lines import Lines, Numbers
from isolarium.arena.openings import Opening
from isolarium.arena.plan import Plan, plan_from_json
from isolarium.arena.schedule import Span
from isolarium.errors import InputError, RunAborted
from isolarium.game.notation import parse_board, parse_square
from isolarium.game.outcome import Player
from isolarium.limits import Stop
from isolarium.processes.own_code import Kind
from isolarium.safe_files import read_json
from isolarium.text import printable

VERSION: Final = 2
FILE_NAME: Final = "run.sqlite"
TABLES: Final = {
    "facts": Layout(
        "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL{checksum}) WITHOUT ROWID",
        (str, str),
        ("name",),
    ),
    # `alike` is the number of the first opening in the opening's cluster.
    "openings": Layout(
        """CREATE TABLE openings (
            number INTEGER PRIMARY KEY, moves TEXT NOT NULL, cluster TEXT NOT NULL, alike INTEGER NOT NULL{checksum}
        )""",
        (int, str, str, int),
        ("number",),
    ),
    # `moves` are squares separated by spaces; `winner` is 0 if the first player won, else 1;
    # scores, depths, nodes and times are JSON lists with one value per move; `busy_ms` is empty in
    # a run without time limits.
    "games": Layout(
        """CREATE TABLE games (
            encounter INTEGER NOT NULL, pair INTEGER NOT NULL, leg INTEGER NOT NULL,
            moves TEXT NOT NULL, winner INTEGER NOT NULL, reason TEXT NOT NULL, note TEXT NOT NULL,
            scores TEXT NOT NULL, depths TEXT NOT NULL, nodes TEXT NOT NULL,
            times_ms TEXT NOT NULL, busy_ms TEXT NOT NULL{checksum}, PRIMARY KEY (encounter, pair, leg)
        )""",
        (int, int, int, str, int, str, str, str, str, str, str, str),
        ("encounter", "pair", "leg"),
    ),
}
BLOCK: Final = 1000
"""The number of openings read at a time while reading games."""
BLOCKS: Final = 50
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
            raise InputError(f"{folder}: no run there", advice="; isolarium runs lists them")
        with ExitStack() as held:  # Released again if the database cannot be opened
            if writes:
                held.callback(RunLock(folder).release)
            self._base = open_db(self._path, TABLES, VERSION, writes=writes)
            held.callback(self._base.close)
            self._file = self._path.stat().st_ino
            facts: dict[str, str] = dict(self._base.all_rows("facts"))
            with self.checked():
                self.plan: Plan = plan_from_json(facts.get("plan", ""))
            self._rules, self.board = GameRules(self.plan), parse_board(self.plan.board)
            self._held = held.pop_all()
        self._opening_block = lru_cache(BLOCKS)(self._read_block)

    @classmethod
    def create(cls, folder: Path, plan: Plan, openings: Iterable[Opening]) -> "Record":
        """Create the database in a folder without one, and open it for writing.

        Raises:
            OSError: If no space is left.
            InputError: If the folder cannot be written to.
        """
        folder.mkdir(parents=True, exist_ok=True)
        rows = {"facts": [("plan", plan.to_json())], "openings": _numbered(openings), "games": []}
        create_db(folder / FILE_NAME, TABLES, VERSION, rows)
        return cls(folder, writes=True)

    def close(self) -> None:
        """Close the file and release its lock."""
        self._held.close()

    @property
    def has_checksums(self) -> bool:
        """Whether damage is detected; databases of version 1 have no checksums."""
        return self._base.has_checksums

    @contextmanager
    def checked(self) -> Iterator[None]:
        """Report an error within the block as damage to the database."""
        try:
            yield
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
            pairs: If a test ended the run, the number of pairs until then; games of later pairs are
                removed.
            give_up: Called repeatedly while another process locks the file; returns whether to stop
                waiting.
        """
        self._check_in_place()
        with self._base.changes(give_up):
            if pairs is not None:
                self._base.remove("games", "pair >= ?", [pairs])
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
            give_up: Called repeatedly while another process locks the file; returns whether to stop
                waiting.

        Raises:
            OSError: If no space is left, or the database was removed.
            InputError: If the file cannot be written.
            ValueError: If a game does not belong to the plan or breaks a rule.
        """
        self._check_in_place()
        with self._base.changes(give_up):
            self._base.add("games", map(self._checked_columns, games))
            if troubles != NO_TROUBLES:
                check_troubles(troubles)
                summed = self.troubles() + troubles
                check_troubles(summed)
                self._base.replace("facts", (TROUBLES, json.dumps(asdict(summed))))
            if origin is not None:
                self._base.replace("facts", origin)

    @cached_property
    def opening_lines(self) -> Lines:
        """The moves of all openings, by square number."""
        return Lines.of_texts(self.board, (moves for moves, *_ in self._all_openings()))

    def read_batch(self, data: bytes, span: Span) -> GameBatch:
        """Decode the games of a span, and check all of them.

        Raises:
            ValueError: If the bytes are not exactly the games of the span, or a game breaks a rule.
        """
        batch = from_bytes(data, self.board, self._fill, 2 * (span.end - span.first))
        check_span(batch, span)
        check_games(batch)
        return batch

    def _fill(
        self, encounters: Numbers, pairs: Numbers, legs: Codes
    ) -> tuple[NDArray[np.int32], Lines]:
        """Return the players and the openings of games of the plan."""
        count, most = len(self.plan.encounters), self.plan.pairs
        is_planned = (encounters >= 0) & (encounters < count) & (pairs >= 0) & (pairs < most)
        if not is_planned.all():
            number = int((~is_planned).argmax())
            place = f"{encounters[number]}, {pairs[number]}, {legs[number]}"
            raise ValueError(f"a game {place} that the plan does not have")
        seats = [((met.first, met.second), (met.second, met.first)) for met in self.plan.encounters]
        return np.array(seats, dtype=np.int32)[encounters, legs], self.opening_lines.take(pairs)

    def add_batch(
        self,
        batch: GameBatch,
        data: bytes,
        troubles: ClockTroubles = NO_TROUBLES,
        origin: tuple[str, str] | None = None,
        give_up: Stop | None = None,
    ) -> None:
        """Write games that `read_batch` has returned for these bytes; see `add`."""
        self.add(batch, troubles, origin, give_up)

    def _checked_columns(self, game: Game) -> tuple[Any, ...]:
        self._rules.check_game(game, self._opening_of)
        return to_columns(game, self.plan.is_timed)

    def check_batch(self, span: Span, games: Sequence[Game]) -> None:
        """Check that games match a span of the plan and follow the rules.

        Each game of the span must occur once, and in order.

        Raises:
            ValueError: If a game is missing, does not belong to the span, or breaks a rule.
        """
        self._rules.check_batch(span, games, self._opening_of)

    def remove(self, spans: Iterable[tuple[int, int, int]], facts: Iterable[str]) -> None:
        """Remove games that cannot be trusted, and facts about them.

        Args:
            spans: The spans, each an encounter, its first pair, and the pair after the last.
            facts: The names of the facts.
        """
        self._check_in_place()
        with self._base.changes():
            for span in spans:
                self._base.remove("games", "encounter = ? AND pair >= ? AND pair < ?", span)
            for name in facts:
                self._base.remove("facts", "name = ?", [name])

    def openings(self) -> list[Opening]:
        """Return the openings in order."""
        return [
            Opening(tuple(parse_square(text, self.board) for text in moves), cluster)
            for moves, cluster, _ in self._all_openings()
        ]

    def _all_openings(self) -> Iterator[tuple[tuple[str, ...], str, int]]:
        """Yield every opening's moves, cluster, and the cluster's first opening by number."""
        count = 0
        for row in self._base.all_rows("openings"):
            yield self._opening(row, count)
            count += 1
        if count != self.plan.pairs:
            raise damaged(self._path, f"{count:,} openings for {self.plan.pairs:,} pairs")

    def _opening(self, row: tuple[Any, ...], expected: int) -> tuple[tuple[str, ...], str, int]:
        number, moves, cluster, alike = row
        squares = tuple(moves.split())
        with self.checked():
            self._rules.check_opening(squares)
            if number != expected or not 0 <= alike <= number:
                raise ValueError(f"opening {expected}: it is missing")
        return squares, printable(cluster), alike

    def opening_moves(self, first: int, end: int) -> list[tuple[str, ...]]:
        """Return the moves of the openings from `first` up to but not including `end`."""
        rows = self._base.rows("openings", "WHERE number >= ? AND number < ?", [first, end])
        found = [self._opening(row, expected) for expected, row in enumerate(rows, first)]
        if len(found) != max(0, min(end, self.plan.pairs) - first):
            raise damaged(self._path, "openings are missing")
        return [moves for moves, _, _ in found]

    def _read_block(self, number: int) -> list[tuple[str, ...]]:
        return self.opening_moves(number * BLOCK, (number + 1) * BLOCK)

    def _opening_of(self, pair: int) -> tuple[str, ...]:
        return self._opening_block(pair // BLOCK)[pair % BLOCK]

    def clusters(self) -> Sequence[int]:
        """Return the cluster of each opening in order.

        A cluster is identified by the number of its first opening.
        """
        return array("q", (alike for _, _, alike in self._all_openings()))

    def games(
        self, encounter: int | None = None, *, skip: int = 0, most: int | None = None
    ) -> Iterator[Game]:
        """Yield finished games by encounter, pair and leg.

        Args:
            encounter: The encounter whose games to yield; None for all.
            skip: The number of games to skip; skipped games are not checked.
            most: The maximum number of games to yield.
        """
        if encounter is None and skip == 0 and most is None:
            rows = self._base.all_rows("games")
        else:
            where, values = ("", []) if encounter is None else ("WHERE encounter = ?", [encounter])
            rows = self._base.rows("games", where, values, skip=skip, most=most)
        for row in rows:
            with self.checked():
                game = self._game(row)
            yield game

    def _game(self, row: tuple[Any, ...]) -> Game:
        """Decode a row; all games of the database are decoded here."""
        encounter, pair, leg, *_ = row
        self._rules.check_place(encounter, pair, leg)
        players = self._rules.players(encounter, leg)
        game = from_columns(row, players, self._opening_of(pair))
        self._rules.check_game(game, self._opening_of)
        return game

    def winners(self) -> Iterator[tuple[int, int, int, Player]]:
        """Yield four columns of every finished game: encounter, pair, leg and winner.

        A tally needs only these columns; the others are not decoded.
        """
        for encounter, pair, leg, _, winner, *_ in self._base.all_rows("games"):
            with self.checked():
                self._rules.check_place(encounter, pair, leg)
                player = Player(winner)
            yield encounter, pair, leg, player

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


def _numbered(openings: Iterable[Opening]) -> Iterator[tuple[int, str, str, int]]:
    first_of: dict[str, int] = {}
    for number, opening in enumerate(openings):
        alike = first_of.setdefault(opening.cluster, number)
        yield number, str(opening), opening.cluster, alike


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


# The lock of a run, which allows only one process at a time to play the run

LOCK_NAME: Final = "run.lock"
PATIENCE_S: Final = 1.0
"""How long to wait for the lock, which a process checking it holds briefly."""


class RunLock:
    """The lock held by the process that plays a run."""

    def __init__(self, folder: Path) -> None:
        """Take the lock.

        Raises:
            InputError: If another process plays this run, or the folder cannot be written to.
        """
        path = folder / LOCK_NAME
        if path.exists() and (not path.is_file() or path.stat().st_size):
            raise InputError(f"{path}: not a run's lock, which is an empty file; remove it")
        try:
            self._base = sqlite3.connect(path, timeout=PATIENCE_S, isolation_level=None)
        except sqlite3.Error as error:
            raise InputError(f"{folder}: {error}; use a folder that you can write to") from None
        try:
            self._base.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            self._base.close()
            why = "another process is playing this run; wait until it ends"
            if "locked" not in str(error):
                why = f"{error}; use a folder that you can write to"
            raise InputError(f"{folder}: {why}") from None

    def release(self) -> None:
        """Release the lock."""
        self._base.close()


def is_being_played(folder: Path) -> bool:
    """Return whether a process is playing the run now."""
    path = folder / LOCK_NAME
    if not path.is_file():
        return False
    address = f"{path.resolve().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True, timeout=0)) as base:
            base.execute("PRAGMA schema_version").fetchone()
    except sqlite3.Error as error:
        return "locked" in str(error)
    return False


def _is_own_code(value: Any) -> bool:
    if type(value) is not dict or value.keys() != {"kind", "digest", "source", "values"}:
        return False
    return all(type(text) is str for text in value.values()) and value["kind"] in tuple(Kind)
