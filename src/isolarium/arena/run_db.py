"""The record of a run: one SQLite file that is written as games finish and can be read meanwhile.

One process writes, in WAL mode, so a kill at any moment loses at most the games that were not yet committed. A game is
known by its encounter, pair and leg (0: the encounter's first agent moves first; 1: the second does), so that playing
it again could only write the same row.
"""

import json
import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, fields
from datetime import datetime
from errno import ENOENT
from functools import lru_cache
from math import inf
from pathlib import Path
from types import NoneType
from typing import Any, Final

from isolarium.arena.checksummed_db import Layout, create_sealed, damaged, open_sealed
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
from isolarium.arena.openings import Opening
from isolarium.arena.plan import Plan, plan_from_json
from isolarium.arena.schedule import Span
from isolarium.errors import InputError, RunAborted
from isolarium.game.notation import parse_board, parse_square
from isolarium.game.outcome import Player
from isolarium.limits import Stop
from isolarium.strict_json import read_json
from isolarium.text import printable

VERSION: Final = 2
FILE_NAME: Final = "run.sqlite"
TABLES: Final = {
    "facts": Layout(
        "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL{seal}) WITHOUT ROWID",
        (str, str),
        ("name",),
    ),
    # `alike` is the number of the first opening of the cluster.
    "openings": Layout(
        """CREATE TABLE openings (
            number INTEGER PRIMARY KEY, moves TEXT NOT NULL, cluster TEXT NOT NULL, alike INTEGER NOT NULL{seal}
        )""",
        (int, str, str, int),
        ("number",),
    ),
    # Moves are the agents', squares with spaces between; the winner is 0, the first player, or 1; scores, depths, nodes
    # and times are JSON lists with a value a move; `busy_ms` is empty where the clock decides nothing.
    "games": Layout(
        """CREATE TABLE games (
            encounter INTEGER NOT NULL, pair INTEGER NOT NULL, leg INTEGER NOT NULL,
            moves TEXT NOT NULL, winner INTEGER NOT NULL, reason TEXT NOT NULL, note TEXT NOT NULL,
            scores TEXT NOT NULL, depths TEXT NOT NULL, nodes TEXT NOT NULL,
            times_ms TEXT NOT NULL, busy_ms TEXT NOT NULL{seal}, PRIMARY KEY (encounter, pair, leg)
        )""",
        (int, int, int, str, int, str, str, str, str, str, str, str),
        ("encounter", "pair", "leg"),
    ),
}
BLOCK: Final = 1000
"""Openings that are read at a time where games are."""
BLOCKS: Final = 50
MOST_SITTINGS: Final = 100_000
TROUBLES: Final = "clock"
"""The fact that counts them."""


