"""Labelled positions as rows, and the features of `learned` for many of them, in tensors.

The rows come from the files of `isolarium label`, `labels.cu` and `games.cu`. The features are the same as those of
`catalogue/learned.py`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from isolarium.analysis.label_store import read_labels
from isolarium.game.board import Board, parse_board

HELD_OUT: Final = 20
"""One game in this many is held out."""

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
"""The record of a position. If the position is not exact, it contains the move made and whether
that move won."""


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


STEPS: Final = ((-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1))
KINDS: Final = 81
PARTS: Final = 12
SIZES: Final = 24


class Seen(NamedTuple):
    """Positions after a move, one row of each tensor each.

    Attributes:
        position: The row of `Rows` in which the move was made.
        direction: The direction of the move.
        role: 1 if the player to move is the stealer.
        squares: The number of squares of each part and kind.
        knights: The kinds of the squares of the waiting and of the moving player.
        offset: The offset between the two players.
        sizes: The odd and even squares of the waiting and of the moving player, in groups of four.
    """

    position: Tensor
    direction: Tensor
    role: Tensor
    squares: Tensor
    knights: Tensor
    offset: Tensor
    sizes: Tensor


def see(rows: Rows, device: str) -> Seen:
    """Make every legal move of the rows and return the features of the resulting positions."""
    height, width = rows.board.rows, rows.board.cols
    bits = np.unpackbits(rows.blank.view(np.uint8).reshape(-1, 24), axis=1, bitorder="little")
    blank = torch.from_numpy(bits[:, : height * width]).to(device).bool()
    mover, other, legal = (
        torch.from_numpy(array.astype(np.int64)).to(device) for array in (rows.mover, rows.other, rows.legal)
    )
    found = [torch.nonzero(legal >> direction & 1)[:, 0] for direction in range(len(STEPS))]
    position = torch.cat(found)
    direction = torch.cat([torch.full_like(one, k) for k, one in enumerate(found)])
    order = torch.argsort(position, stable=True)
    position, direction = position[order], direction[order]
    leaps = torch.tensor([down * width + across for down, across in STEPS], device=device)
    waits, moves = mover[position] + leaps[direction], other[position]
    after = blank[position]
    after[torch.arange(len(after), device=device), waits] = False
    return _look(after.view(-1, height, width), waits, moves, position, direction)


def _look(blank: Tensor, waits: Tensor, moves: Tensor, position: Tensor, direction: Tensor) -> Seen:
    count, _, width = blank.shape
    mine, theirs, distance = _regions(blank, waits, moves)
    around_mine, around_theirs = _neighbours(mine), _neighbours(theirs)
    kind_mine = (9 * around_mine + around_theirs).view(count, -1)
    kind_theirs = (9 * around_theirs + around_mine).view(count, -1)
    flat_mine, flat_theirs = mine.view(count, -1), theirs.view(count, -1)
    steps = distance.view(count, -1).long()
    near = torch.where(steps <= 4, steps - 1, 5 - steps % 2)
    place = torch.where(flat_mine, near * KINDS + kind_mine, PARTS * KINDS)  # for squares of neither player
    place = torch.where(flat_theirs, (near + PARTS // 2) * KINDS + kind_theirs, place)
    squares = torch.zeros((count, PARTS * KINDS + 1), dtype=torch.uint8, device=blank.device)
    squares.scatter_add_(1, place, torch.ones_like(place, dtype=torch.uint8))
    row = torch.arange(count, device=blank.device)
    down = (waits // width - moves // width).abs()
    across = (waits % width - moves % width).abs()
    odd = steps % 2 == 1
    parts = (flat_mine & odd, flat_mine & ~odd, flat_theirs & odd, flat_theirs & ~odd)
    return Seen(
        position,
        direction,
        1 - (down + across) % 2,
        squares[:, :-1].contiguous(),
        torch.stack([kind_mine[row, waits], kind_theirs[row, moves]], dim=1),
        13 * torch.minimum(down, across) + torch.maximum(down, across),
        torch.stack([(part.sum(1) // 4).clamp(max=SIZES - 1) for part in parts], dim=1),
    )


def _regions(blank: Tensor, waits: Tensor, moves: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the squares that each player reaches first, and their distances."""
    first, second, free = _just(blank, moves), _just(blank, waits), blank.clone()
    mine, theirs = torch.zeros_like(blank), torch.zeros_like(blank)
    distance = torch.zeros_like(blank, dtype=torch.uint8)
    steps = 0
    while bool((first | second).any()):
        steps += 1
        first = _spread(first) & free
        free &= ~first
        second = _spread(second) & free
        free &= ~second
        theirs |= first
        mine |= second
        distance[first | second] = steps
    return mine, theirs, distance


def _just(blank: Tensor, square: Tensor) -> Tensor:
    chosen = torch.zeros_like(blank)
    chosen.view(len(blank), -1)[torch.arange(len(blank), device=blank.device), square] = True
    return chosen


def _shifted(planes: Tensor) -> list[Tensor]:
    """Return the planes shifted by a knight's move in every direction."""
    _, height, width = planes.shape
    padded = torch.nn.functional.pad(planes, (2, 2, 2, 2))
    return [padded[:, 2 + r : 2 + r + height, 2 + c : 2 + c + width] for r, c in STEPS]


def _spread(planes: Tensor) -> Tensor:
    return torch.stack(_shifted(planes)).any(0)


def _neighbours(planes: Tensor) -> Tensor:
    return torch.stack(_shifted(planes.long())).sum(0)
