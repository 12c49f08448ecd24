"""Runs a compiled search slice by slice, so that clock, Ctrl-C and progress stay in ordinary Python."""

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

FIRST_SLICE: Final = 64  # small enough for a heuristic that takes milliseconds
LEAST_SLICE: Final = 16
SLICE_NS: Final = 1_000_000
OPENING_NS: Final = SLICE_NS // 4  # a speed that was measured in another position may be wrong here
EVERYTHING: Final = 1 << 60

Run = Callable[..., Any]
Extend = Callable[[int], bool]
"""Goes on until so many nodes in all; whether the search is finished."""


class Slices:
    """Has a search go on slice by slice until it is finished or its limit is reached.

    Slices take about a millisecond: they grow while they are quicker and shrink towards the deadline. The speed is
    remembered, so that the next search does not have to begin with small ones.
    """

    def __init__(self) -> None:
        self.done = False
        self.now_ns = 0
        self._speed = 0.0  # nodes a nanosecond, 0 while it is not known

    def begin(self, limit: Limit, now_ns: int) -> None:
        """Start again at the first node; the clock starts now."""
        self.done = False
        self.now_ns = now_ns
        self._quota = 0
        self._most = EVERYTHING if limit.nodes is None else limit.nodes
        self._deadline_ns = None if limit.time_ms is None else now_ns + int(limit.time_ms * 1e6)
        self._nodes = max(FIRST_SLICE, int(self._speed * min(OPENING_NS, self._left_ns())))

    def run(self, extend: Extend, stop: Stop | None = None) -> None:
        """Go on until done, or until `stop`, asked after each slice, says so."""
        while not self.done:
            finished = self._run_one(extend)
            self.done = finished or self._quota >= self._most or self._left_ns() <= 0
            if stop is not None and stop():
                return

    def _run_one(self, extend: Extend) -> bool:
        """Run one slice and settle the size of the next."""
        before, began_ns = self._quota, self.now_ns
        self._quota = min(self._most, before + self._nodes)
        finished = extend(self._quota)
        self.now_ns = perf_counter_ns()
        if not finished:  # one that finished may have entered fewer nodes than it might
            entered = self._quota - before
            self._speed = entered / max(1, self.now_ns - began_ns)
            self._nodes = max(LEAST_SLICE, min(4 * entered, int(self._speed * self._left_ns())))
        return finished

    def _left_ns(self) -> int:
        """How long the next slice may take."""
        if self._deadline_ns is None:
            return SLICE_NS
        return min(SLICE_NS, self._deadline_ns - self.now_ns)


class CompiledSearch(Search):
    """A search that compiled code carries out on a state and on memory of its own.

    Attributes:
        work: the state.
        extend: goes on until so many nodes in all, however `Slices` would divide them, and whatever the limit; whether
            the search is finished. Slices never show in the result.
    """

    extend: Extend

    def __init__(
        self, template: Run, signature: Any, evaluator: Evaluator | None = None, **switches: bool
    ) -> None:
        """Compile nothing yet.

        Args:
            template: the entry point, which leaves open WORDS, the switches, and `evaluate` where it asks a heuristic.
            signature: its own.
            evaluator: the heuristic.
            switches: what else it leaves open.
        """
        self.evaluator = evaluator
        self.work = Workspace()
        self._slices = Slices()
        self._images: Images | None = None

        def compiled(words: int) -> Run:
            bindings: dict[str, Any] = {"WORDS": words, **switches}
            if evaluator is not None:
                bindings["evaluate"] = evaluation(evaluator.compiled, words)
            return compile_entry(template, signature, bindings)

        self._compiled = cache(compiled)

    def _begin(self, run: Run, words: int, table: int, limit: Limit) -> Extend:
        """Make memory ready for a search of the position that is in the state.

        Args:
            run: the entry point, compiled.
            words: those of a set of the board's squares.
            table: the address of the tables of the image that is searched.
            limit: what the size of the memory may depend on.
        """
        raise NotImplementedError

    def start(self, position: Position, limit: Limit, seed: int | None = None) -> None:
        """See `Search`."""
        check_unfinished(position)
        self.work.lay(position, limit, seed)
        board = position.board
        if self._images is None or board != self._images.board:
            self._images = Images(board, self.evaluator)
        words, table = words_for(board), self._images.table(seed)
        self.extend = self._begin(self._compiled(words), words, table, limit)
        self._position = position
        self._started_ns = perf_counter_ns()
        self._slices.begin(limit, self._started_ns)

    def advance(self, stop: Stop | None = None) -> None:
        """See `Search`.

        Raises:
            Exception: whatever went wrong inside the heuristic.
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
    """The same question, with whatever went wrong inside the heuristic raised first."""

    def ask() -> bool:
        raise_failure()
        return stop is not None and stop()

    return ask


class Images:
    """The images of a board that a search with a heuristic may run on: all, or the board itself alone."""

    def __init__(self, board: Board, evaluator: Evaluator | None) -> None:
        self.board = board
        self._evaluator = evaluator
        self._table = cache(lambda image: table_address(board, image))

    def image(self, seed: int | None) -> Symmetry:
        """The image that the seed draws; without one, the board itself."""
        number = 0 if seed is None else mixed_seed(seed, 1) % self._count
        return symmetries(self.board)[number]

    def table(self, seed: int | None) -> int:
        """The address of the tables of that image."""
        return self._table(self.image(seed))

    @cached_property
    def _count(self) -> int:
        if self._evaluator is not None and not self._evaluator.mirrors(self.board):
            return 1
        return len(symmetries(self.board))
