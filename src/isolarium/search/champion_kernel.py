"""Alpha-beta that looks less deep where a value tells enough: the compiled part of `champion`.

What it does beyond `strong`:

- Principal variation search (Marsland and Campbell 1982): every move but a node's first is only asked whether it is
  better than the best so far, and searched again if it is.
- Moves that cut off at the same ply elsewhere, the killers (Akl and Newborn 1977), come first after the table's move;
  the moves to leaves are ordered, too.
- Near the leaves a node whose own value lies far enough outside the window is taken for what it says (Heinz's futility
  pruning, both ways). How far is far enough is measured while it searches, so that it suits every heuristic: by
  how much the value of a leaf's parent differs from that of its best leaf.
- The best move of an iteration that a limit breaks off counts, if it was searched after the best of the one before.

Contract: where it is not `selective`, an iteration to depth d that is complete has the minimax value at depth d, as
`alphabeta` has it. Where it is, a score that is said to be proven is the true winner, whatever was left out: what is
taken for a value is never taken for an end of the game. One thread gives the same choice for the same position, limit
and seed, always; several share a table without locks, and do not. A table entry holds its whole position and a check of
its content, so that one of which another thread has overwritten a part is not believed (Hyatt and Mann 2002).
"""

from typing import Any, Final

from numba import types

from isolarium.game.move_order import NO_MOVE, after_next, next_in, queue_of
from isolarium.game.tables import entry_address
from isolarium.game.view import View, targets
from isolarium.native.arithmetic import mixed
from isolarium.native.jit import kernel
from isolarium.native.memory import load_constant, load_float, load_word, store_float, store_word
from isolarium.native.squareset import (
    count,
    is_empty,
    load_set,
    lowest,
    single,
    store_set,
    without_lowest,
    word_of,
)
from isolarium.search.frames import (
    COMMON_WORDS,
    GENERATION,
    LINE_BELOW,
    LINE_WORDS,
    MOST_PLIES,
    NOTHING_MORE,
    ORDER,
    OWN,
    PLY,
    begin_search,
    put_first,
    read_frame,
    read_order,
    report_iteration,
    report_line,
    write_frame,
    write_line,
    write_order,
)
from isolarium.search.kernel_state import (
    FINITE,
    FIRST_DEPTH,
    NODES,
    NOTHING,
    PROVEN,
    ROOT,
    ROOT_COUNT,
    STARTED,
    WIN,
    ranked,
)
from isolarium.search.transposition_table import (
    ENTRY_EXTRA,
    TAG_AT,
    VALUE_AT,
    settles,
    starts_with,
    tag_depth,
    tag_move,
    tag_of,
    tag_start,
)

# Bound when compiled
WORDS: int = 0
evaluate: Any = None

# Where the search stands, in the state
TASK: Final = OWN
DRIFT: Final = OWN + 1  # by how much nodes above leaves differ from their best leaf, added up,
DRIFTS: Final = OWN + 2  # and of how many
BITS: Final = OWN + 3  # a table entry's value, on its way from a double to a word or back

# What is to be done next at a node, and how its move is searched
PICK, SEARCH, VALUED = 0, 1, 2
SCOUT, FULL = 0, 1

# A frame: what `frames.py` describes, then these; BLANK_AT takes three words, and the depth is what is left below the
# node.
BLANK_AT: Final = COMMON_WORDS
OTHER_AT, DEPTH_AT, TRIED_AT, SQUARE_AT, MANNER_AT = range(BLANK_AT + 3, BLANK_AT + 8)
FRAME_WORDS: Final = BLANK_AT + 8

# After the frames, for each ply the best line from there on; then two killers for each ply.
LINES: Final = MOST_PLIES * FRAME_WORDS
KILLERS: Final = LINES + (MOST_PLIES + 1) * LINE_WORDS
MEMORY_WORDS: Final = KILLERS + 2 * MOST_PLIES

KILLER_BONUS: Final = 10
"""By how much a killer's key is reduced; that of the killer before it by half as much."""

# A table entry is what `transposition_table.py` describes, its lowest word mixed with the check of tag and value.

