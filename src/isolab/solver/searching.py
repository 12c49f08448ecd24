"""The compiled searches with the memory they work in: run in slices, between which Python looks at the limits."""

from collections.abc import Callable
from functools import cache
from typing import Any, Final

import numpy as np
from numba import types
from numpy.typing import NDArray

from isolab.game.board import Board, Square
from isolab.game.position import Position
from isolab.game.symmetry import Symmetry
from isolab.game.tables import MOST_SQUARES, pack_squares, pack_words, table_address, words_for
from isolab.native.entry import compile_entry, is_cached
from isolab.solver import distance, paths, winloss
from isolab.solver.solution import Allowance, Solution

SLICE_NODES: Final = 20_000
SLICE_STEPS: Final = 500_000
"""Nodes, and steps of lonely walks, between two looks at the limits: a few milliseconds."""

MOST_FRAMES: Final = MOST_SQUARES + 1


class WinLossSearch:
    """Finds out who wins where both players are placed.

    The table is fresh for every position: a position of another board of the same width would look like one of this
    board, and the node count must depend on the position alone.
    """

    def __init__(self) -> None:
        self._state = np.zeros(winloss.STATE_WORDS, dtype=np.int64)
        self._frames = np.zeros(MOST_FRAMES * winloss.FRAME_WORDS, dtype=np.int64)
        self._walks = np.zeros(paths.FRAMES + MOST_FRAMES * paths.FRAME_WORDS, dtype=np.int64)
        self._table = _Table()
        self._addresses = [array.ctypes.data for array in (self._state, self._frames, self._walks)]

    def run(
        self, position: Position, allowance: Allowance, most_nodes: int | None = None
    ) -> Solution:
        """Search until the answer is known, the allowance is over, or there were `most_nodes` nodes."""
        go_on = self._begin(position, 16 if position.blank_count > 30 else 10)
        nodes = 0
        while not allowance.is_over() and (most_nodes is None or nodes < most_nodes):
            more = allowance.nodes_left(SLICE_NODES)
            known = go_on(nodes + more if most_nodes is None else min(nodes + more, most_nodes))
            allowance.spent += int(self._state[winloss.NODES]) - nodes
            nodes = int(self._state[winloss.NODES])
            if known:
                return self._solution(position)
        return Solution(position, None, None, nodes)

    def look(self, position: Position) -> tuple[Solution, tuple[Square, ...]]:
        """What is seen of a position at once.

        Its solution, if that is enough; or else the moves that are left to search, the most promising first.
        """
        if self._begin(position, 0)(0):
            return self._solution(position), ()
        frame, board = self._frames, position.board
        queue, squares = (
            frame[at : at + 1].tobytes() for at in (winloss.QUEUE_AT, winloss.SQUARES_AT)
        )
        moves = [board.square(squares[slot - 1]) for slot in queue if slot]
        return Solution(position, None, None, 1), tuple(moves)

    def _begin(self, position: Position, table_bits: int) -> Callable[[int], bool]:
        """Put the position in place; what to call to go on until there were so many nodes."""
        board, words = position.board, words_for(position.board)
        state, frames, walks = self._state, self._frames, self._walks
        state[:] = 0
        state[winloss.WINNING] = -1
        state.view(np.uint64)[winloss.LIGHT : winloss.LIGHT + words] = _light(board)
        frames.view(np.uint64)[:words] = pack_words(position.blank, words)
        frames[winloss.MOVER_AT], frames[winloss.OTHER_AT] = pack_squares(position)
        walks[paths.SEARCHED] = 0
        run = compiled_slice(words)
        table = table_address(board, Symmetry.IDENTITY)
        at_state, at_frames, at_walks = self._addresses
        entries, mask = self._table.fresh(table_bits, words + 1)

        def go_on(most_nodes: int) -> bool:
            most_steps = int(walks[paths.SEARCHED]) + SLICE_STEPS
            return bool(
                run(
                    table,
                    at_state,
                    at_frames,
                    entries,
                    mask,
                    at_walks,
                    most_nodes,
                    most_steps,
                )
            )

        return go_on

    def _solution(self, position: Position) -> Solution:
        state = self._state
        wins = bool(state[winloss.RESULT] > 0)
        move = position.board.square(int(state[winloss.WINNING])) if wins else None
        return Solution(position, wins, move, int(state[winloss.NODES]))


