"""Job queues with worker processes.

The server's own process only forwards messages.

A queue has a fixed number of workers and a bounded number of waiting jobs, ordered fairly
(`fair_queue.py`). Queues do not block each other. A `Job` has one result, and can be abandoned.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import monotonic
from typing import Any, Final

from fastapi import Request

from isolarium.agents.agent import AgentFailure
from isolarium.errors import InputError, is_full
from isolarium.processes.code_loader import NOTHING, Permit
from isolarium.processes.rpc import Event, EventKind
from isolarium.processes.worker import Worker
from isolarium.web.connection_limits import SERVER, Client
from isolarium.web.http_errors import BUSY, HttpError
from isolarium.web.jobs import COMPILING, work
from isolarium.web.jobs.fair_queue import FairQueue

MOST_S: Final = 180.0
"""The time limit of a job, after which the worker is replaced.

It is long enough for a first compilation."""
GIVE_UP_S: Final = 20.0
"""The time after which a worker that does not stop is replaced.

A worker that is compiling code is not replaced, because the result would be lost."""
WAIT_S: Final = 30.0
"""The time that a job may wait in the queue."""
RETRY_S: Final = 1.0
"""The wait before starting a worker again after a failure."""
MOST_MB: Final = 768
"""The memory after a job above which a worker is replaced.

