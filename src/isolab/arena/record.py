"""The record of a run: one SQLite file that is written as games finish and can be read meanwhile.

One process writes, in WAL mode, so a kill at any moment loses at most the games that were not yet committed. A game is
known by its encounter, pair and leg (0: the encounter's first agent moves first; 1: the second does), so that playing
it again could only write the same row.
"""

import json
import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from isolab.arena.game import PlayedGame
from isolab.arena.openings import Opening
from isolab.arena.plan import Plan, plan_from_json
from isolab.errors import InputError
from isolab.game.outcome import Player, Reason
from isolab.search.protocol import Report

# A game as a row


COLUMNS: Final = """
    encounter INTEGER NOT NULL, pair INTEGER NOT NULL, leg INTEGER NOT NULL,
    moves TEXT NOT NULL,      -- the agents' moves, squares with spaces between
    winner INTEGER NOT NULL,  -- 0 the first player, 1 the second
    reason TEXT NOT NULL, note TEXT NOT NULL,
    scores TEXT NOT NULL, depths TEXT NOT NULL, nodes TEXT NOT NULL,  -- JSON lists, a value a move
    times_ms TEXT NOT NULL,
    busy_ms TEXT NOT NULL,    -- empty where the clock decides nothing
    PRIMARY KEY (encounter, pair, leg)
"""
PLACES: Final = ", ".join("?" * 12)


@dataclass(frozen=True, slots=True)
class GameRow:
    """A game as the record keeps it.

    Attributes:
        encounter: who met, by the plan's list of encounters.
        pair: which opening, from 0.
        leg: 0 when the encounter's first agent moved first, else 1.
        moves: the agents' moves, as squares.
        winner: the player who won.
        reason: why the other lost.
        note: what the loser did, where it was not that it had no moves.
        scores: what each mover said; a number, `inf`, `-inf`, `win 5`, `loss 4` (proven, in so many plies) or None.
        depths: plies looked ahead.
        nodes: positions entered.
        times_ms: on the clock.
        busy_ms: at work; the same where the clock decides nothing.
    """

    encounter: int
    pair: int
    leg: int
    moves: tuple[str, ...]
    winner: Player
    reason: Reason
    note: str
    scores: list[float | str | None]
    depths: list[int]
    nodes: list[int]
    times_ms: list[float]
    busy_ms: list[float]

    @property
    def first_won(self) -> bool:
        """Whether the encounter's first agent won."""
        return (self.winner == Player.FIRST) == (self.leg == 0)


def row_of(encounter: int, pair: int, leg: int, game: PlayedGame) -> GameRow:
    """The row of a game that was played."""
    return GameRow(
        encounter,
        pair,
        leg,
        moves=tuple(str(played.move) for played in game.moves),
        winner=game.outcome.winner,
        reason=game.outcome.reason,
        note=game.note,
        scores=[score_text(played.report) for played in game.moves],
        depths=[played.report.depth for played in game.moves],
        nodes=[played.report.nodes for played in game.moves],
        times_ms=[round(played.time_ms, 3) for played in game.moves],
        busy_ms=[round(played.busy_ms, 3) for played in game.moves],
    )


def score_text(report: Report) -> float | str | None:
    """A score as the record keeps it."""
    score = report.score
    if score is None or score != score:
        return None
    if report.proven:
        word = "win" if score > 0 else "loss"
        return word if report.plies is None else f"{word} {report.plies}"
    return str(score) if abs(score) == float("inf") else score


def is_proven(score: float | str | None) -> bool:
    """Whether a score, as the record keeps it, is a proven end: `win 5` or `loss 4`."""
    return isinstance(score, str) and score.startswith(("win", "loss"))


def to_columns(game: GameRow, is_timed: bool) -> tuple[Any, ...]:
    """The row as the file has it."""
    lists: tuple[list[Any], ...] = (game.scores, game.depths, game.nodes, game.times_ms)
    return (
        game.encounter,
        game.pair,
        game.leg,
        " ".join(game.moves),
        int(game.winner),
        str(game.reason),
        game.note,
        *map(_packed, lists),
        _packed(game.busy_ms) if is_timed else "",
    )


