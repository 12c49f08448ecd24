"""Differences between operating systems; only this module checks which one it runs on.

Linux supports everything here. Elsewhere the simplest correct substitute is used: all cores, no
locks, no pinning. docs/how-to/install.md lists the restrictions.
"""

import ctypes
import os
import platform
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from itertools import pairwise
from multiprocessing import connection
from pathlib import Path
from queue import Empty, Queue
from typing import IO, Any, Final


def _module(name: str) -> Any:
    """Import a module; return None on systems that lack it."""
    try:
        return import_module(name)
    except ImportError:
        return None


IS_LINUX: Final = sys.platform == "linux"
IS_WINDOWS: Final = os.name == "nt"
fcntl: Final = _module("fcntl")
pwd: Final[Any] = _module("pwd")
resource: Final[Any] = _module("resource") if IS_LINUX else None
"""The `resource` module, on Linux only: its limits mean other things elsewhere."""
NO_LINKS: Final[int] = getattr(os, "O_NOFOLLOW", 0)
"""The flag that makes opening a link fail."""
PATIENT: Final[int] = NO_LINKS | sum(getattr(os, name, 0) for name in ("O_CLOEXEC", "O_BINARY"))
"""Flags to open a file without following links; opening a pipe waits for a writer."""
AS_IT_IS: Final[int] = PATIENT | getattr(os, "O_NONBLOCK", 0)
"""Flags to open a file of any kind, without following links or waiting for pipes."""
PIECE_BYTES: Final = 1 << 16
"""The maximum number of bytes to read from a pipe at once."""
INTERRUPTS: Final = tuple(getattr(signal, name) for name in ("SIGINT", "SIGBREAK") if hasattr(signal, name))
"""The signals that ask a command to stop and save: Ctrl-C and, on Windows, Ctrl-Break."""
INTERRUPT: Final[int] = getattr(signal, "CTRL_BREAK_EVENT", signal.SIGINT)
"""The signal that asks another process to stop and save."""
KILLED: Final[int] = -signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM
"""The exit status of a process that `kill` ended."""


# The machine


def usable_cores() -> list[int]:
    """Return the numbers of the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(os.getpid()))  # A thread may have been given fewer.
    return list(range(os.cpu_count() or 1))


def pin_to_cores(cores: Iterable[int]) -> None:
    """Pin this thread and its children to these cores, on systems that support it."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)


def load() -> float | None:
    """Return the load average of the last minute, or None if it is unavailable."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def processor_name() -> str:
    """Return the processor's name, or the best description that the system offers."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if "model name" in line]
    return names[0] if names else platform.processor() or platform.machine()


