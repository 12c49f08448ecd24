"""Tools of an attacker. This text is pasted in front of the attempts, so it imports nothing of the project.

The code of an attempt is the body of a function. It sees everything here, and the facts of the scene in capitals, such
as `OUTSIDE`. Returning means that the attempt succeeded, an exception that it was stopped.
"""

import _thread
import ctypes
import errno
import fcntl
import os
import signal
import socket
import stat
import struct
import sys
import tempfile
import termios
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

__all__ = ["_thread", "fcntl", "socket", "tempfile", "termios", "threading"]  # for attempts

FACTS: dict[str, Any] = {}
PATIENCE_S = 8.0
PAGE = 4096
MACHINE_CODE = {"x86_64": "b82a000000c3", "aarch64": "40058052c0035fd6"}  # return 42
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]


_held: list[object] = []


class Stopped(Exception):  # noqa: N818 # the attempt's outcome, not an error
    """The attempt did not succeed."""


def run_all(facts: dict[str, Any], attempts: Mapping[str, str]) -> None:
    """Run each attempt once in this process, and report on each."""
    report("started", "did", "")  # every time: a log may be cut
    if getattr(sys, "attacked", False):
        return
    sys.attacked = True  # type: ignore[attr-defined]
    FACTS.update(facts)
    for name, code in attempts.items():
        report(name, *outcome(name, code))


def outcome(name: str, code: str) -> tuple[str, str]:
    """Run an attempt: whether it succeeded, and the details."""
    body = "\n".join("    " + line for line in code.strip().splitlines())
    names = {**globals(), **{fact.upper(): value for fact, value in FACTS.items()}, "NAME": name}
    exec(compile(f"def attempt():\n{body}\n", "attempt", "exec"), names)
    try:
        with time_limit():
            return "did", str(names["attempt"]())
    except OSError as error:
        return "stopped", errno.errorcode.get(error.errno or 0, str(error))
    except BaseException as error:
        return "stopped", f"{type(error).__name__}: {error}"


class time_limit:  # noqa: N801 # used like a function
    """Interrupt an attempt that blocks."""

    def __enter__(self) -> None:
        signal.signal(signal.SIGALRM, self._interrupt)
        signal.setitimer(signal.ITIMER_REAL, PATIENCE_S)

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.0)

    def _interrupt(self, *_: object) -> None:
        raise Stopped("blocked")


def report(name: str, outcome: str, detail: str) -> None:
    """Print an outcome as one line that the harness recognises."""
    text = "".join(char if char.isprintable() and char.isascii() else "?" for char in detail)
    with suppress(OSError):
        os.write(2, f"\nATTEMPT|{name}|{outcome}|{text[:300]}|\n".encode())


def call(name: str, *arguments: Any) -> int:
    """Make a system call by name.

    Raises:
        OSError: If the kernel refuses it.
    """
    if name not in FACTS["calls"]:
        raise Stopped(f"this processor has no {name}")
    return raw_call(FACTS["calls"][name], *arguments)


def raw_call(number: int, *arguments: Any) -> int:
    """Make a system call by number.

    Raises:
        OSError: If the kernel refuses it.
    """
    words = [ctypes.c_ulong(a & (1 << 64) - 1) if isinstance(a, int) else a for a in arguments]
    result: int = libc.syscall(ctypes.c_long(number), *words)
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def reached(name: str, *arguments: Any) -> str:
    """Make a system call with arguments that do no harm; any error but a refusal shows that the kernel took it.

    Raises:
        OSError: If the call is refused.
    """
    try:
        return f"{name} returned {call(name, *arguments)}"
    except OSError as error:
        if error.errno in (errno.EPERM, errno.EACCES, errno.ENOSYS):
            raise
        return f"{name} reached the kernel: {errno.errorcode[error.errno or 0]}"


