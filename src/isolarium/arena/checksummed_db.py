"""A SQLite file with checksums.

The file may be damaged or come from an untrusted source.

The schema is checked before anything else is read: the file must have the expected tables and
nothing else. The last column of each row, `seal`, is a checksum of the row's other columns. The
table `sums` stores the number of rows and the sum of the checksums of each other table.
Rows that were changed, lost, repeated or moved by accident are therefore detected. An attacker
can compute valid checksums, so callers still have to check the values themselves.
"""

import errno
import os
import re
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final, TypeVar

from isolarium.errors import InputError
from isolarium.limits import Stop
from isolarium.text import printable, shortened

READ_S: Final = 10.0
"""Time limit for reading the next rows; the pages of a damaged file may form a cycle."""
LONGEST: Final = 1 << 26
"""The maximum size of a value in bytes, enough for a plan of millions of openings."""
STEPS: Final = 20_000
"""The number of SQLite instructions between two checks of the time limit."""
ROWS: Final = 100
"""The number of rows fetched at a time."""
LONGEST_PROBLEM: Final = 200
READ_ERRORS: Final = (sqlite3.Error, UnicodeError)
"""The errors that reading may raise.

SQLite's messages quote the file, which may contain bytes that are not text."""
FULL: Final = "database or disk is full"

SUMS: Final = "sums"
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """A table of a file.

    Attributes:
        sql: The statement that creates the table, with `{checksum}` for the checksum column.
        types: The type of each column except the checksum.
        key: The leading columns that form the key; rows are read in key order.
    """

    sql: str
    types: tuple[type, ...]
    key: tuple[str, ...]


SUMS_LAYOUT: Final = Layout(
    "CREATE TABLE sums (name TEXT PRIMARY KEY, rows INTEGER NOT NULL, total INTEGER NOT NULL{checksum}) WITHOUT ROWID",
    (str, int, int),
    ("name",),
)
CHECKSUM_COLUMN: Final = ", seal INTEGER NOT NULL"


def checksum_of(table: str, row: Row) -> int:
    """Return the checksum of a row."""
    digest = blake2b(repr((table, row)).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, signed=True)


def _wrapped(total: int) -> int:
    """Return a number wrapped to 64 signed bits."""
    return (total + (1 << 63)) % (1 << 64) - (1 << 63)


