"""The record of a board's labelled games: a file to which each game is added, whole and in the order of their numbers.

A game is `MARK`, its number, how many rows it has, how many positions were given up, and a check sum; then the rows.
"""

import os
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from struct import Struct
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from isolarium.compat import lock
from isolarium.errors import InputError
from isolarium.game.board import MAX_SIDE
from isolarium.labels.labeller import ROW, LabelledGame
from isolarium.safe_files import open_to_append

HEAD: Final = Struct("<4sIII")
CHECK: Final = Struct("<I")
MARK: Final = b"game"
MOST_ROWS: Final = MAX_SIDE**2
"""Of one game: every move takes a square."""


class BoardRecord:
    """Labelled games, open for more.

    What was not written to its end, or has changed since, is cut off with all that follows: it is labelled again.

    Args:
        path: where it is, or is to be.

    Attributes:
        games: how many there are, from number 0 on.
        positions: how many rows they have.
        given_up: positions that would have taken too long.

    Raises:
        InputError: it cannot be written to, or somebody is writing to it.
    """

    def __init__(self, path: Path) -> None:
        self._file = open_to_append(path, "a file to write to")
        if not lock(self._file):
            self._file.close()
            raise InputError(f"{path}: another isolarium is writing to it")
        self.games = self.positions = self.given_up = 0
        whole = 0
        for game in self.games_kept():
            self._count(game)
            whole = self._file.tell()
        self._file.truncate(whole)

    def add(self, game: LabelledGame) -> None:
        """Add the next game."""
        rows = game.rows.tobytes()
        head = HEAD.pack(MARK, self.games, len(game.rows), game.given_up)
        self._file.write(head + CHECK.pack(zlib.crc32(head + rows)) + rows)
        self._file.flush()
        self._count(game)

    def rows(self) -> NDArray[np.void]:
        """The positions of all games, as `ROW`; of those that are alike the first that is solved, or else the first."""
        found = [game.rows for game in self.games_kept()]
        every = np.concatenate(found) if found else np.empty(0, dtype=ROW)
        solved_first = np.argsort(~every["exact"], kind="stable")
        kept = solved_first[first_of_each(every[solved_first])]
        return every[np.sort(kept)]

    def close(self) -> None:
        """Let go of it; it is on disk then."""
        os.fsync(self._file.fileno())
        self._file.close()

    def _count(self, game: LabelledGame) -> None:
        self.games += 1
        self.positions += len(game.rows)
        self.given_up += game.given_up

    def games_kept(self) -> Iterator[LabelledGame]:
        """Every game that is whole and in its place."""
        self._file.seek(0)
        number = 0
        while len(head := self._file.read(HEAD.size)) == HEAD.size:
            mark, said, count, given_up = HEAD.unpack(head)
            if mark != MARK or said != number or count > MOST_ROWS:
                return
            check, rows = self._file.read(CHECK.size), self._file.read(count * ROW.itemsize)
            if len(rows) != count * ROW.itemsize or check != CHECK.pack(zlib.crc32(head + rows)):
                return
            yield LabelledGame(np.frombuffer(rows, dtype=ROW), given_up)
            number += 1


def first_of_each(rows: Mapping[str, NDArray[Any]] | NDArray[np.void]) -> NDArray[np.intp]:
    """The places of the positions that do not stand in a row before, ascending.

    Rows hold canonical positions, so those that are alike are equal.
    """
    blank, mover, other = (rows[name] for name in ("blank", "mover", "other"))
    keys = np.column_stack([blank, mover, other])  # of 64 bits, as the widest of them
    order = np.lexsort(keys.T)  # stable: among equals the first stays first
    is_new = np.ones(len(keys), dtype=bool)
    is_new[1:] = (keys[order[1:]] != keys[order[:-1]]).any(axis=1)
    return np.sort(order[is_new])
