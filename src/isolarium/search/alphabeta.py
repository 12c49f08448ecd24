"""Minimax and alpha-beta: depth first, deepened one ply at a time, with a transposition table or without.

One kernel serves all: minimax is alpha-beta that never cuts off; the course's alpha-beta has no table and no ordering;
the strong search has both.

Contract: once an iteration to depth d is complete, SCORE is the minimax value of the root at depth d, for the player to
move there, and the principal variation leads to it. Among equal moves the first in the root's order is taken. An
iteration that a limit breaks off leaves no trace. Table and order change how many nodes that takes, never the value: an
entry holds its whole position, so two positions are never taken for one; its value serves only at the same remaining
depth, its move only to be tried first. Every search stamps its entries with a generation of its own, so nothing
survives from one search to the next.
"""

from typing import Any, Final

from numba import types

from isolarium.game.move_order import queue_of
from isolarium.game.tables import MOST_SQUARES, image_of, image_square, true_square
from isolarium.game.view import View, targets
from isolarium.limits import Limit
from isolarium.native.arithmetic import mixed
from isolarium.native.jit import kernel
from isolarium.native.memory import load_constant, load_float, load_word, store_float, store_word
from isolarium.native.squareset import (
    count,
    fold,
    is_empty,
    load_set,
    lowest,
    single,
    store_set,
    without_lowest,
)
from isolarium.search.driver import CompiledSearch, Extend, Run
from isolarium.search.kernel_state import (
    BLANK,
    DEPTH,
    FIRST_DEPTH,
    MAX_DEPTH,
    MOVER,
    NODES,
    NOTHING,
    OTHER,
    PROVEN,
    PV,
    PV_LENGTH,
    ROOT,
    ROOT_COUNT,
    SCORE,
    SPARE,
    STARTED,
    WIN,
    Block,
    list_root_moves,
    ranked,
)
from isolarium.search.protocol import Evaluator

# Bound when compiled
WORDS: int = 0
TABLE: bool = False  # whether to order moves and to remember positions
evaluate: Any = None

# Where the search stands, in the state
PLY: Final = SPARE
ITERATION: Final = SPARE + 1  # the depth that is searched
TRYING: Final = SPARE + 2  # the place of the root's move that is being searched
PENDING: Final = SPARE + 3  # 1 where the next move was entered, and counted, before
OTHER_HERE: Final = SPARE + 4
BLANK_HERE: Final = SPARE + 5
GENERATION: Final = SPARE + 8  # the stamp of this search's table entries, at least 1
ORDER: Final = SPARE + 9  # eight words to sort in

# A frame: untried moves, then these. What follows from the node below it is not kept.
BEST_AT, BETA_AT, MOVER_AT = 3, 4, 5
FLOOR_AT: Final = 6  # alpha as it was on entry
QUEUE_AT: Final = (
    7  # untried moves in order (see `game/move_order.py`), which come before the others
)
MOVE_AT: Final = 8  # the best move
FRAME_WORDS: Final = 9

# After the frames, for each ply the best line from there on: its length and its squares.
LINES: Final = (MOST_SQUARES + 1) * FRAME_WORDS
LINE_WORDS: Final = MOST_SQUARES + 2
MEMORY_WORDS: Final = LINES + (MOST_SQUARES + 1) * LINE_WORDS

# What comes after a move, if not one more: nothing, or the line that stands one ply below.
NOTHING_MORE, LINE_BELOW = -1, -2

# A table entry: WORDS words of blanks, then these two.
TAG_AT: Final = 0  # mover | other << 8 | generation << 16 | remaining depth << 32 | bound << 40 | move + 1 << 48
VALUE_AT: Final = 1
ENTRY_EXTRA: Final = 2
EXACT, AT_LEAST, AT_MOST = 0, 1, 2

LEAST_BITS, MOST_BITS = 12, 18
"""The table has from 2**12 to 2**18 entries: beyond what the caches hold, a larger one costs more than it saves."""
LAST_GENERATION: Final = 0xFFFF

SLICE_SIGNATURE: Final = types.boolean(*[types.int64] * 6, types.float64, types.int64)


