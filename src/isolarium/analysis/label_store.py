"""The files of labelled positions: a journal of games, then arrays and facts.

For each board a folder contains the journal, `ROWSxCOLS.games`, and `ROWSxCOLS.npz`, with an
uncompressed array for each column of `ROW` and without pickled data. `labels.json` contains the
facts: the command, versions and counts. Files may come from anywhere, so everything that is read is
checked.
"""

import json
import os
import platform
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from struct import Struct
from typing import Any, Final

import numba
import numpy as np
from numpy.typing import NDArray

from isolarium import __version__
from isolarium.analysis.labeller import ROW, SPLITS, LabelledGame, split_of
from isolarium.compat import lock
from isolarium.errors import InputError, located, quoted, shown
from isolarium.game.board import KNIGHT_STEPS, MAX_SIDE, Board, parse_board
from isolarium.safe_files import MOST_TEXT, digest_file, open_to_append, read_json_file, read_small, write_whole

HEAD: Final = Struct("<4sIII")
CHECKSUM: Final = Struct("<I")
MARK: Final = b"game"
MOST_ROWS: Final = MAX_SIDE**2
"""The maximum number of rows of a game, in which every move takes a square."""

FACTS_NAME: Final = "labels.json"
FORMAT: Final = 1
MOST_BYTES: Final = 1 << 34
MOST_HEADERS: Final = 1 << 16
"""The maximum size of a board's file in bytes, besides the array data."""
FACTS: Final = {"command": str, "games": int, "seed": int, "versions": dict, "labels": dict}
SPLIT_FACTS: Final = dict.fromkeys(SPLITS, int)
BOARD_FACTS: Final = {
    "file": str,
    "sha256": str,
    **dict.fromkeys(("games", "labelled", "given_up", "positions", "exact", "moves"), int),
    "decisive": int,
    "chance": (float, type(None)),
    "splits": dict,
    "blanks": dict,
}
"""The required keys of `labels.json` and their types, for the whole file and for each board."""
AT_ONCE: Final = 1 << 16
"""The number of rows that are checked together."""

Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class BoardLabels:
    """The labelled positions of a board; docs/how-to/train.md describes each array.

    Attributes:
        board: The board.
        arrays: The arrays by column name, all of the same length.
    """

    board: Board
    arrays: Arrays

    def __len__(self) -> int:
        return len(self.arrays["mover"])

    def __getitem__(self, column: str) -> NDArray[Any]:
        return self.arrays[column]


# The journal


class BoardJournal:
    """A board's labelled games, open for appending.

    A game is written as `MARK`, its number, its number of rows, how many positions were given up,
    and a CRC-32; then the rows. A damaged or incomplete game is removed with everything after it,
    and labelled again.

    Args:
        path: The journal's path; the file is created if needed.

    Attributes:
        games: The number of games, numbered from 0.
        positions: The number of rows of these games.
        given_up: The number of positions skipped because solving would take too long.

    Raises:
        InputError: If the file cannot be written to, or another process is writing to it.
    """

    def __init__(self, path: Path) -> None:
        self._file = open_to_append(path, "a file to write to")
        if not lock(self._file):
            self._file.close()
            raise InputError(f"{path}: another isolarium process is writing to it")
        self.games = self.positions = self.given_up = 0
        valid_bytes = 0
        for game in self.read_games():
            self._count(game)
            valid_bytes = self._file.tell()
        self._file.truncate(valid_bytes)

    def add(self, game: LabelledGame) -> None:
        """Append the next game."""
        rows = game.rows.tobytes()
        head = HEAD.pack(MARK, self.games, len(game.rows), game.given_up)
        self._file.write(head + CHECKSUM.pack(zlib.crc32(head + rows)) + rows)
        self._file.flush()
        self._count(game)

    def rows(self) -> NDArray[np.void]:
        """Return each distinct position once, as `ROW`.

        For each position, the first exact row is kept, or the first row if no row is exact.
        """
        found = [game.rows for game in self.read_games()]
        every = np.concatenate(found) if found else np.empty(0, dtype=ROW)
        solved_first = np.argsort(~every["exact"], kind="stable")
        kept = solved_first[first_of_each(every[solved_first])]
        return every[np.sort(kept)]

    def close(self) -> None:
        """Flush the file to disk and close it."""
        os.fsync(self._file.fileno())
        self._file.close()

    def _count(self, game: LabelledGame) -> None:
        self.games += 1
        self.positions += len(game.rows)
        self.given_up += game.given_up

    def read_games(self) -> Iterator[LabelledGame]:
        """Yield the games in order, up to the first that is damaged or out of order."""
        self._file.seek(0)
        number = 0
        while len(head := self._file.read(HEAD.size)) == HEAD.size:
            mark, stored_number, count, given_up = HEAD.unpack(head)
            if mark != MARK or stored_number != number or count > MOST_ROWS:
                return
            checksum, rows = self._file.read(CHECKSUM.size), self._file.read(count * ROW.itemsize)
            if len(rows) != count * ROW.itemsize:
                return
            if checksum != CHECKSUM.pack(zlib.crc32(head + rows)):
                return
            yield LabelledGame(np.frombuffer(rows, dtype=ROW), given_up)
            number += 1