STEP: Final = 1 / 256
"""A window this narrow asks whether a move is better than another; it is a difference between any two values."""
JUDGED_DEPTH: Final = 5
"""So many plies above the leaves a node's own value may do,"""
SLOPE: Final = 0.5
"""if it lies outside the window by the mean drift, and by this much of it more for each ply above the first."""
ENOUGH_DRIFTS: Final = 8
SLICE_SIGNATURE: Final = types.boolean(*[types.int64] * 6, types.boolean, types.int64)


def selective_slice(
    table: int,
    parameters: int,
    state: int,
    frames: int,
    entries: int,
    mask: int,
    selective: bool,
    quota: int,
) -> bool:
    """Go on until `quota` nodes in all; whether the search is finished.

    Where it is not `selective`, nothing is left out, and of the table only what was searched as deep is believed.

    Values inside are from the point of view of the side to move at that node; the heuristic is always asked for the
    player who moves at the root, who is the mover at even plies. Nothing is begun that might pass the quota, so the
    state before it is as good as any to go on from.
    """
    rows, cols = load_constant(table, 0), load_constant(table, 1)
    unplaced = load_constant(table, 2)
    stamp = load_word(state, GENERATION) << 16
    scratch = state + ORDER * 8

    # 1. The first slice lays the root.
    if load_word(state, STARTED) == 0:
        lay_root(table, state, frames, WORDS)
    root_count = load_word(state, ROOT_COUNT)

    # 2. Take up the node at `ply` where it was left.
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
                # 3. The root's next move; with the last of them the iteration is complete.
                if tried == root_count:
                    finished = report_iteration(table, state, frames + LINES * 8, best, depth)
                    if finished or nodes >= quota:
                        break
                    nodes += 1
                    depth += 1
                    tried, best = 0, -NOTHING
                square = load_word(state, ROOT + tried)
            elif best >= beta or (queue == 0 and is_empty(moves)):
                # 4. The node is done: keep it, and hand its value up.
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
                # 5. Its next move. Those after the table's are put in order when that did not cut off.
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
            # 6. Enter the position behind the move, unless that may be too much.
            left = blank - single(blank, square)
            next_moves = replies & left
            alpha = max(floor, best)
            low, high = -beta if manner == FULL else -alpha - STEP, -alpha
            below = depth - 1
            if nodes + 1 + (count(next_moves) if below == 1 else 0) > quota:
                break
            nodes += 1
            follows = NOTHING_MORE
            value = NOTHING  # not known yet
            first_move = NO_MOVE
            if is_empty(next_moves):
                value = WIN - (ply + 1)
            elif below > 1:
                # 7. The table may know it.
                entry = entry_address(entries, mask, WORDS + ENTRY_EXTRA, left, other, square)
                tag = load_word(entry, WORDS + TAG_AT)
                bits = load_word(entry, WORDS + VALUE_AT)
                if starts_with(tag, tag_start(other, square, stamp)) and holds(
                    entry, WORDS, left, tag, bits
                ):
                    first_move = tag_move(tag)
                    store_word(state, BITS, bits)
                    found = from_root(load_float(state, BITS), ply + 1)
                    known = tag_depth(tag)
                    deep = known == below or (selective and (known > below or abs(found) > PROVEN))
                    if deep and settles(tag, found, low, high):
                        value = -found
            # 8. A leaf has the heuristic's value; near the leaves that may say enough.
            narrow = selective and high - low <= STEP and other != unplaced
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
                # 9. Its moves lead to leaves, which are scored from here.
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
                # 10. Go down.
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

        # 11. A move's value is known: better than was asked for, it is searched again for how good it is.
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
                    if value > -PROVEN:  # a loss is not proven before the last move
                        report_line(table, state, frames + LINES * 8, value)

    # 12. Remember where it stands for the next slice.
    write_frame(frame, moves, mover, best, beta)
    write_order(frame, floor, queue, best_move)
    write_rest(frame, blank, other, depth, tried, square, manner)
    store_word(state, NODES, nodes)
    store_word(state, PLY, ply)
    store_word(state, TASK, task)
    return finished


@kernel
def judged(evaluate: Any, view: View, mover: int, other: int, unplaced: int) -> float:
    """The heuristic's value for the player to move, who is the root's where the view says that it is own's turn."""
    if mover == unplaced or other == unplaced:
        return 0.0
    own, opp = (mover, other) if view.own_to_move else (other, mover)
    value = ranked(evaluate(view, own, opp))
    return value if view.own_to_move else -value