class ChecksummedDb:
    """An open database file, as returned by `open_db`.

    Attributes:
        has_checksums: Whether damage is detected.
        patience_s: How long to wait while another process holds a lock.
    """

    def __init__(
        self,
        base: sqlite3.Connection,
        path: Path,
        tables: Mapping[str, Layout],
        *,
        has_checksums: bool,
    ) -> None:
        self._base, self._path, self._tables, self.has_checksums = base, path, tables, has_checksums
        self.patience_s = READ_S
        self._due: float | None = None
        base.set_progress_handler(self._is_late, STEPS)

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    # Reading

    def all_rows(self, table: str) -> Iterator[Row]:
        """Yield every row of a table in the order of its key, without the checksums.

        Raises:
            InputError: If rows were changed, lost or added.
        """
        if not self.has_checksums:
            yield from self.rows(table)
            return
        expected, summed = self._sums(table)[1:]
        count = total = 0
        # One query reads both from the same snapshot, because a run may be writing to the file.
        select = f"SELECT {table}.*, {SUMS}.* FROM {SUMS} CROSS JOIN {table}"
        wide = len(self._tables[table].types) + 1
        for row in self._plain_rows(table, select, f"WHERE {SUMS}.name = ?", [table]):
            count, total = count + 1, total + row[wide - 1]
            if count == 1:
                expected, summed = self._checked_sums(row[wide:])[1:]
            yield self._verified(table, row[:wide])
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
        """Return some rows in the order of the key; skipped rows are not checked.

        Raises:
            InputError: If a row was changed.
        """
        limits = [-1 if most is None else most, skip]
        found = self._plain_rows(
            table, f"SELECT * FROM {table}", where, [*values, *limits], "LIMIT ? OFFSET ?"
        )
        return (self._verified(table, row) for row in found) if self.has_checksums else found

    def _verified(self, table: str, sealed: Row) -> Row:
        row = sealed[:-1]
        if sealed[-1] != checksum_of(table, row):
            raise self._damaged(f"a row of {table} is not what was written")
        return row

    def _plain_rows(
        self, table: str, select: str, where: str, values: Sequence[Any], limit: str = ""
    ) -> Iterator[Row]:
        """Yield rows, checking the types of their values and that their keys ascend."""
        layout, last = self._tables[table], None
        types = (*layout.types, int) if self.has_checksums else layout.types
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
        self._due = monotonic() + READ_S  # Waiting for a lock does not count as reading.
        return self._base.execute(sql, values)

    def count(self, table: str) -> int:
        """Return the number of rows in a table."""
        if not self.has_checksums:
            [(count,)] = self._fetched(f"SELECT count(*) FROM {table}", ())
            return int(count)
        return int(self._sums(table)[1])

    def _sums(self, table: str) -> Row:
        found = list(self._fetched(f"SELECT * FROM {SUMS} WHERE name = ?", [table]))
        if len(found) != 1:
            raise self._damaged(f"the number of rows of {table} is missing")
        return self._checked_sums(found[0])

    def _checked_sums(self, row: Row) -> Row:
        if tuple(map(type, row)) != (*SUMS_LAYOUT.types, int):
            raise self._damaged(f"a row of {SUMS} has values of the wrong kind")
        return self._verified(SUMS, row)

    # Writing

    @contextmanager
    def changes(self, give_up: Stop | None = None) -> Iterator[None]:
        """Write the changes made within the block at its end, all or nothing.

        While another process holds a lock, wait for `patience_s`, or until `give_up` returns true.

        Raises:
            OSError: If no space is left.
            InputError: If the file cannot be written.
        """
        with writable(self._path):
            unlocked(lambda: self._base.execute("BEGIN IMMEDIATE"), self.patience_s, give_up)
            with self._base:
                yield

    def replace(self, table: str, row: Row) -> None:
        """Write a row, replacing any existing row with the same key."""
        (key,) = self._tables[table].key
        self.remove(table, f"{key} = ?", row[:1])
        self.add(table, [row])

    def add(self, table: str, rows: Iterable[Row]) -> None:
        """Add rows; existing rows with the same keys are left unchanged."""
        places = ", ".join("?" * (len(self._tables[table].types) + 1))
        sql, count, total = f"INSERT OR IGNORE INTO {table} VALUES ({places})", 0, 0
        for row in rows:
            seal = checksum_of(table, row)
            if self._base.execute(sql, (*row, seal)).rowcount:
                count, total = count + 1, total + seal
        self._grow(table, count, total)

    def remove(self, table: str, where: str, values: Sequence[Any]) -> None:
        """Remove rows."""
        seals = self._base.execute(f"SELECT seal FROM {table} WHERE {where}", values).fetchall()
        self._base.execute(f"DELETE FROM {table} WHERE {where}", values)
        self._grow(table, -len(seals), -sum(seal for (seal,) in seals))

    def _grow(self, table: str, count: int, total: int) -> None:
        _, count_before, total_before = self._sums(table)
        row = (table, count_before + count, _wrapped(total_before + total))
        self._base.execute(
            f"REPLACE INTO {SUMS} VALUES (?, ?, ?, ?)", (*row, checksum_of(SUMS, row))
        )

    def make_tables(self, version: int) -> None:
        """Create all tables, empty."""
        for name, sql in _schema(self._tables, has_checksums=True).items():
            self._base.execute(sql)
            if name != SUMS:
                empty = (name, 0, 0)
                self._base.execute(
                    f"INSERT INTO {SUMS} VALUES (?, ?, ?, ?)", (*empty, checksum_of(SUMS, empty))
                )
        self._base.execute(f"PRAGMA user_version = {version}")

    def add_checksums(self, version: int) -> None:
        """Add checksums to all rows of a file without them, all or nothing."""
        for name in self._tables:
            for _ in self.rows(name):  # A damaged row does not get a checksum.
                pass
        with self.changes():
            for name in self._tables:
                self._base.execute(f"ALTER TABLE {name} RENAME TO unsealed_{name}")
            self.make_tables(version)
            for name in self._tables:
                self.add(name, self._base.execute(f"SELECT * FROM unsealed_{name}"))
                self._base.execute(f"DROP TABLE unsealed_{name}")
        self.has_checksums = True

    # Checks

    def check_schema(self) -> None:
        """Check that the file has exactly the expected tables.

        Raises:
            InputError: If a table is missing, unexpected or different.
        """
        expected = {
            ("table", name, name, _normalized(sql))
            for name, sql in _schema(self._tables, has_checksums=self.has_checksums).items()
        }
        entries = self._fetched("SELECT type, name, tbl_name, sql FROM sqlite_master LIMIT 20", ())
        found = [
            (*entry[:3], _normalized(entry[3]) if isinstance(entry[3], str) else entry[3])
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
        """Report SQLite's errors within the block as damage to the file."""
        before, self._due = self._due, monotonic() + READ_S
        try:
            yield
        except READ_ERRORS as error:
            problem = str(error)
            if "interrupted" in problem:
                problem = f"not read after {READ_S:g} s"
            raise _locked(self._path) if is_locked(error) else self._damaged(problem) from None
        finally:
            self._due = before

    def _damaged(self, problem: str) -> InputError:
        return damaged(self._path, problem)


def damaged(path: Path, problem: str) -> InputError:
    """Return the error for a damaged file."""
    line = shortened(printable(" ".join(problem.split())), LONGEST_PROBLEM)
    return InputError(f"{path}: {line}; the results database is damaged, restore a copy of it")


def _locked(path: Path) -> InputError:
    """Return the error for a file that another process has locked."""
    problem = "another process holds a lock on it; end that process and try again"
    return InputError(f"{path}: {problem}")


def open_db(
    path: Path, tables: Mapping[str, Layout], version: int, *, writes: bool = False
) -> ChecksummedDb:
    """Open a file; add checksums to a file of version 1 opened for writing.

    Raises:
        InputError: If the file is damaged or of another kind.
    """
    _refuse_journal(path)
    with ExitStack() as held:
        try:
            base = held.enter_context(closing(_connected(path, writes)))
            (found,) = unlocked(lambda: base.execute("PRAGMA user_version").fetchone(), READ_S)
        except READ_ERRORS as error:
            raise _locked(path) if is_locked(error) else damaged(path, str(error)) from None
        if found not in (1, version):
            raise InputError(f"{path}: version {found} of the results database; expected {version}")
        opened = ChecksummedDb(base, path, tables, has_checksums=found == version)
        opened.check_schema()
        if writes:
            with writable(path):
                unlocked(lambda: base.execute("PRAGMA journal_mode = WAL"), READ_S)
                base.execute("PRAGMA synchronous = NORMAL")  # Survives any kill
            if not opened.has_checksums:
                opened.add_checksums(version)
            opened.patience_s = LOCKED_S
        held.pop_all()
        return opened


def create_db(
    path: Path, tables: Mapping[str, Layout], version: int, rows: Mapping[str, Iterable[Row]]
) -> None:
    """Create a file atomically: write a temporary file, then rename it.

    Raises:
        OSError: If no space is left.
        InputError: If the file cannot be written.
    """
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)
    with writable(path), closing(_guarded(sqlite3.connect(part))) as base:
        base.execute("PRAGMA journal_mode = WAL")  # Prevents a rollback journal
        made = ChecksummedDb(base, part, tables, has_checksums=True)
        with made.changes():
            made.make_tables(version)
            for table, its_rows in rows.items():
                made.add(table, its_rows)
    part.rename(path)


