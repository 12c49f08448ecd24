"""A SQLite file that may come from anybody, and in which any bit may have flipped.

Nothing is read from it before its schema is known to be ours: these tables, in these words, and nothing beside them.
Each row ends with its *seal*, a digest of the rest, and the table `sums` has for each other one how many rows there are
and what their seals add up to. So a row that was changed, lost, repeated or put elsewhere by accident is noticed. Who
means harm can seal what he likes: what values may be is for those to check who know what they mean.
"""

import errno
import os
import re
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from time import monotonic
from typing import Any, Final, TypeVar

from isolarium.errors import InputError
from isolarium.limits import Stop
from isolarium.text import printable, shortened

READ_S: Final = 10.0
"""How long SQLite may take for the next rows: pages of a damaged file may lead in circles."""
LONGEST: Final = 1 << 26
"""Bytes of the longest value: the plan of a run with millions of openings of its own."""
STEPS: Final = 20_000
"""Instructions of SQLite between two looks at the clock."""
ROWS: Final = 100
"""Rows that are fetched at a time."""
LONGEST_TOLD: Final = 200
FAULTS: Final = (sqlite3.Error, UnicodeError)
"""What reading a file may end with; the messages of SQLite quote it, and may be no text."""
FULL: Final = "database or disk is full"

SUMS: Final = "sums"
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """A table of a file.

    Attributes:
        sql: what makes it, with `{seal}` where the seal's column goes.
        types: of each column but the seal.
        key: the columns, from the first on, that are the key; rows come in their order.
    """

    sql: str
    types: tuple[type, ...]
    key: tuple[str, ...]


SUMS_LAYOUT: Final = Layout(
    "CREATE TABLE sums (name TEXT PRIMARY KEY, rows INTEGER NOT NULL, total INTEGER NOT NULL{seal}) WITHOUT ROWID",
    (str, int, int),
    ("name",),
)
SEAL: Final = ", seal INTEGER NOT NULL"


def seal_of(table: str, row: Row) -> int:
    """The digest that a row has at its end."""
    digest = blake2b(repr((table, row)).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, signed=True)


def _wrapped(total: int) -> int:
    """A number as 64 bits hold it."""
    return (total + (1 << 63)) % (1 << 64) - (1 << 63)