@kernel
def margin_of(state: int, depth: int) -> float:
    """By how much the value of a node so far above the leaves must lie outside the window to be believed."""
    drifts = load_word(state, DRIFTS)
    if drifts < ENOUGH_DRIFTS:
        return NOTHING
    return (1 + SLOPE * (depth - 1)) * load_float(state, DRIFT) / drifts


@kernel
def add_drift(state: int, drift: float) -> None:
    """Take in how far a node was from its best leaf, unless one of them is infinite or the end of the game."""
    if drift < FINITE:
        store_float(state, DRIFT, load_float(state, DRIFT) + drift)
        store_word(state, DRIFTS, load_word(state, DRIFTS) + 1)


@kernel
def in_order(
    table: int, scratch: int, frames: int, ply: int, blank: Any, moves: Any, replies: Any
) -> int:
    """The moves as a queue: the killers of the ply are moved up, then twice the opponent's mobility less own counts."""
    last, earlier = load_word(frames, KILLERS + 2 * ply), load_word(frames, KILLERS + 2 * ply + 1)
    return queue_of(table, scratch, blank, moves, replies, last, KILLER_BONUS, earlier)


@kernel
def write_killer(frames: int, ply: int, square: int) -> None:
    """Remember a move that cut off, and the one before it."""
    last = load_word(frames, KILLERS + 2 * ply)
    if last != square:
        store_word(frames, KILLERS + 2 * ply + 1, last)
        store_word(frames, KILLERS + 2 * ply, square)


# Frames


@kernel
def lay_root(table: int, state: int, frames: int, words: int) -> None:
    """Write the root as if the search had just been interrupted there, before its first move."""
    blank, _, other = begin_search(table, state, frames, words)
    store_word(state, TASK, PICK)
    store_float(state, DRIFT, 0.0)
    store_word(state, DRIFTS, 0)
    write_rest(frames, blank, other, load_word(state, FIRST_DEPTH), 0, -1, FULL)


@kernel
def write_rest(
    frame: int, blank: Any, other: int, depth: int, tried: int, square: int, manner: int
) -> None:
    """Write the words of a frame that only this kernel has."""
    store_set(frame, BLANK_AT, blank)
    store_word(frame, OTHER_AT, other)
    store_word(frame, DEPTH_AT, depth)
    store_word(frame, TRIED_AT, tried)
    store_word(frame, SQUARE_AT, square)
    store_word(frame, MANNER_AT, manner)


@kernel
def read_rest(frame: int, words: int) -> tuple[Any, int, int, int, int, int]:
    """Read what `write_rest` wrote."""
    return (
        load_set(frame, BLANK_AT, words),
        load_word(frame, OTHER_AT),
        load_word(frame, DEPTH_AT),
        load_word(frame, TRIED_AT),
        load_word(frame, SQUARE_AT),
        load_word(frame, MANNER_AT),
    )


# The table: the end of a game is kept as so many plies from the position itself.


@kernel
def from_here(value: float, ply: int) -> float:
    """A value at a ply as the table keeps it."""
    if value > PROVEN:
        return value + ply
    return value - ply if value < -PROVEN else value


@kernel
def from_root(value: float, ply: int) -> float:
    """The way back."""
    if value > PROVEN:
        return value - ply
    return value + ply if value < -PROVEN else value


@kernel
def write_entry(state: int, entry: int, words: int, blank: Any, tag: int, value: float) -> None:
    """Put a position into the table, with a check of what is said of it."""
    store_float(state, BITS, value)
    bits = load_word(state, BITS)
    store_set(entry, 0, blank)
    store_word(entry, words + TAG_AT, tag)
    store_word(entry, words + VALUE_AT, bits)
    store_word(entry, 0, word_of(blank, 0) ^ check_of(tag, bits))


@kernel
def holds(entry: int, words: int, blank: Any, tag: int, bits: int) -> bool:
    """Whether an entry in which that tag and value were found is of the position, and whole."""
    if load_word(entry, 0) ^ check_of(tag, bits) != word_of(blank, 0):
        return False
    if words > 1 and load_word(entry, 1) != word_of(blank, 1):
        return False
    return words < 3 or load_word(entry, 2) == word_of(blank, 2)


@kernel
def check_of(tag: int, bits: int) -> int:
    """What tells whether tag and value were written together."""
    return mixed(tag ^ mixed(bits))
