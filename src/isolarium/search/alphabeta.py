"""Minimax and alpha-beta with iterative deepening, with or without a table.

One kernel serves all three searches. Minimax is alpha-beta without cutoffs. The course's alpha-beta
has neither a table nor move ordering. The strong search has both.

Contract: once an iteration to depth d is complete, SCORE is the minimax value of the root at depth
d for the player to move at the root, and the principal variation leads to it. Among equal moves,
the first in the root's order is chosen. An iteration interrupted by a limit has no effect. The
table and the move order change the number of nodes, never the value. An entry holds its whole
position, so two positions are never confused. The value of an entry is used only at the same
remaining depth, and its move is only tried first. Every search stamps its entries with its own
generation, so entries never carry over from one search to the next.
"""

from typing import Any, Final

from isolarium.game.board import Board
from isolarium.game.move_order import FIRST, NO_MOVE, after_next, next_in, queue_of
from isolarium.game.tables import entry_address, words_for
from isolarium.game.view import View, targets
from isolarium.limits import Limit
from isolarium.native.jit import kernel
from isolarium.native.memory import load_constant, load_float, load_word, store_float, store_word
from isolarium.native.squareset import count, is_empty, load_set, lowest, single, store_set, without_lowest
from isolarium.search.alphabeta_common import (
    BEST_AT,
    BETA_AT,
    COMMON_WORDS,
    ENTRY_EXTRA,
    LINE_BELOW,
    LINE_WORDS,
    MOST_PLIES,
    MOVER_AT,
    NOTHING_MORE,
    ORDER,
    OWN,
    PLY,
    TAG_AT,
    VALUE_AT,
    TranspositionTable,
    begin_search,
    begin_table,
    put_first,
    read_frame,
    read_order,
    report_iteration,
    settles,
    starts_with,
    tag_depth,
    tag_move,
    tag_of,
    tag_start,
    write_frame,
    write_line,
    write_order,
)
from isolarium.search.driver import CompiledSearch
from isolarium.search.kernel_state import (
    AT_QUOTA,
    ENTRIES,
    FINISHED,
    FIRST_DEPTH,
    GENERATION,
    MASK,
    MEMORY,
    NODES,
    NOTHING,
    OWN_INPUTS,
    PARAMETERS,
    ROOT,
    ROOT_COUNT,
    STARTED,
    STATE,
    WIN,
    Block,
    begin_choice,
    ranked,
)
from isolarium.search.kernel_state import TABLE as TABLE_AT
from isolarium.search.protocol import Evaluator

# Bound when compiled
WORDS: int = 0
TABLE: bool = False  # Whether to order moves and use the transposition table
evaluate: Any = None

# The current node, in the state
ITERATION: Final = OWN  # the depth of the current iteration
TRYING: Final = OWN + 1  # the index of the current root move
PENDING: Final = OWN + 2  # 1 if the next move was already entered and counted
OTHER_HERE: Final = OWN + 3
BLANK_HERE: Final = OWN + 4  # Three words

# A frame has only the words of `alphabeta_common`; everything else follows from the node below.
LINES: Final = MOST_PLIES * COMMON_WORDS
MEMORY_WORDS: Final = LINES + MOST_PLIES * LINE_WORDS

CEILING: Final = OWN_INPUTS
"""The input that switches pruning: no window starts above it."""


class AlphaBeta(CompiledSearch):
    """Alpha-beta with one heuristic; without pruning, it is minimax."""

    has_table = False

    def __init__(self, evaluator: Evaluator, *, prune: bool = True) -> None:
        super().__init__(alphabeta, evaluator, TABLE=self.has_table)
        self._memory = Block(MEMORY_WORDS)
        self.inputs.words[MEMORY] = self._memory.address
        self.inputs.floats[CEILING] = NOTHING if prune else -NOTHING


class Strong(AlphaBeta):
    """Alpha-beta with move ordering and a transposition table."""

    has_table = True

    def __init__(self, evaluator: Evaluator) -> None:
        super().__init__(evaluator)
        self._table = TranspositionTable(self.inputs)

    def _prepare(self, board: Board, limit: Limit) -> None:
        self._table.prepare(words_for(board), limit)


