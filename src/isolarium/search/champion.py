"""The champion's search, on one thread or on several that share a table.

The kernel is in `champion_kernel.py`.

With one thread, the same position, limit and seed always give the same choice. With several
threads, the choice may vary.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from time import perf_counter_ns
from typing import Final

from isolarium.game.board import Board
from isolarium.game.position import Position
from isolarium.game.tables import words_for
from isolarium.limits import Limit, Stop, mixed_seed
from isolarium.search.alphabeta_common import TranspositionTable
from isolarium.search.champion_kernel import MEMORY_WORDS, SELECTIVE, selective_alphabeta
from isolarium.search.driver import CompiledSearch, Extend, Slices
from isolarium.search.kernel_state import (
    DEEPER,
    FINISHED,
    GENERATION,
    MEMORY,
    NODES,
    STATE,
    TABLE,
    Block,
    Choose,
    Inputs,
    Workspace,
)
from isolarium.search.protocol import Choice, Evaluator

LEAST_SHARE: Final = 1000
"""The minimum number of nodes for which an additional thread is worthwhile."""


class Champion(CompiledSearch):
    """The champion's search with one heuristic.

    Args:
        evaluator: The heuristic.
        threads: The number of threads. They share a table and divide the limit's nodes among them.
        selective: Whether parts of the tree may be pruned based on an estimate.
    """

    def __init__(self, evaluator: Evaluator, threads: int = 1, *, selective: bool = True) -> None:
        super().__init__(selective_alphabeta, evaluator)
        self.hides_plies = selective  # a shorter win may have been pruned
        self._memory = Block(MEMORY_WORDS)
        self.inputs.words[[MEMORY, SELECTIVE]] = self._memory.address, selective
        self._table = TranspositionTable(self.inputs)
        self._helpers = [Helper() for _ in range(threads - 1)]
        self._helping: list[Helper] = []

    def _prepare(self, board: Board, limit: Limit) -> None:
        self._table.prepare(words_for(board), limit)

    def ends_by_itself(self, limit: Limit) -> bool:
        """See `CompiledSearch`; Python runs the threads."""
        return not self._helpers and super().ends_by_itself(limit)

    def start(self, position: Position, limit: Limit, seed: int | None = None) -> None:
        """See `Search`."""
        super().start(position, limit, seed)
        self._share_out(self._search_limit(position, limit), seed)

    def _search_limit(self, position: Position, limit: Limit) -> Limit:
        """Return the search's part of the limit."""
        return limit

    def _share_out(self, limit: Limit, seed: int | None) -> None:
        """Divide the nodes of the started search among its threads, and start their clocks."""
        share = None if limit.nodes is None else limit.nodes // (len(self._helpers) + 1)
        self._helping = self._helpers if share is None or share >= LEAST_SHARE else []
        own = limit
        if share is not None:
            own = replace(limit, nodes=(limit.nodes or 0) - share * len(self._helping))
        if self._helping:
            self.extend(0)  # draws the symmetry and begins the table's generation
            choose = self._selective(words_for(self._position.board))
            for number, helper in enumerate(self._helping):
                helper.start(self._position, self.inputs, choose, mixed_seed(seed or 0, number))
        now_ns = perf_counter_ns()
        for helper in self._helping:
            helper.slices.begin(replace(limit, nodes=share), now_ns)
        self._slices.begin(own, now_ns)

    def _selective(self, words: int) -> Choose:
        """Return the compiled search of a single thread."""
        return self._compiled(words)

    def advance(self, stop: Stop | None = None) -> None:
        """See `Search`. The helper threads run only during the call."""
        if self._slices.done or not self._helping:
            super().advance(stop)
            return
        ended = False
        with ThreadPoolExecutor(len(self._helping)) as threads:
            for helper in self._helping:
                threads.submit(helper.slices.run, helper.extend, lambda: ended)
            try:
                super().advance(stop)
            finally:
                ended = True

    def best(self) -> Choice:
        """See `Search`."""
        choice = super().best()
        if not self._helping:
            return choice
        return Choice(choice.move, replace(choice.report, nodes=choice.report.nodes + self._helpers_nodes()))

    def _helpers_nodes(self) -> int:
        return sum(int(helper.work.words[NODES]) for helper in self._helping)


class Helper:
    """The inputs, state, memory and clock of an additional thread."""

    extend: Extend

    def __init__(self) -> None:
        self.work = Workspace()
        self.memory = Block(MEMORY_WORDS)
        self.inputs = Inputs(self.work)
        self.slices = Slices()

    def start(self, position: Position, inputs: Inputs, choose: Choose, seed: int) -> None:
        """Start a search of the position one ply deeper and in a different order.

        The other threads can then use the table entries of this thread.

        Args:
            position: The position.
            inputs: The inputs of the first thread, whose search has started.
            choose: The compiled search.
            seed: The seed of the order.
        """
        words = self.inputs.words
        words[:] = inputs.words
        words[[STATE, MEMORY, DEEPER]] = self.work.address, self.memory.address, 1
        words[GENERATION] -= 1  # the helper's search increments it again
        self.inputs.set_tables([int(words[TABLE])])
        self.work.reset(position, seed)
        self.work.words[NODES] = 0
        address = self.inputs.address
        self.extend = lambda quota: choose(address, quota) == FINISHED
