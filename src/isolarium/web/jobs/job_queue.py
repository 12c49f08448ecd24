"""Worker processes for everything that takes time, in lanes that do not hold each other up.

A lane has a fixed number of workers and a queue of bounded length, in which everybody has turns (`fair_queue.py`).
What is asked of it is a `Job`: its words come as they are said, and whoever no longer wants them says so. The
server's own process only passes messages on.
"""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from time import monotonic
from typing import Any, Final

from isolarium.agents.agent import AgentFailure
from isolarium.errors import InputError, is_full
from isolarium.processes.permissions import NOTHING, Permit
from isolarium.processes.rpc import Event, EventKind
from isolarium.processes.worker import Worker
from isolarium.web.http_errors import BUSY, Refused
from isolarium.web.jobs.fair_queue import Turns
from isolarium.web.jobs.job_worker import COMPILING, work
from isolarium.web.rate_limits import OURSELVES, Client

MOST_S: Final = 180.0
"""A worker that is at one task for longer is replaced; compiling for the first time may take its time."""
GIVE_UP_S: Final = 20.0
"""One that was told to stop and is still at it after so long is replaced, unless it compiles: that would be lost."""
WAIT_S: Final = 30.0
"""How long a job waits for its turn."""
AGAIN_S: Final = 1.0
"""After so long a worker that could not be started is tried again."""
MOST_MB: Final = 768
"""A worker that has more than this after a task is replaced: whatever it has compiled, it keeps."""

NEEDS: Final = (
    "isolarium.native.warmup",
    "isolarium.web.jobs.choose_move",
    "isolarium.search.alphabeta",
)
"""What most workers will import."""

_log = logging.getLogger(__name__)


