"""Puts this process into a sandbox, permanently: no terminal, no inherited files, few system calls, few files.

What is available depends on the system. `confine` uses all of it and returns a `Protection`, which lists what is in
force and what is not.
"""

import ctypes
import json
import os
import signal
import sys
import time
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from isolarium.compat import IS_LINUX, line_of, resource
from isolarium.processes.rpc import CallServer
from isolarium.processes.sandbox.landlock import landlock_version, restrict_files
from isolarium.processes.sandbox.readable import DEVICES, Readable, python_paths, readable_beside
from isolarium.processes.sandbox.seccomp import filter_calls

ENDING_S: Final = 5.0
"""How long threads that are already joined may take to end."""
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
    """The permissions that a kind of sandboxed process needs besides computing and reading.

    Attributes:
        executable_memory: Memory for code generated at run time, which a compiler needs.
        network: TCP connections, limited to `ports` where the kernel supports that.
        ports: The ports.
    """

    executable_memory: bool = False
    network: bool = False
    ports: tuple[int, ...] = ()


HEURISTIC_FILE: Final = Profile(executable_memory=True)
"""A file with a heuristic, which is compiled in its process."""
JIT: Final = "ISOLARIUM_AGENT_JIT"
"""The variable that lets agents make machine code at run time, as Numba does, if it is `1`."""


def explained(text: str) -> str:
    """Describe an agent's error and, if the sandbox caused it, what to do about it."""
    if not any(words in text for words in ("executable memory", "executionengine.py")):
        return text
    return f"{text}; set {JIT}=1 to let agents make machine code"


def python_agent() -> Profile:
    """Return the profile of an agent in Python; NumPy and PyTorch need no executable memory."""
    return Profile(executable_memory=os.environ.get(JIT) == "1")


@dataclass(frozen=True)
class Protection:
    """The protection in force for a process.

    Attributes:
        files: It can only read and write the files it was given (Landlock).
        calls: It can only make the allowed system calls (seccomp).
        network: It cannot use the network.
        processes: It cannot start processes, or send signals to other processes.
        session: It has a session of its own, without a terminal.
        private_ipc: It has its own System V and POSIX IPC.
        private_disk: Its folder is a bounded disk in memory, from which no code can be mapped.
        landlock: The version of Landlock, 0 for none.
        as_root: It runs as root.
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
        """The protection in force, in one line."""
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
        text = f"restricts {held} ({', '.join(means) or 'session only'})"
        return text + (f"; does NOT restrict {rest} here" if rest else "")

    @property
    def warning(self) -> str | None:
        """A warning about the weaker protection of a process that runs as root; None for other users."""
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
    """Sandbox this process and all threads that it will start; it must have a single thread now.

    Landlock covers a thread and its descendants. On systems without pidfds there is no supervisor, and one of our
    threads watches the parent; files are therefore not restricted there.

    Args:
        profile: The permissions that it needs.
        personal: Folders of which it may read only Python files; see `personal_folders`.
        beside: Folders with third-party code, of which it may read what `readable_beside` returns.
        readable: Further paths that it may read, besides those that Python needs; links are not followed.
        scratch: An empty folder of its own that it may change, removed with it.
        writable: Other folders that it may change.
        descriptors: Open files that it keeps, besides its streams; by default all.

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
    has_namespaces = _unshare()
    has_disk = has_namespaces and scratch is not None and _mount_disk(scratch)
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
    """Wait until this process has a single thread: the kernel ends joined threads a moment later.

    Returns:
        Whether there is a single thread; False without pidfds, where one of our threads watches the parent.

    Raises:
        RuntimeError: If other threads remain.
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
    """Close all descriptors except these and the standard streams."""
    bounds = [2, *sorted(kept), 1 << 20]
    for low, high in pairwise(bounds):
        if low + 1 < high:
            os.closerange(low + 1, high)


def _leave_streams() -> None:
    """Replace standard streams that are a terminal by /dev/null."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        if os.isatty(stream):
            os.dup2(nothing, stream)
    os.close(nothing)


def _leave_terminal() -> bool:
    """Start a session without a terminal if needed; return whether this process leads its own session."""
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
    """Drop the capabilities of root, except reading the files that Landlock allows."""
    _libc.prctl(_AMBIENT, _CLEAR_ALL, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_3, 0)
    kept = _READ_ANY_FILE if reads_any_file and os.getuid() == 0 else 0
    data = (ctypes.c_uint32 * 6)(kept, kept, 0, 0, 0, 0)
    _libc.capset(header, data)


# Private namespaces: IPC objects of its own, and a small disk in memory

DISK_MIB: Final = 256
DISK_FILES: Final = 20_000
_MOUNTS, _IPC, _USER = 0x00020000, 0x08000000, 0x10000000
_NO_SETUID, _NO_DEVICES, _NO_CODE = 0x2, 0x4, 0x8
_RECURSIVE, _PRIVATE = 0x4000, 0x40000


def _unshare() -> bool:
    """Enter private namespaces for mounts and IPC; return whether that was permitted.

    Root may; an ordinary user may in a user namespace, which some systems forbid.
    """
    user, group = os.getuid(), os.getgid()
    if _libc.unshare(_MOUNTS | _IPC) == 0:
        return bool(_libc.mount(None, b"/", None, _RECURSIVE | _PRIVATE, None) == 0)
    if _libc.unshare(_USER | _MOUNTS | _IPC) != 0:
        return False
    with suppress(OSError):
        _write("setgroups", "deny")
        _write("uid_map", f"{user} {user} 1")
        _write("gid_map", f"{group} {group} 1")
    return os.getuid() == user


def _mount_disk(folder: Path) -> bool:
    """Mount an empty disk over a folder, bounded in size, whose files cannot be mapped as code.

    Needs a private mount namespace. If the folder is the working directory, the disk becomes the working directory.

    Returns:
        Whether it is mounted.
    """
    is_inside = Path.cwd() == folder.resolve()
    options = f"size={DISK_MIB}m,nr_inodes={DISK_FILES},mode=700".encode()
    flags = _NO_SETUID | _NO_DEVICES | _NO_CODE
    is_mounted = _libc.mount(b"scratch", os.fsencode(folder), b"tmpfs", flags, options) == 0
    if is_mounted and is_inside:
        os.chdir(folder)
    return bool(is_mounted)


def _write(name: str, text: str) -> None:
    # Not through `Path`: each of these files takes a single write.
    handle = os.open(f"/proc/self/{name}", os.O_WRONLY)
    try:
        os.write(handle, text.encode())
    finally:
        os.close(handle)


# Testing it


def report_protection(handle: int, scratch: str, personal: str) -> None:
    """Enter the sandbox of a Python agent, and report its protection before answering one call."""
    with line_of(handle) as line:
        server = CallServer(line)
        server.receive()
        folders = [Path(folder) for folder in json.loads(personal)]
        protection = confine(
            python_agent(), personal=folders, scratch=Path(scratch), descriptors=[handle]
        )
        server.send_protection(asdict(protection))
        server.send(done=True)
