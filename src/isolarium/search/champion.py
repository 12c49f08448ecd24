"""The champion's search, on one thread or on several that share a table.

The kernel is in `champion_kernel.py`.

With one thread, the same position, limit and seed always give the same choice. With several
threads, the choice may vary.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from time import perf_counter_ns
from typing import Final

from isolarium.game.board import Square
from isolarium.game.position import Position
from isolarium.game.tables import permutation
from isolarium.limits import Limit, Stop
from isolarium.search.alphabeta_common import GENERATION, TranspositionTable
from isolarium.search.champion_kernel import (
    KILLERS,
    MEMORY_WORDS,
    SLICE_SIGNATURE,
    selective_slice,
)
from isolarium.search.driver import CompiledSearch, Extend, Run, Slices
from isolarium.search.kernel_state import (
    FIRST_DEPTH,
    MAX_DEPTH,
    NODES,
    ROOT,
    ROOT_COUNT,
    Block,
    Workspace,
)
from isolarium.search.protocol import Choice, Evaluator
from isolarium.search.random import mixed_seed

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
        super().__init__(selective_slice, SLICE_SIGNATURE, evaluator)
        self._selective = selective
        self._memory = Block(MEMORY_WORDS)
        self._numbers = evaluator.parameters.ctypes.data
        self._table = TranspositionTable()
        self._helpers = [Helper() for _ in range(threads - 1)]
        self._helping: list[Helper] = []

    def start(self, position: Position, limit: Limit, seed: int | None = None) -> None:
        """See `Search`."""
        share = None if limit.nodes is None else limit.nodes // (len(self._helpers) + 1)
        self._helping = self._helpers if share is None or share >= LEAST_SHARE else []
        own = limit
        if share is not None:
            own = replace(limit, nodes=(limit.nodes or 0) - share * len(self._helping))
        for number, helper in enumerate(self._helping):
            helper.reset(position, replace(limit, nodes=share), mixed_seed(seed or 0, number))
        super().start(position, own, seed)
        self._seed = seed
        for helper in self._helping:
            helper.slices.begin(replace(limit, nodes=share), perf_counter_ns())

    def _begin(self, run: Run, words: int, table: int, limit: Limit) -> Extend:
        entries, mask = self._table.begin(words, limit)
        numbers, selective = self._numbers, self._selective

        def extending(work: Workspace, memory: Block) -> Extend:
            memory.words[KILLERS:] = -1
            work.words[GENERATION] = self._table.generation
            state, frames = work.address, memory.address
            return lambda quota: run(table, numbers, state, frames, entries, mask, selective, quota)

        for helper in self._helping:
            helper.extend = extending(helper.work, helper.memory)
        return extending(self.work, self._memory)

    def advance(self, stop: Stop | None = None) -> None:
        """See `Search`. The helper threads run only during the call."""
        if self.done or not self._helping:
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
        """See `Search`.

        `plies` is None in a selective search, because a shorter win may have been pruned.
        """
        choice = super().best()
        report = choice.report
        nodes = report.nodes + sum(int(helper.work.words[NODES]) for helper in self._helping)
        plies = None if self._selective else report.plies
        return Choice(choice.move, replace(report, nodes=nodes, plies=plies))

    def ranking(self) -> list[Square]:
        """Return the root's moves: the best moves so far, latest first, then the rest."""
        assert self._draw is not None
        board, words = self._position.board, self.work.words
        images = permutation(board, self._draw.symmetry(self._seed))
        squares = dict(zip(images, board.squares, strict=True))
        return [squares[int(number)] for number in words[ROOT : ROOT + int(words[ROOT_COUNT])]]


class Helper:
    """The state, memory and clock of an additional thread."""

    extend: Extend

    def __init__(self) -> None:
        self.work = Workspace()
        self.memory = Block(MEMORY_WORDS)
        self.slices = Slices()

    def reset(self, position: Position, limit: Limit, seed: int) -> None:
        """Set up the position for a search one ply deeper and in a different order.

        The other threads can then use the table entries of this thread.
        """
        self.work.reset(position, limit, seed)
        words = self.work.words
        words[FIRST_DEPTH] = min(int(words[FIRST_DEPTH]) + 1, int(words[MAX_DEPTH]))