def from_columns(columns: tuple[Any, ...]) -> GameRow:
    """What `to_columns` made it from."""
    encounter, pair, leg, moves, winner, reason, note, *lists, busy_ms = columns
    scores, depths, nodes, times_ms = map(json.loads, lists)
    return GameRow(
        encounter,
        pair,
        leg,
        tuple(moves.split()),
        Player(winner),
        Reason(reason),
        note,
        scores,
        depths,
        nodes,
        times_ms,
        busy_ms=json.loads(busy_ms) if busy_ms else times_ms,
    )


def _packed(values: list[Any]) -> str:
    return json.dumps(values, separators=(",", ":"))


# One process at a time plays a run


LOCK_NAME: Final = "run.lock"
PATIENCE_S: Final = 1.0
"""How long a lock is waited for: somebody may be asking whether it is held, which takes it for a moment."""


class RunLock:
    """Held by the one process that plays a run; the system lets go of it when that process ends, however it ends."""

    def __init__(self, folder: Path) -> None:
        """Take the lock.

        Raises:
            InputError: another process plays this run, or the folder cannot be written to.
        """
        try:
            self._base = sqlite3.connect(
                folder / LOCK_NAME, timeout=PATIENCE_S, isolation_level=None
            )
        except sqlite3.OperationalError as error:
            raise InputError(f"{folder}: {error}; expected a folder to write to") from None
        try:
            self._base.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
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
    base = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=0)
    try:
        base.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        return "locked" in str(error)
    finally:
        base.close()
    return False


# The record


SCHEMA_VERSION: Final = 1
FILE_NAME: Final = "run.sqlite"

SCHEMA: Final = f"""
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE openings (
    number INTEGER PRIMARY KEY, moves TEXT NOT NULL, cluster TEXT NOT NULL,
    alike INTEGER NOT NULL  -- the number of the first opening of its cluster
);
CREATE TABLE games ({COLUMNS});
"""

Result = tuple[int, int, int, bool]
"""Encounter, pair, leg, and whether the encounter's first agent won."""


