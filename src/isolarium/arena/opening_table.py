"""Openings as a results database stores them: blocks of moves and clusters.

A block is a row: the number of its first opening, the number of its openings, and their lengths,
squares and clusters as compressed columns.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from struct import Struct
from struct import error as StructError  # noqa: N812 # an exception
from typing import Any, Final

import numpy as np

from isolarium.arena.batch_rules import check_openings
from isolarium.arena.checksummed_db import ChecksummedDb, Layout
from isolarium.arena.column_codec import deflate, inflate, pack, size_of, unpack
from isolarium.arena.lines import Lines, Numbers
from isolarium.arena.openings import Opening
from isolarium.game.board import Board

BLOCK: Final = 4096
"""The number of openings in a block."""
BLOCKS: Final = 256
"""The maximum number of blocks kept in memory."""
LAYOUT: Final = Layout(
    "CREATE TABLE openings (first INTEGER PRIMARY KEY, openings INTEGER NOT NULL, data BLOB NOT NULL{checksum})",
    (int, int, bytes),
    ("first",),
    "openings",
)
HEADER: Final = Struct("<I3s")
"""The number of squares, and the type of each column."""
Block = tuple[Lines, Numbers]
"""The moves of openings, and the number of the first opening in the cluster of each."""


def opening_rows(board: Board, openings: Iterable[Opening]) -> Iterator[tuple[int, int, bytes]]:
    """Yield the rows of openings."""
    first_of: dict[str, int] = {}
    numbered, first = enumerate(openings), 0
    while block := list(islice(numbered, BLOCK)):
        lines = [[board.index(square) for square in opening.moves] for _, opening in block]
        alike = [first_of.setdefault(opening.cluster, number) for number, opening in block]
        yield block_row(first, (Lines.of(lines), np.array(alike, dtype=np.int64)))
        first += len(block)


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