def first_of_each(rows: Mapping[str, NDArray[Any]] | NDArray[np.void]) -> NDArray[np.intp]:
    """Return the indices of rows whose position is not in an earlier row.

    Rows hold canonical positions, so symmetric positions have equal rows.
    """
    blank, mover, other = (rows[name] for name in ("blank", "mover", "other"))
    keys = np.column_stack([blank, mover, other])  # uint64, the widest of the three
    order = np.lexsort(keys.T)  # A stable sort: among equals the first stays first.
    is_new = np.ones(len(keys), dtype=bool)
    is_new[1:] = (keys[order[1:]] != keys[order[:-1]]).any(axis=1)
    return np.sort(order[is_new])


# The files: writing


def write_board(folder: Path, labels: BoardLabels) -> dict[str, Any]:
    """Write a board's array file and return its entry in `labels.json`."""
    data = BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for column, array in labels.arrays.items():
            with archive.open(zipfile.ZipInfo(f"{column}.npy"), "w") as file:  # Without a date, for reproducible bytes
                np.lib.format.write_array(file, array, version=(1, 0), allow_pickle=False)
    name = f"{labels.board}.npz"
    draft = folder / f"{name}.draft"
    draft.write_bytes(data.getbuffer())
    draft.replace(folder / name)
    return {"file": name, "sha256": sha256(data.getbuffer()).hexdigest(), **_counts(labels)}


def _counts(labels: BoardLabels) -> dict[str, Any]:
    """Return the counts of positions, moves, splits and blanks."""
    exact, split = labels["exact"], labels["split"]
    decisive = exact & (labels["wins"] != 0) & (labels["wins"] != labels["legal"])
    legal, wins = _bits(labels["legal"]), _bits(labels["wins"])
    chance = wins[decisive] / legal[decisive]
    blanks, each = np.unique(labels.board.size - labels["ply"].astype(int), return_counts=True)
    return {
        "positions": len(labels),
        "exact": int(exact.sum()),
        "moves": int(legal[exact].sum()),
        "decisive": int(decisive.sum()),
        "chance": round(float(chance.mean()), 4) if len(chance) else None,
        "splits": {name: int((split == place).sum()) for place, name in enumerate(SPLITS)},
        "blanks": {str(count): int(number) for count, number in zip(blanks, each, strict=True)},
    }