class Record:
    """The record of one run, in a folder of its own.

    The folder may come from anybody: whatever is read is as it was written, and what a run could have written, or it is
    an InputError that names the record.

    Attributes:
        folder: where it is.
        plan: what is to be played.
        board: the board of the plan.
    """

    def __init__(self, folder: Path, *, writes: bool = False) -> None:
        """Open the record in `folder`; who opens it to write is the only one who can, until it is closed.

        Raises:
            InputError: there is none, it is of another version or damaged, or another process writes to it.
        """
        self.folder = folder
        self._path = folder / FILE_NAME
        if not self._path.is_file():
            raise InputError(f"{folder}: no run there", advice="; isolarium runs lists them")
        with ExitStack() as held:  # released again if the record cannot be opened
            if writes:
                held.callback(RunLock(folder).release)
            self._base = open_sealed(self._path, TABLES, VERSION, writes=writes)
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
        """Begin a record in a folder that has none, and open it to write.

        Raises:
            OSError: there is no space left.
            InputError: the folder cannot be written to.
        """
        folder.mkdir(parents=True, exist_ok=True)
        rows = {"facts": [("plan", plan.to_json())], "openings": _numbered(openings), "games": []}
        create_sealed(folder / FILE_NAME, TABLES, VERSION, rows)
        return cls(folder, writes=True)

    def close(self) -> None:
        """Let go of the file."""
        self._held.close()

    @property
    def has_checksums(self) -> bool:
        """Whether damage to it is noticed; records of version 1 had none."""
        return self._base.has_seals

    @contextmanager
    def checked(self) -> Iterator[None]:
        """Within the block what is wrong is the record."""
        try:
            yield
        except (ValueError, ArithmeticError) as error:  # InputError is the former
            told = error.message if isinstance(error, InputError) else str(error)
            raise damaged(self._path, told) from None

    # Facts

    def fact(self, name: str) -> str | None:
        """A fact about the run, if it is known, to be read by people."""
        value = self._fact(name)
        return None if value is None else printable(value)

    def _fact(self, name: str) -> str | None:
        for _, value in self._base.rows("facts", "WHERE name = ?", [name]):
            return str(value)
        return None

    def set_fact(self, name: str, value: str) -> None:
        """Write a fact about the run."""
        self._check_there()
        with self._base.changes():
            self._base.replace("facts", (name, value))

    def json_fact(self, name: str, default: Any) -> Any:
        """A fact that was written as JSON, which may be anything; the default where there is none."""
        text = self._fact(name)
        with self.checked():
            return default if text is None else read_json(text)

    def facts_beginning(self, start: str) -> list[str]:
        """The names of the facts that begin so."""
        where, values = "WHERE name >= ? AND name < ?", [start, f"{start}\U0010ffff"]
        return [name for name, _ in self._base.rows("facts", where, values)]

    def sittings(self) -> list[dict[str, Any]]:
        """With what it was played, each time it was taken up: `since` when, after how many `games_before`, and more."""
        with self.checked():
            found = self.json_fact("circumstances", [])
            if type(found) is not list or len(found) > MOST_SITTINGS:
                raise ValueError("its circumstances are no list")
            for sitting in found:
                _check_sitting(sitting)
            return found

    def files(self) -> dict[str, str] | None:
        """The digests of the files that its agents are made from, by name; None before it was played."""
        text = self._fact("files")
        if text is None:
            return None
        with self.checked():
            found = read_json(text)
            if type(found) is not dict or not all(type(value) is str for value in found.values()):
                raise ValueError("its files are no names with digests")
            return found

    def troubles(self) -> ClockTroubles:
        """What the machine did to its games so far, where the clock decides them."""
        with self.checked():
            found = self.json_fact(TROUBLES, {})
            names = {field.name for field in fields(ClockTroubles)}
            if type(found) is not dict or not found.keys() <= names:
                raise ValueError("its troubles with the clock are none")
            troubles = ClockTroubles(**found)
            check_troubles(troubles)
            return troubles

    def _check_there(self) -> None:
        """See that what is written will be found.

        Raises:
            FileNotFoundError: somebody has removed the record.
        """
        if self._path.stat().st_ino != self._file:
            raise FileNotFoundError(ENOENT, "another file is in its place", str(self._path))

    @property
    def is_finished(self) -> bool:
        """Whether everything that was to be played is there."""
        return self.fact("finished") is not None

    def finish(self, when: str, pairs: int | None = None) -> None:
        """Write that the run is complete; where a test ended it after so many pairs, with no game of a later one."""
        self._check_there()
        with self._base.changes():
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
        """Write finished games, all or nothing; a game that is already there stays as it is.

        Args:
            games: The games, which may come from anywhere: only what `games` would return is written.
            troubles: What the machine did to them.
            origin: A fact that names who played them.
            give_up: Asked again and again, while another process holds a lock on the file, whether to wait no longer.

        Raises:
            OSError: If there is no space left, or no record any more.
            InputError: If the file cannot be written.
            ValueError: If a game is not one of the plan's, or not played by the rules.
        """
        self._check_there()
        with self._base.changes(give_up):
            self._base.add("games", map(self._checked_columns, games))
            if troubles != NO_TROUBLES:
                check_troubles(troubles)
                summed = self.troubles() + troubles
                check_troubles(summed)
                self._base.replace("facts", (TROUBLES, json.dumps(asdict(summed))))
            if origin is not None:
                self._base.replace("facts", origin)

    def _checked_columns(self, game: Game) -> tuple[Any, ...]:
        self._rules.check_game(game, self._opening_of)
        return to_columns(game, self.plan.is_timed)

    def check_batch(self, span: Span, games: Sequence[Game]) -> None:
        """Check that games are those of a span of the plan, each once, in order and by the rules.

        Raises:
            ValueError: If they are not.
        """
        self._rules.check_batch(span, games, self._opening_of)

    def remove(self, spans: Iterable[tuple[int, int, int]], facts: Iterable[str]) -> None:
        """Take out games that are not to be believed, and facts about them.

        Args:
            spans: for each, an encounter, its first pair, and the one after the last.
            facts: by name.
        """
        self._check_there()
        with self._base.changes():
            for span in spans:
                self._base.remove("games", "encounter = ? AND pair >= ? AND pair < ?", span)
            for name in facts:
                self._base.remove("facts", "name = ?", [name])

    def openings(self) -> list[Opening]:
        """The openings, in order."""
        return [
            Opening(tuple(parse_square(text, self.board) for text in moves), cluster)
            for moves, cluster, _ in self._all_openings()
        ]

    def _all_openings(self) -> Iterator[tuple[tuple[str, ...], str, int]]:
        """The moves of every opening, its cluster, and the number of the first one in that."""
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
                raise ValueError(f"opening {expected}: it is not there")
        return squares, printable(cluster), alike

    def opening_lines(self, first: int, end: int) -> list[str]:
        """The moves of the openings from number `first` up to but not including `end`, each as text."""
        rows = self._base.rows("openings", "WHERE number >= ? AND number < ?", [first, end])
        found = [self._opening(row, expected) for expected, row in enumerate(rows, first)]
        if len(found) != max(0, min(end, self.plan.pairs) - first):
            raise damaged(self._path, "openings are missing")
        return [" ".join(moves) for moves, _, _ in found]

    def _read_block(self, number: int) -> list[tuple[str, ...]]:
        lines = self.opening_lines(number * BLOCK, (number + 1) * BLOCK)
        return [tuple(line.split()) for line in lines]

    def _opening_of(self, pair: int) -> tuple[str, ...]:
        return self._opening_block(pair // BLOCK)[pair % BLOCK]

    def clusters(self) -> Sequence[int]:
        """The cluster of each opening, in order: the number of the first opening that is played like it."""
        return array("q", (alike for _, _, alike in self._all_openings()))

    def games(
        self, encounter: int | None = None, *, skip: int = 0, most: int | None = None
    ) -> Iterator[Game]:
        """Every finished game, by encounter, pair and leg; or some, of which those skipped are not looked at."""
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
        """Return the game of a row: the only place where a game of the database is decoded."""
        encounter, pair, leg, *_ = row
        self._rules.check_place(encounter, pair, leg)
        players = self._rules.players(encounter, leg)
        game = from_columns(row, players, self._opening_of(pair))
        self._rules.check_game(game, self._opening_of)
        return game

    def results(self) -> Iterator[tuple[int, int, int, bool]]:
        """Yield the encounter, pair and leg of every finished game, and whether the encounter's first agent won.

        That is all a tally needs, and the rest of the row is not decoded.
        """
        for encounter, pair, leg, _, winner, *_ in self._base.all_rows("games"):
            with self.checked():
                self._rules.check_place(encounter, pair, leg)
                Player(winner)
            yield encounter, pair, leg, winner == leg

    def count(self) -> int:
        """How many games are finished."""
        return self._base.count("games")


def _check_sitting(sitting: Any) -> None:
    plain = (str, int, float, NoneType)  # a load is not known on every system
    if type(sitting) is not dict or not all(
        type(value) in plain and value not in (inf, -inf) for value in sitting.values()
    ):
        raise ValueError("its circumstances are none")
    if type(sitting.get("games_before")) is not int or not 0 <= sitting["games_before"] < MOST:
        raise ValueError("its circumstances do not say after how many games")
    if datetime.fromisoformat(str(sitting.get("since"))).tzinfo is None:
        raise ValueError("its circumstances do not say since when")


def _numbered(openings: Iterable[Opening]) -> Iterator[tuple[int, str, str, int]]:
    first_of: dict[str, int] = {}
    for number, opening in enumerate(openings):
        alike = first_of.setdefault(opening.cluster, number)
        yield number, str(opening), opening.cluster, alike


@contextmanager
def written(record: Record) -> Iterator[None]:
    """End the run if the record cannot be written within the block.

    Raises:
        RunAborted: If it cannot.
    """
    try:
        yield
    except FileNotFoundError:
        raise RunAborted(
            f"{record.folder}: removed while the run was played; nothing of it is kept"
        ) from None
    except InputError as error:
        raise RunAborted(str(error)) from None
    except OSError as error:
        raise RunAborted(f"{record.folder}: {error.strerror}") from None


LOCK_NAME: Final = "run.lock"
PATIENCE_S: Final = 1.0
"""How long a lock is waited for: somebody may be asking whether it is held, which takes it for a moment."""


class RunLock:
    """Held by the one process that plays a run."""

    def __init__(self, folder: Path) -> None:
        """Take the lock.

        Raises:
            InputError: another process plays this run, or the folder cannot be written to.
        """
        path = folder / LOCK_NAME
        if path.exists() and (not path.is_file() or path.stat().st_size):
            raise InputError(f"{path}: no run of ours writes anything there; expected it empty")
        try:
            self._base = sqlite3.connect(path, timeout=PATIENCE_S, isolation_level=None)
        except sqlite3.Error as error:
            raise InputError(f"{folder}: {error}; expected a folder to write to") from None
        try:
            self._base.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            self._base.close()
            why = "this run is being played by another process; expected one that nobody plays"
            if "locked" not in str(error):
                why = f"{error}; expected a folder to write to"
            raise InputError(f"{folder}: {why}") from None

    def release(self) -> None:
        """Let go of it."""
        self._base.close()


def is_being_played(folder: Path) -> bool:
    """Whether some process plays the run now."""
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
