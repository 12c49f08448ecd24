"""Minimax and alpha-beta as the course has them: depth first, no table, no ordering, deepened one ply at a time.

The one kernel serves both: minimax is alpha-beta that never cuts off.

Contract: once an iteration to depth d is complete, SCORE is the minimax value of the root at depth d, for the player to
move there, and the principal variation leads to it. Among equal moves the first in the root's order is taken. An
iteration that a limit breaks off leaves no trace.
"""

from collections.abc import Callable
from time import perf_counter_ns
from typing import Any, Final

from numba import types

from isolab.game.geometry import MOST_SQUARES, words_for
from isolab.game.image import image_of, image_square, true_square
from isolab.game.position import Position
from isolab.game.view import View, targets
from isolab.limits import Limit
from isolab.native.entry import compile_entry
from isolab.native.memory import load_constant, load_float, load_word, store_float, store_word
from isolab.native.squareset import (
    count,
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
PRUNE: bool = True
evaluate: Any = None

PLY: Final = SPARE  # where the search stands
TRYING: Final = SPARE + 1  # the root's move that is being searched
ITERATION: Final = SPARE + 2  # the depth it is searched to

LINE_WORDS: Final = 170
"""A frame: blanks, untried moves, MOVES.. squares and window, then the best line below it."""
MOVER_AT, OTHER_AT, ALPHA_AT, BETA_AT, BEST_AT, TRIED_AT, LINE_AT = 6, 7, 8, 9, 10, 11, 12
FRAME_WORDS: Final = LINE_AT + LINE_WORDS

SLICE_SIGNATURE: Final = types.boolean(*[types.int64] * 5)


class AlphaBeta:
    """Alpha-beta, or minimax where it does not prune, with one heuristic; not to be shared between threads."""

    def __init__(self, evaluator: Evaluator, *, prune: bool = True) -> None:
        self.evaluator = evaluator
        self.prune = prune
        self.work = Workspace()
        self.frames = Block(MOST_SQUARES * FRAME_WORDS)

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
        lay_root(self.work, position, seed, limit)
        run = compile_entry(
            alphabeta_slice,
            SLICE_SIGNATURE,
            {
                "WORDS": words_for(position.board),
                "PRUNE": self.prune,
                "evaluate": self.evaluator.compiled,
            },
        )
        table = image_table(position.board, seed, self.evaluator)
        numbers = self.evaluator.parameters.ctypes.data
        state, frames = self.work.address, self.frames.address
        return lambda quota: run(table, numbers, state, frames, quota)


def alphabeta_slice(table: int, parameters: int, state: int, frames: int, quota: int) -> bool:
    """Go on until `quota` nodes in all; whether the search is finished.

    Values inside are from the point of view of the side to move at that node; the heuristic is always asked for the
    player who moves at the root, who is the mover at even plies.
    """
    rows, cols = load_constant(table, 0), load_constant(table, 1)
    unplaced = load_constant(table, 2)
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
        if nodes + (count(moves) if depth - ply == 1 else 1) > quota and not is_empty(moves):
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
                        if PRUNE and alpha >= beta:
                            break
            finished = ply > 0
        elif is_empty(moves) or (PRUNE and alpha >= beta):
            finished = True
        else:
            # 6. Make the next move.
            square = lowest(moves)
            moves = without_lowest(moves)
            nodes += 1
            left = blank - single(blank, square)
            next_moves = replies & left
            if is_empty(next_moves):
                value = WIN - (ply + 1)
                if value > best:
                    best = value
                    store_word(frame, LINE_AT, 1)
                    store_word(frame, LINE_AT + 1, square)
                    if value > alpha:
                        alpha = value
            else:
                # 7. Go down.
                store_set(frame, 3, moves)
                store_float(frame, ALPHA_AT, alpha)
                store_float(frame, BEST_AT, best)
                store_word(frame, TRIED_AT, square)
                ply += 1
                frame += FRAME_WORDS * 8
                mover, other = other, square
                alpha, beta = -beta, -alpha
                best = -NOTHING
                blank, moves = left, next_moves
                store_set(frame, 0, blank)
                store_word(frame, MOVER_AT, mover)
                store_word(frame, OTHER_AT, other)
                store_float(frame, BETA_AT, beta)
                continue

        # 8. The node is done: hand its value and line up.
        if finished and ply > 0:
            value = -best
            below = frame
            ply -= 1
            frame -= FRAME_WORDS * 8
            blank, moves = load_set(frame, 0, WORDS), load_set(frame, 3, WORDS)
            mover, other = load_word(frame, MOVER_AT), load_word(frame, OTHER_AT)
            alpha, beta = load_float(frame, ALPHA_AT), load_float(frame, BETA_AT)
            best = load_float(frame, BEST_AT)
            if value > best:
                best = value
                length = load_word(below, LINE_AT)
                store_word(frame, LINE_AT, length + 1)
                store_word(frame, LINE_AT + 1, load_word(frame, TRIED_AT))
                for i in range(length):
                    store_word(frame, LINE_AT + 2 + i, load_word(below, LINE_AT + 1 + i))
                if value > alpha:
                    alpha = value

        if ply > 0:
            continue

        # 9. A move of the root is done; with the last of them the iteration is complete.
        if not is_empty(moves):
            continue
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

    # 10. Remember where it stands for the next slice.
    store_set(frame, 3, moves)
    store_float(frame, ALPHA_AT, alpha)
    store_float(frame, BEST_AT, best)
    store_word(state, NODES, nodes)
    store_word(state, PLY, ply)
    store_word(state, TRYING, trying)
    store_word(state, ITERATION, depth)
    return False
