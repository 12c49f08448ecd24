"""The champion: it searches, then checks its move with the solver if the end of the game is near.

A search chooses the wrong move in one decisive position out of eight, whatever its depth, and the solver can compute
the winner long before the end. So if the solver is likely to finish, half of the limit is spent on proofs: the solver
tries the moves in the search's order, each with half of the remaining limit. A move proven to win is played; a move
proven to lose is played only if every move loses.

In compiled code, the search and the solver are compiled separately and called by their addresses: the search once per
heuristic, the solver and `champion` below once per number of words in a set of squares.
"""

from dataclasses import replace
from math import inf
from time import perf_counter_ns
from typing import Any, Final

from isolarium.game.board import Board
from isolarium.game.position import Position
from isolarium.game.tables import true_square, words_for
from isolarium.limits import Limit, Stop
from isolarium.native.entry_points import compile_entry, entry_address
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
from isolarium.search.alphabeta_common import table_mask
from isolarium.search.champion import Champion
from isolarium.search.champion_kernel import SELECTIVE
from isolarium.search.driver import Entry, Seat
from isolarium.search.kernel_state import (
    AT_QUOTA,
    BLANK,
    CHOOSE_SIGNATURE,
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
    Block,
    Choose,
)
from isolarium.search.protocol import Evaluator
from isolarium.solver.proof_tree import most_blanks
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
    compiled_winloss,
    table_bits,
    winloss_entry,
)
from isolarium.solver.winloss import NODES as SOLVER_NODES

PROOFS_SHARE: Final = 1 / 2
"""The share of the limit to spend on proofs in positions where they are tried."""
WITHIN_REACH: Final = 4.0
"""Proofs are tried if the solver is likely to need at most this many times `PROOFS_SHARE`."""
NODES_A_MS: Final = 4000
"""The solver's approximate nodes per millisecond on boards of up to 128 squares."""


class Prover(Champion):
    """The champion's search, followed by proofs.

    Args:
        evaluator: The heuristic of the search.
        threads: The threads of the search; proofs use one.
    """

    def __init__(self, evaluator: Evaluator, threads: int = 1) -> None:
        super().__init__(evaluator, threads)
        self._proofs = Block(1)

    def entry(self, words: int) -> Entry:
        """See `CompiledSearch`."""
        return Entry(champion, CHOOSE_SIGNATURE, {"WORDS": words})

    def entries(self, words: int) -> dict[str, Entry]:
        """See `CompiledSearch`."""
        solver = Entry(*winloss_entry(words))
        return {"choose": self.entry(words), "search": self.search_entry(words), "solver": solver}

    def search_entry(self, words: int) -> Entry:
        """Return the search that the champion calls."""
        return super().entry(words)

    def _selective(self, words: int) -> Choose:
        compiled: Choose = compile_entry(*self.search_entry(words))
        return compiled

    def _prepare(self, board: Board, limit: Limit) -> None:
        super()._prepare(board, limit)
        words, inputs = words_for(board), self.inputs.words
        needed = proof_words(board, words)
        if len(self._proofs.words) != needed:
            self._proofs = Block(needed)
        inputs[PROOFS] = self._proofs.address
        inputs[SEARCH] = entry_address(self._selective(words))
        inputs[SOLVER] = entry_address(compiled_winloss(words))
        nodes = _proof_nodes(limit)
        part = _search_part(limit)
        inputs[MOST_BLANKS] = most_blanks(board, WITHIN_REACH * nodes) if int(nodes) else -1
        inputs[SEARCH_NODES] = EVERYTHING if part.nodes is None else part.nodes
        inputs[SEARCH_MASK], inputs[WHOLE_MASK] = table_mask(part), table_mask(limit)
        inputs[PROOF_NODES] = EVERYTHING if limit.nodes is None else int(nodes)
        inputs[WHOLE_NODES] = EVERYTHING if limit.nodes is None else limit.nodes

    def seat(self, board: Board, limit: Limit) -> Seat:
        """See `CompiledSearch`."""
        self.inputs.words[STAGE] = BOTH
        return super().seat(board, limit)

    def start(self, position: Position, limit: Limit, seed: int | None = None) -> None:
        """See `Search`."""
        self.inputs.words[STAGE] = ONLY_SEARCH
        self._limit, self._index = limit, -1
        self._ended_ns: int | None = None
        super().start(position, limit, seed)

    def _search_limit(self, position: Position, limit: Limit) -> Limit:
        return _search_part(limit) if self._tries_proofs(position) else limit

    def _tries_proofs(self, position: Position) -> bool:
        few = position.blank_count <= int(self.inputs.words[MOST_BLANKS])
        return few and not position.placing

    def advance(self, stop: Stop | None = None) -> None:
        """See `Search`."""
        if not self._slices.done:
            super().advance(stop)
        if self._slices.done and not self.done and self._proofs_end(stop):
            self._ended_ns = perf_counter_ns()

    def _proofs_end(self, stop: Stop | None) -> bool:
        """Run proofs until they end or `stop()` is true; return whether they end."""
        if not self._tries_proofs(self._position):
            return True
        words = self.inputs.words
        words[STAGE], words[OTHER_NODES] = ONLY_PROOFS, self._helpers_nodes()
        prove = self._compiled(words_for(self._position.board))
        while prove(self.inputs.address, EVERYTHING) != FINISHED:
            if self._is_late():
                return True
            if stop is not None and stop():
                return False
        return True

    def _is_late(self) -> bool:
        """Give each move half of the time that is left; return whether no time is left."""
        end_ms = inf if self._limit.time_ms is None else self._limit.time_ms
        elapsed_ms = (perf_counter_ns() - self._started_ns) / 1e6
        index = int(self._proofs.words[INDEX])
        if index != self._index:
            self._index, self._until_ms = index, (elapsed_ms + end_ms) / 2
        elif elapsed_ms >= self._until_ms:
            self._proofs.words[MOST] = 0
        return elapsed_ms >= end_ms

    def _now_ns(self) -> int:
        return self._ended_ns or perf_counter_ns()

    @property
    def done(self) -> bool:
        """See `Search`."""
        return self._ended_ns is not None


def _proof_nodes(limit: Limit) -> float:
    """Return the number of nodes for proofs; 0 for a limit in depth."""
    bounds = [limit.nodes, None if limit.time_ms is None else limit.time_ms * NODES_A_MS]
    given = [bound for bound in bounds if bound is not None]
    return PROOFS_SHARE * min(given) if given and limit.depth is None else 0.0


def _search_part(limit: Limit) -> Limit:
    """Return the part of the limit for the search if proofs are tried: at least one node."""
    share = 1 - PROOFS_SHARE
    return replace(
        limit,
        nodes=None if limit.nodes is None else max(1, int(share * limit.nodes)),
        time_ms=None if limit.time_ms is None else share * limit.time_ms,
    )


# The champion in compiled code

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