Compiled code is never freed."""

GONE: Final = 499
"""The status that some servers log when a client disconnects; it is never sent."""
UNKNOWN_S: Final = 1.0
"""The estimated time of jobs about which nothing is known; they are not light."""

NEEDS: Final = (
    "isolarium.native.jit:initialise_compiler",
    "isolarium.web.jobs.agent_jobs",
    "isolarium.search.alphabeta",
)
"""The modules that most workers import."""

_log = logging.getLogger(__name__)


class Job:
    """A request to a queue."""

    def __init__(
        self,
        queue: "JobQueue",
        task: str,
        request: Mapping[str, Any],
        client: Client,
        when_done: Callable[[], None],
        cost_s: float,
    ) -> None:
        self.task, self.request = task, request
        self.client = client
        self.cost_s = cost_s
        self.is_waiting = True
        self._when_done = when_done
        self._queue = queue
        self._end: Event | None = None
        self._has_ended = asyncio.Event()

    def abandon(self) -> None:
        """Stop the job and discard its result."""
        self._queue.abandon(self)

    def receive(self, end: Event) -> None:
        """Take the event that ends the job: its result, or an error."""
        self._end = end
        self._has_ended.set()
        if end.kind is EventKind.DONE:
            self._when_done()

    def fail(self, why: str) -> None:
        """End the job with an error."""
        self.receive(Event(0, EventKind.FAILED, HttpError(BUSY, why)))

    async def answer(self) -> Mapping[str, Any]:
        """Return the result; abandon the job if the wait is cancelled.

        Raises:
            InputError: If the request is invalid.
            HttpError: If the job waited too long, or the worker died.
        """
        try:
            await self._wait()
        finally:
            self.abandon()
        assert self._end is not None
        if self._end.kind is EventKind.FAILED:
            raise _refusal(self._end.content) from None
        found: Mapping[str, Any] = self._end.content
        return found

    async def _wait(self) -> None:
        """Wait for the end.

        A queued job does not wait longer than the queue allows.
        """
        while not self._has_ended.is_set():
            try:
                await asyncio.wait_for(self._has_ended.wait(), self._queue.wait_s if self.is_waiting else None)
            except TimeoutError:
                if self.is_waiting:
                    raise HttpError(
                        BUSY, f"The server is busy: this waited {self._queue.wait_s:g} s for {self._queue.name}."
                    ) from None


async def answer_unless_gone(job: Job, request: Request) -> Mapping[str, Any]:
    """Return a job's result; the job is abandoned if the client disconnects.

    Raises:
        HttpError: If the client disconnects.
    """
    answer = asyncio.ensure_future(job.answer())
    gone = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait((answer, gone), return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            raise HttpError(GONE, "the client has disconnected")
        return answer.result()
    finally:
        answer.cancel()
        gone.cancel()


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _refusal(error: Exception) -> Exception:
    """Return the error to send to a client; bugs are logged instead."""
    if isinstance(error, HttpError | InputError) or (isinstance(error, OSError) and is_full(error)):
        return error
    if isinstance(error, AgentFailure):
        return InputError(str(error))
    _log.error("%s", "\n".join([repr(error), *getattr(error, "__notes__", ())]))
    return HttpError(500, "a bug in Isolarium; see the server's log")


class JobQueue:
    """A queue of jobs and the workers that run them.

    Args:
        name: The queue's name in error messages.
        workers: The number of workers.
        most_waiting: The maximum number of waiting jobs.
        most_each: The maximum number of waiting jobs per address; by default `most_waiting`.
        kept: The number of workers reserved for light jobs.
        gives_way: Whether the workers run at low priority.
        permit: The files that may be loaded for jobs.
        wait_s: The time that a job may wait, in seconds.
        most_mb: The memory that a worker may keep between jobs, in MB.
    """

    def __init__(
        self,
        name: str,
        workers: int,
        most_waiting: int,
        *,
        most_each: int | None = None,
        kept: int = 0,
        gives_way: bool = True,
        permit: Permit = NOTHING,
        wait_s: float = WAIT_S,
        most_mb: int = MOST_MB,
    ) -> None:
        self.name = name
        self.permit = permit
        self.gives_way = gives_way
        self.wait_s = wait_s
        self.most_mb = most_mb
        each = most_waiting if most_each is None else most_each
        self.waiting = FairQueue[Job](most_waiting, each, kept)
        self._workers = [_Worker(self) for _ in range(workers)]

    def start(self) -> None:
        """Start the workers."""
        for worker in self._workers:
            worker.start()

    def close(self) -> None:
        """Stop the workers at once."""
        for worker in self._workers:
            worker.kill()
        for worker in self._workers:
            worker.end()

    def process_ids(self) -> list[int]:
        """Return the process ids of the running workers."""
        return [found for worker in self._workers if (found := worker.process_id) is not None]

    def facts(self) -> dict[str, int]:
        """Return the number of workers (total, ready and busy) and of waiting jobs."""
        return {
            "workers": len(self._workers),
            "ready": sum(worker.is_ready for worker in self._workers),
            "at_work": sum(worker.job is not None for worker in self._workers),
            "waiting": len(self.waiting),
        }

    def ask(
        self,
        task: str,
        request: Mapping[str, Any],
        client: Client = SERVER,
        when_done: Callable[[], None] = lambda: None,
        cost_s: float = UNKNOWN_S,
    ) -> Job:
        """Queue a task for a client.

        Args:
            task: Its name.
            request: Its request.
            client: The client.
            when_done: Called when the task succeeds.
            cost_s: Its estimated time.

        Raises:
            HttpError: If the queue is full.
        """
        job = Job(self, task, request, client, when_done, cost_s)
        busy = f"The server is busy: {len(self.waiting)} requests wait for {self.name}."
        lost = self.waiting.add(job)
        if lost is job:
            raise HttpError(BUSY, busy)
        if lost is not None:
            lost.fail(busy)
        self.hand_out()
        return job

    def hand_out(self) -> None:
        """Assign waiting jobs to free workers."""
        for worker in self._workers:
            if worker.is_free and (job := self.waiting.take(len(self._workers))) is not None:
                worker.take(job)

    def is_renewing(self) -> bool:
        """Return whether a worker is not ready yet."""
        return not all(worker.is_ready for worker in self._workers)

    def abandon(self, job: Job) -> None:
        """Remove a waiting job, or stop a running one."""
        if job in self.waiting:
            self.waiting.remove(job)
        for worker in self._workers:
            if worker.job is job:
                worker.stop()


class _Worker:
    """A worker process and its current job."""

    def __init__(self, queue: JobQueue) -> None:
        self.job: Job | None = None
        self._queue = queue
        self._process: Worker | None = None
        self._job_number = self._stopped = 0
        self._has_answered = False
        self._is_compiling = False
        self._began = 0.0
        self._timers: list[asyncio.TimerHandle] = []

    @property
    def is_ready(self) -> bool:
        return self._process is not None

    @property
    def is_free(self) -> bool:
        return self.is_ready and self.job is None

    @property
    def process_id(self) -> int | None:
        return None if self._process is None else self._process.number

    def start(self) -> None:
        """Start the process, or try again later if that fails."""
        try:
            self._start()
        except OSError as error:
            _log.warning("a worker for %s cannot be started: %s", self._queue.name, error)
            self._after(RETRY_S, self.start)
            return
        self._queue.hand_out()

    def _start(self) -> None:
        self._process = Worker(work, self._queue.gives_way, self._queue.permit, needs=NEEDS)
        self._connection, self._job_number, self._stopped = self._process.line, 0, 0
        self._has_answered = self._is_compiling = False
        asyncio.get_running_loop().add_reader(self._connection.fileno(), self._receive)

    def take(self, job: Job) -> None:
        self.job, job.is_waiting = job, False
        self._began = monotonic()
        self._after(MOST_S, lambda: self._replace("it took too long"))
        assert self._process is not None
        try:
            self._job_number = self._process.call(job.task, job.request)
        except OSError:  # The process died unnoticed while idle.
            self._replace("its process ended")

    def stop(self) -> None:
        if self.job is not None and self._process is not None and self._stopped < self._job_number:
            self._stopped = self._job_number
            with suppress(OSError):  # The process died; the reader will notice.
                self._process.cancel(self._stopped)
            self._after(GIVE_UP_S, self._give_up)

    def _give_up(self) -> None:
        """Replace a worker whose job does not stop.

        A first compilation may finish, because its result is shared.
        """
        if self._is_compiling:
            self._after(GIVE_UP_S, self._give_up)
        else:
            self._replace("it did not stop")

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()

    def end(self) -> None:
        self._cancel_timers()
        if self._process is None:
            return
        asyncio.get_running_loop().remove_reader(self._connection.fileno())
        self._process.end()
        self._process = None

    def _receive(self) -> None:
        assert self._process is not None
        try:
            event = self._process.receive()
        except (EOFError, OSError):
            self._replace("its process ended")
            return
        self._has_answered = True
        is_over = event.kind is not EventKind.PROGRESS
        assert self.job is not None
        self._is_compiling = not is_over and event.content == COMPILING
        if is_over:
            self.job.receive(event)
            self._finish_job()
            if event.memory_mb > self._queue.most_mb and not self._queue.is_renewing():
                self._replace("it used too much memory")
            self._queue.hand_out()

    def _replace(self, why: str) -> None:
        """Replace the process; its current job fails."""
        failed_at_start = not self._has_answered and self.job is None
        self.end()
        if self.job is not None:
            self.job.fail(f"{self.job.task}: {why}; try again")
            self._finish_job()
        if failed_at_start:  # The next process may fail, too.
            self._after(RETRY_S, self.start)
        else:
            self.start()

    def _finish_job(self) -> None:
        self._cancel_timers()
        if self.job is not None:
            self._queue.waiting.finish(self.job, monotonic() - self._began)
        self.job = None

    def _after(self, seconds: float, action: Callable[[], None]) -> None:
        self._timers.append(asyncio.get_running_loop().call_later(seconds, action))

    def _cancel_timers(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
