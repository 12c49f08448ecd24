"""What is left of labelled games in the end: an array file for each board, what made them in JSON, and reading both.

A folder holds `ROWSxCOLS.npz` for each board, with an array for each column of `ROW` and nothing compressed or pickled,
and `labels.json`. Whatever is read has to be what could have been written: files come from anywhere.
"""

import json
import platform
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numba
import numpy as np
from numpy.typing import NDArray

from isolarium import __version__
from isolarium.errors import InputError, located, quoted, shown
from isolarium.game.board import KNIGHT_STEPS, Board
from isolarium.game.notation import parse_board
from isolarium.labels.journal import first_of_each
from isolarium.labels.labeller import ROW
from isolarium.labels.source_games import SPLITS, split_of
from isolarium.safe_files import MOST_TEXT, digest_file, read_json_file, read_small, write_whole

FACTS_NAME: Final = "labels.json"
FORMAT: Final = 1
MOST_BYTES: Final = 1 << 34
MOST_HEADERS: Final = 1 << 16
"""Bytes of a board's file beside the arrays themselves."""
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
"""What is asked of `labels.json`, as a whole and for each board, before anything in it is believed."""
AT_ONCE: Final = 1 << 16
"""Rows that are looked at together."""

Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class BoardLabels:
    """The labelled positions of a board; docs/how-to/train.md says what each array holds.

    Attributes:
        board: the board.
        arrays: by the names of the columns, all of the same length.
    """

    board: Board
    arrays: Arrays

    def __len__(self) -> int:
        return len(self.arrays["mover"])

    def __getitem__(self, column: str) -> NDArray[Any]:
        return self.arrays[column]


# Writing


def write_board(folder: Path, labels: BoardLabels) -> dict[str, Any]:
    """Write the file of a board; what is said of it."""
    data = BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for column, array in labels.arrays.items():
            with archive.open(zipfile.ZipInfo(f"{column}.npy"), "w") as file:  # with no date
                np.lib.format.write_array(file, array, version=(1, 0), allow_pickle=False)
    name = f"{labels.board}.npz"
    draft = folder / f"{name}.draft"
    draft.write_bytes(data.getbuffer())
    draft.replace(folder / name)
    return {
        "file": name,
        "sha256": sha256(data.getbuffer()).hexdigest(),
        **_counts(labels),
    }


def _counts(labels: BoardLabels) -> dict[str, Any]:
    """What there is of positions, moves, splits and blanks."""
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
    """How many bits are set."""
    counted: NDArray[np.int64] = np.unpackbits(sets[:, None], axis=1).sum(axis=1, dtype=np.int64)
    return counted


def write_facts(folder: Path, plan: Mapping[str, Any], labels: Mapping[str, Any]) -> None:
    """Write what made the files, and what is in them; while there are none yet, only the first."""
    versions = {
        "isolarium": __version__,
        "numba": numba.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }
    facts = {"format": FORMAT, **plan, "versions": versions, "labels": labels}
    write_whole(folder / FACTS_NAME, json.dumps(facts, indent=1) + "\n")


# Reading


def read_facts(folder: Path) -> dict[str, Any]:
    """What `labels.json` says.

    Raises:
        InputError: it is not there, or is something else.
    """
    path = folder / FACTS_NAME
    found = read_json_file(path, MOST_TEXT)
    with located(str(path)):
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise InputError(f"expected what isolarium label writes, in format {FORMAT}")
        _check_kinds(found, FACTS)
        for board, said in found["labels"].items():
            with located(shown(board)):
                _check_kinds(said, BOARD_FACTS)
                _check_kinds(said["splits"], SPLIT_FACTS)
    return found


def _check_kinds(said: Any, kinds: Mapping[str, Any]) -> None:
    for key, kind in kinds.items():
        if not isinstance(said, dict) or not isinstance(said.get(key), kind):
            raise InputError(f"{key}: expected what isolarium label writes there")


def is_whole(folder: Path, facts: Mapping[str, Any]) -> bool:
    """Whether all files are there that the facts speak of, as they were written."""
    try:
        for name, said in facts["labels"].items():
            path = folder / f"{parse_board(name)}.npz"
            if digest_file(path, _most_bytes(said)) != said["sha256"]:
                return False
    except (InputError, OSError):
        return False
    return bool(facts["labels"])


def read_labels(folder: Path) -> list[BoardLabels]:
    """The labelled positions of a folder, board by board.

    Raises:
        InputError: it holds none, they are not finished yet, or something in them cannot be.
    """
    facts = read_facts(folder)
    if not facts["labels"]:
        raise InputError(
            f"{folder}: not finished; the command that began it goes on: {facts['command']}"
        )
    return [
        _read_board(folder, parse_board(name), said, facts)
        for name, said in facts["labels"].items()
    ]


def _read_board(
    folder: Path, board: Board, said: Mapping[str, Any], facts: Mapping[str, Any]
) -> BoardLabels:
    data = _read_bytes(folder, board, said)
    with located(str(folder / f"{board}.npz")):
        arrays = _arrays(data)
        labels = BoardLabels(board, arrays)
        check_labels(labels, facts["seed"], facts["games"])
    return labels


