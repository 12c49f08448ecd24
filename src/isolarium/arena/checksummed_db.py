"""A SQLite file with checksums.

The file may be damaged or come from an untrusted source.

The schema is checked before anything else is read: the file must have the expected tables and nothing else. The last
column of each row, `seal`, is a checksum of the row's other columns. The table `sums` stores the size and the sum of
the checksums of each other table. Rows that were changed, lost, repeated or moved by accident are therefore detected.
An attacker can compute valid checksums, so callers still have to check the values themselves.
"""

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from time import monotonic
from typing import Any, Final

from isolarium.arena import sqlite_file
from isolarium.arena.sqlite_file import (
    READ_ERRORS,
    connected,
    damaged,
    guarded,
    is_locked,
    locked,
    refuse_journal,
    unlocked,
    writable,
)
from isolarium.errors import InputError
from isolarium.limits import Stop

STEPS: Final = 20_000
"""The number of SQLite instructions between two checks of the time limit."""
ROWS: Final = 100
"""The maximum number of rows fetched at a time."""

SUMS: Final = "sums"
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """A table of a file.

    Attributes:
        sql: The statement that creates the table, with `{checksum}` for the checksum column.
        types: The type of each column except the checksum.
        key: The leading columns that form the key; rows are read in key order.
        counted: The name of the column after the key, if it has the number of things in the row.
            The table's size is then their sum instead of the number of rows.
    """

    sql: str
    types: tuple[type, ...]
    key: tuple[str, ...]
    counted: str = ""

    def count(self, row: Row) -> int:
        """Return the number of things in a row."""
        return int(row[len(self.key)]) if self.counted else 1


SUMS_LAYOUT: Final = Layout(
    "CREATE TABLE sums (name TEXT PRIMARY KEY, rows INTEGER NOT NULL, total INTEGER NOT NULL{checksum}) WITHOUT ROWID",
    (str, int, int),
    ("name",),
)
CHECKSUM_COLUMN: Final = ", seal INTEGER NOT NULL"


def checksum_of(table: str, row: Row) -> int:
    """Return the checksum of a row; bytes are represented by their own checksums."""
    row = tuple([_short_digest(value) if type(value) is bytes else value for value in row])
    digest = blake2b(repr((table, row)).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, signed=True)


def _short_digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).digest()


def _wrapped(total: int) -> int:
    """Return a number wrapped to 64 signed bits."""
    return (total + (1 << 63)) % (1 << 64) - (1 << 63)


class ChecksummedDb:
    """An open database file, as returned by `open_db`.

    Attributes:
        version: The version of the file; files of version 1 have no checksums.
        patience_s: How long to wait while another process holds a lock.
    """

    def __init__(self, base: sqlite3.Connection, path: Path, tables: Mapping[str, Layout], version: int) -> None:
        self._base, self._path, self._tables, self.version = base, path, tables, version
        self.patience_s = sqlite_file.READ_S
        self._due: float | None = None
        base.set_progress_handler(self._is_late, STEPS)

    @property
    def has_checksums(self) -> bool:
        """Whether damage is detected."""
        return self.version > 1

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
        layout, is_first = self._tables[table], True
        wide = len(layout.types) + 1
        for row in self._plain_rows(table, select, f"WHERE {SUMS}.name = ?", [table]):
            count, total = count + layout.count(row), total + row[wide - 1]
            if is_first:
                expected, summed = self._checked_sums(row[wide:])[1:]
                is_first = False
            yield self._verified(table, row[:wide])
        if (count, _wrapped(total)) != (expected, summed):
            raise self._damaged(f"it has {count:,} {table}; {expected:,} were written")

    def rows(
        self, table: str, where: str = "", values: Sequence[Any] = (), *, skip: int = 0, most: int | None = None
    ) -> Iterator[Row]:
        """Return some rows in the order of the key; skipped rows are not checked.

        Raises:
            InputError: If a row was changed.
        """
        limits = [-1 if most is None else most, skip]
        found = self._plain_rows(table, f"SELECT * FROM {table}", where, [*values, *limits], "LIMIT ? OFFSET ?")
        return (self._verified(table, row) for row in found) if self.has_checksums else found

    def columns(self, table: str, names: Sequence[str], where: str, values: Sequence[Any]) -> Iterator[Row]:
        """Yield whole numbers from some columns of rows, in the given order, unchecked otherwise.

        Args:
            table: The table.
            names: The names of the columns.
            where: The conditions and the order.
            values: The values of the conditions.
        """
        for row in self._fetched(f"SELECT {', '.join(names)} FROM {table} {where}", values):
            if any(type(value) is not int for value in row):
                raise self._damaged(f"a row of {table} has values of the wrong kind")
            yield row

    def _verified(self, table: str, sealed: Row) -> Row:
        row = sealed[:-1]
        if sealed[-1] != checksum_of(table, row):
            raise self._damaged(f"a row of {table} is not what was written")
        return row

    def _plain_rows(self, table: str, select: str, where: str, values: Sequence[Any], limit: str = "") -> Iterator[Row]:
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
        self._due = monotonic() + sqlite_file.READ_S  # Waiting for a lock does not count as reading.
        return self._base.execute(sql, values)

    def count(self, table: str) -> int:
        """Return the size of a table."""
        if not self.has_checksums:
            [(count,)] = self._fetched(f"SELECT count(*) FROM {table}", ())
            return int(count)
        return int(self._sums(table)[1])

    def _sums(self, table: str) -> Row:
        found = list(self._fetched(f"SELECT * FROM {SUMS} WHERE name = ?", [table]))
        if len(found) != 1:
            raise self._damaged(f"the number of its {table} is missing")
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
        layout = self._tables[table]
        for row in rows:
            seal = checksum_of(table, row)
            if self._base.execute(sql, (*row, seal)).rowcount:
                count, total = count + layout.count(row), total + seal
        self._grow(table, count, total)

    def remove(self, table: str, where: str, values: Sequence[Any]) -> None:
        """Remove rows."""
        sums = f"seal, {self._tables[table].counted or 1}"
        found = self._base.execute(f"SELECT {sums} FROM {table} WHERE {where}", values).fetchall()
        self._base.execute(f"DELETE FROM {table} WHERE {where}", values)
        self._grow(table, -sum(count for _, count in found), -sum(seal for seal, _ in found))

    def _grow(self, table: str, count: int, total: int) -> None:
        _, count_before, total_before = self._sums(table)
        row = (table, count_before + count, _wrapped(total_before + total))
        self._base.execute(f"REPLACE INTO {SUMS} VALUES (?, ?, ?, ?)", (*row, checksum_of(SUMS, row)))

    def make_tables(self) -> None:
        """Create all tables, empty."""
        for name, sql in _schema(self._tables, has_checksums=True).items():
            self._base.execute(sql)
            if name != SUMS:
                empty = (name, 0, 0)
                self._base.execute(f"INSERT INTO {SUMS} VALUES (?, ?, ?, ?)", (*empty, checksum_of(SUMS, empty)))
        self._base.execute(f"PRAGMA user_version = {self.version}")

    def convert(self, tables: Mapping[str, Layout], version: int, rows: Mapping[str, Iterable[Row]]) -> None:
        """Replace all tables, all or nothing.

        Args:
            tables: The new tables.
            version: The new version.
            rows: The rows of the new tables.
        """
        before = self._tables, self.version
        try:
            with self.changes():
                for name in _schema(self._tables, has_checksums=self.has_checksums):
                    self._base.execute(f"DROP TABLE {name}")
                self._tables, self.version = tables, version
                self.make_tables()
                for name, its_rows in rows.items():
                    self.add(name, its_rows)
        except BaseException:
            self._tables, self.version = before
            raise

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
        found = [(*entry[:3], _normalized(entry[3]) if isinstance(entry[3], str) else entry[3]) for entry in entries]
        indexes = [("index", f"sqlite_autoindex_{name}_1", name, None) for name in self._tables]
        tables = [entry for entry in found if entry not in indexes]
        if len(tables) != len(expected) or set(tables) != expected:
            raise self._damaged("its tables are not those of a run")

    def _is_late(self) -> bool:
        return self._due is not None and monotonic() > self._due

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """Report SQLite's errors within the block as damage to the file."""
        before, self._due = self._due, monotonic() + sqlite_file.READ_S
        try:
            yield
        except READ_ERRORS as error:
            problem = str(error)
            if "interrupted" in problem:
                problem = f"not read after {sqlite_file.READ_S:g} s"
            raise locked(self._path) if is_locked(error) else self._damaged(problem) from None
        finally:
            self._due = before

    def _damaged(self, problem: str) -> InputError:
        return damaged(self._path, problem)


