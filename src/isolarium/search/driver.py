"""Run compiled searches in slices.

Between slices, ordinary Python code handles the clock, Ctrl-C and progress reports.

Each built-in search is one compiled function `choose(inputs, quota)`. `kernel_state.py` defines its inputs, what it
returns, and the state in which it leaves the move, the score, the depth, the nodes and the line. The functions are:

    random                 `random_move` below
    greedy, minimax,       `alphabeta` in alphabeta.py, with TABLE false; its MEMORY has MEMORY_WORDS words
    alphabeta
    strong                 the same with TABLE true, and a transposition table (kernel_state.py)
    champion               `champion` in agents/prover.py, which calls the solver and `selective_alphabeta` of
                           champion_kernel.py; its PROOFS has `proof_words` words
    mcts                   `mcts` in mcts.py; its MEMORY has CAPACITY nodes, its PATH 170 words
    minmax_approximation   in minmax_approximation.py; its MEMORY has HEAD_WORDS words, and FIRST and FIRST_END in it
                           are the addresses of a block of nodes

A search that Python drives (`CompiledSearch`) and one that compiled code drives (`CompiledSearch.seat`) run the same
function. Opening books, the oracle, several threads, time limits and third-party heuristics need Python.
"""

from collections.abc import Callable, Mapping
from functools import cache
from time import perf_counter_ns
from typing import Any, Final, NamedTuple

from isolarium.game.board import Board
from isolarium.game.position import Position
from isolarium.game.symmetry import Symmetry, symmetries
from isolarium.game.tables import table_address, words_for
from isolarium.game.view import evaluation, targets
from isolarium.limits import Limit, Stop
from isolarium.native.entry_points import compile_entry, entry_address
from isolarium.native.memory import load_word, store_word
from isolarium.native.squareset import count, load_set, lowest, without_lowest
from isolarium.search.kernel_state import (
    BLANK,
    CHOOSE_SIGNATURE,
    EVERYTHING,
    FINISHED,
    MOVER,
    PARAMETERS,
    PV,
    PV_LENGTH,
    SEED,
    STARTED,
    STATE,
    TABLES,
    Choose,
    Inputs,
    Workspace,
    begin_choice,
    stream_seed,
)
from isolarium.search.protocol import Choice, Evaluator, Search, check_unfinished

WORDS: int = 0  # bound when compiled

FIRST_SLICE: Final = 64  # Small enough even if the heuristic takes milliseconds
LEAST_SLICE: Final = 16
SLICE_NS: Final = 1_000_000
OPENING_NS: Final = SLICE_NS // 4  # the speed measured in another position may be wrong in this one

Extend = Callable[[int], bool]
"""Continues the search to a total number of nodes; returns whether it finished."""


class Entry(NamedTuple):
    """The arguments of `compile_entry` for a compiled search."""

    template: Callable[..., Any]
    signature: Any
    bindings: Mapping[str, Any]


class Seat(NamedTuple):
    """A search as other compiled code calls it, for one board and limit.

    Attributes:
        address: The address of the compiled search.
        inputs: The address of its inputs.
        state: The address of its state.
        quota: The nodes that it may enter for one position.
        hides_plies: Whether a proven result has no number of plies.
    """

    address: int
    inputs: int
    state: int
    quota: int
    hides_plies: bool