class Sealed:
    """The tables of one file, open; `open_sealed` opens one.

    Attributes:
        has_seals: whether damage is noticed.
        patience_s: How long to wait while another process holds a lock.
    """

    def __init__(
        self, base: sqlite3.Connection, path: Path, tables: Mapping[str, Layout], *, has_seals: bool
    ) -> None:
        self._base, self._path, self._tables, self.has_seals = base, path, tables, has_seals
        self.patience_s = READ_S
        self._due: float | None = None
        base.set_progress_handler(self._is_late, STEPS)

    def close(self) -> None:
        """Let go of the file."""
        self._base.close()

    # Reading

    def all_rows(self, table: str) -> Iterator[Row]:
        """Every row of a table in the order of its key, without the seals.

        Raises:
            InputError: they are not those that were written.
        """
        if not self.has_seals:
            yield from self.rows(table)
            return
        expected, summed = self._sums(table)[1:]
        count = total = 0
        # Both in one query, which sees the file as it was at one moment: a run may be written meanwhile.
        select = f"SELECT {table}.*, {SUMS}.* FROM {SUMS} CROSS JOIN {table}"
        wide = len(self._tables[table].types) + 1
        for row in self._plain_rows(table, select, f"WHERE {SUMS}.name = ?", [table]):
            count, total = count + 1, total + row[wide - 1]
            if count == 1:
                expected, summed = self._checked_sums(row[wide:])[1:]
            yield self._unsealed(table, row[:wide])
        if (count, _wrapped(total)) != (expected, summed):
            raise self._damaged(f"{table} has {count:,} rows; {expected:,} were written")

    def rows(
        self,
        table: str,
        where: str = "",
        values: Sequence[Any] = (),
        *,
        skip: int = 0,
        most: int | None = None,
    ) -> Iterator[Row]:
        """Some rows of a table in the order of its key, without their seals; those skipped are not looked at.

        Raises:
            InputError: one is not as it was written.
        """
        limits = [-1 if most is None else most, skip]
        found = self._plain_rows(
            table, f"SELECT * FROM {table}", where, [*values, *limits], "LIMIT ? OFFSET ?"
        )
        return (self._unsealed(table, row) for row in found) if self.has_seals else found

    def _unsealed(self, table: str, sealed: Row) -> Row:
        row = sealed[:-1]
        if sealed[-1] != seal_of(table, row):
            raise self._damaged(f"a row of {table} is not what was written")
        return row

    def _plain_rows(
        self, table: str, select: str, where: str, values: Sequence[Any], limit: str = ""
    ) -> Iterator[Row]:
        """Rows with values of the right types and keys that ascend."""
        layout, last = self._tables[table], None
        types = (*layout.types, int) if self.has_seals else layout.types
        wide, key = len(types), len(layout.key)
        order = ", ".join(f"{table}.{name}" for name in layout.key)
        for row in self._fetched(f"{select} {where} ORDER BY {order} {limit}", values):
            if tuple(map(type, row[:wide])) != types:
                raise self._damaged(f"a row of {table} has values of the wrong kind")
            if last is not None and row[:key] <= last:
                raise self._damaged(f"the rows of {table} are not in order")
            last = row[:key]
            yield row

    def _fetched(self, sql: str, values: Sequence[Any]) -> Iterator[Row]:
        with self._readable():
            cursor = unlocked(lambda: self._begun(sql, values), self.patience_s)
            rows = cursor.fetchmany(ROWS)
        while rows:
            yield from rows
            with self._readable():
                rows = cursor.fetchmany(ROWS)

    def _begun(self, sql: str, values: Sequence[Any]) -> sqlite3.Cursor:
        self._due = monotonic() + READ_S  # waiting for a lock is not reading
        return self._base.execute(sql, values)

    def count(self, table: str) -> int:
        """How many rows a table has."""
        if not self.has_seals:
            [(count,)] = self._fetched(f"SELECT count(*) FROM {table}", ())
            return int(count)
        return int(self._sums(table)[1])

    def _sums(self, table: str) -> Row:
        found = list(self._fetched(f"SELECT * FROM {SUMS} WHERE name = ?", [table]))
        if len(found) != 1:
            raise self._damaged(f"nothing says how many rows {table} has")
        return self._checked_sums(found[0])

    def _checked_sums(self, row: Row) -> Row:
        if tuple(map(type, row)) != (*SUMS_LAYOUT.types, int):
            raise self._damaged(f"a row of {SUMS} has values of the wrong kind")
        return self._unsealed(SUMS, row)

    # Writing

    @contextmanager
    def changes(self, give_up: Stop | None = None) -> Iterator[None]:
        """Write what is changed within the block at its end, all or nothing.

        While another process holds a lock, wait for `patience_s`, or until `give_up` returns true.

        Raises:
            OSError: If there is no space left.
            InputError: If it cannot be written.
        """
        with writable(self._path):
            unlocked(lambda: self._base.execute("BEGIN IMMEDIATE"), self.patience_s, give_up)
            with self._base:
                yield

    def replace(self, table: str, row: Row) -> None:
        """Put a row in place of the one with its key."""
        (key,) = self._tables[table].key
        self.remove(table, f"{key} = ?", row[:1])
        self.add(table, [row])

    def add(self, table: str, rows: Iterable[Row]) -> None:
        """Put in rows; one whose key is there stays as it is."""
        places = ", ".join("?" * (len(self._tables[table].types) + 1))
        sql, count, total = f"INSERT OR IGNORE INTO {table} VALUES ({places})", 0, 0
        for row in rows:
            seal = seal_of(table, row)
            if self._base.execute(sql, (*row, seal)).rowcount:
                count, total = count + 1, total + seal
        self._grow(table, count, total)

    def remove(self, table: str, where: str, values: Sequence[Any]) -> None:
        """Take out rows."""
        seals = self._base.execute(f"SELECT seal FROM {table} WHERE {where}", values).fetchall()
        self._base.execute(f"DELETE FROM {table} WHERE {where}", values)
        self._grow(table, -len(seals), -sum(seal for (seal,) in seals))

    def _grow(self, table: str, count: int, total: int) -> None:
        _, count_before, total_before = self._sums(table)
        row = (table, count_before + count, _wrapped(total_before + total))
        self._base.execute(f"REPLACE INTO {SUMS} VALUES (?, ?, ?, ?)", (*row, seal_of(SUMS, row)))

    def make_tables(self, version: int) -> None:
        """Make all tables, empty."""
        for name, sql in _schema(self._tables, has_seals=True).items():
            self._base.execute(sql)
            if name != SUMS:
                empty = (name, 0, 0)
                self._base.execute(
                    f"INSERT INTO {SUMS} VALUES (?, ?, ?, ?)", (*empty, seal_of(SUMS, empty))
                )
        self._base.execute(f"PRAGMA user_version = {version}")

    def seal(self, version: int) -> None:
        """Give every row of a file without seals its own, all or none."""
        for name in self._tables:
            for _ in self.rows(name):  # nothing is sealed that could not have been written
                pass
        with self.changes():
            for name in self._tables:
                self._base.execute(f"ALTER TABLE {name} RENAME TO unsealed_{name}")
            self.make_tables(version)
            for name in self._tables:
                self.add(name, self._base.execute(f"SELECT * FROM unsealed_{name}"))
                self._base.execute(f"DROP TABLE unsealed_{name}")
        self.has_seals = True

    # Guarding

    def check_schema(self) -> None:
        """See that there are the tables that there should be, and nothing else.

        Raises:
            InputError: it is otherwise.
        """
        expected = {
            ("table", name, name, _words(sql))
            for name, sql in _schema(self._tables, has_seals=self.has_seals).items()
        }
        entries = self._fetched("SELECT type, name, tbl_name, sql FROM sqlite_master LIMIT 20", ())
        found = [
            (*entry[:3], _words(entry[3]) if isinstance(entry[3], str) else entry[3])
            for entry in entries
        ]
        indexes = [("index", f"sqlite_autoindex_{name}_1", name, None) for name in self._tables]
        tables = [entry for entry in found if entry not in indexes]
        if len(tables) != len(expected) or set(tables) != expected:
            raise self._damaged("its tables are not those of a run")

    def _is_late(self) -> bool:
        return self._due is not None and monotonic() > self._due

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """Within the block whatever SQLite has against the file is the fault of the file."""
        before, self._due = self._due, monotonic() + READ_S
        try:
            yield
        except FAULTS as error:
            told = f"not read after {READ_S:g} s" if "interrupted" in str(error) else str(error)
            raise _locked(self._path) if is_locked(error) else self._damaged(told) from None
        finally:
            self._due = before

    def _damaged(self, told: str) -> InputError:
        return damaged(self._path, told)


