"""Solving positions with the workers of a cluster.

Each position is assigned to one worker. Once all positions are assigned, those pending longest are
also assigned to a second worker, so that a slow or hanging worker does not delay the end. As with
batches, some positions are solved twice and the answers compared (`cluster_runner.py`).
"""

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from isolarium.arena.cluster.cluster_runner import Check, SpotChecks, secret_of
from isolarium.arena.local_workers import (
    AHEAD,
    ClusterGone,
    Exited,
    Failed,
    Invalid,
    Joined,
    Refused,
    Returned,
    WorkerEvent,
)
from isolarium.game.board import Board
from isolarium.game.position import Position
from isolarium.limits import Limit
from isolarium.solver.solution import Solution
from isolarium.solver.solver import Solver
from isolarium.solver.survey import SurveyFile

if TYPE_CHECKING:  # Starts a relay
    from isolarium.arena.cluster.remote_workers import Cluster, ClusterWorkers

POLL_S: Final = 0.25
MOST_DEATHS: Final = 5
"""The number of workers that may die on a position before the survey is aborted."""
MOST_FAILING: Final = 2
"""The number of workers that may fail on a position before the survey is aborted."""
MOST_AT_ONE: Final = 2
"""The number of workers that may get the same position when no other is left."""

Task = Position | Check[Position]


@dataclass(frozen=True, slots=True)
class Doubted:
    """A worker that returned wrong answers.

    Attributes:
        worker: The worker.
        positions: The positions solved by the worker, all of which are solved again.
        why: The reason for doubting it.
    """

    worker: str
    positions: tuple[Position, ...]
    why: str


def survey_on(
    cluster: "Cluster", board: Board, wanted: Iterable[Position], file: SurveyFile | None, limit: Limit
) -> Iterator[Solution | Doubted]:
    """Solve positions like `survey`, with the workers of a cluster.

    Doubted solutions are not kept in the file.

    Raises:
        ClusterGone: If the cluster cannot be reached any more, or none of its workers can be used.
    """
    workers = cluster.solvers(board, limit)
    try:
        for answer in _RemoteSurvey(workers, wanted, limit, cluster.checked).answers():
            if file is not None and isinstance(answer, Doubted):
                file.remove(answer.positions)
            elif file is not None and isinstance(answer, Solution) and answer.wins is not None:
                file.add(answer)
            yield answer
    finally:
        workers.stop()