def alphabeta(inputs: int, quota: int) -> int:
    """Search up to `quota` nodes in total; see `kernel_state.py`.

    Values are from the point of view of the side to move at each node. The heuristic is always
    evaluated for the player to move at the root, who moves at even plies. Without a table the best
    value starts at the lower end of the window, because worse moves cannot matter; only the table
    can use the value of a bad move. No window starts above `ceiling`: if `ceiling` is `-NOTHING`,
    all windows are open on both sides and nothing is cut off.
    """
    state, frames = load_word(inputs, STATE), load_word(inputs, MEMORY)
    entries, mask = load_word(inputs, ENTRIES), load_word(inputs, MASK)
    parameters, ceiling = load_word(inputs, PARAMETERS), load_float(inputs, CEILING)

    # 1. Write the root in the first slice.
    if load_word(state, STARTED) == 0:
        begin_choice(inputs, state, WORDS)
        if TABLE:
            begin_table(inputs, WORDS)
        write_root(load_word(inputs, TABLE_AT), state, frames, WORDS)
    table, stamp = load_word(inputs, TABLE_AT), load_word(inputs, GENERATION) << 16
    rows, cols = load_constant(table, 0), load_constant(table, 1)
    unplaced = load_constant(table, 2)
    root_count = load_word(state, ROOT_COUNT)

    # 2. Resume at the node at `ply`.
    nodes = load_word(state, NODES) - load_word(state, PENDING)
    depth, ply = load_word(state, ITERATION), load_word(state, PLY)
    trying = load_word(state, TRYING)
    frame = frames + ply * COMMON_WORDS * 8
    blank: Any = load_set(state, BLANK_HERE, WORDS)
    moves, mover, best, beta = read_frame(frame, WORDS)
    other = load_word(state, OTHER_HERE)
    replies: Any = targets(table, blank, other)
    floor, queue, best_move = -NOTHING, 0, -1
    if TABLE:
        floor, queue, best_move = read_order(frame)
    if best >= beta:  # Stopped just before the cutoff
        moves, queue = blank - blank, 0
    pending = 0

    while True:
        if queue == 0 and is_empty(moves):
            if ply == 0:
                # 3. A move of the root is done. After the last one the iteration is complete.
                trying += 1
                if trying == root_count:
                    if report_iteration(table, state, frames + LINES * 8, best, depth):
                        store_word(state, NODES, nodes)
                        return FINISHED
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

            # 4. All moves of the node are done: return its value to the parent.
            if TABLE:
                entry = entry_address(entries, mask, WORDS + ENTRY_EXTRA, blank, mover, other)
                start = tag_start(mover, other, stamp)
                store_set(entry, 0, blank)
                store_word(entry, WORDS + TAG_AT, tag_of(start, depth - ply, best, floor, beta, best_move))
                store_float(entry, WORDS + VALUE_AT, best)
            value = -best
            square = other
            follows = LINE_BELOW
            ply -= 1
            frame -= COMMON_WORDS * 8
            blank = blank | single(blank, square)
            # Not `read_frame`: the order of loads matters here
            # (docs/explanation/deliberate-copies.md).
            other, mover = mover, load_word(frame, MOVER_AT)
            replies = targets(table, blank, other)
            moves = load_set(frame, 0, WORDS)
            best, beta = load_float(frame, BEST_AT), load_float(frame, BETA_AT)
            if TABLE:
                floor, queue, best_move = read_order(frame)
        else:
            # 5. Make the next move, unless the quota is reached.
            if nodes >= quota:
                break
            if TABLE and queue != 0:
                square = next_in(queue)
                queue = after_next(queue)
            else:
                square = lowest(moves)
                moves = without_lowest(moves)
            nodes += 1
            left = blank - single(blank, square)
            next_moves = replies & left
            follows = NOTHING_MORE
            value = NOTHING  # Unknown so far
            if is_empty(next_moves):
                value = WIN - (ply + 1)
            elif depth - ply > 2:
                # 6. Look up the next position in the table, or descend to it.
                alpha = max(floor, best) if TABLE else best if best < ceiling else ceiling
                first_move = NO_MOVE
                if TABLE:
                    entry = entry_address(entries, mask, WORDS + ENTRY_EXTRA, left, other, square)
                    tag = load_word(entry, WORDS + TAG_AT)
                    if starts_with(tag, tag_start(other, square, stamp)) and is_empty(load_set(entry, 0, WORDS) ^ left):
                        first_move = tag_move(tag)
                        if tag_depth(tag) == depth - ply - 1:
                            found = load_float(entry, WORDS + VALUE_AT)
                            if settles(tag, found, -beta, -alpha):
                                value = -found
                if value == NOTHING:
                    write_frame(frame, moves, mover, best, beta)
                    if TABLE:
                        write_order(frame, floor, queue, best_move)
                    ply += 1
                    frame += COMMON_WORDS * 8
                    blank, moves = left, next_moves
                    mover, other = other, square
                    replies = targets(table, blank, other)
                    best, beta = -beta, -alpha
                    if TABLE:
                        floor, best, queue, best_move = best, -NOTHING, 0, -1
                        if mover != unplaced:
                            scratch = state + ORDER * 8
                            queue = queue_of(table, scratch, blank, moves, replies, first_move, FIRST, NO_MOVE)
                            moves = blank - blank
                    continue
            else:
                # 7. The replies lead to leaves, which are scored here: either all of them or none.
                # In a search to depth 1, the move itself leads to a leaf.
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
                own_moves = depth & 1 == 1  # Whether the root's player moves there
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

        # 8. The value of a move is known.
        if value > best:
            best = value
            if TABLE:
                best_move = square
            if value >= beta:
                if nodes >= quota and (queue != 0 or not is_empty(moves)):
                    break  # Stop as before any other move, although the remaining moves are cut off.
                moves, queue = blank - blank, 0
            elif value > floor:
                write_line(frames + (LINES + ply * LINE_WORDS) * 8, square, follows)

    # 9. Save the node for the next slice.
    if pending != 0 and TABLE:
        queue = queue << 8 | (square + 1)
    elif pending != 0:
        moves = moves | single(moves, square)
    write_frame(frame, moves, mover, best, beta)
    if TABLE:
        write_order(frame, floor, queue, best_move)
    store_set(state, BLANK_HERE, blank)
    store_word(state, OTHER_HERE, other)
    store_word(state, NODES, nodes)
    store_word(state, PENDING, pending)
    store_word(state, PLY, ply)
    store_word(state, TRYING, trying)
    store_word(state, ITERATION, depth)
    return AT_QUOTA


@kernel
def write_root(table: int, state: int, frames: int, words: int) -> None:
    """Write the root as if the search had stopped there before its first move."""
    blank, _, other = begin_search(table, state, frames, words)
    store_word(state, PENDING, 0)
    store_word(state, TRYING, -1)
    store_word(state, ITERATION, load_word(state, FIRST_DEPTH))
    store_set(state, BLANK_HERE, blank)
    store_word(state, OTHER_HERE, other)
