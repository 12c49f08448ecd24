"""What differs from one operating system to the next: nothing else in Isolarium asks which one it runs on.

Linux can do everything here. Where a system cannot, the plainest thing that is right is done in its place: all cores
are used, no lock is held, nobody is pinned. What is lost that way is said in docs/how-to/install.md.
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
from multiprocessing import connection
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any, Final


def _module(name: str) -> Any:
    """A module that not every system has; None where it is not."""
    try:
        return import_module(name)
    except ImportError:
        return None


IS_LINUX: Final = sys.platform == "linux"
IS_WINDOWS: Final = os.name == "nt"
fcntl: Final = _module("fcntl")
pwd: Final[Any] = _module("pwd")
resource: Final[Any] = _module("resource") if IS_LINUX else None
"""Limits on what a process takes; other systems have some of them, with other meanings."""
NO_LINKS: Final[int] = getattr(os, "O_NOFOLLOW", 0)
"""Has opening a link fail."""
PATIENT: Final[int] = NO_LINKS | sum(getattr(os, name, 0) for name in ("O_CLOEXEC", "O_BINARY"))
"""How to open a file without following a link; a pipe that nobody writes to is waited for."""
AS_IT_IS: Final[int] = PATIENT | getattr(os, "O_NONBLOCK", 0)
"""How to open a file that anybody may have put there: no link is followed, and no pipe waited for."""
PIECE_BYTES: Final = 1 << 16
"""What is read from a pipe at once, at most."""
INTERRUPTS: Final = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGBREAK") if hasattr(signal, name)
)
"""The signals that ask a command to end in good order: Ctrl-C, and what Windows lets one process send to another."""
INTERRUPT: Final[int] = getattr(signal, "CTRL_BREAK_EVENT", signal.SIGINT)
"""What is sent to another process to ask it that."""
KILLED: Final[int] = -signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM
"""The exit status of a process that `kill` has ended."""


# The machine


def usable_cores() -> list[int]:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(os.getpid()))  # a thread may have been given fewer
    return list(range(os.cpu_count() or 1))


def keep_to(cores: Iterable[int]) -> None:
    """Run this thread, and what it starts, on these cores alone, where that can be had."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)


def load() -> float | None:
    """How many processes wanted a core in the last minute, on average; None where the system does not count them."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def processor_name() -> str:
    """The processor's name, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if "model name" in line]
    return names[0] if names else platform.processor() or platform.machine()


def memory_mb() -> int:
    """What this process has of memory; nothing where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") >> 20


def has_screen() -> bool:
    """Whether a window that is opened can be seen; only Linux says so, others mostly have one."""
    return not IS_LINUX or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def limit_memory(most_bytes: int) -> None:
    """Limit the data memory of this process and its children, on systems that support it."""
    if resource is not None:
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        most = most_bytes if hard == resource.RLIM_INFINITY else min(most_bytes, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def give_way(steps: int) -> None:
    """Let others who want the processor come first."""
    if hasattr(os, "nice"):
        os.nice(steps)


def named(name: str) -> None:
    """Have this process called so in the system's lists, where that can be had."""
    if IS_LINUX:
        set_name = 15
        ctypes.CDLL(None).prctl(set_name, name.encode()[:15], 0, 0, 0)


def processor_clock(process: int | None) -> Callable[[], int] | None:
    """What counts the nanoseconds that another process is at work; None where the system does not tell."""
    if process is None or not IS_LINUX:
        return None
    clock = (~process << 3) | 2  # how Linux numbers the processor-time clocks of processes
    try:
        last_ns = time.clock_gettime_ns(clock)
    except OSError:
        return None

    def read() -> int:
        nonlocal last_ns
        with suppress(OSError):  # once the process has ended, it is where it was
            last_ns = time.clock_gettime_ns(clock)
        return last_ns

    return read


