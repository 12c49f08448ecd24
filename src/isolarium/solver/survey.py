"""Many positions on several cores, and surveys: every start of a board, solved, saved and summarized.

Compiled code releases Python's global interpreter lock, so threads run in parallel.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from threading import Event, Thread, local
from types import TracebackType
from typing import Final

from isolarium.errors import InputError
from isolarium.game.board import Board
from isolarium.game.position import Position
from isolarium.game.symmetry import is_mirror
from isolarium.limits import Limit
from isolarium.solver.solution import Check, Solution, SolutionFile, contradiction, read_solutions
from isolarium.solver.solver import Solver
from isolarium.solver.start_map import law_says_win, mirror_exception, start_map, starts

AHEAD: Final = 4
"""The number of positions per worker that are read ahead."""


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


# Surveys


class SurveyFile(SolutionFile):
    """The file of a survey, open for appending.

    Args:
        path: The file; created if it does not exist.
        board: The board of the starts.

    Raises:
        InputError: If the file is not a survey, cannot be written, or is open in another process.
    """

    def __init__(self, path: Path, board: Board) -> None:
        super().__init__(path, _start_check(board))


def read_survey(path: Path, board: Board) -> list[Solution]:
    """Read a survey's solutions in the order of the starts, even while it is running.

    Raises:
        InputError: If the file is not a survey or cannot be read.
    """
    known = read_solutions(path, _start_check(board), "a record of solved starts")
    return [known[start] for start in starts(board) if start in known]


def _start_check(board: Board) -> Check:
    """Return a check of solutions against the start map or the mirror theorem."""
    wanted = set(starts(board))
    known = start_map(board)

    def check(solution: Solution) -> None:
        start = solution.position
        if start not in wanted:
            raise InputError(f"{start}: expected a start of {board}, the least of its symmetries")
        if known is None:
            is_wrong = solution.wins and is_mirror(start)
        else:
            assert start.first is not None
            assert start.second is not None
            is_wrong = known.first_wins(start.first, start.second) != solution.wins
        if is_wrong:
            raise contradiction(solution)

    return check


def survey(
    wanted: Iterable[Position], file: SurveyFile | None, workers: int, limit: Limit | None = None
) -> Iterator[Solution]:
    """Solve positions; save each known solution before yielding it."""
    for _, solution in solve_many(wanted, workers, limit):
        if file is not None and solution.wins is not None:
            file.add(solution)
        yield solution


@dataclass(frozen=True)
class LawException:
    """A start that is an exception to the colour law.

    Attributes:
        solution: The solution of the start.
        mirror: Whether the mirror theorem explains the exception.
    """

    solution: Solution
    mirror: bool


@dataclass(frozen=True)
class SurveySummary:
    """A summary of a board's solved starts.

    Attributes:
        board: The board.
        starts: The number of starts up to symmetry.
        solved: The number of solved starts.
        wins: The number of solved starts that the player to move wins.
        nodes: The number of positions entered to solve the starts.
        exceptions: The exceptions to the colour law.
    """

    board: Board
    starts: int
    solved: int
    wins: int
    nodes: int
    exceptions: tuple[LawException, ...]


def summarize_survey(board: Board, solutions: Iterable[Solution]) -> SurveySummary:
    """Summarize the solutions of a board's starts; unknown results count as unsolved.

    The exceptions are in the order of the starts, regardless of the order of the solutions.
    """
    every = starts(board)
    found = {solution.position: solution for solution in solutions if solution.wins is not None}
    known = [found[start] for start in every if start in found]
    return SurveySummary(
        board=board,
        starts=len(every),
        solved=len(known),
        wins=sum(bool(solution.wins) for solution in known),
        nodes=sum(solution.nodes for solution in known),
        exceptions=tuple(
            LawException(solution, mirror_exception(solution.position, bool(solution.wins)))
            for solution in known
            if solution.wins != law_says_win(solution.position)
        ),
    )