@contextmanager
def writable(path: Path) -> Iterator[None]:
    """Report SQLite's errors within the block as problems of the disk or the folder.

    Raises:
        OSError: If no space is left.
        InputError: For any other error.
    """
    try:
        yield
    except sqlite3.Error as error:
        if FULL in str(error):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path)) from None
        if is_locked(error):
            raise _locked(path) from None
        raise InputError(f"{path}: {error}; use a folder that you can write to") from None


def _refuse_journal(path: Path) -> None:
    """Refuse a rollback journal, which could make SQLite delete any file.

    Raises:
        InputError: If there is a rollback journal.
    """
    journal = path.with_name(f"{path.name}-journal")
    if journal.exists() or journal.is_symlink():
        raise InputError(f"{journal}: Isolarium never creates this file; remove it")


def _connected(path: Path, writes: bool) -> sqlite3.Connection:
    address = path.resolve().as_uri()
    if writes:
        return _guarded(sqlite3.connect(f"{address}?mode=rw", uri=True, timeout=RETRY_S))
    with ExitStack() as tried:
        base = tried.enter_context(
            closing(sqlite3.connect(f"{address}?mode=ro", uri=True, timeout=RETRY_S))
        )
        try:
            unlocked(lambda: base.execute("PRAGMA schema_version").fetchone(), READ_S)
        except sqlite3.OperationalError as error:
            if is_locked(error):
                raise
            # The folder is read-only, so the file cannot change.
            return _guarded(sqlite3.connect(f"{address}?mode=ro&immutable=1", uri=True))
        tried.pop_all()
        return _guarded(base)


