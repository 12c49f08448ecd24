"""Worker processes, each an executor of its own: one that dies takes nothing down but what it was playing."""

import os
import stat
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from isolab.permits import load_nothing_here
from isolab.processes import be_a_worker, birth, end_at_once, hear_of_deaths


class Workers:
    """A fixed number of processes, each known by its slot from 0 on.

    Args:
        count: how many.
        cores: where each is to have a core of its own, which.
        log: the file for what agents print.
    """

    def __init__(self, count: int, cores: Sequence[int] | None, log: Path | None) -> None:
        self._cores = cores
        self._log = log
        with birth():  # an executor's locks start a process that keeps track of them
            self._executors = [self._executor(slot) for slot in range(count)]
        self._born = set[int]()

    def __len__(self) -> int:
        return len(self._executors)

    def submit(self, slot: int, function: Callable[..., Any], *arguments: Any) -> "Future[Any]":
        """Have a worker do something after what it was given before.

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

    def replace(self, slot: int) -> None:
        """Put a new worker in the place of a dead one."""
        end_at_once(self._executors[slot])
        self._executors[slot] = self._executor(slot)
        self._born.discard(slot)

    def end(self) -> None:
        """End the workers at once: what they are in the middle of is played again some day."""
        for executor in self._executors:
            end_at_once(executor)

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
        os.sched_setaffinity(0, {core})
    warnings.simplefilter("ignore")
    if log is not None:
        write_to_log(log)


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
