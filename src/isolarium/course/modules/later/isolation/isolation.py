"""The state of a game on 9 rows of 11 squares, as the course's later project has it.

The board is an int, one bit for each cell, set while the cell is open. Cell 0 is at the bottom right; cells count to
the left and then up, with two bits between rows that are never set, so that 13 is one row up:

    114 113 ... 105 104
      .   .       .   .
     23  22 ...  14  13
     10   9 ...   1   0

A player who is not placed yet chooses a cell; from then on an action is what a knight's move adds to its cell.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, Dict, NamedTuple

from . import counting

_WIDTH = 11
_HEIGHT = 9
_SIZE = (_WIDTH + 2) * _HEIGHT - 2

N, S, W, E = _WIDTH + 2, -_WIDTH - 2, 1, -1


class Action(IntEnum):
    """The eight knight's moves, each by what it adds to a cell."""

    NNE = N + N + E
    ENE = E + N + E
    ESE = E + S + E
    SSE = S + S + E
    SSW = S + S + W
    WSW = W + S + W
    WNW = W + N + W
    NNW = N + N + W


_CELLS = tuple(row * N + col for row in range(_HEIGHT) for col in range(_WIDTH))
_BLANK_BOARD = sum(1 << cell for cell in _CELLS)
_BITS_AND_CELLS = tuple((1 << cell, cell) for cell in _CELLS)


class _Reach(Dict[int, "tuple[tuple[int, int, Action], ...]"]):
    """For each cell what a knight there reaches on an open board: bit, cell and action of each.

    It knows any number, also those between the rows: agents ask for them.
    """

    def __missing__(self, cell: int) -> tuple[tuple[int, int, Action], ...]:
        found = tuple(
            (1 << cell + action, cell + action, action)
            for action in Action
            if cell + action >= 0 and _BLANK_BOARD >> cell + action & 1
        )
        self[cell] = found
        return found


_REACH = _Reach()


class Isolation(NamedTuple):
    """A position, which never changes.

    Attributes:
        board: the open cells.
        ply_count: how many actions led here, placements included.
        locs: the cell of each player, None before it is placed.
    """

    board: int = _BLANK_BOARD
    ply_count: int = 0
    locs: tuple[int | None, int | None] = (None, None)

    def player(self) -> int:
        """Return who is to move, 0 or 1."""
        return self.ply_count % 2

    def actions(self) -> list[Any]:
        """Return the legal actions: open cells for a player not yet placed, otherwise members of `Action`."""
        board, ply_count, locs = self
        cell = locs[ply_count % 2]
        if cell is None:
            return [cell for bit, cell in _BITS_AND_CELLS if board & bit]
        return [action for bit, _, action in _REACH[cell] if board & bit]

    def result(self, action: int) -> Isolation:
        """Return the position after an action of the player to move; nobody looks whether the rules allow it."""
        if counting.on_position is not None:
            counting.on_position(self.ply_count)
        board, ply_count, (first, second) = self
        if ply_count % 2:
            cell = second = int(action) if second is None else second + int(action)
        else:
            cell = first = int(action) if first is None else first + int(action)
        return Isolation(board & ~(1 << cell), ply_count + 1, (first, second))

    def terminal_test(self) -> bool:
        """Whether either player, to move or not, has nowhere to go."""
        return not (self._has_liberties(0) and self._has_liberties(1))

    def utility(self, player_id: int) -> float:
        """Return inf for a player who has won, -inf for one who has lost, and 0 while the game goes on.

        If neither can go anywhere, the player to move has lost.
        """
        if not self.terminal_test():
            return 0
        mover = self.player()
        winner = mover if self._has_liberties(mover) else 1 - mover
        return float("inf") if player_id == winner else float("-inf")

    def liberties(self, loc: int | None) -> list[int]:
        """Return the open cells a knight's move from a cell; all open cells for None."""
        board = self.board
        if loc is None:
            return [cell for bit, cell in _BITS_AND_CELLS if board & bit]
        return [cell for bit, cell, _ in _REACH[loc] if board & bit]

    def _has_liberties(self, player_id: int) -> bool:
        board = self.board
        cell = self.locs[player_id]
        if cell is None:
            return board != 0
        return any(board & bit for bit, _, _ in _REACH[cell])


class DebugState(Isolation):
    """A position that can be looked at; made by `from_state`."""

    player_symbols = ("1", "2")

    @staticmethod
    def from_state(gamestate: Isolation) -> DebugState:
        """Return the same position as a state that can be looked at."""
        return DebugState(*gamestate)

    @staticmethod
    def ind2xy(ind: int) -> tuple[int, int]:
        """Return column and row of a cell, counted from the bottom right."""
        return ind % N, ind // N

    @property
    def bitboard_string(self) -> str:
        """The board in binary, the cell at the top left first."""
        return f"{self.board:0{_SIZE}b}"

    def __str__(self) -> str:
        """Return a picture of the board: the players by their numbers, `X` for other cells that have been stood on."""
        border = "+ - " * _WIDTH + "+"
        lines = ["", border]
        for row in reversed(range(_HEIGHT)):
            cells = [self._symbol(row * N + col) for col in reversed(range(_WIDTH))]
            lines += ["| " + " | ".join(cells) + " |", border]
        return "\n".join(lines) + "\n"

    def _symbol(self, cell: int) -> str:
        if cell in self.locs:
            return self.player_symbols[self.locs.index(cell)]
        return " " if self.board >> cell & 1 else "X"
