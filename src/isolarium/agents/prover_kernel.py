"""The champion in compiled code: its search, then proofs by the solver (see `prover.py`).

The search and the solver are compiled separately and called by their addresses: the search once
per heuristic, the solver and this module once per number of words in a set of squares.
"""

from typing import Any, Final

from isolarium.game.board import Board
from isolarium.game.tables import true_square
from isolarium.native.jit import kernel
from isolarium.native.memory import (
    call_compiled,
    call_compiled_8,
    load_constant,
    load_float,
    load_word,
    store_float,
    store_word,
)
from isolarium.native.squareset import count, load_set, single, store_set
from isolarium.search.champion_kernel import SELECTIVE
from isolarium.search.kernel_state import (
    AT_QUOTA,
    BLANK,
    EVERYTHING,
    FINISHED,
    MASK,
    MOVER,
    NODES,
    OTHER,
    PAUSED,
    PROVEN,
    PV,
    PV_LENGTH,
    ROOT,
    ROOT_COUNT,
    SCORE,
    STARTED,
    STATE,
    TABLE,
    TABLES,
    WIN,
)
from isolarium.solver.separated_endgame import SCRATCH_WORDS, SEARCHED
from isolarium.solver.winloss import (
    FRAME_WORDS,
    LEAST_BITS,
    LIGHT,
    MOST_FRAMES,
    MOVER_AT,
    OTHER_AT,
    RESULT,
    SHORT_SLICE_NODES,
    SHORT_SLICE_STEPS,
    STATE_WORDS,
    WINNING,
    colour,
    table_bits,
)
from isolarium.solver.winloss import NODES as SOLVER_NODES

WORDS: int = 0  # bound when compiled

# The champion's own inputs, after those of its search
SEARCH: Final = SELECTIVE + 1  # the address of the compiled search
SOLVER: Final = SELECTIVE + 2  # the address of the compiled solver
PROOFS: Final = SELECTIVE + 3  # the address of the memory of the proofs
STAGE: Final = SELECTIVE + 4  # which part to run; see below
MOST_BLANKS: Final = SELECTIVE + 5  # proofs are tried with at most this many blanks; -1 for never
SEARCH_NODES: Final = SELECTIVE + 6  # the nodes of the search, if proofs are tried
SEARCH_MASK: Final = SELECTIVE + 7  # the MASK of the search, if proofs are tried
WHOLE_MASK: Final = SELECTIVE + 8  # the MASK of the search, if no proofs are tried
PROOF_NODES: Final = SELECTIVE + 9  # the nodes of the proofs
WHOLE_NODES: Final = SELECTIVE + 10  # the nodes of search and proofs together
OTHER_NODES: Final = SELECTIVE + 11  # the nodes that other threads of the search entered

BOTH, ONLY_SEARCH, ONLY_PROOFS = range(3)
"""The parts to run: both in order, or only one, so that a clock can end the search."""

# The memory of the proofs
PHASE: Final = 0
FOUND_MOVE, FOUND_LENGTH, FOUND_SCORE, FOUND_NODES = 1, 2, 3, 4  # as the search left them
LEFT: Final = 5  # the nodes left for the proofs, before the current move
INDEX: Final = 6  # the current move
MOST: Final = 7  # the nodes for the current move's proof
SPENT: Final = 8  # the nodes of the earlier moves' proofs
LOST: Final = 9  # the moves proven to lose, as bits
ORDER_COUNT: Final = 10
ORDER: Final = 11  # the moves by true square numbers, the search's choice first
SOLVER_STATE: Final = ORDER + 8  # a knight has at most eight moves
SOLVER_FRAMES: Final = SOLVER_STATE + STATE_WORDS
SOLVER_WALKS: Final = SOLVER_FRAMES + MOST_FRAMES * FRAME_WORDS
SOLVER_ENTRIES: Final = SOLVER_WALKS + SCRATCH_WORDS

SEARCHING, PROVING, DONE = range(3)


def proof_words(board: Board, words: int) -> int:
    """Return the size of the memory of the proofs, in words."""
    return SOLVER_ENTRIES + (words + 1 << table_bits(board.size))


def champion(inputs: int, quota: int) -> int:
    """Search, then prove; see `search/kernel_state.py`.

    A call pauses after the search and after each slice of a proof. The quota applies to the search
    only; PROOF_NODES and WHOLE_NODES limit the proofs.
    """
    state, proofs = load_word(inputs, STATE), load_word(inputs, PROOFS)
    stage = load_word(inputs, STAGE)
    unplaced = load_constant(load_word(load_word(inputs, TABLES), 0), 2)
    few = count(load_set(state, BLANK, WORDS)) <= load_word(inputs, MOST_BLANKS)
    tries = few and load_word(state, MOVER) != unplaced
    if load_word(state, STARTED) == 0:
        store_word(proofs, PHASE, SEARCHING)
        store_word(inputs, MASK, load_word(inputs, SEARCH_MASK if tries else WHOLE_MASK))
    if load_word(proofs, PHASE) == SEARCHING:
        if stage != ONLY_PROOFS:
            most = load_word(inputs, SEARCH_NODES) if tries else EVERYTHING
            status: int = call_compiled(load_word(inputs, SEARCH), inputs, min(quota, most))
            if stage == ONLY_SEARCH or not tries or (status == AT_QUOTA and quota < most):
                return status
        if not tries or not begin_proofs(inputs, state, proofs, WORDS):
            store_word(proofs, PHASE, DONE)
            return FINISHED
        store_word(proofs, PHASE, PROVING)
        return PAUSED
    if load_word(proofs, PHASE) == PROVING and prove(inputs, state, proofs, WORDS):
        return PAUSED
    store_word(proofs, PHASE, DONE)
    return FINISHED


