"""Plays a run on a cluster, whose workers are not trusted.

Some batches are played by two workers. If their games differ, this machine plays the batch too, and a worker whose
games differ from this machine's is not used again. All games of that worker are removed from the database and played by
others. For this purpose, the database records the batches of each worker, as facts with at most `BATCHES` batches each.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from hashlib import sha256
from math import inf
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from isolarium.arena.game_batch import GameBatch
from isolarium.arena.local_workers import ClusterGone, Failed, Invalid, Joined, Refused, Returned, WorkerEvent, Workers
from isolarium.arena.provenance import read_verdicts, signature, write_verdicts
from isolarium.arena.referee import PlayedBatch
from isolarium.arena.run_db import Record, written
from isolarium.arena.runner import POLL_S, Runner, Show, span_of, tally_of
from isolarium.arena.schedule import CLUSTER_TASK_S, PATIENCE, Span
from isolarium.arena.tally import FailureStreaks
from isolarium.errors import RunAborted
from isolarium.limits import Stop
from isolarium.text import counted, printable, shortened

if TYPE_CHECKING:  # Starts a relay
    from isolarium.arena.cluster.remote_workers import Cluster
    from isolarium.arena.runner import Task as RunTask

CHECKED: Final = 0.01
"""The share of batches that are played twice."""
PLAYED_BY: Final = "played by "
"""The prefix of facts that record a worker's batches; the worker's name and a number follow."""
BATCHES: Final = 500
Task = TypeVar("Task")
"""A worker's task: the span of a batch, or a position to solve."""


# Spot checks


@dataclass(frozen=True, slots=True)
class Check(Generic[Task]):
    """A task for another worker to repeat.

    Attributes:
        task: The task.
        worker: The worker that performed the task.
        found: The worker's result; for games, `GameBatch.digest`.
    """

    task: Task
    worker: str
    found: Any


def secret_of(seed: int) -> str:
    """Return the secret that decides which tasks of a run are checked.

    The secret is fixed on this machine and unknown to workers.
    """
    return signature(f"checks {seed}") or token_hex()


@dataclass
class SpotChecks(Generic[Task]):
    """The spot checks of a run.

    Attributes:
        share: The share of tasks that are checked.
        secret: The secret that decides which tasks are checked.
        waiting: Checks that need another worker.
        distrusted: Workers that returned wrong results.
    """

    share: float
    secret: str
    waiting: list[Check[Task]] = field(default_factory=list)
    distrusted: set[str] = field(default_factory=set)

    def draws(self, task: Task) -> bool:
        """Return whether to check a task; workers cannot predict the result."""
        drawn = sha256(f"{self.secret} {task}".encode()).digest()
        return int.from_bytes(drawn[:8]) < self.share * 2**64

    def next_for(self, worker: str) -> Check[Task] | None:
        """Remove and return a check that a worker can perform, or return None."""
        for place, check in enumerate(self.waiting):
            if check.worker != worker:
                return self.waiting.pop(place)
        return None

    def distrust(self, worker: str) -> None:
        """Mark a worker as distrusted and drop the checks of its results."""
        self.distrusted.add(worker)
        self.waiting = [check for check in self.waiting if check.worker != worker]


class Origins:
    """The record of each worker's batches, stored with the games.

    Args:
        record: The run's database.
        session: The number of times the run has been started or resumed; facts of earlier sessions are never changed.
    """

    def __init__(self, record: Record, session: int) -> None:
        self._record, self._session = record, session
        self._counts: dict[str, int] = {}
        self._batches: dict[str, list[tuple[int, int, int]]] = {}

    def fact(self, worker: str, span: Span, speed: float | None) -> tuple[str, str]:
        """Return the fact that lists a worker's spans, including this one."""
        count = self._counts[worker] = self._counts.get(worker, -1) + 1
        if count % BATCHES == 0:
            self._batches[worker] = []
        self._batches[worker].append((span.encounter, span.first, span.end))
        value: dict[str, Any] = {"batches": self._batches[worker]}
        if speed is not None:
            value["nodes_a_second"] = round(speed)
        return f"{PLAYED_BY}{worker} {self._session}.{count // BATCHES}", json.dumps(value)

    def take_back(self, worker: str) -> list[Span]:
        """Remove all of a worker's games from the database, and return their spans."""
        names, spans = self._record.facts_beginning(f"{PLAYED_BY}{worker} "), list[Span]()
        for name in names:
            batches = self._record.json_fact(name, {})["batches"]
            spans += [Span(*batch) for batch in batches]
        self._record.remove([(span.encounter, span.first, span.end) for span in spans], names)
        self._counts.pop(worker, None)
        return spans


# The audit