class _RemoteSurvey:
    """The state of one `survey_on`."""

    def __init__(self, workers: "ClusterWorkers", positions: Iterable[Position], limit: Limit, share: float) -> None:
        self.workers, self.limit = workers, limit
        self.waiting = deque(positions)
        self.open = dict.fromkeys(self.waiting)  # Unanswered, in the order of assignment
        self.assigned: dict[str, dict[int, Task]] = {}
        self.answered: dict[str, list[Position]] = {}
        self.tasks = 0
        self.deaths, self.failures = Counter[Position](), Counter[Position]()
        self.refusals: list[str] = []
        checked = 0.0 if limit.time_ms is not None else share  # Otherwise the clock affects answers.
        self.checks = SpotChecks[Position](checked, secret_of(0) if checked else "")

    def answers(self) -> Iterator[Solution | Doubted]:
        while self.open or self.checks.waiting or self._has_checks():
            for worker in list(self.assigned):
                self._fill(worker)
            for event in self.workers.poll(POLL_S):
                yield from self._handle(event)
            yield from self._check_the_rest()
            self._check_workers()

    def _fill(self, worker: str) -> None:
        assigned = self.assigned[worker]
        while len(assigned) < AHEAD:
            task = self.checks.next_for(worker) or self._next(worker)
            if task is None:
                return
            assigned[self.tasks] = task
            self.workers.submit(worker, self.tasks, _position(task))
            self.tasks += 1

    def _next(self, worker: str) -> Position | None:
        if self.waiting:
            return self.waiting.popleft()
        if self.assigned[worker]:  # It is busy.
            return None
        others = Counter(_position(task) for assigned in self.assigned.values() for task in assigned.values())
        return next((one for one in self.open if others[one] < MOST_AT_ONE), None)

    def _handle(self, event: WorkerEvent) -> Iterator[Solution | Doubted]:
        match event:
            case Joined(worker):
                if worker not in self.checks.distrusted:
                    self.assigned[worker] = {}
            case Exited(worker):
                self._count(self.deaths, self._dismiss(worker)[:1], MOST_DEATHS, "workers died")
            case Refused(_, reason):
                self.refusals.append(reason)
            case Failed(worker, number, reason):
                self.refusals.append(reason)
                task = self.assigned.get(worker, {}).get(number)
                self._dismiss(worker)
                self._count(self.failures, [] if task is None else [task], MOST_FAILING, reason)
            case Invalid(worker, _, reason):
                yield self._distrust(worker, reason)
            case Returned(worker, number, solution):
                match self.assigned.get(worker, {}).pop(number, None):
                    case Check() as check if check.worker not in self.checks.distrusted:
                        yield from self._compare(check, solution, worker)
                    case Position() as position if position in self.open:
                        yield self._take(position, solution, worker)

    def _dismiss(self, worker: str) -> list[Task]:
        """Stop giving a worker tasks; return its unfinished tasks for reassignment."""
        left = list(self.assigned.pop(worker, {}).values())
        self.checks.waiting += [task for task in left if isinstance(task, Check)]
        self.waiting.extendleft(task for task in left if task in self.open)
        return left

    def _count(self, counts: Counter[Position], tasks: list[Task], most: int, what: str) -> None:
        """Count the workers that died or failed while solving positions.

        Raises:
            ClusterGone: If too many workers died or failed at one position.
        """
        for position in map(_position, tasks):
            counts[position] += 1
            if counts[position] >= most:
                raise ClusterGone(f"{position}: {counts[position]} times: {what}")

    def _take(self, position: Position, solution: Solution, worker: str) -> Solution:
        del self.open[position]
        self.answered.setdefault(worker, []).append(position)
        if self.checks.draws(position):
            self.checks.waiting.append(Check(position, worker, solution))
        return solution

    def _has_checks(self) -> bool:
        """Return whether a worker is performing a check."""
        return any(isinstance(task, Check) for assigned in self.assigned.values() for task in assigned.values())

    def _compare(self, check: Check[Position], again: Solution, worker: str) -> Iterator[Doubted]:
        """Compare two workers' solutions.

        If they differ, doubt the workers that differ from this machine.
        """
        if check.found == again:
            return
        correct = Solver().solve(check.task, self.limit)
        for one, found in ((check.worker, check.found), (worker, again)):
            if found != correct:
                yield self._distrust(one, _wrong(one))

    def _check_the_rest(self) -> Iterator[Doubted]:
        """Perform the remaining checks on this machine, once everything is solved."""
        rest = self.checks.waiting
        if self.open or any(check.worker != worker for check in rest for worker in self.assigned):
            return
        for check in list(rest):
            known = check.worker in self.checks.distrusted
            if not known and Solver().solve(check.task, self.limit) != check.found:
                yield self._distrust(check.worker, _wrong(check.worker))
        self.checks.waiting = []

    def _distrust(self, worker: str, reason: str) -> Doubted:
        """Distrust a worker, and requeue the positions that it solved for other workers."""
        self.checks.distrust(worker)
        self.refusals.append(reason)
        positions = self.answered.pop(worker, [])
        self.open |= dict.fromkeys(positions)
        self.waiting.extend(positions)
        self._dismiss(worker)
        return Doubted(worker, tuple(positions), reason)

    def _check_workers(self) -> None:
        """Check that a worker is available or may become available.

        Raises:
            ClusterGone: If all workers were refused or distrusted.
        """
        if self.open and self.refusals and not self.assigned and not self.workers.starting:
            raise ClusterGone(f"no worker is left to solve: {'; '.join(self.refusals)}")


def _wrong(worker: str) -> str:
    return f"worker at {worker}: its answers differ from those of this machine"


def _position(task: Task) -> Position:
    return task.task if isinstance(task, Check) else task