def memory_mb() -> int:
    """Return this process's memory use in MB, or 0 if it is unavailable."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") >> 20


def has_screen() -> bool:
    """Return whether there is a screen; always true outside Linux."""
    return not IS_LINUX or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def limit_memory(most_bytes: int) -> None:
    """Limit the data memory of this process and its children, on systems that support it."""
    if resource is not None:
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        most = most_bytes if hard == resource.RLIM_INFINITY else min(most_bytes, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def lower_priority(steps: int) -> None:
    """Lower the priority of this process."""
    if hasattr(os, "nice"):
        os.nice(steps)


def set_process_name(name: str) -> None:
    """Set the name that the system shows for this process, where supported."""
    if IS_LINUX:
        set_name = 15
        ctypes.CDLL(None).prctl(set_name, name.encode()[:15], 0, 0, 0)


def processor_clock(process: int | None) -> Callable[[], int] | None:
    """Return a function that reads another process's processor time.

    The function returns nanoseconds. The result is None if no such clock is available.
    """
    if process is None or not IS_LINUX:
        return None
    clock = (~process << 3) | 2  # How Linux numbers the processor-time clocks of processes
    try:
        last_ns = time.clock_gettime_ns(clock)
    except OSError:
        return None

    def read() -> int:
        nonlocal last_ns
        with suppress(OSError):  # After the process has ended, keep the last value.
            last_ns = time.clock_gettime_ns(clock)
        return last_ns

    return read


class Pausable:
    """A process group that can be suspended, on systems that support it.

    Args:
        number: The id of the group's leader; it must be running, so that the id is not reused.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._handle = os.pidfd_open(number) if hasattr(os, "pidfd_open") else None

    def stop(self) -> None:
        """Suspend all processes of the group."""
        self._send("SIGSTOP")

    def resume(self) -> None:
        """Resume the group."""
        self._send("SIGCONT")

    def close(self) -> None:
        """Release the handle."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _send(self, name: str) -> None:
        number = getattr(signal, name, None)
        if number is None or not hasattr(os, "killpg"):
            return
        with suppress(OSError):  # the process has ended, or no longer leads a group
            if self._handle is not None:  # check that it is the same process, since ids are reused
                signal.pidfd_send_signal(self._handle, 0)
            os.killpg(self._number, number)


# Files


def lock(file: IO[bytes] | int) -> bool:
    """Lock a file for this process until it ends; return False if another process has locked it.

    On systems without such locks, return True.
    """
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def pieces_of(descriptor: int) -> "_Polled | _Awaited":
    """Return a reader for a pipe, which returns data as it arrives."""
    return _Polled(descriptor) if hasattr(select, "poll") else _Awaited(descriptor)


class _Polled:
    """Reads a pipe once the system reports that data is available."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLIN)

    def read(self, seconds: float | None) -> bytes | None:
        """Return the next bytes, empty at the end; None after the timeout."""
        if not self._poll.poll(None if seconds is None else seconds * 1000):
            return None
        return os.read(self._descriptor, PIECE_BYTES)


class _Awaited:
    """Reads a pipe in a thread, because Windows cannot report available data."""

    def __init__(self, descriptor: int) -> None:
        self._pieces = Queue[bytes]()
        threading.Thread(target=self._read_on, args=[descriptor], daemon=True).start()

    def _read_on(self, descriptor: int) -> None:
        piece = b"."
        while piece:
            piece = b""
            with suppress(OSError):
                piece = os.read(descriptor, PIECE_BYTES)
            self._pieces.put(piece)

    def read(self, seconds: float | None) -> bytes | None:
        """Return the next bytes, empty at the end; None after the timeout."""
        try:
            return self._pieces.get(timeout=seconds)
        except Empty:
            return None


MOST_LINE: Final = 1 << 16
"""The maximum length of a line; longer lines are truncated to save memory."""


class LineReader:
    """The lines that arrive on a file descriptor.

    Args:
        descriptor: The descriptor, which is neither changed nor closed.
    """

    def __init__(self, descriptor: int) -> None:
        self._source = pieces_of(descriptor)
        self._read = bytearray()
        self._looked = 0
        self._cutting = False
        self._ended = False

    def read(self, seconds: float | None = None) -> str | None:
        """Return the next line without its line end, or None after the timeout.

        With a timeout of None, wait forever.

        Raises:
            EOFError: If there are no more lines.
        """
        until = None if seconds is None else time.monotonic() + seconds
        while True:
            line = self._next_line()
            if line is not None:
                return line
            if self._ended:
                raise EOFError
            left = None if until is None else max(0.0, until - time.monotonic())
            piece = self._source.read(left)
            if piece is None:
                return None
            self._take(piece)

    def _take(self, piece: bytes) -> None:
        if not piece:
            self._ended = True
            if self._read:  # The last line may lack a line end.
                self._read += b"\n"
        self._read += piece

    def _next_line(self) -> str | None:
        """Return a complete line, skipping the rest of a truncated one."""
        while True:
            end = self._read.find(b"\n", self._looked)
            if end < 0:
                self._looked = len(self._read)
                return self._cut() if self._looked >= MOST_LINE else None
            line = bytes(self._read[:end])
            del self._read[: end + 1]
            self._looked = 0
            if not self._cutting:
                return _decoded(line)
            self._cutting = False

    def _cut(self) -> str | None:
        line = bytes(self._read[:MOST_LINE])
        self._read.clear()
        self._looked = 0
        if self._cutting:
            return None
        self._cutting = True
        return _decoded(line)


def _decoded(line: bytes) -> str:
    return line.decode("utf-8", "replace").rstrip("\r")