class Slices:
    """Continues a search slice by slice until it finishes or reaches its limit.

    Slices take about a millisecond: they grow while they take less and shrink towards the deadline.
    The measured speed is kept, so the next search need not start with small slices.
    """

    def __init__(self) -> None:
        self.done = False
        self.now_ns = 0
        self._speed = 0.0  # Nodes per nanosecond, 0 while unknown

    def begin(self, limit: Limit, now_ns: int) -> None:
        """Reset the node count and start the clock."""
        self.done = False
        self.now_ns = now_ns
        self._quota = 0
        self._most = EVERYTHING if limit.nodes is None else limit.nodes
        self._deadline_ns = None if limit.time_ms is None else now_ns + int(limit.time_ms * 1e6)
        self._nodes = max(FIRST_SLICE, int(self._speed * min(OPENING_NS, self._left_ns())))

    def run(self, extend: Extend, stop: Stop | None = None) -> None:
        """Continue until done or until `stop()`, called after each slice, returns true."""
        while not self.done:
            finished = self._run_one(extend)
            self.done = finished or self._quota >= self._most or self._left_ns() <= 0
            if stop is not None and stop():
                return

    def _run_one(self, extend: Extend) -> bool:
        """Run one slice and choose the size of the next."""
        before, began_ns = self._quota, self.now_ns
        self._quota = min(self._most, before + self._nodes)
        finished = extend(self._quota)
        self.now_ns = perf_counter_ns()
        if not finished:  # A finished slice may have entered fewer nodes than its quota.
            entered = self._quota - before
            self._speed = entered / max(1, self.now_ns - began_ns)
            self._nodes = max(LEAST_SLICE, min(4 * entered, int(self._speed * self._left_ns())))
        return finished

    def _left_ns(self) -> int:
        """Return the time the next slice may take."""
        if self._deadline_ns is None:
            return SLICE_NS
        return min(SLICE_NS, self._deadline_ns - self.now_ns)


class CompiledSearch(Search):
    """A search that runs as compiled code on its own inputs, state and memory.

    Attributes:
        inputs: The inputs.
        work: The state.
        hides_plies: Whether a proven result has no number of plies.
        extend: Continues up to a total number of nodes, regardless of the limit; returns whether
            the search is finished. How the nodes are divided into slices never affects the result.
    """

    hides_plies = False

    def __init__(self, template: Callable[..., Any], evaluator: Evaluator | None = None, **switches: bool) -> None:
        """Prepare the search; nothing is compiled before `start`.

        Args:
            template: The compiled search, as `kernel_state.py` describes it. Its open names are WORDS,
                the switches, and also `evaluate` if it uses a heuristic.
            evaluator: The heuristic, if any.
            switches: Values of further open names.
        """
        self.evaluator = evaluator
        self.work = Workspace()
        self.inputs = Inputs(self.work)
        if evaluator is not None:
            self.inputs.words[PARAMETERS] = evaluator.parameters.ctypes.data
        self._template, self._switches = template, switches
        self._slices = Slices()
        self._ready: tuple[Board, Limit] | None = None
        self._draws_on: Board | None = None
        self._compiled = cache(lambda words: compile_entry(*self.entry(words)))

    def entry(self, words: int) -> Entry:
        """Return the search for boards whose square sets take `words` words."""
        bindings: dict[str, Any] = {"WORDS": words, **self._switches}
        if self.evaluator is not None:
            bindings["evaluate"] = evaluation(self.evaluator.compiled, words)
        return Entry(self._template, CHOOSE_SIGNATURE, bindings)

    def entries(self, words: int) -> dict[str, Entry]:
        """Return the search as `choose`, and the functions that it calls by their addresses."""
        return {"choose": self.entry(words)}

    def ends_by_itself(self, limit: Limit) -> bool:
        """Return whether a limit ends the compiled search without the help of Python."""
        return limit.time_ms is None and (limit.nodes is not None or limit.depth is not None)

    def seat(self, board: Board, limit: Limit) -> Seat:
        """Compile the search and prepare its inputs for a board and a limit.

        The limit must end the search by itself.

        The addresses are valid until the next `seat` or `start` of this search.
        """
        self._make_ready(board, limit, draws=True)
        address = entry_address(self._compiled(words_for(board)))
        state = self.work.address
        return Seat(address, self.inputs.address, state, self._quota(limit), self.hides_plies)

    def _quota(self, limit: Limit) -> int:
        return EVERYTHING if limit.nodes is None else limit.nodes

    def _make_ready(self, board: Board, limit: Limit, *, draws: bool) -> None:
        """Write the inputs for a board and a limit, unless they are written already.

        Args:
            board: The board.
            limit: The limit.
            draws: Whether a symmetry is drawn. If not, the heuristic is not called here: a
                heuristic that never returns must not stop the preparation.
        """
        if draws and self._draws_on != board:
            self.inputs.set_tables(drawn_tables(board, self.evaluator))
            self._draws_on = board
        if self._ready == (board, limit):
            return
        if self._draws_on != board and (self._ready is None or board != self._ready[0]):
            self.inputs.set_tables([table_address(board, Symmetry.IDENTITY)])
            self._draws_on = None
        self.inputs.set_depth(limit)
        self._prepare(board, limit)
        self._ready = board, limit

    def _prepare(self, board: Board, limit: Limit) -> None:
        """Prepare the memory for a board and a limit, and write the search's own inputs."""

    def start(self, position: Position, limit: Limit, seed: int | None = None) -> None:
        """See `Search`."""
        check_unfinished(position)
        board = position.board
        self._make_ready(board, limit, draws=seed is not None)
        self.work.reset(position, seed)
        self.extend = self._extending(self._compiled(words_for(board)))
        self._position = position
        self._started_ns = perf_counter_ns()
        self._slices.begin(limit, self._started_ns)

    def _extending(self, choose: Choose) -> Extend:
        """Return the function that continues the search."""
        inputs = self.inputs.address
        return lambda quota: choose(inputs, quota) == FINISHED

    def advance(self, stop: Stop | None = None) -> None:
        """See `Search`.

        Raises:
            Exception: If the heuristic raised it.
        """
        if self.evaluator is not None:
            stop = _checked(self.evaluator.raise_failure, stop)
        self._slices.run(self.extend, stop)

    def best(self) -> Choice:
        """See `Search`."""
        if not self.work.is_started:
            self.extend(1)
        time_ms = (self._now_ns() - self._started_ns) / 1e6
        return self.work.choice(self._position, time_ms, hides_plies=self.hides_plies)

    def _now_ns(self) -> int:
        """Return the time at which the search was done, or the current time."""
        return self._slices.now_ns if self.done else perf_counter_ns()

    @property
    def done(self) -> bool:
        """See `Search`."""
        return self._slices.done


