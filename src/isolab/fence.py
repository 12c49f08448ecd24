"""Shuts this process in for good: what it may write, whom it may reach, and what it may take.

Linux alone can do it, and no root is needed. Landlock keeps all writing to given folders. A filter of system calls
(seccomp) refuses sockets, new processes, signals to others, and changes of what Landlock does not know of, such as a
file's mode. Both hold whatever the process does afterwards, and whatever it becomes. Where the kernel or the processor
is one that we do not know, less is held: `enclose` says what is.
"""

import ctypes
import os
import platform
import signal
import struct
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from errno import ENOSYS, EPERM
from pathlib import Path
from typing import Any, Final

from isolab.system import IS_LINUX, resource

MOST_FILES: Final = 128
MOST_FILE_BYTES: Final = 64 << 20


@dataclass(frozen=True)
class Held:
    """What the process is kept from.

    Attributes:
        writing: to anything but the given folders.
        network: everything; or only TCP, where that is all that can be had.
        processes: starting any, and sending signals to others.
    """

    writing: bool
    network: bool
    processes: bool


def enclose(writable: Iterable[Path]) -> Held:
    """Shut this process in, and all threads that it will start; it must not have any yet.

    Args:
        writable: the folders in which it may write.
    """
    if not IS_LINUX:
        return Held(writing=False, network=False, processes=False)
    resource.setrlimit(resource.RLIMIT_NOFILE, (MOST_FILES, MOST_FILES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_FILE_BYTES, MOST_FILE_BYTES))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # so that it is an error that can be told
    _libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    abi = _landlock_abi()
    writing = abi >= 1 and _restrict_writing(abi, writable)
    filtered = _filter_calls()
    return Held(writing, network=filtered or (writing and abi >= 4), processes=filtered)


_libc: Final[Any] = ctypes.CDLL(None, use_errno=True) if IS_LINUX else None
_NO_NEW_PRIVILEGES: Final = 38

# Landlock: numbers of <linux/landlock.h>, the same on every processor

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION, _PATH_BENEATH = 1, 1
_WRITE_FILE, _REFER, _TRUNCATE = 1 << 1, 1 << 13, 1 << 14
_WRITES: Final = _WRITE_FILE | sum(1 << bit for bit in range(4, 13))  # removing and making anything
_TCP: Final = 0b11
_SIGNALS_AND_ABSTRACT_SOCKETS: Final = 0b11


def _landlock_abi() -> int:
    """Which Landlock there is; 0 or less if there is none."""
    found: int = _libc.syscall(_CREATE_RULESET, None, 0, _VERSION)
    return found


def _restrict_writing(abi: int, writable: Iterable[Path]) -> bool:
    writes = _WRITES | (_REFER if abi >= 2 else 0) | (_TRUNCATE if abi >= 3 else 0)
    fields = [writes]
    if abi >= 4:
        fields.append(_TCP)
    if abi >= 6:
        fields.append(_SIGNALS_AND_ABSTRACT_SOCKETS)
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    rules = _libc.syscall(_CREATE_RULESET, attributes, len(attributes), 0)
    if rules < 0:
        return False
    try:
        for folder in writable:
            _allow(rules, folder, writes)
        _allow(rules, Path(os.devnull), writes & (_WRITE_FILE | _TRUNCATE))
        return bool(_libc.syscall(_RESTRICT_SELF, rules, 0) == 0)
    finally:
        os.close(rules)


def _allow(rules: int, path: Path, access: int) -> None:
    with suppress(OSError):  # what is not there need not be allowed
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            _libc.syscall(_ADD_RULE, rules, _PATH_BENEATH, struct.pack("=Qi", access, place), 0)
        finally:
            os.close(place)


# The filter of system calls: a program for the kernel, in the words of <linux/filter.h> and <linux/seccomp.h>

_SET_FILTER, _MODE_FILTER = 22, 2
_LOAD, _IF_EQUAL, _IF_LEAST, _IF_ANY_BIT, _ANSWER = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_CALL, _PROCESSOR = 0, 4
_FIRST, _SECOND_BYTES = 16, 8  # where the arguments are: eight bytes each
_THREAD: Final = 0x00010000  # among the flags of clone


