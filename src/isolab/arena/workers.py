"""Who plays the batches of a run: what is asked of workers wherever they are, and those that are processes of ours."""

import os
import stat
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from itertools import count as count_up
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from isolab.arena.live import tell_in
from isolab.permits import load_nothing_here
from isolab.processes import be_a_worker, birth, end_at_once, hear_of_deaths
from isolab.system import keep_to

if TYPE_CHECKING:
    from isolab.arena.worker import Batch, PlayedBatch

AHEAD: Final = 2
"""Batches that a worker is given at a time, so that it need not wait for the next."""


@dataclass(frozen=True, slots=True)
class Came:
    """A worker that can be given batches from now on."""

    worker: str


@dataclass(frozen=True, slots=True)
class Went:
    """A worker that is there no more, and will play nothing of what it was given and has not been heard of."""

    worker: str


@dataclass(frozen=True, slots=True)
class Played:
    """A batch that came back; where workers solve positions, what is known of one."""

    worker: str
    number: int
    played: Any


@dataclass(frozen=True, slots=True)
class Refused:
    """A worker that will not be given anything, and why."""

    worker: str
    why: str


@dataclass(frozen=True, slots=True)
class Failed:
    """A worker that could not do what it was given, and is there no more; why."""

    worker: str
    number: int
    why: str


Event = Came | Went | Played | Refused | Failed


class ClusterGone(Exception):  # noqa: N818 # nothing that a person typed wrong
    """A cluster is there no more; its message says which."""


class Workers(Protocol):
    """Those who play for one run, each known by a name.

    None is there before `hear` has told that it came. What is given to one that went is not played.
    """

    @property
    def coming(self) -> int:
        """How many are getting ready."""

    def submit(self, worker: str, number: int, batch: "Batch") -> None:
        """Have a worker play a batch after what it was given before; `hear` tells how that went."""

    def hear(self, seconds: float) -> list[Event]:
        """What has happened since it was asked last; nothing, if nothing happens for that long.

        Raises:
            ClusterGone: nobody will ever be heard again.
        """

    def stop(self) -> None:
        """End at once: what is being played is played again some day."""


class LocalWorkers:
    """A fixed number of processes, each an executor of its own: one that dies takes nothing down but what it played.

    Args:
        count: how many.
        cores: where each is to have a core of its own, which.
        log: the file for what agents print.
        play: what plays a batch.
        get_ready: what they do before the first.
    """

    def __init__(
        self,
        count: int,
        cores: Sequence[int] | None,
        log: Path | None,
        play: "Callable[[Batch], PlayedBatch]",
        get_ready: Callable[[], None],
    ) -> None:
        self._cores, self._log, self._play = cores, log, play
        self._names = count_up(1)
        self._slots: dict[str, int] = {}
        self._born = set[int]()
        self._running: dict[Future[PlayedBatch], tuple[str, int]] = {}
        self._told = list[Event]()
        with birth():  # an executor's locks start a process that keeps track of them
            self._executors = [self._executor(slot) for slot in range(count)]
        try:
            for slot in range(count):
                self._hand(slot, get_ready)
                self._welcome(slot)
        except BaseException:  # Ctrl-C: nobody else knows yet of those that have begun
            self.stop()
            raise

    @property
    def coming(self) -> int:
        """None: they are given batches from the start."""
        return 0

    def submit(self, worker: str, number: int, batch: "Batch") -> None:
        """See `Workers`."""
        slot = self._slots.get(worker)
        if slot is None:
            return
        try:
            self._running[self._hand(slot, self._play, batch)] = (worker, number)
        except BrokenProcessPool:  # died idle, or before its first batch
            self._replace(worker)

    def hear(self, seconds: float) -> list[Event]:
        """See `Workers`."""
        if not self._told:
            done, _ = wait(self._running, timeout=seconds, return_when=FIRST_COMPLETED)
            dead = set[str]()
            for future in done:
                worker, number = self._running.pop(future)
                if isinstance(future.exception(), BrokenProcessPool):
                    dead.add(worker)
                else:
                    self._told.append(Played(worker, number, future.result()))
            for worker in dead:
                self._replace(worker)
        told, self._told = self._told, []
        return told

    def stop(self) -> None:
        """See `Workers`."""
        for executor in self._executors:
            end_at_once(executor)

    def _hand(self, slot: int, function: Callable[..., Any], *arguments: Any) -> "Future[Any]":
        """Have a process do something after what it was given before.

        Raises:
            BrokenProcessPool: it is dead.
        """
        if slot in self._born:
            return self._executors[slot].submit(function, *arguments)
        with birth():  # the first task starts the process
            future = self._executors[slot].submit(function, *arguments)
        hear_of_deaths(self._executors[slot])
        self._born.add(slot)
        return future

    def _replace(self, worker: str) -> None:
        """Put a new process in the place of a dead one."""
        slot = self._slots.pop(worker)
        for future in [future for future, (owner, _) in self._running.items() if owner == worker]:
            del self._running[future]
        end_at_once(self._executors[slot])
        self._executors[slot] = self._executor(slot)
        self._born.discard(slot)
        self._told.append(Went(worker))
        self._welcome(slot)

    def _welcome(self, slot: int) -> None:
        worker = str(next(self._names))
        self._slots[worker] = slot
        self._told.append(Came(worker))

    def _executor(self, slot: int) -> ProcessPoolExecutor:
        core = None if self._cores is None else self._cores[slot]
        return ProcessPoolExecutor(
            1,
            mp_context=get_context("spawn"),
            initializer=start_worker,
            initargs=(core, self._log),
        )


# The first moments of a worker process: nothing heavy is imported here, so that they come soon


def start_worker(core: int | None, log: Path | None) -> None:
    """Get a worker ready: it leaves Ctrl-C to its parent and ends with it, may have a core of its own, and is silent.

    What agents print goes into the log. Their warnings are the parent's to show, once.
    """
    be_a_worker()
    load_nothing_here()
    if core is not None:
        keep_to([core])
    warnings.simplefilter("ignore")
    if log is not None:
        write_to_log(log)
        tell_in(log.parent)


# What agents print while they play: it goes into a file of the run and not between its figures


LOG_NAME: Final = "agents.log"
STDERR: Final = 2
MOST_BYTES: Final = 1 << 20


def write_to_log(log: Path) -> None:
    """Have this process, and all that it starts, print into a file from now on."""
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(file, STDERR)
    os.close(file)


def shorten_log() -> None:
    """Start the file again once it is long: agents may print with every move."""
    status = os.fstat(STDERR)
    if stat.S_ISREG(status.st_mode) and status.st_size > MOST_BYTES:
        with suppress(OSError):
            os.ftruncate(STDERR, 0)


def drop_log_if_empty(log: Path) -> None:
    """Leave no file where nothing was printed."""
    with suppress(OSError):
        if log.stat().st_size == 0:
            log.unlink()