class Job:
    """Something asked of a lane."""

    def __init__(
        self,
        lane: "Lane",
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
        self.is_stopped = False
        self._when_done = when_done
        self._lane = lane
        self._events = deque[Event]()
        self._news = asyncio.Event()

    def stop(self) -> None:
        """Ask for what there is so far."""
        self._lane.stop(self)

    def abandon(self) -> None:
        """Want nothing more of it."""
        self._lane.abandon(self)

    def hear(self, event: Event) -> None:
        """Take an event; of progress only the last is kept where `latest` says so."""
        if event.kind is EventKind.PROGRESS and event.content.get("latest"):
            self._events.clear()
        self._events.append(event)
        self._news.set()
        if event.kind is EventKind.DONE:
            self._when_done()

    def fail(self, why: str) -> None:
        """End it without an answer."""
        self.hear(Event(0, EventKind.FAILED, Refused(BUSY, why)))

    async def words(self) -> AsyncIterator[Mapping[str, Any]]:
        """What is told while it goes on, and its answer at the end.

        Raises:
            InputError: the person's fault.
            Refused: its turn did not come in time, or the worker died.
        """
        while True:
            while self._events:
                event = self._events.popleft()
                if event.kind is EventKind.FAILED:
                    raise _refusal(event.content) from None
                yield event.content
                if event.kind is EventKind.DONE:
                    return
            self._news.clear()
            await self._wait()

    async def _wait(self) -> None:
        """Wait for the next word; for the first one only so long as the lane lets a job wait for its turn."""
        try:
            await asyncio.wait_for(
                self._news.wait(), self._lane.wait_s if self.is_waiting else None
            )
        except TimeoutError:
            if self.is_waiting:
                self.abandon()
                raise Refused(
                    BUSY,
                    f"The server is busy: this waited {self._lane.wait_s:g} s for {self._lane.name}.",
                ) from None

    async def answer(self) -> Mapping[str, Any]:
        """Its answer; if the one who waits is cancelled, it is abandoned."""
        try:
            async for content in self.words():
                last = content
        finally:
            self.abandon()
        return last


def _refusal(error: Exception) -> Exception:
    """Return what a client is told of an error: all but bugs, which the log has."""
    if isinstance(error, Refused | InputError) or (isinstance(error, OSError) and is_full(error)):
        return error
    if isinstance(error, AgentFailure):
        return InputError(str(error))
    _log.error("%s", "\n".join([repr(error), *getattr(error, "__notes__", ())]))
    return Refused(500, "a bug in Isolarium; the server's log says more")


class Lane:
    """Workers that share a queue.

    Args:
        name: what to call it when it is full.
        workers: how many.
        most_waiting: jobs that may wait.
        most_each: how many of them from one address; all if not given.
        kept: workers that are kept for light jobs.
        gives_way: whether its workers leave the processor to others who want it.
        permit: which files may be loaded for them.
        wait_s: how long a job may wait.
        most_mb: what a worker may have of memory between two jobs.
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
        self.turns = Turns[Job](most_waiting, each, kept)
        self.preparations: list[Mapping[str, Any]] = []
        self._workers = [_Worker(self) for _ in range(workers)]

    def start(self) -> None:
        """Start the workers."""
        for worker in self._workers:
            worker.start()

    def close(self) -> None:
        """End the workers at once."""
        for worker in self._workers:
            worker.kill()
        for worker in self._workers:
            worker.end()

    def process_ids(self) -> list[int]:
        """The processes of its workers, of those that are there."""
        return [found for worker in self._workers if (found := worker.process_id) is not None]

    def facts(self) -> dict[str, int]:
        """How many workers there are, are there and ready, and are at work; and how many jobs wait."""
        return {
            "workers": len(self._workers),
            "ready": sum(worker.is_ready for worker in self._workers),
            "at_work": sum(worker.job is not None for worker in self._workers),
            "waiting": len(self.turns),
        }

    def prepare(self, request: Mapping[str, Any]) -> None:
        """Have every worker, now and whenever one begins, warm up for something before it takes a job."""
        self.preparations.append(request)
        for worker in self._workers:
            worker.prepare(request)

    def ask(
        self,
        task: str,
        request: Mapping[str, Any],
        client: Client = OURSELVES,
        when_done: Callable[[], None] = lambda: None,
        cost_s: float = 0.0,
    ) -> Job:
        """Have a task done for a client, now or when its turn comes.

        Args:
            task: its name.
            request: what it takes.
            client: who asks.
            when_done: is told once it was.
            cost_s: how long it says that it will take, if it does.

        Raises:
            Refused: too many wait.
        """
        job = Job(self, task, request, client, when_done, cost_s)
        told = f"The server is busy: {len(self.turns)} requests wait for {self.name}."
        lost = self.turns.add(job)
        if lost is job:
            raise Refused(BUSY, told)
        if lost is not None:
            lost.fail(told)
        self.hand_out()
        return job

    def hand_out(self) -> None:
        """Give waiting jobs to free workers."""
        for worker in self._workers:
            if worker.is_free and (job := self.turns.take(len(self._workers))) is not None:
                worker.take(job)

    def is_renewing(self) -> bool:
        """Whether one of its workers is not ready yet."""
        return not all(worker.is_ready for worker in self._workers)

    def stop(self, job: Job) -> None:
        """Ask for what there is so far of a job; one that waits does what it must when its turn comes, no more."""
        job.is_stopped = True
        for worker in self._workers:
            if worker.job is job:
                worker.stop()
                return

    def abandon(self, job: Job) -> None:
        """Let go of a job that nobody wants."""
        if job in self.turns:
            self.turns.remove(job)
        else:
            self.stop(job)


class _Worker:
    """A process, and the job it is at."""

    def __init__(self, lane: Lane) -> None:
        self.job: Job | None = None
        self._lane = lane
        self._process: Worker | None = None
        self._preparing = set[int]()
        self._job_number = self._stopped = 0
        self._has_spoken = False
        self._is_compiling = False
        self._began = 0.0
        self._timers: list[asyncio.TimerHandle] = []

    @property
    def is_ready(self) -> bool:
        return self._process is not None and not self._preparing

    @property
    def is_free(self) -> bool:
        return self.is_ready and self.job is None

    @property
    def process_id(self) -> int | None:
        return None if self._process is None else self._process.number

    def start(self) -> None:
        """Start its process, or try again in a while where there is none to be had."""
        try:
            self._start()
        except OSError as error:
            _log.warning("a worker for %s cannot be started: %s", self._lane.name, error)
            self._after(AGAIN_S, self.start)
            return
        for request in self._lane.preparations:
            self.prepare(request)
        self._lane.hand_out()

    def _start(self) -> None:
        self._process = Worker(work, self._lane.gives_way, self._lane.permit, needs=NEEDS)
        self._line, self._job_number, self._stopped = self._process.line, 0, 0
        self._has_spoken = self._is_compiling = False
        asyncio.get_running_loop().add_reader(self._line.fileno(), self._hear)

    def prepare(self, request: Mapping[str, Any]) -> None:
        if self._process is not None and (number := self._call("warm", request)) is not None:
            self._preparing.add(number)
            self._keep_to_time()

    def take(self, job: Job) -> None:
        self.job, job.is_waiting = job, False
        self._began = monotonic()
        self._keep_to_time()
        number = self._call(job.task, job.request, is_cancelled=job.is_stopped)
        if number is not None:
            self._job_number = number
            if job.is_stopped:
                self.stop()

    def _call(
        self, task: str, request: Mapping[str, Any], *, is_cancelled: bool = False
    ) -> int | None:
        assert self._process is not None
        try:
            return self._process.call(task, request, is_cancelled=is_cancelled)
        except OSError:  # it died idle, and nobody has noticed yet
            self._replace("its process ended")
            return None

    def stop(self) -> None:
        if self.job is not None and self._process is not None and self._stopped < self._job_number:
            self._stopped = self._job_number
            with suppress(OSError):  # it is dead, and will be heard of
                self._process.cancel(self._stopped)
            self._after(GIVE_UP_S, self._give_up)

    def _give_up(self) -> None:
        """Replace it for a job that does not stop; what it compiles for the first time everybody has later."""
        if self._is_compiling:
            self._after(GIVE_UP_S, self._give_up)
        else:
            self._replace("it was given up")

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()

    def end(self) -> None:
        self._forget_timers()
        if self._process is None:
            return
        asyncio.get_running_loop().remove_reader(self._line.fileno())
        self._process.end()
        self._process = None
        self._preparing.clear()

    def _hear(self) -> None:
        assert self._process is not None
        try:
            event = self._process.receive()
        except (EOFError, OSError):
            self._replace("its process ended")
            return
        self._has_spoken = True
        is_over = event.kind is not EventKind.PROGRESS
        if event.number in self._preparing:
            if is_over:
                self._preparing.discard(event.number)
                if self.is_free:
                    self._forget_timers()
                self._lane.hand_out()
            return
        assert self.job is not None
        self._is_compiling = not is_over and event.content.get("kind") == COMPILING
        self.job.hear(event)
        if is_over:
            self._let_go()
            if event.memory_mb > self._lane.most_mb and not self._lane.is_renewing():
                self._replace("it was renewed")
            self._lane.hand_out()

    def _replace(self, why: str) -> None:
        """Put a new process in the place of this one; the job it was at is lost."""
        is_stillborn = not self._has_spoken and self.job is None
        self.end()
        if self.job is not None:
            self.job.fail(f"{self.job.task}: {why}; try again")
            self._let_go()
        if is_stillborn:  # and the next one may be too
            self._after(AGAIN_S, self.start)
        else:
            self.start()

    def _let_go(self) -> None:
        self._forget_timers()
        if self.job is not None:
            self._lane.turns.finish(self.job, monotonic() - self._began)
        self.job = None
        if self._preparing:
            self._keep_to_time()

    def _keep_to_time(self) -> None:
        self._after(MOST_S, lambda: self._replace("it took too long"))

    def _after(self, seconds: float, action: Callable[[], None]) -> None:
        self._timers.append(asyncio.get_running_loop().call_later(seconds, action))

    def _forget_timers(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
