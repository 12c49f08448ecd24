"""Confines this process for good: no terminal, no inherited files, few system calls, few files.

What can be had depends on the system. `confine` takes all that there is and returns a `Protection`, which says what is
in force and what is not.
"""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from isolarium.compat import IS_LINUX, resource
from isolarium.processes.sandbox.landlock import landlock_version, restrict_files
from isolarium.processes.sandbox.namespaces import mount_disk, unshare
from isolarium.processes.sandbox.readable import DEVICES, Readable, python_paths, readable_beside
from isolarium.processes.sandbox.seccomp import filter_calls

ENDING_S: Final = 5.0
"""How long threads may take to end that have nothing more to do."""
MOST_FILES: Final = 128
MOST_FILE_BYTES: Final = 64 << 20
LIMITS: Final = {
    "RLIMIT_NOFILE": MOST_FILES,
    "RLIMIT_FSIZE": MOST_FILE_BYTES,
    "RLIMIT_MEMLOCK": 0,
    "RLIMIT_MSGQUEUE": 0,
    "RLIMIT_RTPRIO": 0,
    "RLIMIT_CORE": 0,
}


@dataclass(frozen=True)
class Profile:
    """What a kind of sandboxed process needs beside computing and reading.

    Attributes:
        executable_memory: memory that holds code made at run time, as a compiler does.
        network: connections over TCP, to `ports` where the kernel can tell them apart.
        ports: those.
    """

    executable_memory: bool = False
    network: bool = False
    ports: tuple[int, ...] = ()


HEURISTIC_FILE: Final = Profile(executable_memory=True)
"""A file with a heuristic, which is compiled in its process."""
JIT: Final = "ISOLARIUM_AGENT_JIT"
"""The variable that lets agents make machine code at run time, as Numba does: `1` for yes."""


def explained(text: str) -> str:
    """Return what went wrong in an agent, with what to do about it where that is the sandbox's doing."""
    if not any(words in text for words in ("executable memory", "executionengine.py")):
        return text
    return f"{text}; agents make no machine code unless {JIT}=1 is set"


def python_agent() -> Profile:
    """Return the profile of an agent in Python; NumPy and PyTorch work without making code of their own."""
    return Profile(executable_memory=os.environ.get(JIT) == "1")


@dataclass(frozen=True)
class Protection:
    """What is in force for a process.

    Attributes:
        files: it reads and writes nothing but what was given (Landlock).
        calls: it makes none but the allowed system calls (seccomp).
        network: it reaches none.
        processes: it starts none, and sends signals to none but itself.
        session: it has a session of its own, without a terminal.
        private_ipc: System V and POSIX IPC are its own.
        private_disk: its own folder is a disk in memory, bounded in size, from which no code can be mapped.
        landlock: the version of Landlock, 0 for none.
        as_root: it runs as root.
    """

    files: bool = False
    calls: bool = False
    network: bool = False
    processes: bool = False
    session: bool = False
    private_ipc: bool = False
    private_disk: bool = False
    landlock: int = 0
    as_root: bool = False

    @property
    def line(self) -> str:
        """What is in force, in one line."""
        means = [f"Landlock {self.landlock}"] if self.files else []
        means += ["seccomp"] if self.calls else []
        named = {
            "files": self.files,
            "network": self.network,
            "processes": self.processes,
            "terminal": self.session,
        }
        held = ", ".join(name for name, is_held in named.items() if is_held)
        rest = ", ".join(name for name, is_held in named.items() if not is_held)
        if not held:
            return f"none on {sys.platform}: third-party code can do whatever you can"
        told = f"restricts {held} ({', '.join(means) or 'session only'})"
        return told + (f"; does NOT restrict {rest} here" if rest else "")

    @property
    def warning(self) -> str | None:
        """What is weaker because the process runs as root; None if it does not."""
        if not self.as_root:
            return None
        missing = "" if self.files else ", every file of this machine can be read and changed"
        return (
            "running as root: third-party code keeps the user id of root, so a hole in the sandbox is a hole in the "
            f"whole machine, and files of all users count as yours{missing}; use an ordinary account"
        )