class DistanceSearch:
    """Finds out how long the game lasts where it is known who wins."""

    def __init__(self) -> None:
        self._state = np.zeros(distance.STATE_WORDS, dtype=np.int64)
        self._frames = np.zeros(MOST_FRAMES * distance.FRAME_WORDS, dtype=np.int64)
        self._table = _Table()

    def run(self, position: Position, wins: bool, allowance: Allowance) -> Solution:
        """Search until the answer is known or the allowance is over; without `plies` in the latter case."""
        board, words = position.board, words_for(position.board)
        state, frames = self._state, self._frames
        state[:] = 0
        frames.view(np.uint64)[:words] = pack_words(position.blank, words)
        frames[distance.MOVER_AT], frames[distance.OTHER_AT] = pack_squares(position)
        frames[distance.ALPHA_AT] = 0 if wins else -distance.FAR
        frames[distance.BETA_AT] = distance.FAR if wins else 0
        bits = 10 if position.blank_count <= 16 else 14 if position.blank_count <= 26 else 18
        run = compiled_distance(words)
        fixed = (
            table_address(board, Symmetry.IDENTITY),
            state.ctypes.data,
            frames.ctypes.data,
            *self._table.fresh(bits, words + distance.ENTRY_EXTRA),
        )
        nodes = 0
        while not allowance.is_over():
            known = run(*fixed, nodes + allowance.nodes_left(SLICE_NODES))
            allowance.spent += int(state[distance.NODES]) - nodes
            nodes = int(state[distance.NODES])
            if known:
                best = int(state[distance.BEST])
                plies = distance.FAR - abs(int(state[distance.VALUE]))
                move = board.square(best) if best >= 0 else None
                return Solution(position, wins, move, nodes, plies)
        return Solution(position, wins, None, nodes)


class _Table:
    """Memory for a table, kept from one position to the next and cleared for each."""

    def __init__(self) -> None:
        self._words: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._address = 0

    def fresh(self, bits: int, entry_words: int) -> tuple[int, int]:
        """The address of an empty table of `2 ** bits` entries, and its size less one."""
        needed = entry_words << bits
        if len(self._words) < needed:
            self._words = np.zeros(needed, dtype=np.int64)
            self._address = self._words.ctypes.data
        self._words[:needed] = 0
        return self._address, (1 << bits) - 1


Entry = tuple[Callable[..., Any], Any, dict[str, int]]


def _slice_entry(words: int) -> Entry:
    return winloss.winloss_slice, types.boolean(*[types.int64] * 8), {"WORDS": words}


def _distance_entry(words: int) -> Entry:
    return distance.distance_slice, types.boolean(*[types.int64] * 6), {"WORDS": words}


@cache
def compiled_slice(words: int) -> Callable[..., Any]:
    """The win/loss search compiled for boards whose sets of squares take so many words."""
    return compile_entry(*_slice_entry(words))


@cache
def compiled_distance(words: int) -> Callable[..., Any]:
    """The distance search, likewise."""
    return compile_entry(*_distance_entry(words))


def is_compiled(words: int, with_distance: bool) -> bool:
    """Whether what such boards need is in the cache."""
    return is_cached(*_slice_entry(words)) and (
        not with_distance or is_cached(*_distance_entry(words))
    )


@cache
def _light(board: Board) -> list[int]:
    """The squares of the colour of a1, in words."""
    light = board.mask_of(square for square in board.squares if sum(square) % 2 == 0)
    return pack_words(light, words_for(board))