class Record:
    """The record of one run, in a folder of its own."""

    def __init__(self, folder: Path, *, writes: bool = False) -> None:
        """Open the record in `folder`; who opens it to write is the only one who can, until it is closed.

        Raises:
            InputError: there is none, it is of another version, or another process writes to it.
        """
        self.folder = folder
        self._path = folder / FILE_NAME
        if not self._path.is_file():
            raise InputError(f"{folder}: no run there", advice="; isolab runs lists them")
        with ExitStack() as held:  # released again if the record cannot be opened
            if writes:
                held.callback(RunLock(folder).release)
            self._open(writes, held)
            self._held = held.pop_all()

    def _open(self, writes: bool, held: ExitStack) -> None:
        try:
            self._base = held.enter_context(closing(self._connected(writes)))
            version = self._base.execute("PRAGMA user_version").fetchone()[0]
        except sqlite3.DatabaseError as error:
            raise InputError(f"{self._path}: {error}; expected the record of a run") from None
        if version != SCHEMA_VERSION:
            raise InputError(
                f"{self._path}: version {version} of the record; expected {SCHEMA_VERSION}"
            )
        if writes:
            self._base.execute("PRAGMA journal_mode = WAL")
            self._base.execute("PRAGMA synchronous = NORMAL")  # no kill can harm that
        self.plan: Plan = plan_from_json(self.fact("plan") or "")

    def _connected(self, writes: bool) -> sqlite3.Connection:
        address = self._path.resolve().as_uri()
        if writes:
            return sqlite3.connect(f"{address}?mode=rw", uri=True)
        with ExitStack() as tried:
            base = tried.enter_context(closing(sqlite3.connect(f"{address}?mode=ro", uri=True)))
            try:
                base.execute("PRAGMA schema_version").fetchone()
            except sqlite3.OperationalError:  # a folder that cannot be written to: nothing changes
                return sqlite3.connect(f"{address}?mode=ro&immutable=1", uri=True)
            tried.pop_all()
            return base

    @classmethod
    def create(cls, folder: Path, plan: Plan, openings: Iterable[Opening]) -> "Record":
        """Begin a record in a folder that has none, and open it to write.

        It is written beside its place and moved there whole: a record is there or it is not.
        """
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / f"{FILE_NAME}.part"
        part.unlink(missing_ok=True)
        with closing(sqlite3.connect(part)) as base, base:
            base.executescript(SCHEMA)
            base.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            base.execute("INSERT INTO facts VALUES ('plan', ?)", [plan.to_json()])
            base.executemany("INSERT INTO openings VALUES (?, ?, ?, ?)", _numbered(openings))
        part.rename(folder / FILE_NAME)
        return cls(folder, writes=True)

    def close(self) -> None:
        """Let go of the file."""
        self._held.close()

    def fact(self, name: str) -> str | None:
        """A fact about the run, if it is known."""
        row = self._base.execute("SELECT value FROM facts WHERE name = ?", [name]).fetchone()
        return None if row is None else str(row[0])

    def set_fact(self, name: str, value: str) -> None:
        """Write a fact about the run."""
        with self._base:
            self._base.execute("REPLACE INTO facts VALUES (?, ?)", [name, value])

    @property
    def is_finished(self) -> bool:
        """Whether everything that was to be played is there."""
        return self.fact("finished") is not None

    def finish(self, when: str, pairs: int | None = None) -> None:
        """Write that the run is complete; where a test ended it after so many pairs, with no game of a later one."""
        with self._base:
            if pairs is not None:
                self._base.execute("DELETE FROM games WHERE pair >= ?", [pairs])
            self._base.execute("REPLACE INTO facts VALUES ('finished', ?)", [when])

    def add(self, games: Iterable[GameRow]) -> None:
        """Write finished games, all or none; a game that is already there stays as it is."""
        timed = self.plan.is_timed
        with self._base:
            self._base.executemany(
                f"INSERT OR IGNORE INTO games VALUES ({PLACES})",
                (to_columns(game, timed) for game in games),
            )

    def openings(self) -> list[Opening]:
        """The openings, in order."""
        from isolab.game.notation import parse_board, parse_square

        board = parse_board(self.plan.board)
        return [
            Opening(tuple(parse_square(text, board) for text in moves.split()), cluster)
            for moves, cluster in self._base.execute(
                "SELECT moves, cluster FROM openings ORDER BY number"
            )
        ]

    def opening_lines(self, first: int, end: int) -> list[str]:
        """The moves of the openings from number `first` up to but not including `end`, each as text."""
        return [
            row[0]
            for row in self._base.execute(
                "SELECT moves FROM openings WHERE number >= ? AND number < ? ORDER BY number",
                [first, end],
            )
        ]

    def clusters(self) -> Sequence[int]:
        """The cluster of each opening, in order: the number of the first opening that is played like it."""
        return array(
            "q",
            (row[0] for row in self._base.execute("SELECT alike FROM openings ORDER BY number")),
        )

    def games(
        self, encounter: int | None = None, *, skip: int = 0, most: int | None = None
    ) -> Iterator[GameRow]:
        """Every finished game, by encounter, pair and leg; or some, of which those skipped are not looked at."""
        where, values = ("", []) if encounter is None else ("WHERE encounter = ?", [encounter])
        rows = self._base.execute(
            f"SELECT * FROM games {where} ORDER BY encounter, pair, leg LIMIT ? OFFSET ?",
            [*values, -1 if most is None else most, skip],
        )
        return map(from_columns, rows)

    def results(self) -> Iterator[Result]:
        """What every finished game says, by encounter, pair and leg."""
        rows = self._base.execute(
            "SELECT encounter, pair, leg, winner = leg FROM games ORDER BY encounter, pair, leg"
        )
        return ((encounter, pair, leg, bool(won)) for encounter, pair, leg, won in rows)

    def count(self) -> int:
        """How many games are finished."""
        return int(self._base.execute("SELECT count(*) FROM games").fetchone()[0])


def _numbered(openings: Iterable[Opening]) -> Iterator[tuple[int, str, str, int]]:
    first_of: dict[str, int] = {}
    for number, opening in enumerate(openings):
        alike = first_of.setdefault(opening.cluster, number)
        yield number, str(opening), opening.cluster, alike
