"""What the alpha-beta kernels of `alphabeta` and the champion have in common: frames, lines, root and report.

Both keep a frame of words for each ply, so that they can stop anywhere and resume there. A frame begins with the
untried moves (three words), then has the words below; a kernel may add its own from `COMMON_WORDS` on. Behind the
frames each ply has a line: its length and its squares, the best moves from that ply on.
"""

from typing import Any, Final

from isolarium.game.tables import MOST_SQUARES, true_square
from isolarium.native.jit import kernel
from isolarium.native.memory import load_float, load_word, store_float, store_word
from isolarium.native.squareset import load_set, store_set
from isolarium.search.kernel_state import (
    DEPTH,
    MAX_DEPTH,
    NODES,
    NOTHING,
    PROVEN,
    PV,
    PV_LENGTH,
    ROOT,
    ROOT_COUNT,
    SCORE,
    SPARE,
    STARTED,
    list_root_moves,
    root_position,
)

# In the state
PLY: Final = SPARE
GENERATION: Final = SPARE + 1  # of the transposition table
ORDER: Final = SPARE + 2  # eight words to sort moves in
OWN: Final = SPARE + 10  # from here on: what only one of the kernels keeps

# In a frame
BEST_AT, BETA_AT, MOVER_AT = 3, 4, 5
FLOOR_AT: Final = 6  # alpha on entry
QUEUE_AT: Final = 7  # untried moves in order (see `game/move_order.py`), tried before the others
MOVE_AT: Final = 8  # the best move
COMMON_WORDS: Final = 9

MOST_PLIES: Final = MOST_SQUARES + 1
LINE_WORDS: Final = MOST_SQUARES + 2

NOTHING_MORE, LINE_BELOW = -1, -2
"""What follows a move, unless it is one square: nothing, or the line one ply below."""


@kernel
def write_frame(frame: int, moves: Any, mover: int, best: float, beta: float) -> None:
    """Write the untried moves, the mover, the best value and beta."""
    store_set(frame, 0, moves)
    store_float(frame, BEST_AT, best)
    store_float(frame, BETA_AT, beta)
    store_word(frame, MOVER_AT, mover)


@kernel
def read_frame(frame: int, words: int) -> tuple[Any, int, float, float]:
    """Read what `write_frame` wrote."""
    return (
        load_set(frame, 0, words),
        load_word(frame, MOVER_AT),
        load_float(frame, BEST_AT),
        load_float(frame, BETA_AT),
    )


@kernel
def write_order(frame: int, floor: float, queue: int, best_move: int) -> None:
    """Write what only a search with a transposition table needs: alpha on entry, the queue and the best move."""
    store_float(frame, FLOOR_AT, floor)
    store_word(frame, QUEUE_AT, queue)
    store_word(frame, MOVE_AT, best_move)


@kernel
def read_order(frame: int) -> tuple[float, int, int]:
    """Read what `write_order` wrote."""
    return load_float(frame, FLOOR_AT), load_word(frame, QUEUE_AT), load_word(frame, MOVE_AT)


@kernel
def begin_search(table: int, state: int, frames: int, words: int) -> tuple[Any, int, int]:
    """Write the root as a search that stopped before its first move, and return its blanks, mover and other."""
    blank, mover, other = root_position(table, state, words)
    list_root_moves(table, state, blank, mover)
    store_word(state, STARTED, 1)
    store_word(state, NODES, 1)
    store_word(state, PLY, 0)
    write_frame(frames, blank - blank, mover, -NOTHING, NOTHING)
    write_order(frames, -NOTHING, 0, -1)
    return blank, mover, other


@kernel
def write_line(line: int, square: int, follows: int) -> None:
    """Write the line that begins with a move to `square` and continues with `follows`."""
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
def report_line(table: int, state: int, line: int, score: float) -> None:
    """Report the line at that address as the principal variation, and its score."""
    length = load_word(line, 0)
    store_word(state, PV_LENGTH, length)
    for i in range(length):
        store_word(state, PV + i, true_square(table, load_word(line, 1 + i)))
    store_float(state, SCORE, score)


@kernel
def report_iteration(table: int, state: int, line: int, score: float, depth: int) -> bool:
    """Report a completed iteration and return whether it was the last."""
    report_line(table, state, line, score)
    store_word(state, DEPTH, depth)
    return depth == load_word(state, MAX_DEPTH) or score > PROVEN or score < -PROVEN


@kernel
def put_first(state: int, best: int) -> None:
    """Try the best move first when the root is entered again; the other moves keep their order."""
    front = best
    for i in range(load_word(state, ROOT_COUNT)):
        move = load_word(state, ROOT + i)
        store_word(state, ROOT + i, front)
        if move == best:
            break
        front = move
