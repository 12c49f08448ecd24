"""What differs from one operating system to the next: nothing else in Isolab asks which one it runs on.

Linux can do everything here. Where a system cannot, the plainest thing that is right is done in its place: all cores
are used, no lock is held, nobody is pinned. What is lost that way is said in docs/systems.md.
"""

import ctypes
import os
import platform
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any, Final


def _module(name: str) -> Any:
    """A module that not every system has; None where it is not."""
    try:
        return import_module(name)
    except ImportError:
        return None


fcntl: Final = _module("fcntl")
resource: Final = _module("resource")
IS_LINUX: Final = sys.platform == "linux"
IS_WINDOWS: Final = os.name == "nt"


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


def give_way(steps: int) -> None:
    """Let others who want the processor come first."""
    if hasattr(os, "nice"):
        os.nice(steps)


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


def is_ours(status: os.stat_result) -> bool:
    """Whether a file belongs to who runs this process; on Windows a home folder's files do."""
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()


def is_closed_to_others(status: os.stat_result) -> bool:
    """Whether nobody else may read or write a file; Windows keeps that elsewhere, and a home folder's are."""
    return IS_WINDOWS or not status.st_mode & 0o077


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

    def throw() -> None:
        patience_s = seconds
        while not is_over.wait(patience_s):
            ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(error))
            patience_s = again_s

    thrower: threading.Thread | None = threading.Thread(target=throw, daemon=True)
    try:
        thrower.start()
        yield
    finally:
        while thrower is not None:
            try:  # one may be on its way until the thread has ended
                is_over.set()
                thrower.join()
                ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, None)
                thrower = None
            except error:
                pass


def starting_with(handles: Sequence[int]) -> dict[str, Any]:
    """How `Popen` starts a process that is handed these, and does not hear our Ctrl-C."""
    if sys.platform == "win32":
        for handle in handles:
            os.set_handle_inheritable(handle, True)
        return {
            "startupinfo": subprocess.STARTUPINFO(lpAttributeList={"handle_list": list(handles)}),
            "creationflags": subprocess.CREATE_NEW_PROCESS_GROUP,
        }
    return {"pass_fds": handles, "process_group": 0}
