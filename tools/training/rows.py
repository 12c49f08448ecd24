"""Labelled positions as rows, from the files of `isolarium label`, `labels.cu` and `games.cu`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from isolarium.game.board import Board
from isolarium.game.notation import parse_board
from isolarium.labels.store import read_labels

HELD_OUT: Final = 20
"""One in this many games is held out."""

RECORD: Final = np.dtype(
    [
        ("blank", "<u8", 3),
        ("game", "<u4"),
        ("mover", "u1"),
        ("other", "u1"),
        ("legal", "u1"),
        ("wins", "u1"),
        ("ply", "u1"),
        ("exact", "u1"),
        ("pad", "u1", 6),
    ]
)
"""The record of a position: if it is not exact, the move that was made and whether it won."""


class Rows(NamedTuple):
    """Positions of one board.

    Attributes:
        board: The board.
        blank: The blank squares of each position, three words.
        mover: The square of the player to move.
        other: The square of the other player.
        legal: A bit for each direction with a known result.
        wins: Whether the mover wins after that move.
        exact: Whether the result is proven for every legal move; otherwise it is the game's, for the move made.
        held_out: Whether its game is excluded from training.
    """

    board: Board
    blank: NDArray[np.uint64]
    mover: NDArray[np.uint8]
    other: NDArray[np.uint8]
    legal: NDArray[np.uint8]
    wins: NDArray[np.bool_]
    exact: NDArray[np.bool_]
    held_out: NDArray[np.bool_]

    def parts(self, size: int) -> "Iterator[Rows]":
        """Yield the same rows in parts of a maximum size."""
        for at in range(0, len(self.mover), size):
            arrays = (array[at : at + size] for array in self[1:])
            yield Rows(self.board, *arrays)  # type: ignore[arg-type] # of the same kinds


def read_rows(path: Path) -> list[Rows]:
    """Return the positions of a folder of `isolarium label`, or of a ROWSxCOLS-NAME.bin file.

    `labels.cu` and `games.cu` write such files.
    """
    if path.is_dir():
        return [_from_labels(labels) for labels in read_labels(path)]
    return [_from_record(np.fromfile(path, RECORD), parse_board(path.stem.partition("-")[0]))]


def _from_labels(labels: Any) -> Rows:
    kept = labels["exact"]  # a single outcome is too little evidence on a move
    return Rows(
        board=labels.board,
        blank=labels["blank"][kept],
        mover=labels["mover"][kept],
        other=labels["other"][kept],
        legal=labels["legal"][kept],
        wins=_bits(labels["wins"][kept]),
        exact=np.ones(kept.sum(), dtype=np.bool_),
        held_out=labels["split"][kept] != 0,
    )


def _from_record(record: NDArray[Any], board: Board) -> Rows:
    squares = record["mover"].astype(np.uint64) << np.uint64(8) | record["other"]
    _, once = np.unique(np.column_stack([record["blank"], squares]), axis=0, return_index=True)
    record = record[np.sort(once)]
    drawn = record["game"].astype(np.uint64) * np.uint64(2654435761) % np.uint64(1 << 32)
    return Rows(
        board=board,
        blank=record["blank"],
        mover=record["mover"],
        other=record["other"],
        legal=record["legal"],
        wins=_bits(record["wins"]),
        exact=record["exact"] == 1,
        held_out=(drawn >> np.uint64(16)) % np.uint64(HELD_OUT) == 0,
    )


def _bits(packed: NDArray[np.uint8]) -> NDArray[np.bool_]:
    return np.unpackbits(packed[:, None], axis=1, bitorder="little").astype(np.bool_)
