"""Worker processes: how they start, the calls they receive and their events.

A worker calls one function for each `Call` it receives, in order, and answers with `Event`s (`rpc.py`): any number of
progress reports, then one event with the return value or the exception. Calls and events are pickled, so this module is
only for Isolarium's own processes; `sandboxed_process.py` communicates with third-party code.
"""

import os
import pickle
import signal
import sys
import threading
import traceback
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from queue import Queue
from types import ModuleType
from typing import Any, Final, NoReturn

from isolarium.compat import INTERRUPTS, interrupts_held_back, line_of, memory_mb, usable_cores
from isolarium.errors import InputError, quoted
from isolarium.limits import Stop
from isolarium.processes.forkserver import Child, ChildServer, fork_server_for
from isolarium.processes.rpc import Call, Event, EventKind

SAFE_PATH: Final = "PYTHONSAFEPATH"
ONE_THREAD: Final = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
)
"""Environment variables that keep numerical libraries from starting threads."""
STDOUT, STDERR = 1, 2
AHEAD: Final = 2
"""The number of calls sent to a worker ahead, so that it does not have to wait."""
MOST_PENDING: Final = 8
"""The maximum results per worker that may wait for an earlier, slow call."""
POLL_S: Final = 0.25
"""The interval, in seconds, at which `results_in_order` checks whether to stop."""
PLAYERS: Final = tuple(
    f"isolarium.{package}." for package in ("agents", "game", "heuristics", "native", "search", "solver")
)
WORKERS_VARIABLE: Final = "ISOLARIUM_WORKERS"
MOST_WORKERS: Final = 256


def finalize(owner: object, do: Callable[..., object], *arguments: Any) -> None:
    """Call a function once an object is collected or this process exits.

    Forked processes do not call it.
    """
    weakref.finalize(owner, _do_in, os.getpid(), do, arguments)


def _do_in(process: int, do: Callable[..., object], arguments: Sequence[Any]) -> None:
    if os.getpid() == process:
        do(*arguments)


def default_workers() -> int:
    """Return the default number of workers: `ISOLARIUM_WORKERS`, or one for each usable core.

    Raises:
        InputError: If the variable is not a number in range.
    """
    text = os.environ.get(WORKERS_VARIABLE)
    if not text:
        return len(usable_cores())
    if not (text.isascii() and text.isdecimal()) or len(text) > 3 or not 1 <= int(text) <= MOST_WORKERS:
        raise InputError(f"{WORKERS_VARIABLE}={quoted(text)}: expected 1 to {MOST_WORKERS}")
    return int(text)


# In the parent process


class Worker:
    """A worker process and the connection to it.

    The process ignores Ctrl-C, and always ends with this process.

    Args:
        work: The function to run in the worker, called with its `Inbox` and the arguments; `answer_calls` suits most
            uses.
        arguments: The arguments.
        needs: The modules of Isolarium that the worker will import, besides the module of `work`.
        first: A function called in the worker before anything else, while the worker has a single thread: a sandbox
            covers all threads only if a process enters it before starting a second one.

    Attributes:
        line: The connection, which closes when the process ends.

    Raises:
        OSError: If the process cannot be started.
    """

    def __init__(
        self,
        work: Callable[..., None],
        *arguments: Any,
        needs: Iterable[str] = (),
        first: Callable[[], None] | None = None,
    ) -> None:
        self.line, theirs = Pipe()
        self._numbers = count(1)
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
        """The process id; None if the process never started."""
        with suppress(OSError):
            return self._process.pid
        return None

    def call(self, *arguments: Any, is_cancelled: bool = False) -> int:
        """Send the worker a call of its function, to run after all earlier calls.

        Args:
            arguments: The function's arguments.
            is_cancelled: Whether the call is cancelled from the start.

        Returns:
            The number of the call.

        Raises:
            OSError: If the process has ended.
        """
        number = next(self._numbers)
        if is_cancelled:
            self.cancel(number)
        self.line.send(Call(number, arguments))
        return number

    def cancel(self, number: int) -> None:
        """Ask the worker to finish a call and all earlier calls early.

        Raises:
            OSError: If the process has ended.
        """
        self.line.send(number)

    def receive(self) -> Event:
        """Return the next event.

        Raises:
            EOFError, OSError: If the process has ended, possibly halfway through an event.
        """
        event: Event = self.line.recv()
        return event

    def kill(self) -> None:
        """Kill the process."""
        self._process.kill()

    def end(self) -> None:
        """Kill the process and wait until it has ended."""
        self.kill()
        with suppress(OSError):  # the process never started
            if isinstance(self._process, Child):
                self._process.wait()
            else:
                self._process.join()
        self.line.close()


class WorkerDied(Exception):  # noqa: N818 # not an error in our code
    """A worker process ended before it answered all its calls."""


