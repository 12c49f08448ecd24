"""Plays a run on a cluster, whose workers are not trusted."""

from collections.abc import Mapping
from math import inf
from typing import TYPE_CHECKING, Final

from isolarium.arena.cluster.worker_audit import Check, WorkerAudit
from isolarium.arena.local_workers import ClusterGone, Failed, Invalid, Joined, Refused, Returned, WorkerEvent, Workers
from isolarium.arena.referee import PlayedBatch
from isolarium.arena.run_db import Record
from isolarium.arena.runner import POLL_S, Runner, Show, Task, span_of, tally_of
from isolarium.arena.schedule import CLUSTER_TASK_S, PATIENCE, Span
from isolarium.arena.tally import FailureStreaks
from isolarium.errors import RunAborted
from isolarium.limits import Stop
from isolarium.text import printable, shortened

if TYPE_CHECKING:  # Starts a relay
    from isolarium.arena.cluster.remote_workers import Cluster

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

    def _next_task(self, worker: str) -> Task | None:
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

    def _count_failure(self, task: Task | None, reason: str) -> None:
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