class WorkerAudit:
    """The audit of a run's workers.

    Args:
        record: The run's database, open for writing.
        share: The share of batches to play twice.
        play_here: Plays batches on this machine and returns `comparable` games, or nothing if the run is stopped.
        play_again: Called with a worker and all spans that it played, for others to play again.
    """

    def __init__(
        self,
        record: Record,
        share: float,
        play_here: Callable[[list[Span]], list[str]],
        play_again: Callable[[str, list[Span]], None],
    ) -> None:
        self._record = record
        self._checks = SpotChecks[Span](share, secret_of(record.plan.seed) if share else "")
        self._verdicts = read_verdicts(record)
        self._origins = Origins(record, len(record.sittings()))
        self._refusals: list[str] = []
        self._play_here, self._play_again = play_here, play_again

    @property
    def distrusted(self) -> Set[str]:
        """Workers that returned wrong results."""
        return self._checks.distrusted

    @property
    def is_waiting(self) -> bool:
        """Whether a check still needs a worker."""
        return bool(self._checks.waiting)

    def next_for(self, worker: str) -> Check[Span] | None:
        """Return a check for a worker to perform, or None."""
        return self._checks.next_for(worker)

    def leave(self, checks: Iterable[Check[Span]]) -> None:
        """Return a worker's unfinished checks to the queue, for other workers."""
        self._checks.waiting += checks

    def draw(self, span: Span, worker: str, games: GameBatch) -> None:
        """Queue a check of a span's games, if the span is selected."""
        if self._checks.draws(span):
            self._checks.waiting.append(Check(span, worker, games.digest()))

    def origin(self, worker: str, span: Span, speed: float | None) -> tuple[str, str]:
        """Return the fact that lists a worker's spans, including this one."""
        return self._origins.fact(worker, span, speed)

    def note_refusal(self, reason: str) -> None:
        """Store the reason for refusing a worker."""
        self._refusals.append(reason)
        if reason not in self._verdicts.refused:
            self._store(refused=(*self._verdicts.refused, reason))

    def reject(self, worker: str, reason: str) -> None:
        """Distrust a worker with impossible results, and requeue its games."""
        games = self._take_back(worker)
        again = f"; its {counted(games, 'game')} were played again by others" if games else ""
        self.note_refusal(f"{reason}{again}")

    def check_workers(self, any_left: bool) -> None:
        """Check that a worker is available or may become available.

        Raises:
            RunAborted: If all workers were refused or distrusted.
        """
        if self._refusals and not any_left:
            raise RunAborted(f"no worker is left to play: {'; '.join(self._refusals)}")

    def compare(self, check: Check[Span], games: GameBatch, worker: str) -> None:
        """Compare the games of two workers.

        If they differ, distrust the workers that differ from this machine.
        """
        again = games.digest()
        if check.found == again:
            self._store(checked=self._verdicts.checked + 1)
            return
        correct = self._play_here([check.task])
        for one, found in ((check.worker, check.found), (worker, again)):
            if not correct:  # The run was stopped before the wrong worker was identified.
                self._take_back(one)
            elif found != correct[0]:
                self._distrust(one)

    def check_the_rest(self, workers: Iterable[str]) -> None:
        """Perform the remaining checks on this machine, once all games are played."""
        rest, there = self._checks.waiting, set(workers)
        if any(there - {check.worker} for check in rest):
            return
        played = self._play_here([check.task for check in rest])
        for check, correct in zip(rest, played, strict=False):
            if check.worker in self.distrusted:
                continue
            if check.found == correct:
                self._store(checked=self._verdicts.checked + 1)
            else:
                self._distrust(check.worker)
        self._checks.waiting = []

    def _distrust(self, worker: str) -> None:
        """Distrust a worker, and requeue all its games for other workers."""
        self._refusals.append(f"the games of {worker} differ from those of this machine")
        games = self._verdicts.differed.get(worker, 0) + self._take_back(worker)
        self._store(differed={**self._verdicts.differed, worker: games})

    def _take_back(self, worker: str) -> int:
        """Stop using a worker, remove its games, and return their number."""
        self._checks.distrust(worker)
        with written(self._record):
            spans = self._origins.take_back(worker)
        self._play_again(worker, spans)
        return 2 * sum(span.end - span.first for span in spans)

    def _store(self, **changes: Any) -> None:
        self._verdicts = replace(self._verdicts, **changes)
        with written(self._record):
            write_verdicts(self._record, self._verdicts)


MOST_FAILING: Final = 2
"""The number of a cluster's workers that may fail on a batch before aborting."""
MOST_REASON: Final = 300
"""The maximum length of the reason why a batch is invalid."""


