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

from isolarium.game.move_order import queued, sort_in
from isolarium.game.tables import (
    MOST_SQUARES,
    image_of,
    image_square,
    true_square,
)
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
from isolarium.search.alphabeta import (
    AT_LEAST,
    AT_MOST,
    EXACT,
    LINE_BELOW,
    LINE_WORDS,
    NOTHING_MORE,
    entry_address,
    put_first,
    write_line,
)
from isolarium.search.kernel_state import (
    BLANK,
    DEPTH,
    FINITE,
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
    list_root_moves,
    ranked,
)

# Bound when compiled
WORDS: int = 0
evaluate: Any = None

# Where the search stands, in the state
PLY: Final = SPARE
TASK: Final = SPARE + 1
GENERATION: Final = SPARE + 2  # the stamp of this search's table entries, at least 1
DRIFT: Final = SPARE + 3  # by how much nodes above leaves differ from their best leaf, added up,
DRIFTS: Final = SPARE + 4  # and of how many
BITS: Final = SPARE + 5  # a table entry's value, on its way from a double to a word or back
ORDER: Final = SPARE + 6  # eight words to sort in

# What is to be done next at a node, and how its move is searched
PICK, SEARCH, VALUED = 0, 1, 2
SCOUT, FULL = 0, 1

# A frame: untried moves (three words), the blanks (three words), then these.
MOVER_AT, OTHER_AT, DEPTH_AT, TRIED_AT = 6, 7, 8, 9  # the depth is what is left below the node
FLOOR_AT, BETA_AT, BEST_AT = 10, 11, 12
BEST_MOVE_AT, SQUARE_AT, MANNER_AT = 13, 14, 15
QUEUE_AT: Final = (
    16  # untried moves in order (see `game/move_order.py`), which come before the others
)
BLANK_AT: Final = 3
FRAME_WORDS: Final = 17
MOST_PLIES: Final = MOST_SQUARES + 1

# After the frames, for each ply the best line from there on, its length and its squares; then two killers for each ply.
LINES: Final = MOST_PLIES * FRAME_WORDS
KILLERS: Final = LINES + (MOST_PLIES + 1) * LINE_WORDS
MEMORY_WORDS: Final = KILLERS + 2 * MOST_PLIES

# A table entry: WORDS words of blanks, the lowest of them mixed with the check of the other two: tag and value.
# The tag: mover | other << 8 | generation << 16 | remaining depth << 32 | bound << 40 | move + 1 << 48.

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
    moves, blank, mover, other, depth, tried = read_frame(frame, WORDS)
    floor, beta, best, best_move, square, manner, queue = read_more(frame)
    replies: Any = targets(table, blank, other)
    value, follows = 0.0, NOTHING_MORE
    finished = False

    while True:
        if task == PICK:
            if ply == 0:
                # 3. The root's next move; with the last of them the iteration is complete.
                if tried == root_count:
                    write_line_out(table, state, frames, best)
                    store_word(state, DEPTH, depth)
                    finished = depth == load_word(state, MAX_DEPTH) or abs(best) > PROVEN
                    if finished or nodes >= quota:
                        break
                    nodes += 1
                    depth += 1
                    tried, best = 0, -NOTHING
                square = load_word(state, ROOT + tried)
            elif best >= beta or (queue == 0 and is_empty(moves)):
                # 4. The node is done: keep it, and hand its value up.
                entry = entry_address(entries, mask, WORDS, blank, mover, other)
                bound = AT_LEAST if best >= beta else AT_MOST if best <= floor else EXACT
                tag = mover | other << 8 | stamp | depth << 32 | bound << 40
                tag |= (best_move + 1) << 48
                write_entry(state, entry, WORDS, blank, tag, from_here(best, ply))
                if best >= beta:
                    write_killer(frames, ply, best_move)
                value, follows = -best, LINE_BELOW
                ply -= 1
                frame -= FRAME_WORDS * 8
                moves, blank, mover, other, depth, tried = read_frame(frame, WORDS)
                floor, beta, best, best_move, square, manner, queue = read_more(frame)
                replies = targets(table, blank, other)
                task = VALUED
            else:
                # 5. Its next move. Those after the table's are put in order when that did not cut off.
                if queue == 0 and mover != unplaced:
                    queue = in_order(table, scratch, frames, ply, blank, moves, replies)
                    moves = blank - blank
                if queue != 0:
                    square = (queue & 255) - 1
                    queue = queue >> 8 & 0xFFFFFFFFFFFFFF
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
            first_move = -1
            if is_empty(next_moves):
                value = WIN - (ply + 1)
            elif below > 1:
                # 7. The table may know it.
                entry = entry_address(entries, mask, WORDS, left, other, square)
                tag, bits = load_word(entry, WORDS), load_word(entry, WORDS + 1)
                if tag & 0xFFFFFFFF == other | square << 8 | stamp and holds(
                    entry, WORDS, left, tag, bits
                ):
                    first_move = (tag >> 48) - 1
                    store_word(state, BITS, bits)
                    found = from_root(load_float(state, BITS), ply + 1)
                    known, bound = tag >> 32 & 255, tag >> 40 & 255
                    deep = known == below or (selective and (known > below or abs(found) > PROVEN))
                    if deep and (
                        bound == EXACT
                        or (bound == AT_LEAST and found >= high)
                        or (bound == AT_MOST and found <= low)
                    ):
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
                        to = (line & 255) - 1
                        line = line >> 8 & 0xFFFFFFFFFFFFFF
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
                write_frame(frame, moves, blank, mover, other, depth, tried)
                write_more(frame, floor, beta, best, best_move, square, manner, queue)
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
                        write_line_out(table, state, frames, value)

    # 12. Remember where it stands for the next slice.
    write_frame(frame, moves, blank, mover, other, depth, tried)
    write_more(frame, floor, beta, best, best_move, square, manner, queue)
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
    length = 0
    while not is_empty(moves):
        square = lowest(moves)
        moves = without_lowest(moves)
        left = blank - single(blank, square)
        key = 2 * count(replies & left) - count(targets(table, blank, square) & left)
        if square == last:
            key -= 10
        elif square == earlier:
            key -= 5
        length = sort_in(scratch, length, key << 8 | (square + 1))
    return queued(scratch, length)


