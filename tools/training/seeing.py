"""The features of `learned` for many positions at once, in tensors.

They are the same as those of `catalogue/learned.py`.
"""

from typing import Final, NamedTuple

import numpy as np
import torch
from torch import Tensor

from tools.training.rows import Rows

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
        torch.from_numpy(array.astype(np.int64)).to(device)
        for array in (rows.mover, rows.other, rows.legal)
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
    place = torch.where(
        flat_mine, near * KINDS + kind_mine, PARTS * KINDS
    )  # for squares of neither player
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
