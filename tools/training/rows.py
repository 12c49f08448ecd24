"""Labelled positions as rows, from what `isolab label` writes and from what `labels.cu` writes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from isolab.game.board import Board
from isolab.game.notation import parse_board
from isolab.labels.store import read_labels

ROLLOUTS: Final = 16
HELD_OUT: Final = 20
"""One game of so many is not trained on."""

RECORD: Final = np.dtype(
    [
        ("blank", "<u8", 3),
        ("game", "<u4"),
        ("mover", "u1"),
        ("other", "u1"),
        ("legal", "u1"),
        ("wins", "u1"),
        ("unknown", "u1"),
        ("ply", "u1"),
        ("exact", "u1"),
        ("pad", "u1"),
        ("won", "u1", 8),
        ("pad2", "u1", 4),
    ]
)
"""What `labels.cu` writes for each position."""


class Rows(NamedTuple):
    """Positions of one board.

    Attributes:
        board: the board.
        blank: the blank squares of each, three words.
        mover: the square of the player to move.
        other: that of the other.
        legal: a bit for each direction in which there is a move.
        chance: for each direction, how likely the mover wins after it: 0 or 1 where that is exact.
        exact: whether it is.
        held_out: whether its game is not trained on.
    """

    board: Board
    blank: NDArray[np.uint64]
    mover: NDArray[np.uint8]
    other: NDArray[np.uint8]
    legal: NDArray[np.uint8]
    chance: NDArray[np.float32]
    exact: NDArray[np.bool_]
    held_out: NDArray[np.bool_]

    def parts(self, size: int) -> "Iterator[Rows]":
        """The same, at most so many positions each."""
        for at in range(0, len(self.mover), size):
            arrays = (array[at : at + size] for array in self[1:])
            yield Rows(self.board, *arrays)  # type: ignore[arg-type] # of the same kinds


def read_rows(path: Path) -> list[Rows]:
    """The positions of a folder of `isolab label`, or of a file ROWSxCOLS-NAME.bin of `labels.cu`."""
    if path.is_dir():
        return [_from_labels(labels) for labels in read_labels(path)]
    return [_from_record(np.fromfile(path, RECORD), parse_board(path.stem.partition("-")[0]))]


def _from_labels(labels: Any) -> Rows:
    kept = labels["exact"]  # one outcome says too little of a move
    return Rows(
        board=labels.board,
        blank=labels["blank"][kept],
        mover=labels["mover"][kept],
        other=labels["other"][kept],
        legal=labels["legal"][kept],
        chance=_bits(labels["wins"][kept]),
        exact=np.ones(kept.sum(), dtype=np.bool_),
        held_out=labels["split"][kept] != 0,
    )


def _from_record(record: NDArray[Any], board: Board) -> Rows:
    squares = record["mover"].astype(np.uint64) << np.uint64(8) | record["other"]
    _, once = np.unique(np.column_stack([record["blank"], squares]), axis=0, return_index=True)
    record = record[np.sort(once)]
    exact = record["exact"] == 1
    outcome = record["won"] / np.float32(ROLLOUTS)
    drawn = record["game"].astype(np.uint64) * np.uint64(2654435761) % np.uint64(1 << 32)
    return Rows(
        board=board,
        blank=record["blank"],
        mover=record["mover"],
        other=record["other"],
        legal=record["legal"],
        chance=np.where(exact[:, None], _bits(record["wins"]), outcome).astype(np.float32),
        exact=exact,
        held_out=(drawn >> np.uint64(16)) % np.uint64(HELD_OUT) == 0,
    )


def _bits(packed: NDArray[np.uint8]) -> NDArray[np.float32]:
    return np.unpackbits(packed[:, None], axis=1, bitorder="little").astype(np.float32)
