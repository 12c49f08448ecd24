"""Solving on several cores: many positions at once, or one hard position.

Compiled code releases Python's global interpreter lock, so threads run in parallel.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from queue import Queue
from threading import Event, Thread, local
from types import TracebackType
from typing import Final

from isolarium.game.position import Position
from isolarium.limits import Allowance, Limit
from isolarium.solver.proof_tree import Node, ProofTree
from isolarium.solver.solution import Solution
from isolarium.solver.solver import Solver
from isolarium.solver.winloss import Answer, WinLossSearch

AHEAD: Final = 4
"""The number of positions per worker that are read ahead."""
LOOK_EVERY_S: Final = 0.05
"""The interval at which the limits of a split position are checked."""


class SolverPool:
    """A pool of threads, each with a solver; leaving the `with` block stops them.

    Args:
        workers: The number of positions solved at once.
        limit: The limit for one position.
        distance: Whether to compute the length of the game as well.
    """

    def __init__(self, workers: int, limit: Limit | None = None, *, distance: bool = False) -> None:
        self.workers = workers
        self._limit = limit
        self._distance = distance
        self._mine = local()
        self._ended = Event()
        self._threads = ThreadPoolExecutor(workers)

    def __enter__(self) -> "SolverPool":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._threads.shutdown(wait=True, cancel_futures=True)

    def submit(self, position: Position) -> Future[Solution]:
        """Schedule a position for solving."""
        return self._threads.submit(self._solve, position)

    def _solve(self, position: Position) -> Solution:
        if not hasattr(self._mine, "solver"):
            self._mine.solver = Solver()
        solver: Solver = self._mine.solver
        solve = solver.solve_distance if self._distance else solver.solve
        return solve(position, self._limit, self._ended.is_set)


def solve_many(
    positions: Iterable[Position], workers: int, limit: Limit | None = None, *, distance: bool = False
) -> Iterator[tuple[int, Solution]]:
    """Solve positions on several cores; yield solutions with their input indices."""
    with SolverPool(workers, limit, distance=distance) as pool:
        running: dict[Future[Solution], int] = {}
        waiting = enumerate(positions)
        more = True
        while more or running:
            while more and len(running) < AHEAD * workers:
                place, position = next(waiting, (-1, None))
                more = position is not None
                if position is not None:
                    running[pool.submit(position)] = place
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield running.pop(future), future.result()


def solve_stream(positions: Iterable[Position], pool: SolverPool) -> Iterator[Solution]:
    """Solve positions and yield the solutions in order, each as soon as possible.

    A thread reads ahead, so a solution never waits for the next position to arrive. An error while
    reading is raised after the solutions of the earlier positions.
    """
    asked: Queue[Future[Solution] | BaseException | None] = Queue(AHEAD * pool.workers)
    Thread(target=_read_ahead, args=(positions, pool.submit, asked.put), daemon=True).start()
    while (item := asked.get()) is not None:
        if isinstance(item, BaseException):
            raise item
        yield item.result()


def _read_ahead(
    positions: Iterable[Position],
    submit: Callable[[Position], Future[Solution]],
    put: Callable[[Future[Solution] | BaseException | None], None],
) -> None:
    try:
        for position in positions:
            put(submit(position))
    except BaseException as error:
        put(error)
    else:
        put(None)


def solver_for(limit: Limit, workers: int) -> Solver:
    """Return a solver for one position at a time, with threads unless nodes are limited.

    With a node limit the result must be the same on every machine, which threads cannot guarantee.
    """
    return Solver() if limit.nodes is not None or workers == 1 else SplittingSolver(workers)


class SplittingSolver(Solver):
    """A solver that searches the leaves of a hard position in several threads.

    The answers are the same as with `Solver`; the number of nodes depends on which leaf finishes
    first.

    Args:
        workers: The number of leaves searched at once.
    """

    def __init__(self, workers: int) -> None:
        super().__init__()
        self._workers = workers
        self._mine = local()

    def _search_leaves(self, tree: ProofTree, allowance: Allowance) -> None:
        running: dict[Future[Answer], Node] = {}
        ended = False

        def search(leaf: Node) -> Answer:
            allowed = Allowance(stop=lambda: ended or leaf.settled)
            return self._search_of_this_thread().run(leaf.position, allowed, tree.budget)

        with ThreadPoolExecutor(self._workers) as threads:
            try:
                while tree.root.wins is None and not allowance.is_over():
                    while len(running) < self._workers:
                        leaf = tree.next_leaf()
                        if leaf is None:
                            break
                        leaf.running = True
                        running[threads.submit(search, leaf)] = leaf
                    done, _ = wait(running, LOOK_EVERY_S, FIRST_COMPLETED)
                    for future in done:
                        leaf = running.pop(future)
                        leaf.running = False
                        allowance.spent += future.result().nodes
                        tree.record(leaf, future.result())
            finally:
                ended = True
        allowance.spent += sum(future.result().nodes for future in running)

    def _search_of_this_thread(self) -> WinLossSearch:
        if not hasattr(self._mine, "search"):
            self._mine.search = WinLossSearch()
        search: WinLossSearch = self._mine.search
        return search