def _read_bytes(folder: Path, board: Board, said: Mapping[str, Any]) -> bytes:
    """The file of a board, as it was written."""
    path = folder / f"{board}.npz"
    try:
        data = read_small(path, _most_bytes(said))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; expected the positions of {board}") from None
    if said["sha256"] != sha256(data).hexdigest():
        raise InputError(f"{path}: not as it was written; expected the sha256 of {FACTS_NAME}")
    return data


def _most_bytes(said: Mapping[str, Any]) -> int:
    """The most bytes that the file of so many positions may have."""
    positions: int = said["positions"]
    return max(0, min(MOST_BYTES, positions * ROW.itemsize + MOST_HEADERS))


def _arrays(data: bytes) -> Arrays:
    """The arrays in a file; nothing in it is run, unpacked or allocated beyond its size."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = {f"{name}.npy" for name in ROW.names or ()}
            members = archive.infolist()
            if {one.filename for one in members} != names or len(members) != len(names):
                raise InputError(f"expected the arrays {', '.join(ROW.names or ())}, each once")
            if any(one.compress_type != zipfile.ZIP_STORED for one in members):
                raise InputError("a compressed array; expected none")
            found = {
                one.filename[:-4]: _array(archive.read(one), one.filename[:-4]) for one in members
            }
    except (zipfile.BadZipFile, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{quoted(str(error))}; expected what isolarium label writes") from None
    if len({len(array) for array in found.values()}) != 1:
        raise InputError("arrays of several lengths; expected one")
    return found


def _array(data: bytes, name: str) -> NDArray[Any]:
    """One array, whose kind and shape are looked at before it is made."""
    stream = BytesIO(data)
    if np.lib.format.read_magic(stream) != (1, 0):
        raise InputError(f"{name}: expected version 1.0 of numpy's format")
    shape, is_fortran, kind = np.lib.format.read_array_header_1_0(stream)
    wanted = ROW[name]
    if (
        kind != wanted.base
        or shape[1:] != wanted.shape
        or not shape
        or (is_fortran and wanted.shape)
    ):
        raise InputError(
            f"{name}: {kind}{list(shape)}; expected {wanted.base}, a row for each position"
        )
    rest = data[stream.tell() :]
    if len(rest) != shape[0] * wanted.itemsize:
        raise InputError(f"{name}: {len(rest):,} bytes; expected {shape[0] * wanted.itemsize:,}")
    return np.frombuffer(rest, dtype=wanted.base).reshape(shape)


def check_labels(labels: BoardLabels, seed: int, games: int) -> None:
    """See that arrays hold positions of their board with labels that could be true.

    Raises:
        InputError: names the first row that cannot.
    """
    for start in range(0, len(labels), AT_ONCE):
        part = {name: array[start : start + AT_ONCE] for name, array in labels.arrays.items()}
        for what, is_wrong in _faults(labels.board, part, seed, games).items():
            if is_wrong.any():
                raise InputError(f"position {start + int(is_wrong.argmax())}: {what}")
    if len(first_of_each(labels.arrays)) != len(labels):
        raise InputError("a position that occurs twice; expected each once")


def _faults(board: Board, part: Arrays, seed: int, games: int) -> dict[str, NDArray[np.bool_]]:
    """What may be wrong with rows, and of which it is so."""
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
        "expected the ply that its blank squares tell": part["ply"] != size - blank.sum(axis=1),
        "expected its legal moves, at least one": (legal != _legal(board, blank, mover))
        | (legal == 0),
        "expected winning moves to be legal": (wins & ~legal) != 0,
        "expected plies of legal moves only": ((plies != 0) & ~each).any(axis=1),
        "expected plies that the blank squares leave room for": (
            plies > blank.sum(axis=1, dtype=int)[:, None]
        ).any(axis=1),
        "expected an outcome, and nothing else, where it is not exact": np.where(
            exact, outcome != 0, (np.abs(outcome) != 1) | (wins != 0) | plies.any(axis=1)
        ).astype(bool),
        "expected true or false for exact": part["exact"].view(np.uint8) > 1,
        f"expected a game below {games}": part["game"] >= games,
        "expected the split of its game": part["split"]
        != splits[np.unique(part["game"], return_inverse=True)[1].reshape(-1)],
    }


def _legal(board: Board, blank: NDArray[np.uint8], mover: NDArray[np.int64]) -> NDArray[np.uint8]:
    """The legal moves, a bit a direction."""
    row, col = mover // board.cols, mover % board.cols
    at = np.arange(len(mover))
    legal = np.zeros(len(mover), dtype=np.uint8)
    for direction, (down, right) in enumerate(KNIGHT_STEPS):
        inside = (
            (row + down >= 0)
            & (row + down < board.rows)
            & (col + right >= 0)
            & (col + right < board.cols)
        )
        target = np.where(inside, mover + down * board.cols + right, 0)
        legal |= ((inside & (blank[at, target] == 1)) << direction).astype(np.uint8)
    return legal
