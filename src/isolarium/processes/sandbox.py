"""A permanent sandbox for this process: few files and few system calls.

The process has no terminal and no inherited files.

The available mechanisms depend on the system. `confine` uses all of them and returns a
`Protection`, which lists the mechanisms in force and those that are missing.
"""

import ctypes
import json
import os
import signal
import struct
import sys
import time
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from stat import S_ISDIR
from typing import Any, Final

from isolarium.compat import IS_LINUX, close_others, line_of, resource
from isolarium.processes.readable_paths import DEVICES, Readable, python_paths, readable_beside
from isolarium.processes.rpc import CallServer
from isolarium.processes.seccomp import filter_calls

ENDING_S: Final = 5.0
"""The time limit, in seconds, for joined threads to end."""
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
    """The permissions of a kind of sandboxed process, besides computing and reading.

    Attributes:
        executable_memory: Whether memory may contain code generated at run time, as a compiler needs.
        network: Whether TCP connections are allowed. If the kernel supports it, only `ports` are allowed.
        ports: The allowed ports.
    """

    executable_memory: bool = False
    network: bool = False
    ports: tuple[int, ...] = ()


HEURISTIC_FILE: Final = Profile(executable_memory=True)
"""The profile of a heuristic file, which is compiled in its process."""
JIT: Final = "ISOLARIUM_AGENT_JIT"
"""The environment variable that, if `1`, lets agents generate machine code, as Numba does."""


def explained(text: str) -> str:
    """Return an agent's error, with advice if the sandbox caused the error."""
    if not any(words in text for words in ("executable memory", "executionengine.py")):
        return text
    return f"{text}; set {JIT}=1 to let agents make machine code"


def python_agent() -> Profile:
    """Return the profile of an agent in Python; NumPy and PyTorch need no executable memory."""
    return Profile(executable_memory=os.environ.get(JIT) == "1")


def adapt_torch() -> None:
    """Keep PyTorch, if it is loaded, from making machine code that the sandbox would refuse.

    Convolutions work without it, more slowly.
    """
    torch = sys.modules.get("torch")
    if torch is not None and not python_agent().executable_memory:
        torch.backends.mkldnn.enabled = False


@dataclass(frozen=True)
class Protection:
    """The protection in force for a process.

    Attributes:
        files: Whether it can only use the allowed files (Landlock).
        calls: Whether it can only make the allowed system calls (seccomp).
        network: Whether it cannot use the network.
        processes: Whether it cannot start processes, or send signals to other processes.
        session: Whether it has its own session, without a terminal.
        private_ipc: Whether it has its own System V and POSIX IPC.
        private_disk: Whether its folder is a bounded disk in memory, from which code cannot be mapped.
        landlock: The version of Landlock, 0 for none.
        as_root: Whether it runs as root.
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
        named = {"files": self.files, "network": self.network, "processes": self.processes, "terminal": self.session}
        held = ", ".join(name for name, is_held in named.items() if is_held)
        rest = ", ".join(name for name, is_held in named.items() if not is_held)
        if not held:
            return f"none on {sys.platform}: third-party code can do whatever you can"
        text = f"restricts {held} ({', '.join(means) or 'session only'})"
        return text + (f"; does NOT restrict {rest} here" if rest else "")

    @property
    def warning(self) -> str | None:
        """A warning if the process runs as root, which weakens the protection; otherwise None."""
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
    """Sandbox this process, which must have a single thread, and all its later threads.

    Landlock covers a thread and its descendants. On systems without pidfds there is no supervisor, and a thread watches
    the parent instead; files are therefore not restricted there.

    Args:
        profile: The permissions that the process needs.
        personal: Folders in which the process may read only Python files; see `personal_folders`.
        beside: Folders with third-party code, in which the process may read the paths that `readable_beside` returns.
        readable: Further readable paths, besides those that Python needs; links are not followed.
        scratch: An empty folder that the process may change; it is removed with the process.
        writable: Other folders that the process may change.
        descriptors: Open files to keep, besides the standard streams; by default all.

    Raises:
        RuntimeError: If the process has more than one thread.
    """
    if not IS_LINUX:
        return Protection()
    is_alone = _await_single_thread()
    if descriptors is not None:
        close_others(descriptors)
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
    calls = filter_calls(executable_memory=profile.executable_memory, network=profile.network)
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
"""CAP_DAC_READ_SEARCH, since files may be in folders only their owner can enter."""
_CAPABILITIES_3: Final = 0x20080522


def _await_single_thread() -> bool:
    """Wait until this process has a single thread.

    The kernel ends joined threads a moment after they are joined.

    Returns:
        Whether there is a single thread; False without pidfds, where a thread watches the parent.

    Raises:
        RuntimeError: If other threads remain.
    """
    if not hasattr(os, "pidfd_open"):
        return False
    until = time.monotonic() + ENDING_S
    while len(os.listdir("/proc/self/task")) > 1:  # noqa: PTH208 # only the names matter
        if time.monotonic() > until:
            raise RuntimeError("a process with threads cannot be sandboxed")
        time.sleep(0.001)
    return True


def _leave_streams() -> None:
    """Replace standard streams that are connected to a terminal with /dev/null."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        if os.isatty(stream):
            os.dup2(nothing, stream)
    os.close(nothing)