@kernel
def begin_proofs(inputs: int, state: int, proofs: int, words: int) -> bool:
    """Prepare the proofs; return whether there is anything to prove."""
    score = load_float(state, SCORE)
    if score > PROVEN or score < -PROVEN:
        return False
    chosen = load_word(state, PV)
    store_word(proofs, FOUND_MOVE, chosen)
    store_word(proofs, FOUND_LENGTH, load_word(state, PV_LENGTH))
    store_float(proofs, FOUND_SCORE, score)
    store_word(proofs, FOUND_NODES, load_word(state, NODES))
    left = load_word(inputs, WHOLE_NODES) - load_word(state, NODES) - load_word(inputs, OTHER_NODES)
    store_word(proofs, LEFT, min(load_word(inputs, PROOF_NODES), left))
    store_word(proofs, SPENT, 0)
    store_word(proofs, LOST, 0)
    store_word(proofs, INDEX, 0)
    store_word(proofs, ORDER, chosen)
    table, length = load_word(inputs, TABLE), 1
    for place in range(load_word(state, ROOT_COUNT)):
        move = true_square(table, load_word(state, ROOT + place))
        if move != chosen:
            store_word(proofs, ORDER + length, move)
            length += 1
    store_word(proofs, ORDER_COUNT, length)
    begin_move(inputs, state, proofs, words)
    return True


@kernel
def begin_move(inputs: int, state: int, proofs: int, words: int) -> None:
    """Prepare the solver for the position after the current move, as `WinLossSearch` does."""
    table = load_word(load_word(inputs, TABLES), 0)
    most = load_word(proofs, LEFT) >> 1
    store_word(proofs, MOST, most)
    solver, frames = proofs + SOLVER_STATE * 8, proofs + SOLVER_FRAMES * 8
    for place in range(STATE_WORDS):
        store_word(solver, place, 0)
    store_word(solver, WINNING, -1)
    blank: Any = load_set(state, BLANK, words)
    light = blank - blank
    for square in range(load_constant(table, 2)):
        if colour(table, square) == 0:
            light = light | single(light, square)
    store_set(solver, LIGHT, light)
    move = load_word(proofs, ORDER + load_word(proofs, INDEX))
    blank = blank - single(blank, move)
    store_set(frames, 0, blank)
    store_word(frames, MOVER_AT, load_word(state, OTHER))
    store_word(frames, OTHER_AT, move)
    store_word(proofs + SOLVER_WALKS * 8, SEARCHED, 0)
    entries = proofs + SOLVER_ENTRIES * 8
    for place in range((words + 1) << solver_bits(most, count(blank))):
        store_word(entries, place, 0)


@kernel
def solver_bits(most_nodes: int, blanks: int) -> int:
    """Return the binary logarithm of the number of entries in the solver's table."""
    bits = LEAST_BITS
    while bits < table_bits(blanks) and most_nodes >> bits != 0:
        bits += 1
    return bits


@kernel
def prove(inputs: int, state: int, proofs: int, words: int) -> bool:
    """Run a slice of the current move's proof; return whether proofs are left."""
    table = load_word(load_word(inputs, TABLES), 0)
    solver, walks = proofs + SOLVER_STATE * 8, proofs + SOLVER_WALKS * 8
    index, most = load_word(proofs, INDEX), load_word(proofs, MOST)
    nodes, known = load_word(solver, SOLVER_NODES), 0
    if nodes < most:
        bits = solver_bits(most, count(load_set(state, BLANK, words)) - 1)
        known = call_compiled_8(
            load_word(inputs, SOLVER),
            table,
            solver,
            proofs + SOLVER_FRAMES * 8,
            proofs + SOLVER_ENTRIES * 8,
            (1 << bits) - 1,
            walks,
            min(nodes + SHORT_SLICE_NODES, most),
            load_word(walks, SEARCHED) + SHORT_SLICE_STEPS,
        )
        nodes = load_word(solver, SOLVER_NODES)
    spent = load_word(proofs, SPENT) + nodes
    store_word(state, NODES, load_word(proofs, FOUND_NODES) + spent)
    if known == 0 and nodes < most:
        return True
    if known != 0 and load_word(solver, RESULT) < 0:  # the opponent loses
        write_move(state, proofs, index, WIN)
        return False
    if known != 0:
        store_word(proofs, LOST, load_word(proofs, LOST) | 1 << index)
        write_best(state, proofs)
    store_word(proofs, SPENT, spent)
    store_word(proofs, LEFT, load_word(proofs, LEFT) - nodes)
    store_word(proofs, INDEX, index + 1)
    if index + 1 == load_word(proofs, ORDER_COUNT):
        return False
    begin_move(inputs, state, proofs, words)
    return True


@kernel
def write_best(state: int, proofs: int) -> None:
    """Report the first move that is not proven to lose, or the first move if all are."""
    lost, best = load_word(proofs, LOST), 0
    while lost >> best & 1 != 0:
        best += 1
    if best == load_word(proofs, ORDER_COUNT):
        write_move(state, proofs, 0, -WIN)
    else:
        write_move(state, proofs, best, load_float(proofs, FOUND_SCORE))


@kernel
def write_move(state: int, proofs: int, index: int, score: float) -> None:
    """Report a move; the search's line is kept only for its own choice."""
    store_word(state, PV, load_word(proofs, ORDER + index))
    store_word(state, PV_LENGTH, load_word(proofs, FOUND_LENGTH) if index == 0 else 1)
    store_float(state, SCORE, score)