def results_in_order(
    function: Callable[..., Any], tasks: Iterable[Sequence[Any]], workers: int, *, is_stopped: Stop = lambda: False
) -> Iterator[Any]:
    """Yield `function(*task)` for each task, in order, using worker processes.

    The workers end with the iterator.

    Args:
        function: A function at the top level of a module.
        tasks: The arguments of each call.
        workers: The number of processes.
        is_stopped: Called several times a second; once it returns true, the iterator ends early.

    Raises:
        WorkerDied: If a worker process ended.
        Exception: Any exception that the function raises.
    """
    remaining, pending = iter(tasks), deque[tuple[Worker, int]]()
    results = dict[tuple[Worker, int], Any]()
    pool = list[Worker]()
    try:
        for _ in range(workers):
            pool.append(Worker(answer_calls, function, needs=loaded_player_modules()))
        free = [worker for _ in range(AHEAD) for worker in pool]
        while not is_stopped():
            while free and len(pending) < MOST_PENDING * workers:
                if (task := next(remaining, None)) is None:
                    break
                worker = free.pop(0)
                pending.append((worker, _call(worker, task)))
            if not pending:
                return
            for worker, event in _events(pool, POLL_S):
                if event.kind is EventKind.FAILED:
                    raise event.content
                results[worker, event.number] = event.content
                free.append(worker)
            while pending and pending[0] in results:
                yield results.pop(pending.popleft())
    finally:
        for worker in pool:
            worker.kill()
        for worker in pool:
            worker.end()


def _call(worker: Worker, task: Sequence[Any]) -> int:
    try:
        return worker.call(*task)
    except OSError:
        raise WorkerDied from None


def _events(pool: Sequence[Worker], seconds: float) -> Iterator[tuple[Worker, Event]]:
    """Wait for events up to a timeout, and yield one from each worker that has sent one."""
    lines = {worker.line: worker for worker in pool}
    for line in wait(list(lines), seconds):
        worker = lines[line]  # type: ignore[index] # a connection from `lines`
        try:
            event = worker.receive()
        except (EOFError, OSError):
            raise WorkerDied from None
        yield worker, event


def loaded_player_modules() -> Iterator[str]:
    """Yield the loaded modules that implement agents, which workers will need too."""
    yield from (name for name in sys.modules if name.startswith(PLAYERS))
    if "isolarium.native.entry_points" in sys.modules:
        yield "isolarium.native.jit:initialise_compiler"


def _started(theirs: Connection, needs: Iterable[str]) -> Child | SpawnProcess:
    fork_server = fork_server_for()
    if fork_server is None:
        process = get_context("spawn").Process(target=_begin, args=[theirs], daemon=True)
        with clean_start():
            process.start()
        return process
    with Path(os.devnull).open() as nothing:
        return fork_server.start(
            "isolarium.processes.worker:begin_work",
            handles=[theirs.fileno()],
            streams=(nothing.fileno(), STDOUT, STDERR),
            needs=sorted(name for name in needs if name.startswith("isolarium.")),
            child_server=ChildServer.SHARED,
            name="isolarium-work",
        )


_one_at_a_time = threading.Lock()


@contextmanager
def clean_start() -> Iterator[None]:
    """Protect the start of processes that `multiprocessing` spawns within the block.

    Ctrl-C is blocked here and in the new process, which it would otherwise kill during its imports. The main module is
    hidden, because a spawned process runs it again: a script without `if __name__ == "__main__":` would start its runs
    again in each worker. The new process does not import from the current folder.
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


# In the worker


class Inbox:
    """A worker's end of the connection.

    A thread reads from it. When the connection closes, the process exits at once.
    """

    def __init__(self, line: Connection) -> None:
        self._line = line
        self._cancelled = self._current = 0
        self._waiting = Queue[Any]()
        threading.Thread(target=self._read_on, daemon=True).start()

    def take(self) -> Any:
        """Wait for the next message that is not a cancellation, and return it."""
        return self._waiting.get()

    def send(self, message: Any) -> None:
        """Send a message."""
        self._sent(ForkingPickler.dumps(message))

    def send_bytes(self, message: bytes) -> None:
        """Send raw bytes to a reader that must not unpickle this process's messages."""
        self._sent(message)

    def report(self, content: Any) -> None:
        """Send progress of the current call."""
        self.send(Event(self._current, EventKind.PROGRESS, content))

    def is_cancelled(self) -> bool:
        """Return whether the current call should finish early."""
        return self._cancelled >= self._current

    def answer(self, function: Callable[..., Any]) -> NoReturn:
        """Call a function for each `Call`, and send its result or exception.

        Exit when the connection closes.
        """
        while True:
            call: Call = self.take()
            self._current = call.number
            try:
                kind, content = EventKind.DONE, function(*call.arguments)
            except Exception as error:
                kind, content = EventKind.FAILED, _portable(error)
            self.send(Event(call.number, kind, content, memory_mb()))

    def _sent(self, message: Any) -> None:
        try:
            self._line.send_bytes(message)
        except OSError:  # The parent has exited.
            os._exit(1)

    def _read_on(self) -> None:
        try:
            while True:
                message = self._line.recv()
                if isinstance(message, int):
                    self._cancelled = message
                else:
                    self._waiting.put(message)
        finally:
            os._exit(1)


def _portable(error: Exception) -> Exception:
    """Return an error with its traceback as a note.

    An error that cannot be pickled becomes a `RuntimeError`.
    """
    text = traceback.format_exc()
    error.add_note(text)
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(text)
    return error


def answer_calls(inbox: Inbox, function: Callable[..., Any]) -> None:
    """Run a worker that calls this function for each call."""
    inbox.answer(function)


def begin_work(handles: Sequence[int]) -> None:
    """Run a worker forked by the fork server; the first handle is its end of the connection."""
    _work(line_of(handles[0]))


def _begin(line: Connection) -> None:
    for number in INTERRUPTS:
        signal.signal(number, signal.SIG_IGN)
    _work(line)


def _work(line: Connection) -> None:
    try:
        work, arguments, first = line.recv()
    except (EOFError, OSError):  # The parent has exited.
        return
    if first is not None:
        first()
    work(Inbox(line), *arguments)
