"""Worker processes for everything that takes time, in lanes that do not hold each other up.

A lane has a fixed number of workers and a queue of bounded length. What is asked of it is a `Job`: its words come as
they are said, and whoever no longer wants them says so. The server's own process only passes messages on.
"""

import asyncio
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from itertools import count
from multiprocessing import get_context
from typing import Any, Final

from isolab.permits import NOTHING, Permit
from isolab.processes import birth
from isolab.web.jobs.worker import Order, Word, work
from isolab.web.problems import BUSY, Refused

MOST_S: Final = 180.0
"""A worker that is at one task for longer is replaced; compiling for the first time may take its time."""

_spawn = get_context("spawn")


class Job:
    """Something asked of a lane."""

    def __init__(self, lane: "Lane", order: Order, when_done: Callable[[], None]) -> None:
        self.order = order
        self.is_waiting = True
        self.is_stopped = False
        self._when_done = when_done
        self._lane = lane
        self._words = deque[Word]()
        self._news = asyncio.Event()

    def stop(self) -> None:
        """Ask for what there is so far."""
        self._lane.stop(self)

    def abandon(self) -> None:
        """Want nothing more of it."""
        self._lane.abandon(self)

    def hear(self, word: Word) -> None:
        """Take a word; of what is told only the last is kept where `latest` says so."""
        if word.kind == "told" and word.content.get("latest"):
            self._words.clear()
        self._words.append(word)
        self._news.set()
        if word.kind == "done":
            self._when_done()

    async def words(self) -> AsyncIterator[Mapping[str, Any]]:
        """What is told while it goes on, and its answer at the end.

        Raises:
            InputError: the person's fault.
            Refused: the worker died.
        """
        while True:
            while self._words:
                word = self._words.popleft()
                if word.kind == "failed":
                    raise word.content
                if word.kind == "broken":
                    print(word.content, file=sys.stderr, flush=True)
                    raise Refused(500, "a bug in Isolab; the server's log says more")
                if word.kind == "dead":
                    raise Refused(BUSY, word.content)
                yield word.content
                if word.kind == "done":
                    return
            self._news.clear()
            await self._news.wait()

    async def answer(self) -> Mapping[str, Any]:
        """Its answer; if the one who waits is cancelled, it is abandoned."""
        try:
            async for content in self.words():
                last = content
        finally:
            self.abandon()
        return last


class Lane:
    """Workers that share a queue.

    Args:
        name: what to call it when it is full.
        workers: how many.
        most_waiting: jobs that may wait.
        gives_way: whether its workers leave the processor to others who want it.
        permit: which files may be loaded for them.
    """

    def __init__(
        self,
        name: str,
        workers: int,
        most_waiting: int,
        *,
        gives_way: bool = True,
        permit: Permit = NOTHING,
    ) -> None:
        self.name = name
        self.permit = permit
        self.gives_way = gives_way
        self._most_waiting = most_waiting
        self._waiting = deque[Job]()
        self._numbers = count(1)
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
        """The processes of its workers."""
        return [worker.process_id for worker in self._workers]

    def ask(
        self, task: str, request: Mapping[str, Any], when_done: Callable[[], None] = lambda: None
    ) -> Job:
        """Have a task done, now or after those that wait; `when_done` is told once it was.

        Raises:
            Refused: too many wait.
        """
        if len(self._waiting) >= self._most_waiting:
            told = (
                f"busy: {len(self._waiting)} requests wait for {self.name}; try again in a moment"
            )
            raise Refused(BUSY, told)
        job = Job(self, Order(next(self._numbers), task, request), when_done)
        self._waiting.append(job)
        self.hand_out()
        return job

    def hand_out(self) -> None:
        """Give waiting jobs to free workers."""
        for worker in self._workers:
            if self._waiting and worker.is_free:
                worker.take(self._waiting.popleft())

    def stop(self, job: Job) -> None:
        """Ask for what there is so far of a job; one that waits does what it must when its turn comes, no more."""
        job.is_stopped = True
        for worker in self._workers:
            if worker.job is job:
                worker.stop()
                return

    def abandon(self, job: Job) -> None:
        """Let go of a job that nobody wants."""
        if job in self._waiting:
            self._waiting.remove(job)
        else:
            self.stop(job)


class _Worker:
    """A process, and the job it is at."""

    def __init__(self, lane: Lane) -> None:
        self.job: Job | None = None
        self._lane = lane
        self._deadline: asyncio.TimerHandle | None = None

    @property
    def is_free(self) -> bool:
        return self.job is None

    @property
    def process_id(self) -> int:
        found = self._process.pid
        assert found is not None
        return found

    def start(self) -> None:
        self._line, theirs = _spawn.Pipe()
        self._stopped = _spawn.RawValue("q", 0)
        self._process = _spawn.Process(
            target=work,
            args=(theirs, self._stopped, self._lane.gives_way, self._lane.permit),
            daemon=True,
        )
        with birth():
            self._process.start()
        theirs.close()
        asyncio.get_running_loop().add_reader(self._line.fileno(), self._hear)

    def take(self, job: Job) -> None:
        self.job, job.is_waiting = job, False
        loop = asyncio.get_running_loop()
        self._deadline = loop.call_later(MOST_S, self._replace, "it took too long")
        if job.is_stopped:
            self.stop()
        try:
            self._line.send(job.order)
        except OSError:  # it died idle, and nobody has noticed yet
            self._replace("its process ended")

    def stop(self) -> None:
        if self.job is not None:
            self._stopped.value = self.job.order.number

    def kill(self) -> None:
        self._process.kill()

    def end(self) -> None:
        asyncio.get_running_loop().remove_reader(self._line.fileno())
        if self._deadline is not None:
            self._deadline.cancel()
        self.kill()
        self._process.join()
        self._line.close()

    def _hear(self) -> None:
        try:
            word: Word = self._line.recv()
        except (EOFError, OSError):
            self._replace("its process ended")
            return
        assert self.job is not None
        self.job.hear(word)
        if word.kind != "told":
            self._let_go()

    def _replace(self, why: str) -> None:
        """Put a new process in the place of this one; the job it was at is lost."""
        self.end()
        self.start()
        if self.job is not None:
            self.job.hear(Word("dead", f"{self.job.order.task}: {why}; try again"))
            self._let_go()

    def _let_go(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self.job = None
        self._lane.hand_out()