def confine(
    profile: Profile,
    *,
    personal: Collection[Path] = (),
    beside: Iterable[Path] = (),
    readable: Iterable[Path] = (),
    scratch: Path | None = None,
    writable: Sequence[Path] = (),
    descriptors: Iterable[int] | None = None,
) -> Protection:
    """Confine this process, and all threads that it will start; it must have a single one.

    Landlock holds a thread and what that starts. Where there is no supervisor, on systems without pidfds, a thread of
    ours watches the parent: so files are not held there.

    Args:
        profile: what it needs.
        personal: folders of which it may read nothing but Python files; see `personal_folders`.
        beside: folders with somebody's code, of which it may read what `readable_beside` says.
        readable: what else it may read, beside what Python needs; links are not followed.
        scratch: an empty folder of its own, which it may change, and which goes with it.
        writable: other folders that it may change.
        descriptors: open files that it keeps, beside its streams; all, if none are named.

    Raises:
        RuntimeError: If it has more than one thread.
    """
    if not IS_LINUX:
        return Protection()
    is_alone = _await_single_thread()
    if descriptors is not None:
        _close_others(descriptors)
    _leave_streams()
    session = _leave_terminal()
    _limit()
    found = python_paths(personal) + Readable(list(readable), [])
    for folder in beside:
        found += readable_beside(folder, personal)
    has_namespaces = unshare()
    has_disk = has_namespaces and scratch is not None and mount_disk(scratch)
    _libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    version = landlock_version()
    changed = [*writable, *([] if scratch is None else [scratch])]
    files = restrict_files(found.whole, found.listed, changed, DEVICES, profile.ports)
    _drop_capabilities(reads_any_file=files)
    calls = filter_calls(
        executable_memory=profile.executable_memory,
        network=profile.network,
    )
    return Protection(
        files=files and is_alone,
        calls=calls,
        network=(calls or version >= 4) and not profile.network,
        processes=calls,
        session=session,
        private_ipc=has_namespaces,
        private_disk=has_disk,
        landlock=version if files else 0,
        as_root=os.getuid() == 0,
    )


_libc: Final[Any] = ctypes.CDLL(None, use_errno=True) if IS_LINUX else None
_NO_NEW_PRIVILEGES: Final = 38
_AMBIENT, _CLEAR_ALL = 47, 4
_READ_ANY_FILE: Final = 1 << 2
"""CAP_DAC_READ_SEARCH: files and an installation of Python may lie in a folder that only its owner can enter."""
_CAPABILITIES_3: Final = 0x20080522


def _await_single_thread() -> bool:
    """Wait until threads that have been joined are gone, which the kernel ends a moment later; whether all are.

    Raises:
        RuntimeError: If one is left that should not be there.
    """
    if not hasattr(os, "pidfd_open"):
        return False
    until = time.monotonic() + ENDING_S
    while len(os.listdir("/proc/self/task")) > 1:  # noqa: PTH208 # their names alone matter
        if time.monotonic() > until:
            raise RuntimeError("a process with threads cannot be sandboxed")
        time.sleep(0.001)
    return True


def _close_others(kept: Iterable[int]) -> None:
    """Close every descriptor but these and the streams."""
    bounds = [2, *sorted(kept), 1 << 20]
    for low, high in pairwise(bounds):
        if low + 1 < high:
            os.closerange(low + 1, high)


def _leave_streams() -> None:
    """Put nothing in the place of streams that are a terminal."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        if os.isatty(stream):
            os.dup2(nothing, stream)
    os.close(nothing)


def _leave_terminal() -> bool:
    """Begin a session without a terminal, if that has not been done; whether this process leads its own."""
    if os.getsid(0) != os.getpid():
        with suppress(OSError):  # it leads a group, as a process that was not started by us may
            os.setsid()
    return os.getsid(0) == os.getpid()


def _limit() -> None:
    for name, most in LIMITS.items():
        kind = getattr(resource, name, None)
        if kind is not None:
            hard = resource.getrlimit(kind)[1]
            least = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (least, least))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # so that it is an error in the code


def _drop_capabilities(*, reads_any_file: bool) -> None:
    """Give up what root may do beyond an ordinary user, but for reading the files that Landlock leaves."""
    _libc.prctl(_AMBIENT, _CLEAR_ALL, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_3, 0)
    kept = _READ_ANY_FILE if reads_any_file and os.getuid() == 0 else 0
    data = (ctypes.c_uint32 * 6)(kept, kept, 0, 0, 0, 0)
    _libc.capset(header, data)