def _checked(raise_failure: Callable[[], None], stop: Stop | None) -> Stop:
    """Return a stop condition that first raises the heuristic's exception, if any."""

    def checked_stop() -> bool:
        raise_failure()
        return stop is not None and stop()

    return checked_stop


def drawn_tables(board: Board, evaluator: Evaluator | None) -> list[int]:
    """Return the addresses of a board's tables under the symmetries to draw from.

    The draw, in `begin_choice` of `kernel_state.py`, keeps a search from preferring one side of the
    board. If the heuristic is not symmetric on the board, only the identity can be drawn.
    """
    symmetric = evaluator is None or evaluator.is_symmetric(board)
    drawn = symmetries(board) if symmetric else (Symmetry.IDENTITY,)
    return [table_address(board, symmetry) for symmetry in drawn]


# The simplest compiled search to copy: the random player, which plays like `protocol.Random`


class CompiledRandom(CompiledSearch):
    """A search that plays a random legal move, or the first one without a seed."""

    def __init__(self) -> None:
        super().__init__(random_move)


def random_move(inputs: int, quota: int) -> int:
    """Choose a move; the quota has no effect."""
    state = load_word(inputs, STATE)
    begin_choice(inputs, state, WORDS)
    blank: Any = load_set(state, BLANK, WORDS)
    moves = targets(load_word(load_word(inputs, TABLES), 0), blank, load_word(state, MOVER)) & blank
    seed = load_word(state, SEED)
    if seed >= 0:
        for _ in range(stream_seed(seed, 0) % count(moves)):
            moves = without_lowest(moves)
    store_word(state, PV, lowest(moves))
    store_word(state, PV_LENGTH, 1)
    store_word(state, STARTED, 1)
    return FINISHED
