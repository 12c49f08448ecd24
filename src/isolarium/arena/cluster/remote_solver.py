"""Positions solved by the workers of a cluster.

Each is given to one worker; once all are given out, those that are waited for longest are given to others too, so that
nobody who is slow, or hangs, holds up the end. Some are solved twice and compared, as batches are (`spot_checks.py`).
"""

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from isolarium.arena.cluster.worker_audit import Check, Trust, secret_of
from isolarium.arena.local_workers import (
    AHEAD,
    Came,
    ClusterGone,
    Event,
    Failed,
    Invalid,
    Played,
    Refused,
    Went,
)
from isolarium.game.board import Board
from isolarium.game.position import Position
from isolarium.limits import Limit
from isolarium.solver.all_starts import SurveyFile
from isolarium.solver.solution import Solution
from isolarium.solver.solver import Solver

if TYPE_CHECKING:  # it starts a relay
    from isolarium.arena.cluster.remote_workers import Cluster, ClusterWorkers

HEAR_S: Final = 0.25
MOST_LOSSES: Final = 5
"""Workers that may die over one position before all is given up."""
MOST_FAILING: Final = 2
"""Workers that may fail at one."""
MOST_AT_ONE: Final = 2
"""Workers that are given the same position, where there is no other left."""

Task = Position | Check[Position]


@dataclass(frozen=True, slots=True)
class Doubted:
    """A worker that was wrong.

    Attributes:
        worker: which.
        positions: what it had answered, none of which is to be believed; each is solved again.
        why: what was wrong.
    """

    worker: str
    positions: tuple[Position, ...]
    why: str


def survey_on(
    cluster: "Cluster",
    board: Board,
    wanted: Iterable[Position],
    file: SurveyFile | None,
    limit: Limit,
) -> Iterator[Solution | Doubted]:
    """Do what `survey` does on the workers of a cluster; the file keeps nothing of those that are doubted.

    Raises:
        ClusterGone: it is there no more, or none of its workers can be used.
    """
    workers = cluster.solvers(board, limit)
    try:
        for answer in _Solving(workers, wanted, limit, cluster.checked).answers():
            if file is not None and isinstance(answer, Doubted):
                file.remove(answer.positions)
            elif file is not None and isinstance(answer, Solution) and answer.wins is not None:
                file.add(answer)
            yield answer
    finally:
        workers.stop()