def _guarded(base: sqlite3.Connection) -> sqlite3.Connection:
    """Restrict a connection so that the file can only provide rows."""
    base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    base.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    base.execute("PRAGMA trusted_schema = OFF")
    base.execute("PRAGMA cell_size_check = ON")
    base.execute("PRAGMA mmap_size = 0")  # Truncating a mapped file would crash the process.
    if sys.version_info >= (3, 12):
        base.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)
        base.setconfig(sqlite3.SQLITE_DBCONFIG_ENABLE_VIEW, False)
        base.setconfig(sqlite3.SQLITE_DBCONFIG_ENABLE_TRIGGER, False)
    base.set_authorizer(_deny_views_and_triggers)
    return base


def _deny_views_and_triggers(
    action: int, first: str | None, second: str | None, base: str | None, by: str | None
) -> int:
    """Allow our own statements, but not statements from the file's views and triggers."""
    return sqlite3.SQLITE_OK if by is None else sqlite3.SQLITE_DENY


def _schema(tables: Mapping[str, Layout], *, has_checksums: bool) -> dict[str, str]:
    """Return the SQL of every table."""
    every = {SUMS: SUMS_LAYOUT, **tables} if has_checksums else tables
    return {
        name: one.sql.format(checksum=CHECKSUM_COLUMN if has_checksums else "")
        for name, one in every.items()
    }


def _normalized(sql: str) -> str:
    """Return SQL without comments and insignificant spaces."""
    text = " ".join(re.sub("--[^\n]*", "", sql).split())
    return re.sub(r" ?([(),]) ?", r"\1", text)


# Locks of other processes. Even a process with read-only access can prevent us from writing: SQLite
# locks single bytes of `run.sqlite-shm`, and a read lock on the whole file includes those bytes.

LOCKED_S: Final = 300.0
"""The time that a process playing a run waits for another process's lock."""
RETRY_S: Final = 0.1
LOCKED: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_PROTOCOL)
T = TypeVar("T")


def is_locked(error: Exception) -> bool:
    """Return whether SQLite failed because another process holds a lock."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in LOCKED


def unlocked(action: Callable[[], T], patience_s: float, give_up: Stop | None = None) -> T:
    """Call an action on a database, retrying while another process holds a lock.

    Args:
        action: The action.
        patience_s: How long to try.
        give_up: Called after each try; returns whether to stop waiting.

    Raises:
        sqlite3.Error: If the action fails for another reason, or the lock is held too long.
    """
    until = monotonic() + patience_s
    while True:
        try:
            return action()
        except sqlite3.OperationalError as error:
            if not is_locked(error) or monotonic() >= until:
                raise
            if give_up is not None and give_up():
                raise
        sleep(RETRY_S)