@kernel
def write_killer(frames: int, ply: int, square: int) -> None:
    """Remember a move that cut off, and the one before it."""
    last = load_word(frames, KILLERS + 2 * ply)
    if last != square:
        store_word(frames, KILLERS + 2 * ply + 1, last)
        store_word(frames, KILLERS + 2 * ply, square)


# Frames and reports


@kernel
def lay_root(table: int, state: int, frames: int, words: int) -> None:
    """Write the root as if the search had just been interrupted there, before its first move."""
    blank: Any = image_of(table, load_set(state, BLANK, words))
    mover = image_square(table, load_word(state, MOVER))
    other = image_square(table, load_word(state, OTHER))
    list_root_moves(table, state, blank, mover)
    store_word(state, STARTED, 1)
    store_word(state, NODES, 1)
    store_word(state, PLY, 0)
    store_word(state, TASK, PICK)
    store_float(state, DRIFT, 0.0)
    store_word(state, DRIFTS, 0)
    write_frame(frames, blank - blank, blank, mover, other, load_word(state, FIRST_DEPTH), 0)
    write_more(frames, -NOTHING, NOTHING, -NOTHING, -1, -1, FULL, 0)


@kernel
def write_frame(
    frame: int, moves: Any, blank: Any, mover: int, other: int, depth: int, tried: int
) -> None:
    """Write the position of a frame, and how far it was searched."""
    store_set(frame, 0, moves)
    store_set(frame, BLANK_AT, blank)
    store_word(frame, MOVER_AT, mover)
    store_word(frame, OTHER_AT, other)
    store_word(frame, DEPTH_AT, depth)
    store_word(frame, TRIED_AT, tried)


@kernel
def write_more(
    frame: int,
    floor: float,
    beta: float,
    best: float,
    best_move: int,
    square: int,
    manner: int,
    queue: int,
) -> None:
    """Write what was found there, and what is being tried."""
    store_float(frame, FLOOR_AT, floor)
    store_float(frame, BETA_AT, beta)
    store_float(frame, BEST_AT, best)
    store_word(frame, BEST_MOVE_AT, best_move)
    store_word(frame, SQUARE_AT, square)
    store_word(frame, MANNER_AT, manner)
    store_word(frame, QUEUE_AT, queue)


@kernel
def read_frame(frame: int, words: int) -> tuple[Any, Any, int, int, int, int]:
    """What `write_frame` wrote."""
    return (
        load_set(frame, 0, words),
        load_set(frame, BLANK_AT, words),
        load_word(frame, MOVER_AT),
        load_word(frame, OTHER_AT),
        load_word(frame, DEPTH_AT),
        load_word(frame, TRIED_AT),
    )


@kernel
def read_more(frame: int) -> tuple[float, float, float, int, int, int, int]:
    """What `write_more` wrote."""
    return (
        load_float(frame, FLOOR_AT),
        load_float(frame, BETA_AT),
        load_float(frame, BEST_AT),
        load_word(frame, BEST_MOVE_AT),
        load_word(frame, SQUARE_AT),
        load_word(frame, MANNER_AT),
        load_word(frame, QUEUE_AT),
    )


@kernel
def write_line_out(table: int, state: int, frames: int, best: float) -> None:
    """Report the root's best line and its value."""
    line = frames + LINES * 8
    length = load_word(line, 0)
    store_word(state, PV_LENGTH, length)
    for i in range(length):
        store_word(state, PV + i, true_square(table, load_word(line, 1 + i)))
    store_float(state, SCORE, best)


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
    store_word(entry, words, tag)
    store_word(entry, words + 1, bits)
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
