"""Who plays the batches of a run: what is asked of workers wherever they are, and those that are processes of ours."""

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
from isolarium.compat import keep_to
from isolarium.processes.permissions import load_nothing_here
from isolarium.processes.rpc import EventKind
from isolarium.processes.worker import Inbox, Worker, loaded_player_modules

if TYPE_CHECKING:
    from isolarium.arena.referee import Batch, PlayedBatch

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


@dataclass(frozen=True, slots=True)
class Invalid:
    """A worker whose result cannot be what it was asked for, and which is given nothing more; why."""

    worker: str
    number: int
    why: str


Event = Came | Went | Played | Refused | Failed | Invalid


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
    """A fixed number of processes: one that dies takes nothing down but what it played.

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
        self._cores, self._log, self._play, self._get_ready = cores, log, play, get_ready
        self._names = count_up(1)
        self._slots: dict[str, int] = {}
        self._workers: dict[str, Worker] = {}
        self._given: dict[str, deque[int]] = {}
        self._told = list[Event]()
        try:
            for slot in range(count):
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
        if worker not in self._workers:
            return
        try:
            self._workers[worker].call(batch)
            self._given[worker].append(number)
        except OSError:  # died idle, or before its first batch
            self._replace(worker)

    def hear(self, seconds: float) -> list[Event]:
        """See `Workers`."""
        if not self._told:
            lines = {self._workers[worker].line: worker for worker in self._workers}
            for line in wait(list(lines), timeout=seconds):
                self._hear_from(lines[line])  # type: ignore[index] # one of those
        told, self._told = self._told, []
        return told

    def _hear_from(self, worker: str) -> None:
        try:
            event = self._workers[worker].receive()
        except (EOFError, OSError):  # it may have died halfway through an event
            self._replace(worker)
            return
        if event.kind is EventKind.FAILED:
            raise event.content
        self._told.append(Played(worker, self._given[worker].popleft(), event.content))

    def stop(self) -> None:
        """See `Workers`."""
        for worker in self._workers.values():
            worker.kill()
        for worker in self._workers.values():
            worker.end()

    def _replace(self, worker: str) -> None:
        """Put a new process in the place of a dead one."""
        del self._given[worker]
        self._workers.pop(worker).end()
        self._told.append(Went(worker))
        self._welcome(self._slots.pop(worker))

    def _welcome(self, slot: int) -> None:
        worker = str(next(self._names))
        core = None if self._cores is None else self._cores[slot]
        self._workers[worker] = Worker(
            work,
            *(core, self._log, self._play, self._get_ready),
            needs=loaded_player_modules(),
        )
        self._slots[worker], self._given[worker] = slot, deque()
        self._told.append(Came(worker))


# What a worker process does: nothing heavy is imported here, so that its first moments come soon


def work(
    inbox: Inbox,
    core: int | None,
    log: Path | None,
    play: "Callable[[Batch], PlayedBatch]",
    get_ready: Callable[[], None],
) -> None:
    """Get ready, and then play what comes; see `LocalWorkers`."""
    start_worker(core, log)
    with suppress(Exception):  # the first batch will tell
        get_ready()
    inbox.answer(play)


def start_worker(core: int | None, log: Path | None) -> None:
    """Get a worker ready: it may have a core of its own, loads nobody's code, and is silent.

    What agents print goes into the log. Their warnings are the parent's to show, once.
    """
    load_nothing_here()
    if core is not None:
        keep_to([core])
    warnings.simplefilter("ignore")
    if log is not None:
        write_to_log(log)
        publish_in(log.parent)


# What agents print while they play: it goes into a file of the run and not between its figures


LOG_NAME: Final = "agents.log"
STDERR: Final = 2
MOST_BYTES: Final = 1 << 20


def write_to_log(log: Path) -> None:
    """Have this process, and all that it starts, print into a file from now on; nowhere, once its folder is gone."""
    try:
        file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    except FileNotFoundError:
        file = os.open(os.devnull, os.O_WRONLY)
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