def open_db(path: Path, layouts: Mapping[int, Mapping[str, Layout]], *, writes: bool = False) -> ChecksummedDb:
    """Open a file.

    Args:
        path: The file's path.
        layouts: The tables of each version that can be read.
        writes: Whether to write to the file.

    Raises:
        InputError: If the file is damaged or of another kind.
    """
    refuse_journal(path)
    with ExitStack() as held:
        try:
            base = held.enter_context(closing(connected(path, writes)))
            (found,) = unlocked(lambda: base.execute("PRAGMA user_version").fetchone(), sqlite_file.READ_S)
        except READ_ERRORS as error:
            raise locked(path) if is_locked(error) else damaged(path, str(error)) from None
        if found not in layouts:
            if found == 0:
                raise InputError(f"{path}: it is empty, or not a results database")
            problem = f"version {found} of the results database; expected {max(layouts)}"
            raise InputError(f"{path}: {problem}")
        opened = ChecksummedDb(base, path, layouts[found], found)
        opened.check_schema()
        if writes:
            with writable(path):
                unlocked(lambda: base.execute("PRAGMA journal_mode = WAL"), sqlite_file.READ_S)
                base.execute("PRAGMA synchronous = NORMAL")  # Survives any kill
            opened.patience_s = sqlite_file.LOCKED_S
        held.pop_all()
        return opened


def create_db(path: Path, tables: Mapping[str, Layout], version: int, rows: Mapping[str, Iterable[Row]]) -> None:
    """Create a file atomically: write a temporary file, then rename it.

    Raises:
        OSError: If no space is left.
        InputError: If the file cannot be written.
    """
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)
    with writable(path), closing(guarded(sqlite3.connect(part))) as base:
        base.execute("PRAGMA journal_mode = WAL")  # Prevents a rollback journal
        made = ChecksummedDb(base, part, tables, version)
        with made.changes():
            made.make_tables()
            for table, its_rows in rows.items():
                made.add(table, its_rows)
        base.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # On a full disk, closing would keep rows in the WAL file
    part.rename(path)


def _schema(tables: Mapping[str, Layout], *, has_checksums: bool) -> dict[str, str]:
    """Return the SQL of every table."""
    every = {SUMS: SUMS_LAYOUT, **tables} if has_checksums else tables
    return {name: one.sql.format(checksum=CHECKSUM_COLUMN if has_checksums else "") for name, one in every.items()}


def _normalized(sql: str) -> str:
    """Return SQL without comments and insignificant spaces."""
    text = " ".join(re.sub("--[^\n]*", "", sql).split())
    return re.sub(r" ?([(),]) ?", r"\1", text)