def any_of(*actions: Callable[[], Any]) -> str:
    """Try several ways; succeed if one does.

    Raises:
        Stopped: If all fail.
    """
    failures = []
    for action in actions:
        try:
            return str(action())
        except Exception as error:
            failures.append(str(error))
    raise Stopped("; ".join(failures[:6]) or "nothing to try")


def each(action: Callable[[Any], Any], things: Any) -> str:
    """Try something with each thing; see `any_of`."""
    return any_of(*(lambda thing=thing: action(thing) for thing in things))


def descriptors() -> list[int]:
    """List the open descriptors."""
    return [number for number in range(128) if os.path.lexists(f"/proc/self/fd/{number}")] or [
        number for number in range(128) if _is_open(number)
    ]


def _is_open(number: int) -> bool:
    with suppress(OSError):
        os.fstat(number)
        return True
    return False


def ancestors() -> Iterator[int]:
    """List the processes above this one, as far as they can be seen."""
    process = os.getppid()
    while process > 1:
        yield process
        status = Path(f"/proc/{process}/stat").read_text()
        process = int(status.rpartition(")")[2].split()[1])


def lines() -> list[int]:
    """List the descriptors that lead to the parent."""
    found = [number for number in range(3, 128) if _is_open(number)]
    kinds = (stat.S_ISSOCK, stat.S_ISFIFO)
    return [n for n in found if any(kind(os.fstat(n).st_mode) for kind in kinds)]


def forge(message: bytes) -> None:
    """Write a message on every line to the parent, framed as `multiprocessing` frames it."""
    for line in lines():
        with suppress(OSError):
            os.write(line, struct.pack("!i", len(message)) + message)


def hoard(take: Callable[[int], Any], piece: int = 1 << 26) -> str:
    """Take memory by pieces until it is more than an agent may have.

    Raises:
        Stopped: If there was an end to it before.
    """
    held, total = [], 0
    while total < FACTS["too_much"]:
        try:
            held.append(take(piece))
        except Exception as error:
            raise Stopped(f"{type(error).__name__} after {total >> 20} MiB") from None
        total += piece
    return f"held {total >> 20} MiB"


def is_executable(address: int) -> bool:
    """Whether the kernel lets code run at an address."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        low, high = (int(end, 16) for end in line.split()[0].split("-"))
        if low <= address < high:
            return "x" in line.split()[1]
    return False


def machine_code() -> bytes:
    """Return a function in machine code that returns 42."""
    return bytes.fromhex(MACHINE_CODE[os.uname().machine])


def run_at(address: int, expected: int = 42) -> str:
    """Run machine code.

    Raises:
        Stopped: If it cannot run there.
    """
    if not is_executable(address):
        raise Stopped("the memory is not executable")
    found = ctypes.CFUNCTYPE(ctypes.c_long)(address)()
    if found != expected:
        raise Stopped(f"the code returned {found}")
    return f"machine code returned {found}"


def map_memory(protection: int, flags: int = 0x22, descriptor: int = -1) -> int:
    """Map a page, by the C library's own function.

    Raises:
        OSError: If the kernel refuses it.
    """
    address: int | None = libc.mmap(None, PAGE, protection, flags, descriptor, 0)
    if address in (None, ctypes.c_void_p(-1).value):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    assert address is not None
    return address


def ioctl(descriptor: int, request: int, argument: Any) -> int:
    """Make an ioctl past Python's wrapper, which cuts the request to 32 bits."""
    return call("ioctl", descriptor, request, argument)


def type_text(descriptor: int, text: str, request: int = 0x5412) -> str:
    """Push characters into a terminal's input queue (TIOCSTI)."""
    for char in text.encode():
        ioctl(descriptor, request, ctypes.byref(ctypes.c_char(char)))
    return f"typed {len(text)} characters"


def hold_lock(holder: object) -> None:
    """Keep what holds a lock for the life of this process, and wait until the lock can have been seen."""
    _held.append(holder)
    time.sleep(0.15)