def _leave_terminal() -> bool:
    """Start a session without a terminal, if needed.

    Return whether this process leads its own session.
    """
    if os.getsid(0) != os.getpid():
        with suppress(OSError):  # Fails if the process leads a group
            os.setsid()
    return os.getsid(0) == os.getpid()


def _limit() -> None:
    for name, most in LIMITS.items():
        kind = getattr(resource, name, None)
        if kind is not None:
            hard = resource.getrlimit(kind)[1]
            least = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (least, least))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # So that exceeding the limit raises an error


def _drop_capabilities(*, reads_any_file: bool) -> None:
    """Drop root's capabilities, except reading the files that Landlock allows."""
    _libc.prctl(_AMBIENT, _CLEAR_ALL, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_3, 0)
    kept = _READ_ANY_FILE if reads_any_file and os.getuid() == 0 else 0
    data = (ctypes.c_uint32 * 6)(kept, kept, 0, 0, 0, 0)
    _libc.capset(header, data)


# Private namespaces: separate IPC objects, and a small disk in memory

DISK_MIB: Final = 256
DISK_FILES: Final = 20_000
_MOUNTS, _IPC, _USER = 0x00020000, 0x08000000, 0x10000000
_NO_SETUID, _NO_DEVICES, _NO_CODE = 0x2, 0x4, 0x8
_RECURSIVE, _PRIVATE = 0x4000, 0x40000


def _unshare() -> bool:
    """Enter private namespaces for mounts and IPC; return whether that was permitted.

    Root may enter them directly, and other users in a user namespace, which some systems forbid.
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
    """Mount an empty disk of bounded size over a folder.

    Its files cannot be mapped as code. This needs a private mount namespace. If the folder is the
    working directory, the disk becomes the working directory.

    Returns:
        Whether the disk is mounted.
    """
    is_inside = Path.cwd() == folder.resolve()
    options = f"size={DISK_MIB}m,nr_inodes={DISK_FILES},mode=700".encode()
    flags = _NO_SETUID | _NO_DEVICES | _NO_CODE
    is_mounted = _libc.mount(b"scratch", os.fsencode(folder), b"tmpfs", flags, options) == 0
    if is_mounted and is_inside:
        os.chdir(folder)
    return bool(is_mounted)


def _write(name: str, text: str) -> None:
    # Not with `Path`: each of these files accepts a single write.
    handle = os.open(f"/proc/self/{name}", os.O_WRONLY)
    try:
        os.write(handle, text.encode())
    finally:
        os.close(handle)


# Landlock: permanent limits on the files that a process may read and write, without root. Every right known to the
# running kernel is revoked, and then granted again for a list of paths (`<linux/landlock.h>`). Rights belong to files
# and folders, not to names: everything in an allowed folder is allowed, but not a file elsewhere that a link leads to.


_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION, _PATH_BENEATH, _NET_PORT = 1, 1, 2

READ_FILE, READ_FOLDER = 1 << 2, 1 << 3
WRITE_FILE, TRUNCATE = 1 << 1, 1 << 14
CHANGE_FOLDER: Final = 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 12 | 1 << 13
"""The rights to remove folders and files, to create folders, files and symbolic links, and to move
entries between folders, but not to create devices or sockets."""
READ: Final = READ_FILE | READ_FOLDER
CHANGE: Final = WRITE_FILE | TRUNCATE | CHANGE_FOLDER
OF_FILES: Final = 1 << 0 | READ_FILE | WRITE_FILE | TRUNCATE | 1 << 15
"""The rights that a rule for a file, rather than a folder, may grant."""
CONNECT_TCP: Final = 1 << 1


def landlock_version() -> int:
    """Return the kernel's version of Landlock, or 0 if it has none."""
    if not IS_LINUX:
        return 0
    found: int = _libc.syscall(_CREATE_RULESET, None, 0, _ASK_VERSION)
    return max(0, found)