def is_ours(status: os.stat_result) -> bool:
    """Return whether the current user owns a file; always true on Windows."""
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()


def is_closed_to_others(status: os.stat_result) -> bool:
    """Return whether other users can neither read nor write a file; always true on Windows."""
    return IS_WINDOWS or not status.st_mode & 0o077


def sync_names(folder: Path) -> None:
    """Flush the names of new files in a folder to the disk, where supported."""
    if IS_WINDOWS:
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# Processes


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Block Ctrl-C here and in processes started within the block, where supported."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def raised_after(seconds: float, again_s: float, error: type[BaseException]) -> Iterator[None]:
    """Raise an error in the main thread once the block exceeds a time limit.

    The error is raised again at intervals.

    On systems with signals the error interrupts blocking calls too; on others it is raised at the
    next bytecode instruction.
    """
    if not hasattr(signal, "setitimer"):
        with _thrown_after(seconds, again_s, error):
            yield
        return

    is_armed = True

    def throw(*_: object) -> None:
        if is_armed:
            raise error

    before = signal.signal(signal.SIGALRM, throw)
    signal.setitimer(signal.ITIMER_REAL, seconds, again_s)
    try:
        try:
            yield
        finally:
            is_armed = False
    finally:  # Also if the signal arrives at the very end
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _thrown_after(seconds: float, again_s: float, error: type[BaseException]) -> Iterator[None]:
    """Raise the error from another thread, for systems without the signals."""
    thread, is_over = ctypes.c_ulong(threading.get_ident()), threading.Event()
    is_ended = False

    def throw() -> None:
        patience_s = seconds
        while not is_over.wait(patience_s):
            ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(error))
            patience_s = again_s

    thrower = threading.Thread(target=throw, daemon=True)
    try:
        thrower.start()
        yield
    finally:
        while not is_ended:
            try:
                is_over.set()
                thrower.join()
                # Clearing the pending error would make CPython look for it forever and hang
                # tracers, so raise it.
                ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(error))
                while True:
                    pass
            except error:
                is_ended = not thrower.is_alive()


def starting_apart() -> dict[str, Any]:
    """Return `Popen` arguments for a process that does not receive this one's Ctrl-C.

    Use `INTERRUPT` to interrupt it, and `kill` to kill it.
    """
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def kill(process: int) -> None:
    """Kill a process started with `starting_apart`, and its group if it has one.

    Raises:
        OSError: If the process has ended.
    """
    if hasattr(os, "killpg"):
        os.killpg(process, signal.SIGKILL)
    else:
        os.kill(process, signal.SIGTERM)


def starting_with(handles: Sequence[int]) -> dict[str, Any]:
    """Return `Popen` arguments for a process that inherits these handles.

    The process does not receive this process's Ctrl-C.
    """
    if sys.platform == "win32":
        for handle in handles:
            os.set_handle_inheritable(handle, True)
        return {
            "startupinfo": subprocess.STARTUPINFO(lpAttributeList={"handle_list": list(handles)}),
            "creationflags": subprocess.CREATE_NEW_PROCESS_GROUP,
        }
    return {"pass_fds": handles, "start_new_session": True}


def close_others(kept: Iterable[int]) -> None:
    """Close all descriptors except the given ones and the standard streams."""
    bounds = [2, *sorted(kept), 1 << 20]
    for low, high in pairwise(bounds):
        if low + 1 < high:
            os.closerange(low + 1, high)


def handle_of(descriptor: int) -> int:
    """Return the handle through which another process can inherit an open file."""
    if sys.platform == "win32":
        return _module("msvcrt").get_osfhandle(descriptor)
    return descriptor


def descriptor_of(handle: int, flags: int) -> int:
    """Return the descriptor of an inherited handle; `flags` as in `os.open`."""
    if sys.platform == "win32":
        return _module("msvcrt").open_osfhandle(handle, flags)
    return handle


def line_of(handle: int) -> connection.Connection:
    """Return the `Connection` for an inherited handle."""
    if sys.platform == "win32":
        return connection.PipeConnection(handle)
    return connection.Connection(handle)
