"""The workers of a run: their common protocol, and local worker processes."""

import os
import stat
import warnings
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count as count_up
from multiprocessing.connection import wait
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from isolarium.arena.live_game import publish_in
from isolarium.compat import pin_to_cores
from isolarium.processes.code_loader import load_nothing_here
from isolarium.processes.rpc import EventKind
from isolarium.processes.worker import AHEAD as AHEAD
from isolarium.processes.worker import Inbox, Worker, loaded_player_modules

if TYPE_CHECKING:
    from isolarium.arena.referee import Batch, PlayedBatch


@dataclass(frozen=True, slots=True)
class Joined:
    """A worker became available."""

    worker: str


@dataclass(frozen=True, slots=True)
class Exited:
    """A worker exited; its unfinished batches are lost."""

    worker: str


@dataclass(frozen=True, slots=True)
class Returned:
    """A worker returned the result of a task: a played batch, or a solution."""

    worker: str
    number: int
    result: Any


@dataclass(frozen=True, slots=True)
class Refused:
    """A worker was refused for this reason and gets no tasks."""

    worker: str
    reason: str


@dataclass(frozen=True, slots=True)
class Failed:
    """A worker failed at a task for this reason and is not used again."""

    worker: str
    number: int
    reason: str


@dataclass(frozen=True, slots=True)
class Invalid:
    """A worker returned an impossible result for this reason and is not used again."""

    worker: str
    number: int
    reason: str


WorkerEvent = Joined | Exited | Returned | Refused | Failed | Invalid


class ClusterGone(Exception):  # noqa: N818 # not an error in what a user typed
    """The cluster cannot be reached any more; the message names it."""


class Workers(Protocol):
    """The workers of one run, each with a name.

    A worker is available from its `Joined` event until any event other than `Joined` or `Returned`.
    """

    @property
    def starting(self) -> int:
        """The number of workers that are getting ready."""

    def submit(self, worker: str, number: int, batch: "Batch") -> None:
        """Queue a batch for a worker; `poll` reports its result with the same number."""

    def poll(self, timeout_s: float) -> list[WorkerEvent]:
        """Return the events since the last call, or wait up to `timeout_s` for one.

        Raises:
            ClusterGone: If no worker can ever be reached again.
        """

    def stop(self) -> None:
        """Terminate the workers at once; unfinished batches are lost."""


class LocalWorkers:
    """A fixed number of worker processes.

    A process that dies is replaced, and only its unfinished batches are lost.

    Args:
        count: The number of processes.
        cores: One core for each process; None to leave processes unpinned.
        log: The file for the agents' output.
        play: Plays a batch.
        get_ready: Called in each process before its first batch.
    """

    def __init__(
        self,
        count: int,
        cores: Sequence[int] | None,
        log: Path | None,
        play: "Callable[[Batch], PlayedBatch]",
        get_ready: Callable[[], None],
    ) -> None:
        self._cores, self._log, self._play, self._get_ready = cores, log, play, get_ready
        self._names = count_up(1)
        self._slots: dict[str, int] = {}
        self._workers: dict[str, Worker] = {}
        self._submitted: dict[str, deque[int]] = {}
        self._events = list[WorkerEvent]()
        try:
            for slot in range(count):
                self._start(slot)
        except BaseException:  # On Ctrl-C, the caller cannot stop the processes that have started.
            self.stop()
            raise

    @property
    def starting(self) -> int:
        """Zero: a process accepts batches from the start."""
        return 0

    def submit(self, worker: str, number: int, batch: "Batch") -> None:
        """See `Workers`."""
        if worker not in self._workers:
            return
        try:
            self._workers[worker].call(batch)
            self._submitted[worker].append(number)
        except OSError:  # The process died while idle or before its first batch.
            self._replace(worker)

    def poll(self, timeout_s: float) -> list[WorkerEvent]:
        """See `Workers`."""
        if not self._events:
            lines = {self._workers[worker].line: worker for worker in self._workers}
            for line in wait(list(lines), timeout=timeout_s):
                self._receive(lines[line])  # type: ignore[index] # one of those
        events, self._events = self._events, []
        return events

    def _receive(self, worker: str) -> None:
        try:
            event = self._workers[worker].receive()
        except (EOFError, OSError):  # The process may have died halfway through an event.
            self._replace(worker)
            return
        if event.kind is EventKind.FAILED:
            raise event.content
        self._events.append(Returned(worker, self._submitted[worker].popleft(), event.content))

    def stop(self) -> None:
        """See `Workers`."""
        for worker in self._workers.values():
            worker.kill()
        for worker in self._workers.values():
            worker.end()

    def _replace(self, worker: str) -> None:
        """Start a new process in place of a dead one."""
        del self._submitted[worker]
        self._workers.pop(worker).end()
        self._events.append(Exited(worker))
        self._start(self._slots.pop(worker))

    def _start(self, slot: int) -> None:
        worker = str(next(self._names))
        core = None if self._cores is None else self._cores[slot]
        self._workers[worker] = Worker(
            work, *(core, self._log, self._play, self._get_ready), needs=loaded_player_modules()
        )
        self._slots[worker], self._submitted[worker] = slot, deque()
        self._events.append(Joined(worker))


# In a worker process; this module imports nothing heavy, so that a process starts quickly


def work(
    inbox: Inbox,
    core: int | None,
    log: Path | None,
    play: "Callable[[Batch], PlayedBatch]",
    get_ready: Callable[[], None],
) -> None:
    """Get ready, then play the batches that arrive; see `LocalWorkers`."""
    start_worker(core, log)
    with suppress(Exception):  # The first batch will report it.
        get_ready()
    inbox.answer(play)


def start_worker(core: int | None, log: Path | None) -> None:
    """Prepare this process: no third-party code, its own core, output to the log.

    Warnings are silenced, because the parent process shows them once.
    """
    load_nothing_here()
    if core is not None:
        pin_to_cores([core])
    warnings.simplefilter("ignore")
    if log is not None:
        write_to_log(log)
        publish_in(log.parent)


# The log of the agents' output, which would otherwise be mixed with a run's own output


LOG_NAME: Final = "agents.log"
STDERR: Final = 2
MOST_BYTES: Final = 1 << 20


def write_to_log(log: Path) -> None:
    """Redirect stderr of this process and its children to a file.

    If the file's folder no longer exists, the output is discarded.
    """
    try:
        file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    except FileNotFoundError:
        file = os.open(os.devnull, os.O_WRONLY)
    os.dup2(file, STDERR)
    os.close(file)


def shorten_log() -> None:
    """Empty the log once it is long, because agents may print on every move."""
    status = os.fstat(STDERR)
    if stat.S_ISREG(status.st_mode) and status.st_size > MOST_BYTES:
        with suppress(OSError):
            os.ftruncate(STDERR, 0)


def drop_log_if_empty(log: Path) -> None:
    """Remove the log if it is empty."""
    with suppress(OSError):
        if log.stat().st_size == 0:
            log.unlink()
