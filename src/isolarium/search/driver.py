"""Run compiled searches in slices.

Between slices, ordinary Python code handles the clock, Ctrl-C and progress reports.
"""

from collections.abc import Callable
from functools import cache, cached_property
from time import perf_counter_ns
from typing import Any, Final

from isolarium.game.board import Board
from isolarium.game.position import Position
from isolarium.game.symmetry import Symmetry, symmetries
from isolarium.game.tables import table_address, words_for
from isolarium.game.view import evaluation
from isolarium.limits import Limit, Stop
from isolarium.native.entry_points import compile_entry
from isolarium.search.kernel_state import Workspace
from isolarium.search.protocol import Choice, Evaluator, Search, check_unfinished
from isolarium.search.random import mixed_seed

FIRST_SLICE: Final = 64  # Small enough even if the heuristic takes milliseconds
LEAST_SLICE: Final = 16
SLICE_NS: Final = 1_000_000
OPENING_NS: Final = (
    SLICE_NS // 4
)  # The speed measured in another position may be wrong in this one.
EVERYTHING: Final = 1 << 60

Run = Callable[..., Any]
Extend = Callable[[int], bool]
"""Continues the search to a total number of nodes; returns whether it finished."""


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
    """A search that runs as compiled code on its own state and memory.

    Attributes:
        work: The state.
        extend: Continues up to a total number of nodes, regardless of the limit; returns whether
            the search is finished. How the nodes are divided into slices never affects the result.
    """

    extend: Extend

    def __init__(
        self, template: Run, signature: Any, evaluator: Evaluator | None = None, **switches: bool
    ) -> None:
        """Prepare the search; nothing is compiled before `start`.

        Args:
            template: The entry point. Its open names are WORDS, the switches, and also `evaluate`
                if it uses a heuristic.
            signature: The signature of the entry point.
            evaluator: The heuristic, if any.
            switches: Values of further open names.
        """
        self.evaluator = evaluator
        self.work = Workspace()
        self._slices = Slices()
        self._draw: SymmetryDraw | None = None

        def compiled(words: int) -> Run:
            bindings: dict[str, Any] = {"WORDS": words, **switches}
            if evaluator is not None:
                bindings["evaluate"] = evaluation(evaluator.compiled, words)
            return compile_entry(template, signature, bindings)

        self._compiled = cache(compiled)

    def _begin(self, run: Run, words: int, table: int, limit: Limit) -> Extend:
        """Prepare memory for the position in the state and return `extend`.

        Args:
            run: The compiled entry point.
            words: The number of words in a set of the board's squares.
            table: The address of the board's tables under the drawn symmetry.
            limit: The limit, on which the size of the memory may depend.
        """
        raise NotImplementedError

    def start(self, position: Position, limit: Limit, seed: int | None = None) -> None:
        """See `Search`."""
        check_unfinished(position)
        self.work.reset(position, limit, seed)
        board = position.board
        if self._draw is None or board != self._draw.board:
            self._draw = SymmetryDraw(board, self.evaluator)
        words, table = words_for(board), self._draw.table(seed)
        self.extend = self._begin(self._compiled(words), words, table, limit)
        self._position = position
        self._started_ns = perf_counter_ns()
        self._slices.begin(limit, self._started_ns)

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
        now_ns = self._slices.now_ns if self.done else perf_counter_ns()
        return self.work.choice(self._position, (now_ns - self._started_ns) / 1e6)

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


class SymmetryDraw:
    """A random draw of the symmetry under which a board is searched.

    The draw keeps a search from preferring one side of the board. If the heuristic is not symmetric
    on the board, only the identity can be drawn.
    """

    def __init__(self, board: Board, evaluator: Evaluator | None) -> None:
        self.board = board
        self._evaluator = evaluator
        self._table = cache(lambda symmetry: table_address(board, symmetry))

    def symmetry(self, seed: int | None) -> Symmetry:
        """Return the symmetry drawn with the seed; without a seed, the identity."""
        number = 0 if seed is None else mixed_seed(seed, 1) % self._count
        return symmetries(self.board)[number]

    def table(self, seed: int | None) -> int:
        """Return the address of the board's tables under that symmetry."""
        return self._table(self.symmetry(seed))

    @cached_property
    def _count(self) -> int:
        if self._evaluator is not None and not self._evaluator.is_symmetric(self.board):
            return 1
        return len(symmetries(self.board))