class Pausable:
    """A process that leads a group, which can be stopped for a while, where the system can do that.

    Args:
        number: its number; it must be there, so that no other process can have that number by now.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._handle = os.pidfd_open(number) if hasattr(os, "pidfd_open") else None

    def stop(self) -> None:
        """Stop all threads of the group until it is to go on."""
        self._send("SIGSTOP")

    def resume(self) -> None:
        """Let it go on."""
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
        with suppress(OSError):  # it has ended, or leads no group any more
            if self._handle is not None:  # this process and no other: numbers are given again
                signal.pidfd_send_signal(self._handle, 0)
            os.killpg(self._number, number)


# Files


def lock(file: IO[bytes] | int) -> bool:
    """Hold a file for this process alone until it ends, however it ends; whether nobody else does.

    Where files cannot be held so, nobody is kept from it.
    """
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def pieces_of(descriptor: int) -> "_Polled | _Awaited":
    """What comes from a pipe, in pieces as they come."""
    return _Polled(descriptor) if hasattr(select, "poll") else _Awaited(descriptor)


class _Polled:
    """Reads what there is, once the system says that there is something."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLIN)

    def read(self, seconds: float | None) -> bytes | None:
        """The next bytes, none at the end; None if nothing comes in that time."""
        if not self._poll.poll(None if seconds is None else seconds * 1000):
            return None
        return os.read(self._descriptor, PIECE_BYTES)


class _Awaited:
    """Reads in a thread, where the system does not say: on Windows."""

    def __init__(self, descriptor: int) -> None:
        self._pieces: SimpleQueue[bytes] = SimpleQueue()
        threading.Thread(target=self._read_on, args=[descriptor], daemon=True).start()

    def _read_on(self, descriptor: int) -> None:
        piece = b"."
        while piece:
            piece = b""
            with suppress(OSError):
                piece = os.read(descriptor, PIECE_BYTES)
            self._pieces.put(piece)

    def read(self, seconds: float | None) -> bytes | None:
        """The next bytes, none at the end; None if nothing comes in that time."""
        try:
            return self._pieces.get(timeout=seconds)
        except Empty:
            return None


def is_ours(status: os.stat_result) -> bool:
    """Whether a file belongs to who runs this process; on Windows a home folder's files do."""
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()


def is_closed_to_others(status: os.stat_result) -> bool:
    """Whether nobody else may read or write a file; Windows keeps that elsewhere, and a home folder's are."""
    return IS_WINDOWS or not status.st_mode & 0o077


def sync_names(folder: Path) -> None:
    """Have the names of new files on the disk too, where a folder can be opened for that."""
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
    """Within the block Ctrl-C waits, here and in processes that are started, where it can be made to."""
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
    """Raise an error in the middle of the block, in the main thread, once it has lasted so long, and again after that.

    A signal does it where there is one for it, and breaks off waiting too; elsewhere the next step of Python.
    """
    if not hasattr(signal, "setitimer"):
        with _thrown_after(seconds, again_s, error):
            yield
        return

    def throw(*_: object) -> None:
        raise error

    signal.signal(signal.SIGALRM, throw)
    signal.setitimer(signal.ITIMER_REAL, seconds, again_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@contextmanager
def _thrown_after(seconds: float, again_s: float, error: type[BaseException]) -> Iterator[None]:
    """The same by another thread."""
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
            try:  # one may be on its way until the thread has ended
                is_over.set()
                thrower.join()
                ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, None)
                is_ended = True
            except error:
                pass


def starting_apart() -> dict[str, Any]:
    """How a process is started that does not hear our Ctrl-C; `INTERRUPT` and `kill` are for such."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def kill(process: int) -> None:
    """End a process that was started apart, at once, with what it has started; without groups, that one alone.

    Raises:
        OSError: it has ended.
    """
    if hasattr(os, "killpg"):
        os.killpg(process, signal.SIGKILL)
    else:
        os.kill(process, signal.SIGTERM)


def starting_with(handles: Sequence[int]) -> dict[str, Any]:
    """How `Popen` starts a process that is handed these, and does not hear our Ctrl-C."""
    if sys.platform == "win32":
        for handle in handles:
            os.set_handle_inheritable(handle, True)
        return {
            "startupinfo": subprocess.STARTUPINFO(lpAttributeList={"handle_list": list(handles)}),
            "creationflags": subprocess.CREATE_NEW_PROCESS_GROUP,
        }
    return {"pass_fds": handles, "start_new_session": True}


def handle_of(descriptor: int) -> int:
    """What another process can be handed of an open file."""
    if sys.platform == "win32":
        return _module("msvcrt").get_osfhandle(descriptor)
    return descriptor


def descriptor_of(handle: int, flags: int) -> int:
    """The open file, in the process that was handed it; `flags` as of `os.open`."""
    if sys.platform == "win32":
        return _module("msvcrt").open_osfhandle(handle, flags)
    return handle


def line_of(handle: int) -> connection.Connection:
    """The end of a `Pipe`, in the process that was handed it."""
    if sys.platform == "win32":
        return connection.PipeConnection(handle)
    return connection.Connection(handle)