class _Solving:
    """The state of one `survey_on`."""

    def __init__(
        self,
        workers: "ClusterWorkers",
        positions: Iterable[Position],
        limit: Limit,
        share: float,
    ) -> None:
        self.workers, self.limit = workers, limit
        self.waiting = deque(positions)
        self.open = dict.fromkeys(
            self.waiting
        )  # not answered, in the order in which they were given out
        self.given: dict[str, dict[int, Task]] = {}
        self.answered: dict[str, list[Position]] = {}
        self.tasks = 0
        self.losses, self.failures = Counter[Position](), Counter[Position]()
        self.turned_away: list[str] = []
        checked = (
            0.0 if limit.time_ms is not None else share
        )  # else the clock decides what is known
        self.trust = Trust[Position](checked, secret_of(0) if checked else "")

    def answers(self) -> Iterator[Solution | Doubted]:
        while self.open or self.trust.waiting or self._checks_given():
            for worker in list(self.given):
                self._fill(worker)
            for event in self.workers.hear(HEAR_S):
                yield from self._heed(event)
            yield from self._check_here()
            self._check_anybody()

    def _fill(self, worker: str) -> None:
        given = self.given[worker]
        while len(given) < AHEAD:
            task = self.trust.next_for(worker) or self._next(worker)
            if task is None:
                return
            given[self.tasks] = task
            self.workers.submit(worker, self.tasks, _position(task))
            self.tasks += 1

    def _next(self, worker: str) -> Position | None:
        if self.waiting:
            return self.waiting.popleft()
        if self.given[worker]:  # it has something to do
            return None
        others = Counter(
            _position(task) for given in self.given.values() for task in given.values()
        )
        return next((one for one in self.open if others[one] < MOST_AT_ONE), None)

    def _heed(self, event: Event) -> Iterator[Solution | Doubted]:
        match event:
            case Came(worker):
                if worker not in self.trust.distrusted:
                    self.given[worker] = {}
            case Went(worker):
                self._count(self.losses, self._dismiss(worker)[:1], MOST_LOSSES, "workers died")
            case Refused(_, why):
                self.turned_away.append(why)
            case Failed(worker, number, why):
                self.turned_away.append(why)
                at = self.given.get(worker, {}).get(number)
                self._dismiss(worker)
                self._count(self.failures, [] if at is None else [at], MOST_FAILING, why)
            case Invalid(worker, _, why):
                yield self._distrust(worker, why)
            case Played(worker, number, solution):
                match self.given.get(worker, {}).pop(number, None):
                    case Check() as check if check.worker not in self.trust.distrusted:
                        yield from self._compare(check, solution, worker)
                    case Position() as position if position in self.open:
                        yield self._take(position, solution, worker)

    def _dismiss(self, worker: str) -> list[Task]:
        """Give a worker nothing more, and what it was at to others; what that was."""
        left = list(self.given.pop(worker, {}).values())
        self.trust.waiting += [task for task in left if isinstance(task, Check)]
        self.waiting.extendleft(task for task in left if task in self.open)
        return left

    def _count(self, counts: Counter[Position], tasks: list[Task], most: int, what: str) -> None:
        """Count what befell workers over positions.

        Raises:
            ClusterGone: it befell too many over one.
        """
        for position in map(_position, tasks):
            counts[position] += 1
            if counts[position] >= most:
                raise ClusterGone(f"{position}: {counts[position]} times: {what}")

    def _take(self, position: Position, solution: Solution, worker: str) -> Solution:
        del self.open[position]
        self.answered.setdefault(worker, []).append(position)
        if self.trust.draws(position):
            self.trust.waiting.append(Check(position, worker, solution))
        return solution

    def _checks_given(self) -> bool:
        return any(
            isinstance(task, Check) for given in self.given.values() for task in given.values()
        )

    def _compare(self, check: Check[Position], again: Solution, worker: str) -> Iterator[Doubted]:
        """See whether two workers have found the same; if not, which one has not found what this machine finds."""
        if check.found == again:
            return
        truth = Solver().solve(check.task, self.limit)
        for one, found in ((check.worker, check.found), (worker, again)):
            if found != truth:
                yield self._distrust(one, _wrong(one))

    def _check_here(self) -> Iterator[Doubted]:
        """Once all is solved, check here what no other worker is there for."""
        rest = self.trust.waiting
        if self.open or any(check.worker != worker for check in rest for worker in self.given):
            return
        for check in list(rest):
            known = check.worker in self.trust.distrusted
            if not known and Solver().solve(check.task, self.limit) != check.found:
                yield self._distrust(check.worker, _wrong(check.worker))
        self.trust.waiting = []

    def _distrust(self, worker: str, why: str) -> Doubted:
        """Believe nothing of a worker: all that it has answered is solved again by others."""
        self.trust.distrust(worker)
        self.turned_away.append(why)
        positions = self.answered.pop(worker, [])
        self.open |= dict.fromkeys(positions)
        self.waiting.extend(positions)
        self._dismiss(worker)
        return Doubted(worker, tuple(positions), why)

    def _check_anybody(self) -> None:
        """See that somebody is there, or may still come.

        Raises:
            ClusterGone: all who are there were refused or found out.
        """
        if self.open and self.turned_away and not self.given and not self.workers.coming:
            raise ClusterGone(f"no worker is left to solve: {'; '.join(self.turned_away)}")


def _wrong(worker: str) -> str:
    return f"worker at {worker}: its answers differ from those of this machine"


def _position(task: Task) -> Position:
    return task.task if isinstance(task, Check) else task
