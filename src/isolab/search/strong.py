"""The strong search: alpha-beta with a transposition table and ordered moves, deepened one ply at a time.

Contract: as `alphabeta.py`, value for value: the table and the order change how many nodes it takes, never what is
found. A table entry holds its whole position, so two positions are never taken for one; its value serves only at the
same remaining depth, its move only to be tried first. Every search stamps its entries with a generation of its own, so
nothing survives from one search to the next.
"""

from collections.abc import Callable
from time import perf_counter_ns
from typing import Any, Final

from numba import types

from isolab.game.geometry import MOST_SQUARES, words_for
from isolab.game.image import image_of, image_square, true_square
from isolab.game.ordering import queue_of
from isolab.game.position import Position
from isolab.game.view import View, targets
from isolab.limits import Limit
from isolab.native.entry import compile_entry
from isolab.native.jit import kernel
from isolab.native.memory import load_constant, load_float, load_word, store_float, store_word
from isolab.native.mixing import mixed
from isolab.native.squareset import (
    count,
    fold,
    is_empty,
    load_set,
    lowest,
    single,
    store_set,
    without_lowest,
)
from isolab.search.driver import (
    Block,
    Stop,
    Workspace,
    choice_of,
    guarded,
    image_table,
    lay_root,
    run_slices,
)
from isolab.search.evaluator import Evaluator
from isolab.search.report import Choice
from isolab.search.root import (
    BLANK,
    DEPTH,
    FIRST_DEPTH,
    MAX_DEPTH,
    MOVER,
    NODES,
    OTHER,
    PV,
    PV_LENGTH,
    ROOT,
    ROOT_COUNT,
    SCORE,
    SPARE,
    STARTED,
    list_root_moves,
)
from isolab.search.scores import NOTHING, PROVEN, WIN, ranked

# Bound when compiled
WORDS: int = 0
evaluate: Any = None

PLY: Final = SPARE  # where the search stands
TRYING: Final = SPARE + 1  # the root's move that is being searched
ITERATION: Final = SPARE + 2  # the depth it is searched to
GENERATION: Final = SPARE + 3  # the stamp of this search's table entries, at least 1
ORDER: Final = SPARE + 8  # eight words to sort in

# A frame, in words: blanks from 0, untried moves from 3 (while placing), then these, then the best line below it.
MOVER_AT, OTHER_AT, ALPHA_AT, BETA_AT, BEST_AT, TRIED_AT = 6, 7, 8, 9, 10, 11
FLOOR_AT: Final = 12  # alpha as it was on entry
QUEUE_AT: Final = (
    13  # untried moves in order, a byte each, the next one lowest; 0 when there are none
)
BEST_MOVE_AT: Final = 14
LINE_AT: Final = 15
FRAME_WORDS: Final = LINE_AT + 171

# A table entry: WORDS words of blanks, then these two.
TAG_AT: Final = 0  # mover | other << 8 | generation << 16 | remaining depth << 32 | bound << 40 | move + 1 << 48
VALUE_AT: Final = 1
EXACT, AT_LEAST, AT_MOST = 0, 1, 2
ENTRY_EXTRA: Final = 2


SLICE_SIGNATURE: Final = types.boolean(*[types.int64] * 7)

LEAST_BITS, MOST_BITS = 12, 18
"""The table has from 2**12 to 2**18 entries: beyond what the caches hold, a larger one costs more than it saves."""
LAST_GENERATION: Final = 0xFFFF


