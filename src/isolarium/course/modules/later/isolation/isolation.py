"""The state of a game on 9 rows of 11 squares, as in the course's later project.

The board is an int with one bit per cell, set while the cell is open. Cell 0 is at the bottom
right; numbers increase leftwards and then upwards, with two unused bits between rows, so adding 13
moves one row up:

    114 113 ... 105 104
      .   .       .   .
     23  22 ...  14  13
     10   9 ...   1   0

The first action of a player is a cell; after that an action is the difference that a knight's move
adds to its cell.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, Callable, Dict, NamedTuple

on_position: Callable[[int], object] | None = None
"""A function called with the number of moves made so far, before each position is generated.

`Isolation.result` generates a position. An exception of the function propagates into the agent. The
program that runs an agent sets it, so that it can limit positions instead of time, which makes
games reproducible on every machine.
"""

_WIDTH = 11
_HEIGHT = 9
_SIZE = (_WIDTH + 2) * _HEIGHT - 2

N, S, W, E = _WIDTH + 2, -_WIDTH - 2, 1, -1


class Action(IntEnum):
    """The eight knight's moves, each as the difference between cells."""

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
    """The knight's moves from each cell, as triples of bit, cell and action.

    Numbers between the rows work too, since agents use them.
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
    """An immutable position.

    Attributes:
        board: The open cells.
        ply_count: The number of actions so far, placements included.
        locs: The cell of each player, None before it is placed.
    """

    board: int = _BLANK_BOARD
    ply_count: int = 0
    locs: tuple[int | None, int | None] = (None, None)

    def player(self) -> int:
        """Return the player to move, 0 or 1."""
        return self.ply_count % 2

    def actions(self) -> list[Any]:
        """Return the legal actions.

        They are open cells for a player not yet placed, otherwise members of `Action`.
        """
        board, ply_count, locs = self
        cell = locs[ply_count % 2]
        if cell is None:
            return [cell for bit, cell in _BITS_AND_CELLS if board & bit]
        return [action for bit, _, action in _REACH[cell] if board & bit]

    def result(self, action: int) -> Isolation:
        """Return the position after an action, which is not checked."""
        if on_position is not None:
            on_position(self.ply_count)
        board, ply_count, (first, second) = self
        if ply_count % 2:
            cell = second = int(action) if second is None else second + int(action)
        else:
            cell = first = int(action) if first is None else first + int(action)
        return Isolation(board & ~(1 << cell), ply_count + 1, (first, second))

    def terminal_test(self) -> bool:
        """Whether either player, to move or not, has no legal action."""
        return not (self._has_liberties(0) and self._has_liberties(1))

    def utility(self, player_id: int) -> float:
        """Return inf if the player has won, -inf if it has lost, and 0 before the end.

        If neither player has a legal action, the player to move has lost.
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
    """A position that prints as a board; create it with `from_state`."""

    player_symbols = ("1", "2")

    @staticmethod
    def from_state(gamestate: Isolation) -> DebugState:
        """Return the same position as a `DebugState`."""
        return DebugState(*gamestate)

    @staticmethod
    def ind2xy(ind: int) -> tuple[int, int]:
        """Return the column and row of a cell, counted from the bottom right."""
        return ind % N, ind // N

    @property
    def bitboard_string(self) -> str:
        """The board in binary, the cell at the top left first."""
        return f"{self.board:0{_SIZE}b}"

    def __str__(self) -> str:
        """Return the board as text: the players' numbers, and `X` for other visited cells."""
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
