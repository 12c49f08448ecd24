"""Alpha-beta with selective pruning: the compiled part of `champion`.

This search adds the following to `strong`:

- Principal variation search (Marsland and Campbell 1982): every move but a node's first is searched with a null window,
  which only tests whether it is better than the best so far, and searched again if it is.
- Killer moves (Akl and Newborn 1977), which caused cutoffs at the same ply elsewhere, come right after the table's
  move; the moves to leaves are ordered as well.
- Futility pruning (Heinz) in both directions: near the leaves, a node whose static value lies far enough outside the
  window is not searched. The margin is measured during the search, so it suits every heuristic: it is the mean
  difference between the value of a leaf's parent and the value of its best leaf.
- The best move of an interrupted iteration is used if it was searched after the best move of the
  previous iteration.

Contract: without `selective`, a complete iteration to depth d has the minimax value at depth d, as
in `alphabeta`. With `selective`, a proven score is still the true result, because an estimate never
counts as the end of a game. With one thread the same position, limit and seed always give the same
choice; with several threads, which share a table without locks, the choice may vary. A table entry
holds its whole position and a checksum of its content, so an entry partly overwritten by another
thread is not used (Hyatt and Mann 2002).
"""

from typing import Any, Final

from isolarium.game.move_order import NO_MOVE, after_next, next_in, queue_of
from isolarium.game.tables import entry_address
from isolarium.game.view import View, targets
from isolarium.native.arithmetic import mixed
from isolarium.native.jit import kernel
from isolarium.native.memory import load_constant, load_float, load_word, store_float, store_word
from isolarium.native.squareset import count, is_empty, load_set, lowest, single, store_set, without_lowest, word_of
from isolarium.search.alphabeta_common import (
    COMMON_WORDS,
    ENTRY_EXTRA,
    LINE_BELOW,
    LINE_WORDS,
    MOST_PLIES,
    NOTHING_MORE,
    ORDER,
    OWN,
    PLY,
    TAG_AT,
    VALUE_AT,
    begin_search,
    begin_table,
    put_first,
    read_frame,
    read_order,
    report_iteration,
    report_line,
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
from isolarium.search.kernel_state import (
    AT_QUOTA,
    ENTRIES,
    FINISHED,
    FINITE,
    FIRST_DEPTH,
    GENERATION,
    MASK,
    MEMORY,
    NODES,
    NOTHING,
    OWN_INPUTS,
    PARAMETERS,
    PROVEN,
    ROOT,
    ROOT_COUNT,
    STARTED,
    STATE,
    TABLE,
    WIN,
    begin_choice,
    ranked,
)

# Bound when compiled
WORDS: int = 0
evaluate: Any = None

# The current node, in the state
TASK: Final = OWN
DRIFT: Final = OWN + 1  # the sum of differences between parents of leaves and their best leaf
DRIFTS: Final = OWN + 2  # the number of those parents
BITS: Final = OWN + 3  # scratch memory to convert a table entry's value between a double and a word

# The next task at a node, and the window its move is searched with
PICK, SEARCH, VALUED = 0, 1, 2
SCOUT, FULL = 0, 1

# A frame has the words of `alphabeta_common`, then these. BLANK_AT takes three words; the depth is
# the remaining depth.
BLANK_AT: Final = COMMON_WORDS
OTHER_AT, DEPTH_AT, TRIED_AT, SQUARE_AT, MANNER_AT = range(BLANK_AT + 3, BLANK_AT + 8)
FRAME_WORDS: Final = BLANK_AT + 8

# After the frames come the best line from each ply, then two killers for each ply.
LINES: Final = MOST_PLIES * FRAME_WORDS
KILLERS: Final = LINES + (MOST_PLIES + 1) * LINE_WORDS
MEMORY_WORDS: Final = KILLERS + 2 * MOST_PLIES

KILLER_BONUS: Final = 10
"""The reduction of the latest killer's sort key; the earlier one's is half as large."""

# A table entry is as in `alphabeta_common`, with its lowest word combined with a checksum of tag
# and value.

STEP: Final = 1 / 256
"""The width of a null window, which only tests whether a move is an improvement."""
JUDGED_DEPTH: Final = 5
"""The maximum height above the leaves, in plies, for futility pruning."""
SLOPE: Final = 0.5
"""The margin is the mean drift plus this share of it for each ply above the first."""
ENOUGH_DRIFTS: Final = 8

SELECTIVE: Final = OWN_INPUTS
"""The input that permits pruning based on an estimate."""


def selective_alphabeta(inputs: int, quota: int) -> int:
    """Search up to `quota` nodes in total; see `kernel_state.py`.

    Unless SELECTIVE is set, nothing is pruned based on an estimate, and table entries are used
    only at the same remaining depth.

    Values are from the point of view of the side to move at each node. The heuristic is always
    evaluated for the player to move at the root, who moves at even plies. A step that might exceed
    the quota is not started, so the search can resume before that step.
    """
    state, frames = load_word(inputs, STATE), load_word(inputs, MEMORY)
    entries, mask = load_word(inputs, ENTRIES), load_word(inputs, MASK)
    parameters, prunes = load_word(inputs, PARAMETERS), load_word(inputs, SELECTIVE) != 0

    # 1. The first slice writes the root.
    if load_word(state, STARTED) == 0:
        begin_choice(inputs, state, WORDS)
        begin_table(inputs, WORDS)
        write_root(load_word(inputs, TABLE), state, frames, WORDS)
    table, stamp = load_word(inputs, TABLE), load_word(inputs, GENERATION) << 16
    rows, cols = load_constant(table, 0), load_constant(table, 1)
    unplaced = load_constant(table, 2)
    scratch = state + ORDER * 8
    root_count = load_word(state, ROOT_COUNT)

    # 2. Resume at the node at `ply`.
    nodes, ply, task = load_word(state, NODES), load_word(state, PLY), load_word(state, TASK)
    frame = frames + ply * FRAME_WORDS * 8
    moves, mover, best, beta = read_frame(frame, WORDS)
    floor, queue, best_move = read_order(frame)
    blank, other, depth, tried, square, manner = read_rest(frame, WORDS)
    replies: Any = targets(table, blank, other)
    value, follows = 0.0, NOTHING_MORE
    finished = False

    while True:
        if task == PICK:
            if ply == 0:
                # 3. Pick the root's next move. After the last one the iteration is complete.
                if tried == root_count:
                    finished = report_iteration(table, state, frames + LINES * 8, best, depth)
                    if finished or nodes >= quota:
                        break
                    nodes += 1
                    depth += 1
                    tried, best = 0, -NOTHING
                square = load_word(state, ROOT + tried)
            elif best >= beta or (queue == 0 and is_empty(moves)):
                # 4. The node is done: store it in the table and return its value to the parent.
                entry = entry_address(entries, mask, WORDS + ENTRY_EXTRA, blank, mover, other)
                start = tag_start(mover, other, stamp)
                tag = tag_of(start, depth, best, floor, beta, best_move)
                write_entry(state, entry, WORDS, blank, tag, from_here(best, ply))
                if best >= beta:
                    write_killer(frames, ply, best_move)
                value, follows = -best, LINE_BELOW
                ply -= 1
                frame -= FRAME_WORDS * 8
                moves, mover, best, beta = read_frame(frame, WORDS)
                floor, queue, best_move = read_order(frame)
                blank, other, depth, tried, square, manner = read_rest(frame, WORDS)
                replies = targets(table, blank, other)
                task = VALUED
            else:
                # 5. Pick the node's next move. If the table's move did not cause a cutoff, order
                # the others now.
                if queue == 0 and mover != unplaced:
                    queue = in_order(table, scratch, frames, ply, blank, moves, replies)
                    moves = blank - blank
                if queue != 0:
                    square = next_in(queue)
                    queue = after_next(queue)
                else:
                    square = lowest(moves)
                    moves = without_lowest(moves)
            if task == PICK:
                tried += 1
                task, manner = SEARCH, FULL if tried == 1 else SCOUT

        if task == SEARCH:
            # 6. Enter the next position, unless that might exceed the quota.
            left = blank - single(blank, square)
            next_moves = replies & left
            alpha = max(floor, best)
            low, high = -beta if manner == FULL else -alpha - STEP, -alpha
            below = depth - 1
            if nodes + 1 + (count(next_moves) if below == 1 else 0) > quota:
                break
            nodes += 1
            follows = NOTHING_MORE
            value = NOTHING  # Unknown so far
            first_move = NO_MOVE
            if is_empty(next_moves):
                value = WIN - (ply + 1)
            elif below > 1:
                # 7. Look up the position in the table.
                entry = entry_address(entries, mask, WORDS + ENTRY_EXTRA, left, other, square)
                tag = load_word(entry, WORDS + TAG_AT)
                bits = load_word(entry, WORDS + VALUE_AT)
                if starts_with(tag, tag_start(other, square, stamp)) and holds(entry, WORDS, left, tag, bits):
                    first_move = tag_move(tag)
                    store_word(state, BITS, bits)
                    found = from_root(load_float(state, BITS), ply + 1)
                    known = tag_depth(tag)
                    deep = known == below or (prunes and (known > below or abs(found) > PROVEN))
                    if deep and settles(tag, found, low, high):
                        value = -found
            # 8. Evaluate a leaf, or a node near the leaves that may be pruned.
            narrow = prunes and high - low <= STEP and other != unplaced
            own = NOTHING
            if value == NOTHING and (below == 0 or (narrow and below <= JUDGED_DEPTH)):
                view = View(left, ply & 1 == 1, rows, cols, table, parameters)
                own = judged(evaluate, view, other, square, unplaced)
                margin = 0.0 if below == 0 else margin_of(state, below)
                if below == 0 or own - margin >= high:
                    value = margin - own
                elif own + margin <= low:
                    value = -margin - own
            if value == NOTHING and below == 1:
                # 9. The node's moves lead to leaves, which are scored here.
                leaf_replies = targets(table, left, square)
                leaves, line = next_moves, 0
                if other != unplaced:
                    line = in_order(table, scratch, frames, ply + 1, left, leaves, leaf_replies)
                    leaves = left - left
                found, leaf = -NOTHING, NOTHING_MORE
                while found < high and (line != 0 or not is_empty(leaves)):
                    if line != 0:
                        to = next_in(line)
                        line = after_next(line)
                    else:
                        to = lowest(leaves)
                        leaves = without_lowest(leaves)
                    nodes += 1
                    after = left - single(left, to)
                    if is_empty(leaf_replies & after):
                        score = WIN - (ply + 2)
                    else:
                        view = View(after, ply & 1 == 0, rows, cols, table, parameters)
                        score = -judged(evaluate, view, square, to, unplaced)
                    if score > found:
                        found, leaf = score, to
                if found >= high:
                    write_killer(frames, ply + 1, leaf)
                if own != NOTHING and line == 0:
                    add_drift(state, abs(found - own))
                value, follows = -found, leaf
            elif value == NOTHING:
                # 10. Descend.
                write_frame(frame, moves, mover, best, beta)
                write_order(frame, floor, queue, best_move)
                write_rest(frame, blank, other, depth, tried, square, manner)
                ply += 1
                frame += FRAME_WORDS * 8
                blank, moves, queue = left, next_moves, 0
                mover, other = other, square
                replies = targets(table, blank, other)
                floor, beta, best, best_move = low, high, -NOTHING, -1
                depth, tried = below, 0
                if first_move >= 0 and mover != unplaced:
                    queue = first_move + 1
                    moves = moves - single(moves, first_move)
                task = PICK
                continue

        # 11. The value of a move is known. A move that beats its null window is searched again with
        #    the full window.
        alpha = max(floor, best)
        if manner == SCOUT and alpha < value < beta and beta - alpha > STEP:
            manner, task = FULL, SEARCH
            continue
        task = PICK
        if value > best:
            best, best_move = value, square
            if floor < value < beta:
                write_line(frames + (LINES + ply * LINE_WORDS) * 8, square, follows)
                if ply == 0:
                    put_first(state, square)
                    if value > -PROVEN:  # A loss is proven only after the last move.
                        report_line(table, state, frames + LINES * 8, value)

    # 12. Save the node for the next slice.
    write_frame(frame, moves, mover, best, beta)
    write_order(frame, floor, queue, best_move)
    write_rest(frame, blank, other, depth, tried, square, manner)
    store_word(state, NODES, nodes)
    store_word(state, PLY, ply)
    store_word(state, TASK, task)
    return FINISHED if finished else AT_QUOTA


@kernel
def judged(evaluate: Any, view: View, mover: int, other: int, unplaced: int) -> float:
    """Return the heuristic's value for the player to move.

    The player to move is the root's mover if it is `own`'s turn in the view.
    """
    if mover == unplaced or other == unplaced:
        return 0.0
    own, opp = (mover, other) if view.own_to_move else (other, mover)
    value = ranked(evaluate(view, own, opp))
    return value if view.own_to_move else -value


@kernel
def margin_of(state: int, depth: int) -> float:
    """Return the futility margin of a node `depth` plies above the leaves."""
    drifts = load_word(state, DRIFTS)
    if drifts < ENOUGH_DRIFTS:
        return NOTHING
    return (1 + SLOPE * (depth - 1)) * load_float(state, DRIFT) / drifts


@kernel
def add_drift(state: int, drift: float) -> None:
    """Record the difference between a node's value and its best leaf's value.

    Infinite and proven values are ignored.
    """
    if drift < FINITE:
        store_float(state, DRIFT, load_float(state, DRIFT) + drift)
        store_word(state, DRIFTS, load_word(state, DRIFTS) + 1)


@kernel
def in_order(table: int, scratch: int, frames: int, ply: int, blank: Any, moves: Any, replies: Any) -> int:
    """Return the moves as a queue, sorted by mobility with killers moved up."""
    last, earlier = load_word(frames, KILLERS + 2 * ply), load_word(frames, KILLERS + 2 * ply + 1)
    return queue_of(table, scratch, blank, moves, replies, last, KILLER_BONUS, earlier)


@kernel
def write_killer(frames: int, ply: int, square: int) -> None:
    """Record a move that caused a cutoff, and keep the previous killer move."""
    last = load_word(frames, KILLERS + 2 * ply)
    if last != square:
        store_word(frames, KILLERS + 2 * ply + 1, last)
        store_word(frames, KILLERS + 2 * ply, square)


# Frames


@kernel
def write_root(table: int, state: int, frames: int, words: int) -> None:
    """Write the root as if the search had stopped there before its first move."""
    blank, _, other = begin_search(table, state, frames, words)
    store_word(state, TASK, PICK)
    store_float(state, DRIFT, 0.0)
    store_word(state, DRIFTS, 0)
    for place in range(2 * MOST_PLIES):
        store_word(frames, KILLERS + place, -1)
    write_rest(frames, blank, other, load_word(state, FIRST_DEPTH), 0, -1, FULL)


@kernel
def write_rest(frame: int, blank: Any, other: int, depth: int, tried: int, square: int, manner: int) -> None:
    """Write the words of a frame that only this kernel uses."""
    store_set(frame, BLANK_AT, blank)
    store_word(frame, OTHER_AT, other)
    store_word(frame, DEPTH_AT, depth)
    store_word(frame, TRIED_AT, tried)
    store_word(frame, SQUARE_AT, square)
    store_word(frame, MANNER_AT, manner)


@kernel
def read_rest(frame: int, words: int) -> tuple[Any, int, int, int, int, int]:
    """Read the words that `write_rest` wrote."""
    return (
        load_set(frame, BLANK_AT, words),
        load_word(frame, OTHER_AT),
        load_word(frame, DEPTH_AT),
        load_word(frame, TRIED_AT),
        load_word(frame, SQUARE_AT),
        load_word(frame, MANNER_AT),
    )


# The table: a proven result is stored by its distance from the position, not from the root.


@kernel
def from_here(value: float, ply: int) -> float:
    """Convert a value at a ply to the form that the table stores."""
    if value > PROVEN:
        return value + ply
    return value - ply if value < -PROVEN else value


@kernel
def from_root(value: float, ply: int) -> float:
    """Convert a value from the table to its form at a ply."""
    if value > PROVEN:
        return value - ply
    return value + ply if value < -PROVEN else value


@kernel
def write_entry(state: int, entry: int, words: int, blank: Any, tag: int, value: float) -> None:
    """Store a position in the table, with a checksum of tag and value."""
    store_float(state, BITS, value)
    bits = load_word(state, BITS)
    store_set(entry, 0, blank)
    store_word(entry, words + TAG_AT, tag)
    store_word(entry, words + VALUE_AT, bits)
    store_word(entry, 0, word_of(blank, 0) ^ check_of(tag, bits))


@kernel
def holds(entry: int, words: int, blank: Any, tag: int, bits: int) -> bool:
    """Return whether an entry holds the position and is intact."""
    if load_word(entry, 0) ^ check_of(tag, bits) != word_of(blank, 0):
        return False
    if words > 1 and load_word(entry, 1) != word_of(blank, 1):
        return False
    return words < 3 or load_word(entry, 2) == word_of(blank, 2)


@kernel
def check_of(tag: int, bits: int) -> int:
    """Return the checksum of tag and value."""
    return mixed(tag ^ mixed(bits))