class ClusterRunner(Runner):
    """The state of one `play_run` with the untrusted workers of a cluster."""

    task_s = CLUSTER_TASK_S

    def __init__(
        self, record: Record, workers: int | None, show: Show | None, stop: Stop | None, cluster: "Cluster"
    ) -> None:
        super().__init__(record, workers, show, stop)
        self.cluster = cluster
        self.failures: dict[Span, list[str]] = {}
        self.speeds: Mapping[str, float] = {}
        share = 0.0 if self.plan.is_timed else cluster.checked
        self.audit = WorkerAudit(record, share, self._play_here, self._play_again)

    def play(self, files: Mapping[str, bytes]) -> bool:
        """See `Runner`."""
        try:
            self.count = self.cluster.count()
            self._note_circumstances(cluster=self.cluster.name)
            workers = self.cluster.workers(self.plan, files, self._time_limit_s)
            self.speeds = workers.speeds
            try:
                return self._feed(workers)
            finally:
                workers.stop()
        except ClusterGone as error:
            raise RunAborted(str(error)) from None

    def _time_limit_s(self, worker: str, number: int) -> float:
        """Return how many seconds a worker may take for a task.

        The limit is longer if another worker has already exceeded it for the same task.
        """
        task = self.assigned.get(worker, {}).get(number)
        if task is None:  # No longer needed
            return inf
        span = span_of(task)
        return self.schedule.time_limit_s(span) * PATIENCE ** len(self.failures.get(span, ()))

    def _is_over(self) -> bool:
        """Return whether there is nothing left to play or to check."""
        checks = (isinstance(task, Check) for own in self.assigned.values() for task in own.values())
        return self.tally.is_complete and not self.audit.is_waiting and not any(checks)

    def _check_workers(self, workers: Workers) -> None:
        if self.tally.is_complete:
            self.audit.check_the_rest(self.assigned)
        self.audit.check_workers(bool(self.assigned or workers.starting))

    def _next_task(self, worker: str) -> "RunTask | None":
        return self.audit.next_for(worker) or super()._next_task(worker)

    def _handle(self, event: WorkerEvent) -> None:
        match event:
            case Joined(worker) if worker in self.audit.distrusted:
                pass
            case Refused(_, reason):
                self.audit.note_refusal(reason)
            case Failed(worker, number, reason):
                self._count_failure(self.assigned.get(worker, {}).get(number), reason)
                self.schedule.requeue(self._dismiss(worker))
            case Invalid(worker, _, reason):
                self.audit.reject(worker, reason)
            case _:
                super()._handle(event)

    def _handle_result(self, worker: str, number: int, played: PlayedBatch) -> None:
        task = self.assigned.get(worker, {}).get(number)
        if task is None:  # No longer needed
            return
        try:
            games = self.record.read_batch(played.games, span_of(task))
        except ValueError as error:
            reason = shortened(printable(str(error)), MOST_REASON)
            self.audit.reject(worker, f"worker at {worker}: its games are invalid: {reason}")
            return
        del self.assigned[worker][number]
        if isinstance(task, Span):
            self._take(task, games, played, worker)
            self.audit.draw(task, worker, games)
        elif task.worker not in self.audit.distrusted:
            self.audit.compare(task, games, worker)

    def _dismiss(self, worker: str) -> list[Span]:
        """Dismiss a worker, requeue its checks, and return its unplayed spans."""
        tasks = self.assigned.get(worker, {}).values()
        self.audit.leave(task for task in tasks if isinstance(task, Check))
        return super()._dismiss(worker)

    def _count_failure(self, task: "RunTask | None", reason: str) -> None:
        """Count a worker's failure.

        Raises:
            RunAborted: If other workers failed at the same batch, since the batch must be the cause.
        """
        self.audit.note_refusal(reason)
        if task is not None:
            failures = self.failures.setdefault(span_of(task), [])
            failures.append(reason)
            if len(failures) == MOST_FAILING:
                raise RunAborted(f"{self._describe(span_of(task))}: {'; '.join(failures)}")

    def _play_here(self, spans: list[Span]) -> list[str]:
        """Play spans on this machine, and return the digests of their games.

        Return no games if `stop` ended the run early.
        """
        found = dict[int, str]()
        if not spans:
            return []
        batches = [self._batch(span) for span in spans]
        with self._local(1, None) as judge:
            while len(found) < len(spans) and not self._is_stopped():
                for event in judge.poll(POLL_S):
                    if isinstance(event, Returned):
                        found[event.number] = batches[event.number].read(event.result.games).digest()
                    elif isinstance(event, Joined):
                        for number, batch in enumerate(batches):
                            judge.submit(event.worker, number, batch)
        return [found[number] for number in range(len(spans))] if len(found) == len(spans) else []

    def _play_again(self, worker: str, spans: list[Span]) -> None:
        """Requeue all spans of a dismissed worker for other workers.

        The spans include those that the worker has not played.
        """
        self.schedule.requeue([*spans, *self._dismiss(worker)])
        self.tally = tally_of(self.record)
        self.streaks = FailureStreaks(self.plan, self._is_done)

    def _origin(self, span: Span, worker: str) -> tuple[str, str]:
        return self.audit.origin(worker, span, self.speeds.get(worker))