def restrict_files(
    readable: Iterable[Path],
    listed: Iterable[Path],
    writable: Iterable[Path],
    devices: Iterable[Path],
    ports: Iterable[int] = (),
) -> bool:
    """Deny this process access to all files except these.

    The process must have a single thread, and needs `PR_SET_NO_NEW_PRIVS`. If the kernel supports
    it, TCP, signals to other processes and abstract sockets are refused too. Paths that do not
    exist are ignored, and links are not followed.

    Args:
        readable: Files and folders that may be read.
        listed: Folders that may only be listed.
        writable: Folders that may be read and changed.
        devices: Files that may be read and written, such as /dev/null.
        ports: TCP ports that may be connected to.

    Returns:
        Whether the restriction is in force.
    """
    version = landlock_version()
    if not version:
        return False
    handled = _known_rights(version)
    fields = [handled, *([0b11] if version >= 4 else []), *([0b11] if version >= 6 else [])]
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    rules: int = _libc.syscall(_CREATE_RULESET, attributes, len(attributes), 0)
    if rules < 0:
        return False
    try:
        for paths, rights in (
            (readable, READ),
            (listed, READ_FOLDER),
            (writable, READ | CHANGE),
            (devices, READ_FILE | WRITE_FILE | TRUNCATE),
        ):
            for path in paths:
                _allow(rules, path, rights & handled)
        for port in ports if version >= 4 else ():
            rule = struct.pack("=QQ", CONNECT_TCP, port)
            _libc.syscall(_ADD_RULE, rules, _NET_PORT, rule, 0)
        return bool(_libc.syscall(_RESTRICT_SELF, rules, 0) == 0)
    finally:
        os.close(rules)


def _known_rights(version: int) -> int:
    """Return all file rights that a version of Landlock knows."""
    newest = 12 + (version >= 2) + (version >= 3) + (version >= 5)
    return (1 << newest + 1) - 1


def _allow(rules: int, path: Path, rights: int) -> None:
    with suppress(OSError):  # A path that does not exist need not be allowed.
        place = os.open(path, os.O_PATH | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            if not S_ISDIR(os.fstat(place).st_mode):
                rights &= OF_FILES
            rule = struct.pack("=Qi", rights, place)
            _libc.syscall(_ADD_RULE, rules, _PATH_BENEATH, rule, 0)
        finally:
            os.close(place)


# Testing the sandbox


def report_protection(handle: int, scratch: str, personal: str) -> None:
    """Enter the sandbox of a Python agent, and report its protection before answering one call."""
    with line_of(handle) as line:
        server = CallServer(line)
        server.receive()
        folders = [Path(folder) for folder in json.loads(personal)]
        protection = confine(python_agent(), personal=folders, scratch=Path(scratch), descriptors=[handle])
        server.send_protection(asdict(protection))
        server.send(done=True)
