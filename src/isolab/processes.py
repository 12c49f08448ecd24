"""What every process that we start does first, and how those of an executor end."""

import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import parent_process
from multiprocessing.connection import wait


def be_a_worker() -> None:
    """Leave Ctrl-C to the parent, and end with it, whatever we are doing then."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


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
