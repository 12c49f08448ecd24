"""How processes of ours begin, what each does first, and how those of an executor end."""

import os
import signal
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import Pipe, get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from queue import SimpleQueue
from types import ModuleType
from typing import Any, Final

from isolarium.compat import INTERRUPTS, interrupts_held_back, line_of, usable_cores
from isolarium.errors import InputError, quoted
from isolarium.processes.forkserver import Asks, Child, nursery_for

SAFE_PATH: Final = "PYTHONSAFEPATH"
ONE_THREAD: Final = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
)
"""Variables by which numerical libraries start no threads of their own."""
STDOUT, STDERR = 1, 2


def when_gone(owner: object, do: Callable[..., object], *arguments: Any) -> None:
    """Have something done once an object is gone, or this process ends; one that was forked from it does nothing."""
    weakref.finalize(owner, _do_in, os.getpid(), do, arguments)


def _do_in(process: int, do: Callable[..., object], arguments: Sequence[Any]) -> None:
    if os.getpid() == process:
        do(*arguments)


WORKERS_VARIABLE: Final = "ISOLARIUM_WORKERS"
MOST_WORKERS: Final = 256


def usual_workers() -> int:
    """How many workers there are where nobody says: as `ISOLARIUM_WORKERS` has it, or one for each core we may use.

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


# A worker of our own making, and what it finds there


class Worker:
    """A process of ours and the line to it; what is sent there, it finds in its `Inbox`.

    It leaves Ctrl-C to us, and ends with us, whatever it is doing then.

    Args:
        work: what it does: called there with its inbox and the arguments.
        arguments: the others.
        needs: modules of ours that it will import, beside that of `work`.
        first: called there before anything else, while the process has a single thread: a sandbox holds for all
            threads only if it is entered before the second one starts.

    Attributes:
        line: to it; it ends when the process does.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(
        self,
        work: Callable[..., None],
        *arguments: Any,
        needs: Iterable[str] = (),
        first: Callable[[], None] | None = None,
    ) -> None:
        self.line, theirs = Pipe()
        try:
            self._process = _started(theirs, {*needs, work.__module__})
            self.line.send((work, arguments, first))
        except BaseException:
            self.line.close()
            raise
        finally:
            theirs.close()

    @property
    def number(self) -> int | None:
        """The number of its process; None if there never was one."""
        with suppress(OSError):
            return self._process.pid
        return None

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    def end(self) -> None:
        """End it at once, and wait until it is gone."""
        self.kill()
        with suppress(OSError):  # there never was one
            if isinstance(self._process, Child):
                self._process.wait()
            else:
                self._process.join()
        self.line.close()


def _started(theirs: Connection, needs: Iterable[str]) -> Child | SpawnProcess:
    nursery = nursery_for()
    if nursery is None:
        process = get_context("spawn").Process(target=_begin, args=[theirs], daemon=True)
        with birth():
            process.start()
        return process
    with Path(os.devnull).open() as nothing:
        return nursery.start(
            "isolarium.processes.worker:begin_work",
            handles=[theirs.fileno()],
            streams=(nothing.fileno(), STDOUT, STDERR),
            needs=sorted(name for name in needs if name.startswith("isolarium.")),
            asks=Asks.THIS,
            name="isolarium-work",
        )


def begin_work(handles: Sequence[int]) -> None:
    """Be a worker at the end of a line that it was handed."""
    _work(line_of(handles[0]))


def _begin(line: Connection) -> None:
    for number in INTERRUPTS:
        signal.signal(number, signal.SIG_IGN)
    _work(line)


def _work(line: Connection) -> None:
    try:
        work, arguments, first = line.recv()
    except (EOFError, OSError):  # nobody is there any more
        return
    if first is not None:
        first()
    work(Inbox(line), *arguments)


class Inbox:
    """What comes to a worker, read as it comes; the process ends with the line, whatever it is doing.

    Attributes:
        stopped: the last number that came: what is to be ended early is for sender and taker to agree upon.
    """

    def __init__(self, line: Connection) -> None:
        self.stopped = 0
        self._line = line
        self._waiting = SimpleQueue[Any]()
        threading.Thread(target=self._read_on, daemon=True).start()

    def take(self) -> Any:
        """The next that came and is no number, waited for."""
        return self._waiting.get()

    def send(self, answer: Any) -> None:
        """Send something back."""
        try:
            self._line.send(answer)
        except OSError:  # nobody is there any more
            os._exit(1)

    def send_bytes(self, message: bytes) -> None:
        """Send bytes as they are, to a reader that does not unpickle what this process sends."""
        try:
            self._line.send_bytes(message)
        except OSError:  # nobody is there any more
            os._exit(1)

    def _read_on(self) -> None:
        try:
            while True:
                message = self._line.recv()
                if isinstance(message, int):
                    self.stopped = message
                else:
                    self._waiting.put(message)
        finally:
            os._exit(1)


# Processes of `multiprocessing`

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
