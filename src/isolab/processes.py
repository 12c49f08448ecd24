"""How processes of ours begin, what each does first, and how those of an executor end."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import parent_process
from multiprocessing.connection import wait
from types import ModuleType
from typing import Final

from isolab.errors import InputError, quoted
from isolab.system import INTERRUPTS, interrupts_held_back, usable_cores

SAFE_PATH: Final = "PYTHONSAFEPATH"


WORKERS_VARIABLE: Final = "ISOLAB_WORKERS"
MOST_WORKERS: Final = 256


def usual_workers() -> int:
    """How many workers there are where nobody says: as `ISOLAB_WORKERS` has it, or one for each core we may use.

    Raises:
        InputError: the variable's value is no such number.
    """
    said = os.environ.get(WORKERS_VARIABLE)
    if not said:
        return len(usable_cores())
    if (
        not (said.isascii() and said.isdecimal())
        or len(said) > 3
        or not 1 <= int(said) <= MOST_WORKERS
    ):
        raise InputError(f"{WORKERS_VARIABLE}={quoted(said)}: expected from 1 to {MOST_WORKERS}")
    return int(said)


def be_a_worker() -> None:
    """Leave Ctrl-C to the parent, and end with it, whatever we are doing then."""
    for number in INTERRUPTS:
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


_one_at_a_time = threading.Lock()


@contextmanager
def birth() -> Iterator[None]:
    """Let a process of `multiprocessing` that is started within the block begin its life undisturbed.

    Ctrl-C is held back, here and in the process, which would otherwise die of it while it imports. The program's main
    module is hidden: a spawned process runs it again, so a script without `if __name__ == "__main__":` would start its
    runs again in each worker. And the process looks for modules in no folder that it happens to be in.
    """
    with _one_at_a_time, interrupts_held_back():
        main, safe = sys.modules["__main__"], os.environ.get(SAFE_PATH)
        sys.modules["__main__"] = ModuleType("__main__")
        os.environ[SAFE_PATH] = "1"
        try:
            yield
        finally:
            sys.modules["__main__"] = main
            if safe is None:
                del os.environ[SAFE_PATH]
            else:
                os.environ[SAFE_PATH] = safe


def hear_of_deaths(executor: ProcessPoolExecutor) -> None:
    """Let go of our own end of the line on which the executor's processes, all started by now, send their results.

    While we hold it, a process that is killed in the middle of sending leaves the executor waiting for the rest for
    ever: as long as anybody could still write, the line does not end.
    """
    if executor._result_queue is not None:  # as after its end
        executor._result_queue._writer.close()  # type: ignore[attr-defined]


def end_at_once(executor: ProcessPoolExecutor) -> None:
    """Kill the processes of an executor, whatever they are doing, and wait until they are gone."""
    for process in list((executor._processes or {}).values()):
        process.kill()
    hear_of_deaths(executor)
    executor.shutdown(wait=True, cancel_futures=True)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
