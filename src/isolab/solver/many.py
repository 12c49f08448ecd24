"""Many positions at once, one a thread: compiled code runs without Python's lock, so threads are enough."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from queue import Queue
from threading import Event, Thread, local
from types import TracebackType
from typing import Final, TypeVar

from isolab.game.position import Position
from isolab.solver.solution import Solution
from isolab.solver.solver import Solver

Tag = TypeVar("Tag")

AHEAD: Final = 4
"""Positions for each worker that are taken in before earlier ones are answered."""


class SolverPool:
    """Workers, each with a solver of its own. Leaving the `with` block ends whatever is still being solved.

    Args:
        workers: how many positions are solved at once.
        distance: whether to find out how long the game lasts, too.
        most_nodes: give up on a position at so many nodes.
        most_ms: give up on a position after so many milliseconds.
    """

    def __init__(
        self,
        workers: int,
        *,
        distance: bool = False,
        most_nodes: int | None = None,
        most_ms: float | None = None,
    ) -> None:
        self.workers = workers
        self._distance = distance
        self._limits = most_nodes, most_ms
        self._mine = local()
        self._ended = Event()
        self._threads = ThreadPoolExecutor(workers)

    def __enter__(self) -> "SolverPool":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._threads.shutdown(wait=True, cancel_futures=True)

    def submit(self, position: Position) -> Future[Solution]:
        """Have a position solved."""
        return self._threads.submit(self._solve, position)

    def _solve(self, position: Position) -> Solution:
        if not hasattr(self._mine, "solver"):
            self._mine.solver = Solver()
        solver: Solver = self._mine.solver
        solve = solver.solve_distance if self._distance else solver.solve
        return solve(position, *self._limits, self._ended.is_set)


def solve_many(
    positions: Iterable[Position],
    workers: int,
    *,
    distance: bool = False,
    most_nodes: int | None = None,
    most_ms: float | None = None,
) -> Iterator[tuple[int, Solution]]:
    """Solve positions on several cores: each with its place in the input, as they get ready."""
    with SolverPool(workers, distance=distance, most_nodes=most_nodes, most_ms=most_ms) as pool:
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
    """Solve positions in their order, each answered as soon as it and those before it are.

    A thread reads ahead, so an answer never waits for the next position to arrive. What goes wrong in reading is raised
    after the answers to what came before.
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