def _bits(sets: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the number of bits set in each byte."""
    counted: NDArray[np.int64] = np.unpackbits(sets[:, None], axis=1).sum(axis=1, dtype=np.int64)
    return counted


def write_facts(folder: Path, plan: Mapping[str, Any], labels: Mapping[str, Any]) -> None:
    """Write `labels.json`; `labels` is empty until the arrays are written."""
    versions = {
        "isolarium": __version__,
        "numba": numba.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }
    facts = {"format": FORMAT, **plan, "versions": versions, "labels": labels}
    write_whole(folder / FACTS_NAME, json.dumps(facts, indent=1) + "\n")


# The files: reading


def read_facts(folder: Path) -> dict[str, Any]:
    """Return the contents of `labels.json`.

    Raises:
        InputError: If the file is missing or invalid.
    """
    path = folder / FACTS_NAME
    found = read_json_file(path, MOST_TEXT)
    with located(str(path)):
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise InputError(f"expected a file written by isolarium label, in format {FORMAT}")
        _check_kinds(found, FACTS)
        for board, entry in found["labels"].items():
            with located(shown(board)):
                _check_kinds(entry, BOARD_FACTS)
                _check_kinds(entry["splits"], SPLIT_FACTS)
    return found


def _check_kinds(found: Any, kinds: Mapping[str, Any]) -> None:
    for key, kind in kinds.items():
        if not isinstance(found, dict) or not isinstance(found.get(key), kind):
            raise InputError(f"{key}: missing or of the wrong type; was it written by isolarium label?")


def is_whole(folder: Path, facts: Mapping[str, Any]) -> bool:
    """Whether every file listed in the facts exists and is unchanged."""
    try:
        for name, entry in facts["labels"].items():
            path = folder / f"{parse_board(name)}.npz"
            if digest_file(path, _most_bytes(entry)) != entry["sha256"]:
                return False
    except (InputError, OSError):
        return False
    return bool(facts["labels"])


def read_labels(folder: Path) -> list[BoardLabels]:
    """Return a folder's labelled positions, board by board.

    Raises:
        InputError: If there are no labels, if they are unfinished, or if a file is invalid.
    """
    facts = read_facts(folder)
    if not facts["labels"]:
        raise InputError(f"{folder}: not finished; to continue, run {facts['command']}")
    return [_read_board(folder, parse_board(name), entry, facts) for name, entry in facts["labels"].items()]


def _read_board(folder: Path, board: Board, entry: Mapping[str, Any], facts: Mapping[str, Any]) -> BoardLabels:
    data = _read_bytes(folder, board, entry)
    with located(str(folder / f"{board}.npz")):
        arrays = _arrays(data)
        labels = BoardLabels(board, arrays)
        check_labels(labels, facts["seed"], facts["games"])
    return labels


def _read_bytes(folder: Path, board: Board, entry: Mapping[str, Any]) -> bytes:
    """Return the bytes of a board's array file, verified by its checksum."""
    path = folder / f"{board}.npz"
    try:
        data = read_small(path, _most_bytes(entry))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; expected the positions of {board}") from None
    if entry["sha256"] != sha256(data).hexdigest():
        raise InputError(f"{path}: changed or damaged; its sha256 differs from {FACTS_NAME}")
    return data


def _most_bytes(entry: Mapping[str, Any]) -> int:
    """Return the maximum size of a board's array file, from its number of positions."""
    positions: int = entry["positions"]
    return max(0, min(MOST_BYTES, positions * ROW.itemsize + MOST_HEADERS))


def _arrays(data: bytes) -> Arrays:
    """Return the arrays in a file.

    Nothing is unpickled or decompressed, and no more memory is allocated than the file's size.
    """
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = {f"{name}.npy" for name in ROW.names or ()}
            members = archive.infolist()
            if {one.filename for one in members} != names or len(members) != len(names):
                raise InputError(f"expected the arrays {', '.join(ROW.names or ())}, each once")
            if any(one.compress_type != zipfile.ZIP_STORED for one in members):
                raise InputError("a compressed array; expected uncompressed ones")
            found = {one.filename[:-4]: _array(archive.read(one), one.filename[:-4]) for one in members}
    except (zipfile.BadZipFile, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
        if isinstance(error, InputError):
            raise
        problem = "expected an array file written by isolarium label"
        raise InputError(f"{quoted(str(error))}; {problem}") from None
    if len({len(array) for array in found.values()}) != 1:
        raise InputError("arrays of different lengths; expected the same length for all")
    return found


def _array(data: bytes, name: str) -> NDArray[Any]:
    """Return one array; its type and shape are checked before it is created."""
    stream = BytesIO(data)
    if np.lib.format.read_magic(stream) != (1, 0):
        raise InputError(f"{name}: expected version 1.0 of numpy's format")
    shape, is_fortran, kind = np.lib.format.read_array_header_1_0(stream)
    wanted = ROW[name]
    if kind != wanted.base or shape[1:] != wanted.shape or not shape or (is_fortran and wanted.shape):
        raise InputError(f"{name}: {kind}{list(shape)}; expected {wanted.base}, one row per position")
    rest = data[stream.tell() :]
    if len(rest) != shape[0] * wanted.itemsize:
        raise InputError(f"{name}: {len(rest):,} bytes; expected {shape[0] * wanted.itemsize:,}")
    return np.frombuffer(rest, dtype=wanted.base).reshape(shape)


def check_labels(labels: BoardLabels, seed: int, games: int) -> None:
    """Check that arrays hold positions of their board, with consistent labels.

    Raises:
        InputError: If a row is wrong; the message names the first one.
    """
    for start in range(0, len(labels), AT_ONCE):
        part = {name: array[start : start + AT_ONCE] for name, array in labels.arrays.items()}
        for what, is_wrong in _faults(labels.board, part, seed, games).items():
            if is_wrong.any():
                raise InputError(f"position {start + int(is_wrong.argmax())}: {what}")
    if len(first_of_each(labels.arrays)) != len(labels):
        raise InputError("a position occurs twice; expected distinct positions")


def _faults(board: Board, part: Arrays, seed: int, games: int) -> dict[str, NDArray[np.bool_]]:
    """Return each possible error with a mask of the rows that have it."""
    size = board.size
    at = np.arange(len(part["mover"]))
    mover, other = part["mover"].astype(int), part["other"].astype(int)
    words = np.ascontiguousarray(part["blank"], dtype="<u8")
    blank = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")
    off = (mover >= size) | (other >= size)
    mover, other = np.where(off, 0, mover), np.where(off, 0, other)
    legal, wins, plies = part["legal"], part["wins"], part["plies"]
    exact, outcome = part["exact"].view(np.uint8) == 1, part["outcome"]
    each = np.unpackbits(legal[:, None], axis=1, bitorder="little").astype(bool)
    splits = np.array([split_of(seed, int(game)) for game in np.unique(part["game"])])
    return {
        "expected its squares on the board": off | blank[:, size:].any(axis=1),
        "expected two players, on squares that are not blank": (mover == other)
        | (blank[at, mover] | blank[at, other]).astype(bool),
        "expected the ply that follows from its blank squares": part["ply"] != size - blank.sum(axis=1),
        "expected its legal moves, at least one": (legal != _legal(board, blank, mover)) | (legal == 0),
        "expected winning moves to be legal": (wins & ~legal) != 0,
        "expected plies of legal moves only": ((plies != 0) & ~each).any(axis=1),
        "expected no more plies than blank squares": (plies > blank.sum(axis=1, dtype=int)[:, None]).any(axis=1),
        "expected an outcome where it is not exact, and only there": np.where(
            exact, outcome != 0, (np.abs(outcome) != 1) | (wins != 0) | plies.any(axis=1)
        ).astype(bool),
        "expected true or false for exact": part["exact"].view(np.uint8) > 1,
        f"expected a game below {games}": part["game"] >= games,
        "expected the split of its game": part["split"]
        != splits[np.unique(part["game"], return_inverse=True)[1].reshape(-1)],
    }


def _legal(board: Board, blank: NDArray[np.uint8], mover: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the legal moves, one bit per direction."""
    row, col = mover // board.cols, mover % board.cols
    at = np.arange(len(mover))
    legal = np.zeros(len(mover), dtype=np.uint8)
    for direction, (down, right) in enumerate(KNIGHT_STEPS):
        inside = (row + down >= 0) & (row + down < board.rows) & (col + right >= 0) & (col + right < board.cols)
        target = np.where(inside, mover + down * board.cols + right, 0)
        legal |= ((inside & (blank[at, target] == 1)) << direction).astype(np.uint8)
    return legal