def damaged(path: Path, told: str) -> InputError:
    """The one line about a file that is not what was written."""
    line = shortened(printable(" ".join(told.split())), LONGEST_TOLD)
    return InputError(f"{path}: {line}; expected the record of a run as it was written")


def _locked(path: Path) -> InputError:
    """Return the line about a file that another process keeps from being used."""
    told = "another process holds a lock on it; end that process and try again"
    return InputError(f"{path}: {told}")


def open_sealed(
    path: Path, tables: Mapping[str, Layout], version: int, *, writes: bool = False
) -> Sealed:
    """Open a file. One of version 1 has no seals; to be written to, it is given them.

    Raises:
        InputError: it is no such file, or is damaged.
    """
    _refuse_journal(path)
    with ExitStack() as held:
        try:
            base = held.enter_context(closing(_connected(path, writes)))
            (found,) = unlocked(lambda: base.execute("PRAGMA user_version").fetchone(), READ_S)
        except FAULTS as error:
            raise _locked(path) if is_locked(error) else damaged(path, str(error)) from None
        if found not in (1, version):
            raise InputError(f"{path}: version {found} of the record; expected {version}")
        opened = Sealed(base, path, tables, has_seals=found == version)
        opened.check_schema()
        if writes:
            with writable(path):
                unlocked(lambda: base.execute("PRAGMA journal_mode = WAL"), READ_S)
                base.execute("PRAGMA synchronous = NORMAL")  # no kill can harm that
            if not opened.has_seals:
                opened.seal(version)
            opened.patience_s = LOCKED_S
        held.pop_all()
        return opened


def create_sealed(
    path: Path, tables: Mapping[str, Layout], version: int, rows: Mapping[str, Iterable[Row]]
) -> None:
    """Write a new file: beside its place, and moved there whole. It is there or it is not.

    Raises:
        OSError: there is no space left.
        InputError: it cannot be written.
    """
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)
    with writable(path), closing(_guarded(sqlite3.connect(part))) as base:
        base.execute("PRAGMA journal_mode = WAL")  # so that there never is a rollback journal
        made = Sealed(base, part, tables, has_seals=True)
        with made.changes():
            made.make_tables(version)
            for table, its_rows in rows.items():
                made.add(table, its_rows)
    part.rename(path)