class AlphaBeta(CompiledSearch):
    """Alpha-beta, or minimax where it does not prune, with one heuristic."""

    has_table = False

    def __init__(self, evaluator: Evaluator, *, prune: bool = True) -> None:
        super().__init__(alphabeta_slice, SLICE_SIGNATURE, evaluator, TABLE=self.has_table)
        self._ceiling = NOTHING if prune else -NOTHING
        self._memory = Block(MEMORY_WORDS)
        self._numbers = evaluator.parameters.ctypes.data

    def _begin(self, run: Run, words: int, table: int, limit: Limit) -> Extend:
        entries, mask = self._entries(words, limit)
        numbers, state, memory = self._numbers, self.work.address, self._memory.address
        ceiling = self._ceiling
        return lambda quota: run(table, numbers, state, memory, entries, mask, ceiling, quota)

    def _entries(self, words: int, limit: Limit) -> tuple[int, int]:
        """The address of the transposition table, and its number of entries less one."""
        return 0, 0


class Strong(AlphaBeta):
    """Alpha-beta with ordered moves and a transposition table."""

    has_table = True

    def __init__(self, evaluator: Evaluator) -> None:
        super().__init__(evaluator)
        self._table = Block(1)
        self.generation = 0

    def _entries(self, words: int, limit: Limit) -> tuple[int, int]:
        """Make a table ready in which nothing counts yet; the limit alone decides its size."""
        bits = MOST_BITS if limit.nodes is None else (limit.nodes // 4).bit_length()
        entries = 1 << max(LEAST_BITS, min(MOST_BITS, bits))
        needed = entries * (words + ENTRY_EXTRA)
        if len(self._table.words) != needed or self.generation == LAST_GENERATION:
            self._table, self.generation = Block(needed), 0
        self.generation += 1
        self.work.words[GENERATION] = self.generation
        return self._table.address, entries - 1


def alphabeta_slice(
    table: int,
    parameters: int,
    state: int,
    frames: int,
    entries: int,
    mask: int,
    ceiling: float,
    quota: int,
) -> bool:
    """Go on until `quota` nodes in all; whether the search is finished.

    Values inside are from the point of view of the side to move at that node; the heuristic is always asked for the
    player who moves at the root, who is the mover at even plies. The best value starts at the lower end of the window:
    what is worse cannot matter. Only a table has a use for how bad a move is. No window begins above `ceiling`: where
    that is `-NOTHING` all are open on both sides, and nothing is cut off.
    """
    rows, cols = load_constant(table, 0), load_constant(table, 1)
    unplaced = load_constant(table, 2)
    stamp = load_word(state, GENERATION) << 16

    # 1. The first slice lays the root.
    if load_word(state, STARTED) == 0:
        lay_root(table, state, frames, WORDS)
    root_count = load_word(state, ROOT_COUNT)

    # 2. Take up the node at `ply` where it was left.
    nodes = load_word(state, NODES) - load_word(state, PENDING)
    depth, ply = load_word(state, ITERATION), load_word(state, PLY)
    trying = load_word(state, TRYING)
    frame = frames + ply * FRAME_WORDS * 8
    blank: Any = load_set(state, BLANK_HERE, WORDS)
    mover, other = load_word(frame, MOVER_AT), load_word(state, OTHER_HERE)
    replies: Any = targets(table, blank, other)
    moves: Any = load_set(frame, 0, WORDS)
    best, beta = load_float(frame, BEST_AT), load_float(frame, BETA_AT)
    floor, queue, best_move = -NOTHING, 0, -1
    if TABLE:
        floor, queue = load_float(frame, FLOOR_AT), load_word(frame, QUEUE_AT)
        best_move = load_word(frame, MOVE_AT)
    if best >= beta:  # stopped just before it was cut off
        moves, queue = blank - blank, 0
    pending = 0

    while True:
        if queue == 0 and is_empty(moves):
            if ply == 0:
                # 3. A move of the root is done; with the last of them the iteration is complete.
                trying += 1
                if trying == root_count:
                    if write_report(table, state, frames, best, depth):
                        store_word(state, NODES, nodes)
                        return True
                    if TABLE:
                        put_first(state, load_word(frames, LINES + 1))
                if trying >= root_count:
                    if nodes >= quota:
                        break
                    nodes += 1
                    depth += 1
                    trying = 0
                    best = -NOTHING
                moves = single(blank, load_word(state, ROOT + trying))
                continue

            # 4. All moves of the node are done: hand its value up.
            if TABLE:
                entry = entry_address(entries, mask, WORDS, blank, mover, other)
                bound = AT_LEAST if best >= beta else AT_MOST if best <= floor else EXACT
                tag = mover | other << 8 | stamp | (depth - ply) << 32 | bound << 40
                store_set(entry, 0, blank)
                store_word(entry, WORDS + TAG_AT, tag | (best_move + 1) << 48)
                store_float(entry, WORDS + VALUE_AT, best)
            value = -best
            square = other
            follows = LINE_BELOW
            ply -= 1
            frame -= FRAME_WORDS * 8
            blank = blank | single(blank, square)
            other, mover = mover, load_word(frame, MOVER_AT)
            replies = targets(table, blank, other)
            moves = load_set(frame, 0, WORDS)
            best, beta = load_float(frame, BEST_AT), load_float(frame, BETA_AT)
            if TABLE:
                floor, queue = load_float(frame, FLOOR_AT), load_word(frame, QUEUE_AT)
                best_move = load_word(frame, MOVE_AT)
        else:
            # 5. Make the next move, unless that is one node too many.
            if nodes >= quota:
                break
            if TABLE and queue != 0:
                square = (queue & 255) - 1
                queue = queue >> 8 & 0xFFFFFFFFFFFFFF
            else:
                square = lowest(moves)
                moves = without_lowest(moves)
            nodes += 1
            left = blank - single(blank, square)
            next_moves = replies & left
            follows = NOTHING_MORE
            value = NOTHING  # not known yet
            if is_empty(next_moves):
                value = WIN - (ply + 1)
            elif depth - ply > 2:
                # 6. Ask the table about the position behind it, or go down.
                alpha = max(floor, best) if TABLE else best if best < ceiling else ceiling
                first_move = -1
                if TABLE:
                    entry = entry_address(entries, mask, WORDS, left, other, square)
                    tag = load_word(entry, WORDS + TAG_AT)
                    if tag & 0xFFFFFFFF == other | square << 8 | stamp and is_empty(
                        load_set(entry, 0, WORDS) ^ left
                    ):
                        first_move = (tag >> 48) - 1
                        if tag >> 32 & 255 == depth - ply - 1:
                            found = -load_float(entry, WORDS + VALUE_AT)
                            bound = tag >> 40 & 255
                            if (
                                bound == EXACT
                                or (bound == AT_LEAST and found <= alpha)
                                or (bound == AT_MOST and found >= beta)
                            ):
                                value = found
                if value == NOTHING:
                    write_frame(frame, moves, best, beta, mover)
                    if TABLE:
                        write_more(frame, floor, queue, best_move)
                    ply += 1
                    frame += FRAME_WORDS * 8
                    blank, moves = left, next_moves
                    mover, other = other, square
                    replies = targets(table, blank, other)
                    best, beta = -beta, -alpha
                    if TABLE:
                        floor, best, queue, best_move = best, -NOTHING, 0, -1
                        if mover != unplaced:
                            scratch = state + ORDER * 8
                            queue = queue_of(table, scratch, blank, moves, replies, first_move)
                            moves = blank - blank
                    continue
            else:
                # 7. The moves behind it lead to leaves, which are scored from here, entered all or none. In a search
                #    to depth 1 the move itself does.
                alpha = max(floor, best) if TABLE else best if best < ceiling else ceiling
                standing, still, leaves = left, square, next_moves
                low, high = -beta, -alpha
                if depth == 1:
                    standing, still, leaves = blank, other, single(blank, square)
                    low, high = alpha, beta
                    nodes -= 1
                elif nodes + count(leaves) > quota:
                    pending = 1
                    break
                found = -NOTHING if TABLE else low
                own_moves = depth & 1 == 1  # whether it is the root's player who moves there
                leaf_replies = targets(table, standing, still)
                leaf = NOTHING_MORE
                while not is_empty(leaves):
                    to = lowest(leaves)
                    leaves = without_lowest(leaves)
                    nodes += 1
                    after = standing - single(standing, to)
                    if is_empty(leaf_replies & after):
                        score = WIN - depth
                    elif still == unplaced:
                        score = 0.0
                    elif own_moves:
                        view = View(after, False, rows, cols, table, parameters)
                        score = ranked(evaluate(view, to, still))
                    else:
                        view = View(after, True, rows, cols, table, parameters)
                        score = -ranked(evaluate(view, still, to))
                    if score >= high:
                        found, leaf = score, to
                        break
                    if score > found:
                        found, leaf = score, to
                value = found if depth == 1 else -found
                follows = NOTHING_MORE if depth == 1 else leaf

        # 8. A move's value is known.
        if value > best:
            best = value
            if TABLE:
                best_move = square
            if value >= beta:
                if nodes >= quota and (queue != 0 or not is_empty(moves)):
                    break  # as before a move, though none of those left would be made
                moves, queue = blank - blank, 0
            elif value > floor:
                write_line(frames + (LINES + ply * LINE_WORDS) * 8, square, follows)

    # 9. Remember where it stands for the next slice.
    if pending != 0 and TABLE:
        queue = queue << 8 | (square + 1)
    elif pending != 0:
        moves = moves | single(moves, square)
    write_frame(frame, moves, best, beta, mover)
    if TABLE:
        write_more(frame, floor, queue, best_move)
    store_set(state, BLANK_HERE, blank)
    store_word(state, OTHER_HERE, other)
    store_word(state, NODES, nodes)
    store_word(state, PENDING, pending)
    store_word(state, PLY, ply)
    store_word(state, TRYING, trying)
    store_word(state, ITERATION, depth)
    return False


@kernel
def lay_root(table: int, state: int, frames: int, words: int) -> None:
    """Write the root as if the search had just been interrupted there, before its first move."""
    blank: Any = image_of(table, load_set(state, BLANK, words))
    mover = image_square(table, load_word(state, MOVER))
    list_root_moves(table, state, blank, mover)
    store_word(state, STARTED, 1)
    store_word(state, NODES, 1)
    store_word(state, PENDING, 0)
    store_word(state, PLY, 0)
    store_word(state, TRYING, -1)
    store_word(state, ITERATION, load_word(state, FIRST_DEPTH))
    store_set(state, BLANK_HERE, blank)
    store_word(state, OTHER_HERE, image_square(table, load_word(state, OTHER)))
    write_frame(frames, blank - blank, -NOTHING, NOTHING, mover)
    write_more(frames, -NOTHING, 0, -1)


@kernel
def write_frame(frame: int, moves: Any, best: float, beta: float, mover: int) -> None:
    """Write what every frame holds."""
    store_set(frame, 0, moves)
    store_float(frame, BEST_AT, best)
    store_float(frame, BETA_AT, beta)
    store_word(frame, MOVER_AT, mover)


@kernel
def write_more(frame: int, floor: float, queue: int, best_move: int) -> None:
    """Write what a search with a table needs beside it."""
    store_float(frame, FLOOR_AT, floor)
    store_word(frame, QUEUE_AT, queue)
    store_word(frame, MOVE_AT, best_move)


@kernel
def write_line(line: int, square: int, follows: int) -> None:
    """Write the line that begins with a move to `square`, and continues with `follows`."""
    below = line + LINE_WORDS * 8
    if follows != LINE_BELOW:
        store_word(below, 0, 0 if follows == NOTHING_MORE else 1)
        store_word(below, 1, follows)
    length = load_word(below, 0)
    store_word(line, 0, length + 1)
    store_word(line, 1, square)
    for i in range(1, length + 1):
        store_word(line, i + 1, load_word(below, i))


@kernel
def write_report(table: int, state: int, frames: int, best: float, depth: int) -> bool:
    """Write what an iteration found; whether it was the last."""
    line = frames + LINES * 8
    length = load_word(line, 0)
    store_word(state, PV_LENGTH, length)
    for i in range(length):
        store_word(state, PV + i, true_square(table, load_word(line, 1 + i)))
    store_float(state, SCORE, best)
    store_word(state, DEPTH, depth)
    return depth == load_word(state, MAX_DEPTH) or best > PROVEN or best < -PROVEN


@kernel
def put_first(state: int, best: int) -> None:
    """Have the best move tried first when the root is entered again; the order of the others stays."""
    front = best
    for i in range(load_word(state, ROOT_COUNT)):
        move = load_word(state, ROOT + i)
        store_word(state, ROOT + i, front)
        if move == best:
            break
        front = move


@kernel
def entry_address(entries: int, mask: int, words: int, blank: Any, mover: int, other: int) -> int:
    """Where in the table the position belongs."""
    place = mixed(fold(blank) ^ mixed(mover << 8 | other)) & mask
    return entries + place * (words + ENTRY_EXTRA) * 8