@dataclass(frozen=True)
class _Numbers:
    """A processor, by the number that the kernel knows it by, and its system calls.

    Attributes:
        processor: the number.
        refused: those that are never allowed.
        clone: allowed for threads.
        to_itself: those whose first argument must be the process's own number.
        prlimit: allowed for asking, of oneself.
    """

    processor: int
    refused: tuple[int, ...]
    clone: int
    to_itself: tuple[int, ...]
    prlimit: int


_EVERYWHERE: Final = (424, 425, 434, 438, 452, 463, 464, 466)
"""pidfd_send_signal, io_uring_setup, pidfd_open, pidfd_getfd, fchmodat2, setxattrat, and what is like it."""
_CLONE3: Final = 435
_KNOWN: Final = {
    "x86_64": _Numbers(
        processor=0xC000003E,
        refused=(
            *(41, 57, 58),  # socket, fork, vfork
            *(90, 91, 92, 93, 94, 260, 268),  # modes and owners of files
            *(132, 235, 261, 280),  # times of files
            *(188, 189, 190, 197, 198, 199),  # attributes of files
            *(101, 129, 200, 297, 310, 311),  # ptrace, signals to others, their memory
            *(160, 165, 166, 272, 308),  # setrlimit, mounts, namespaces
            *(248, 249, 250, 298, 321, 323),  # keys, and what else only a kernel's friend needs
        ),
        clone=56,
        to_itself=(62, 234),
        prlimit=302,
    ),
    "aarch64": _Numbers(
        processor=0xC00000B7,
        refused=(
            198,
            *(52, 53, 54, 55),
            88,
            *(5, 6, 7, 14, 15, 16),
            *(117, 130, 138, 240, 270, 271),
            *(164, 39, 40, 97, 268),
            *(217, 218, 219, 241, 280, 282),
        ),
        clone=220,
        to_itself=(129, 131),
        prlimit=261,
    ),
}


def _filter_calls() -> bool:
    """Have the kernel refuse what a process that is shut in has no business with; whether it does."""
    numbers = _KNOWN.get(platform.machine())
    if numbers is None or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    steps = b"".join(struct.pack("=HBBI", *step) for step in _program(numbers, os.getpid()))
    buffer = ctypes.create_string_buffer(steps, len(steps))
    program = struct.pack("@HP", len(steps) // 8, ctypes.addressof(buffer))
    return bool(_libc.prctl(_SET_FILTER, _MODE_FILTER, program, 0, 0) == 0)


def _program(numbers: _Numbers, own: int) -> list[tuple[int, int, int, int]]:
    """The filter: each step is what to do, how far to jump if it holds and if not, and with which number."""
    refuse = (_ANSWER, 0, 0, _REFUSE | EPERM)
    allow = (_ANSWER, 0, 0, _ALLOW)
    unknown = (_ANSWER, 0, 0, _REFUSE | ENOSYS)  # so that the C library does it the older way
    steps = [
        (_LOAD, 0, 0, _PROCESSOR),
        (_IF_EQUAL, 1, 0, numbers.processor),
        unknown,
        (_LOAD, 0, 0, _CALL),
        (_IF_LEAST, 0, 1, 0x40000000),  # a second way to call, of another word length
        unknown,
        (_IF_EQUAL, 0, 1, _CLONE3),
        unknown,
    ]
    for call in (*numbers.refused, *_EVERYWHERE):
        steps += [(_IF_EQUAL, 0, 1, call), refuse]
    steps += [
        (_IF_EQUAL, 0, 4, numbers.clone),
        (_LOAD, 0, 0, _FIRST),
        (_IF_ANY_BIT, 0, 1, _THREAD),
        allow,
        refuse,
    ]
    for call in numbers.to_itself:
        steps += [
            (_IF_EQUAL, 0, 4, call),
            (_LOAD, 0, 0, _FIRST),
            (_IF_EQUAL, 0, 1, own),
            allow,
            refuse,
        ]
    asked = _FIRST + 2 * _SECOND_BYTES
    steps += [
        (_IF_EQUAL, 0, 6, numbers.prlimit),
        (_LOAD, 0, 0, asked),
        (_IF_EQUAL, 0, 3, 0),
        (_LOAD, 0, 0, asked + 4),
        (_IF_EQUAL, 0, 1, 0),
        allow,
        refuse,
        allow,
    ]
    return steps