@contextmanager
def writable(path: Path) -> Iterator[None]:
    """Within the block what SQLite cannot write is the fault of the disk or the folder.

    Raises:
        OSError: there is no space left.
        InputError: anything else.
    """
    try:
        yield
    except sqlite3.Error as error:
        if FULL in str(error):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path)) from None
        if is_locked(error):
            raise _locked(path) from None
        raise InputError(f"{path}: {error}; expected a folder to write to") from None


def _refuse_journal(path: Path) -> None:
    """See that no rollback journal lies beside a file of ours: whoever wrote it could name any file to be deleted.

    Raises:
        InputError: there is one.
    """
    journal = path.with_name(f"{path.name}-journal")
    if journal.exists() or journal.is_symlink():
        raise InputError(f"{journal}: no run of ours leaves such a file; expected none")


def _connected(path: Path, writes: bool) -> sqlite3.Connection:
    address = path.resolve().as_uri()
    if writes:
        return _guarded(sqlite3.connect(f"{address}?mode=rw", uri=True, timeout=GLANCE_S))
    with ExitStack() as tried:
        base = tried.enter_context(
            closing(sqlite3.connect(f"{address}?mode=ro", uri=True, timeout=GLANCE_S))
        )
        try:
            unlocked(lambda: base.execute("PRAGMA schema_version").fetchone(), READ_S)
        except sqlite3.OperationalError as error:
            if is_locked(error):
                raise
            # A folder that cannot be written to: nothing changes.
            return _guarded(sqlite3.connect(f"{address}?mode=ro&immutable=1", uri=True))
        tried.pop_all()
        return _guarded(base)


def _guarded(base: sqlite3.Connection) -> sqlite3.Connection:
    """A connection over which a file can do nothing but hold rows."""
    base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    base.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    base.execute("PRAGMA trusted_schema = OFF")
    base.execute("PRAGMA cell_size_check = ON")
    base.execute("PRAGMA mmap_size = 0")  # a file cut short while it is read would end the process
    if sys.version_info >= (3, 12):
        base.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)
        base.setconfig(sqlite3.SQLITE_DBCONFIG_ENABLE_VIEW, False)
        base.setconfig(sqlite3.SQLITE_DBCONFIG_ENABLE_TRIGGER, False)
    base.set_authorizer(_not_by_another)
    return base


def _not_by_another(
    action: int, first: str | None, second: str | None, base: str | None, by: str | None
) -> int:
    """Allow what we ask for, and nothing that a view or a trigger of the file asks for."""
    return sqlite3.SQLITE_OK if by is None else sqlite3.SQLITE_DENY


def _schema(tables: Mapping[str, Layout], *, has_seals: bool) -> dict[str, str]:
    """The SQL of every table."""
    every = {SUMS: SUMS_LAYOUT, **tables} if has_seals else tables
    return {name: one.sql.format(seal=SEAL if has_seals else "") for name, one in every.items()}


def _words(sql: str) -> str:
    """SQL without comments, and without blanks where they mean nothing."""
    words = " ".join(re.sub("--[^\n]*", "", sql).split())
    return re.sub(r" ?([(),]) ?", r"\1", words)


LOCKED_S: Final = 300.0
"""How long a process that plays a run waits for the lock of another."""
GLANCE_S: Final = 0.1
"""How often it tries again."""
LOCKED: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_PROTOCOL)
T = TypeVar("T")


def is_locked(error: Exception) -> bool:
    """Return whether SQLite refused because another process holds a lock."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in LOCKED


def unlocked(action: Callable[[], T], patience_s: float, give_up: Stop | None = None) -> T:
    """Do something with a database, again and again while another process holds a lock.

    Args:
        action: What to do.
        patience_s: How long to try.
        give_up: Asked after each try whether to wait no longer.

    Raises:
        sqlite3.Error: If the action failed otherwise, or the lock was held for too long.
    """
    until = time.monotonic() + patience_s
    while True:
        try:
            return action()
        except sqlite3.OperationalError as error:
            if not is_locked(error) or time.monotonic() >= until:
                raise
            if give_up is not None and give_up():
                raise
        time.sleep(GLANCE_S)
