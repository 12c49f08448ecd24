"""Runs a compiled search slice by slice, so that clock, Ctrl-C and progress stay in ordinary Python."""

from collections.abc import Callable
from time import perf_counter_ns
from typing import Final

import numpy as np
from numpy.typing import NDArray

from isolab.errors import InputError
from isolab.game.board import Board
from isolab.game.geometry import WORD_MASK, table_address
from isolab.game.packing import pack_squares
from isolab.game.position import Position
from isolab.game.symmetry import Symmetry, symmetries
from isolab.limits import Limit
from isolab.search.evaluator import Evaluator
from isolab.search.report import Choice, Report
from isolab.search.root import (
    BLANK,
    DEPTH,
    FIRST_DEPTH,
    MAX_DEPTH,
    NODES,
    OTHER,
    PV,
    PV_LENGTH,
    SCORE,
    SEED,
    STATE_WORDS,
)
from isolab.search.scores import is_proven, plies_to_end, public_score
from isolab.search.seeds import mixed_seed

FIRST_SLICE: Final = 64  # small enough for a heuristic that takes milliseconds
SLICE_NS: Final = 1_000_000
EVERYTHING: Final = 1 << 60

Stop = Callable[[], bool]


class Block:
    """A block of zeroed 64-bit words for compiled code, with its address, which is slow to ask for."""

    def __init__(self, size: int) -> None:
        self.words: NDArray[np.int64] = np.zeros(size, dtype=np.int64)
        self.address: int = self.words.ctypes.data


class Workspace:
    """The state of one search at a time; reused from move to move, and never shared between threads."""

    def __init__(self) -> None:
        block = Block(STATE_WORDS)
        self.state = block.words
        self.address = block.address
        self.floats = block.words.view(np.float64)


def check_unfinished(position: Position) -> None:
    """Refuse a position in which there is nothing to choose.

    Raises:
        InputError: the game is over.
    """
    if not position.legal_mask:
        raise InputError(f"{position}: the game is over; expected a position with a legal move")


def lay_root(work: Workspace, position: Position, seed: int | None, limit: Limit) -> None:
    """Write the position, the seed and the depths into a fresh state.

    A depth alone is searched at once; beside another limit it is where the deepening ends.

    Raises:
        InputError: the game is over.
    """
    check_unfinished(position)
    mover, other = pack_squares(position)
    blank = position.blank
    state = work.state
    state[:PV] = 0
    work.floats[SCORE] = np.nan
    state[SEED : OTHER + 1] = -1 if seed is None else seed, mover, other
    words = state[BLANK:NODES].view(np.uint64)
    words[0] = blank & WORD_MASK
    if blank > WORD_MASK:
        words[1] = blank >> 64 & WORD_MASK
        words[2] = blank >> 128
    deepest = max(1, blank.bit_count())
    state[MAX_DEPTH] = min(limit.depth or deepest, deepest)
    alone = limit.depth is not None and limit.nodes is None and limit.time_ms is None
    state[FIRST_DEPTH] = state[MAX_DEPTH] if alone else 1


def image_table(board: Board, seed: int | None, evaluator: Evaluator | None) -> int:
    """The address of the tables of the image that the search runs on: the board itself, or drawn by the seed."""
    if seed is None or (evaluator is not None and not evaluator.mirrors(board)):
        return table_address(board, Symmetry.IDENTITY)
    images = symmetries(board)
    return table_address(board, images[mixed_seed(seed, 1) % len(images)])


def run_slices(
    advance: Callable[[int], bool], limit: Limit, started_ns: int, stop: Stop | None = None
) -> None:
    """Call `advance(quota)`, the quota counting all nodes so far, until it is finished or the limit is reached.

    Slices take about a millisecond: they grow while they are quicker and shrink towards the deadline. After each,
    `stop` is asked whether to go no further.
    """
    most = EVERYTHING if limit.nodes is None else limit.nodes
    deadline = None if limit.time_ms is None else started_ns + int(limit.time_ms * 1e6)
    slice_nodes, quota, now = FIRST_SLICE, 0, started_ns
    while True:
        quota = min(most, quota + slice_nodes)
        finished = advance(quota)
        if (stop is not None and stop()) or finished or quota >= most:
            return
        before, now = now, perf_counter_ns()
        if deadline is not None and now >= deadline:
            return
        target = SLICE_NS if deadline is None else min(SLICE_NS, deadline - now)
        rate = slice_nodes / max(1, now - before)
        slice_nodes = max(16, min(4 * slice_nodes, int(rate * target)))


def guarded(evaluator: Evaluator, stop: Stop | None) -> Stop:
    """The same question after each slice, with whatever went wrong inside the heuristic raised first."""

    def ask() -> bool:
        evaluator.raise_failure()
        return stop is not None and stop()

    return ask


def choice_of(work: Workspace, position: Position, started_ns: int) -> Choice:
    """What the state holds: the move chosen and its report."""
    state = work.state.tolist()
    score = float(work.floats[SCORE])
    known = score == score
    length = state[PV_LENGTH]
    squares = position.board.squares
    line = tuple(squares[number] for number in state[PV : PV + length])
    proven = known and is_proven(score)
    report = Report(
        score=public_score(score) if known else None,
        depth=state[DEPTH],
        nodes=state[NODES],
        time_ms=(perf_counter_ns() - started_ns) / 1e6,
        pv=line,
        proven=proven,
        plies=plies_to_end(score) if proven else None,
    )
    return Choice(line[0], report)