class Strong:
    """The strong search with one heuristic; not to be shared between threads."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.work = Workspace()
        self.frames = Block(MOST_SQUARES * FRAME_WORDS)
        self.table = Block(1)
        self.generation = 0

    def choose(
        self, position: Position, limit: Limit, seed: int | None = None, stop: Stop | None = None
    ) -> Choice:
        """Search until the limit is reached, the result is proven, or `stop` says so.

        The clock does not count compiling.

        Raises:
            InputError: the game is over.
        """
        advance = self.start(position, limit, seed)
        started_ns = perf_counter_ns()
        run_slices(advance, limit, started_ns, guarded(self.evaluator, stop))
        return choice_of(self.work, position, started_ns)

    def start(
        self, position: Position, limit: Limit, seed: int | None = None
    ) -> Callable[[int], bool]:
        """Begin a search: the function that goes on until so many nodes in all and says whether it is finished.

        After any call of it `choice_of(search.work, ...)` is the choice so far.

        Raises:
            InputError: the game is over.
        """
        words = words_for(position.board)
        lay_root(self.work, position, seed, limit)
        mask = self._fresh_table(words, limit)
        self.work.state[GENERATION] = self.generation
        run = compile_entry(
            strong_slice, SLICE_SIGNATURE, {"WORDS": words, "evaluate": self.evaluator.compiled}
        )
        image = image_table(position.board, seed, self.evaluator)
        numbers = self.evaluator.parameters.ctypes.data
        state, frames, entries = self.work.address, self.frames.address, self.table.address
        return lambda quota: run(image, numbers, state, frames, entries, mask, quota)

    def _fresh_table(self, words: int, limit: Limit) -> int:
        """Make a table ready in which nothing counts yet; its size, which the limit alone decides, less one."""
        bits = MOST_BITS if limit.nodes is None else (limit.nodes // 4).bit_length()
        entries = 1 << max(LEAST_BITS, min(MOST_BITS, bits))
        needed = entries * (words + ENTRY_EXTRA)
        if len(self.table.words) != needed or self.generation == LAST_GENERATION:
            self.table, self.generation = Block(needed), 0
        self.generation += 1
        return entries - 1


@kernel
def entry_address(entries: int, mask: int, words: int, blank: Any, mover: int, other: int) -> int:
    """Where in the table the position belongs."""
    place = mixed(fold(blank) ^ mixed(mover << 8 | other)) & mask
    return entries + place * (words + ENTRY_EXTRA) * 8


@kernel
def holds(entry: int, words: int, known: Any, blank: Any, tag: int) -> bool:
    """Whether the entry is of this position and this search; `tag` has mover, other and generation alone."""
    return load_word(entry, words + TAG_AT) & 0xFFFFFFFF == tag and is_empty(known ^ blank)


def strong_slice(
    table: int, parameters: int, state: int, frames: int, entries: int, mask: int, quota: int
) -> bool:
    """Go on until `quota` nodes in all; whether the search is finished.

    `entries` is the address of a table of `mask + 1` entries, a power of two. Values inside are from the point of view
    of the side to move; the heuristic is always asked for the player who moves at the root.
    """
    rows, cols = load_constant(table, 0), load_constant(table, 1)
    unplaced = load_constant(table, 2)
    scratch = state + ORDER * 8
    generation = load_word(state, GENERATION)
    nodes = load_word(state, NODES)

    # 1. The first slice lays the root.
    if load_word(state, STARTED) == 0:
        store_word(state, STARTED, 1)
        blank: Any = image_of(table, load_set(state, BLANK, WORDS))
        mover = image_square(table, load_word(state, MOVER))
        store_set(frames, 0, blank)
        store_word(frames, MOVER_AT, mover)
        store_word(frames, OTHER_AT, image_square(table, load_word(state, OTHER)))
        list_root_moves(table, state, blank, mover)
        depth, ply, trying = load_word(state, FIRST_DEPTH), 0, 0
        nodes += 1
        store_float(frames, ALPHA_AT, -NOTHING)
        store_float(frames, BETA_AT, NOTHING)
        store_float(frames, BEST_AT, -NOTHING)
        store_word(frames, QUEUE_AT, 0)
        store_set(frames, 3, blank - blank)
    else:
        depth, ply, trying = (
            load_word(state, ITERATION),
            load_word(state, PLY),
            load_word(state, TRYING),
        )
    root_count = load_word(state, ROOT_COUNT)

    # 2. Take up the node at `ply` where it was left.
    frame = frames + ply * FRAME_WORDS * 8
    blank = load_set(frame, 0, WORDS)
    moves: Any = load_set(frame, 3, WORDS)
    queue = load_word(frame, QUEUE_AT)
    mover, other = load_word(frame, MOVER_AT), load_word(frame, OTHER_AT)
    alpha, beta = load_float(frame, ALPHA_AT), load_float(frame, BETA_AT)
    best = load_float(frame, BEST_AT)

    while True:
        # 3. The root hands out its moves in their own order, one at a time; when all are done it is entered anew.
        if ply == 0:
            if trying == root_count:
                if nodes >= quota:
                    break
                nodes += 1
                depth += 1
                trying = 0
                alpha, best = -NOTHING, -NOTHING
            moves = single(blank, load_word(state, ROOT + trying))

        # 4. Stop at the quota, before a move is made: a node's leaves are entered all or none.
        to_try = queue != 0 or not is_empty(moves)
        if to_try and nodes + (count(moves) if depth - ply == 1 else 1) > quota:
            break

        replies = targets(table, blank, other)
        finished = False
        if depth - ply == 1:
            # 5. The last ply: the leaves are scored from here.
            own_moved = ply & 1 == 0
            sign = 1.0 if own_moved else -1.0
            while not is_empty(moves):
                square = lowest(moves)
                moves = without_lowest(moves)
                nodes += 1
                left = blank - single(blank, square)
                if is_empty(replies & left):
                    value = WIN - (ply + 1)
                elif other == unplaced:
                    value = 0.0
                else:
                    own = square if own_moved else other
                    opp = other if own_moved else square
                    view = View(left, not own_moved, rows, cols, table, parameters)
                    value = sign * ranked(evaluate(view, own, opp))
                if value > best:
                    best = value
                    store_word(frame, LINE_AT, 1)
                    store_word(frame, LINE_AT + 1, square)
                    if value > alpha:
                        alpha = value
                        if alpha >= beta:
                            break
            finished = ply > 0
        elif not to_try or alpha >= beta:
            # 6. Nothing left that matters: keep what was found.
            finished = True
            entry = entry_address(entries, mask, WORDS, blank, mover, other)
            bound = EXACT
            if best >= beta:
                bound = AT_LEAST
            elif best <= load_float(frame, FLOOR_AT):
                bound = AT_MOST
            tag = mover | other << 8 | generation << 16 | (depth - ply) << 32 | bound << 40
            store_set(entry, 0, blank)
            store_word(entry, WORDS + TAG_AT, tag | (load_word(frame, BEST_MOVE_AT) + 1) << 48)
            store_float(entry, WORDS + VALUE_AT, best)
        else:
            # 7. Make the next move.
            if queue != 0:
                square = (queue & 255) - 1
                queue = queue >> 8 & 0xFFFFFFFFFFFFFF
            else:
                square = lowest(moves)
                moves = without_lowest(moves)
            nodes += 1
            left = blank - single(blank, square)
            next_moves = replies & left
            value = NOTHING  # not known yet
            first_move = -1
            if is_empty(next_moves):
                value = WIN - (ply + 1)
            elif depth - ply > 2:
                # 8. Ask the table about the position behind it.
                entry = entry_address(entries, mask, WORDS, left, other, square)
                if holds(
                    entry,
                    WORDS,
                    load_set(entry, 0, WORDS),
                    left,
                    other | square << 8 | generation << 16,
                ):
                    tag = load_word(entry, WORDS + TAG_AT)
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
                # 9. Go down.
                store_set(frame, 3, moves)
                store_word(frame, QUEUE_AT, queue)
                store_float(frame, ALPHA_AT, alpha)
                store_float(frame, BEST_AT, best)
                store_word(frame, TRIED_AT, square)
                ply += 1
                frame += FRAME_WORDS * 8
                mover, other = other, square
                alpha, beta = -beta, -alpha
                best = -NOTHING
                blank, moves, queue = left, next_moves, 0
                if depth - ply > 1 and mover != unplaced:
                    queue = queue_of(
                        table, scratch, blank, moves, targets(table, blank, other), first_move
                    )
                    moves = blank - blank
                store_set(frame, 0, blank)
                store_word(frame, MOVER_AT, mover)
                store_word(frame, OTHER_AT, other)
                store_float(frame, BETA_AT, beta)
                store_float(frame, FLOOR_AT, alpha)
                store_word(frame, BEST_MOVE_AT, -1)
                continue
            if value > best:
                best = value
                store_word(frame, BEST_MOVE_AT, square)
                store_word(frame, LINE_AT, 1)
                store_word(frame, LINE_AT + 1, square)
                if value > alpha:
                    alpha = value

        # 10. The node is done: hand its value and line up.
        if finished and ply > 0:
            value = -best
            below = frame
            ply -= 1
            frame -= FRAME_WORDS * 8
            blank, moves = load_set(frame, 0, WORDS), load_set(frame, 3, WORDS)
            queue = load_word(frame, QUEUE_AT)
            mover, other = load_word(frame, MOVER_AT), load_word(frame, OTHER_AT)
            alpha, beta = load_float(frame, ALPHA_AT), load_float(frame, BETA_AT)
            best = load_float(frame, BEST_AT)
            if value > best:
                best = value
                square = load_word(frame, TRIED_AT)
                length = load_word(below, LINE_AT)
                store_word(frame, BEST_MOVE_AT, square)
                store_word(frame, LINE_AT, length + 1)
                store_word(frame, LINE_AT + 1, square)
                for i in range(length):
                    store_word(frame, LINE_AT + 2 + i, load_word(below, LINE_AT + 1 + i))
                if value > alpha:
                    alpha = value

        if ply > 0 or not is_empty(moves):
            continue

        # 11. A move of the root is done; with the last of them the iteration is complete.
        trying += 1
        if trying < root_count:
            continue
        length = load_word(frames, LINE_AT)
        store_word(state, PV_LENGTH, length)
        for i in range(length):
            store_word(state, PV + i, true_square(table, load_word(frames, LINE_AT + 1 + i)))
        store_float(state, SCORE, best)
        store_word(state, DEPTH, depth)
        if depth == load_word(state, MAX_DEPTH) or best > PROVEN or best < -PROVEN:
            store_word(state, NODES, nodes)
            return True

        # 12. The best move goes first when it deepens.
        front = load_word(frames, LINE_AT + 1)
        for i in range(root_count):
            move = load_word(state, ROOT + i)
            store_word(state, ROOT + i, front)
            if move == load_word(frames, LINE_AT + 1):
                break
            front = move

    # 13. Remember where it stands for the next slice.
    store_set(frame, 3, moves)
    store_word(frame, QUEUE_AT, queue)
    store_float(frame, ALPHA_AT, alpha)
    store_float(frame, BEST_AT, best)
    store_word(state, NODES, nodes)
    store_word(state, PLY, ply)
    store_word(state, TRYING, trying)
    store_word(state, ITERATION, depth)
    return False
