"""A permanent allow-list of the system calls of this process (seccomp).

The filter is a BPF program (`<linux/filter.h>`, `<linux/seccomp.h>`). It compares the number of
each call with the numbers in a table, and checks arguments where needed.

The table contains all calls that CPython and NumPy need to compute and to read files. Most calls are allowed with any
arguments; `conditions` returns those that are allowed with certain arguments only. A call that is not in the table
fails with EPERM if its number is known. A call newer than the table fails with ENOSYS, so that the C library falls back
to an older call that the filter understands.
"""

import ctypes
import os
import platform
import struct
from collections.abc import Mapping, Set
from dataclasses import dataclass
from errno import ENOSYS, EPERM
from typing import Any, Final

from isolarium.compat import IS_LINUX

PROCESSOR_OF: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""The kernel's numbers for processors (`AUDIT_ARCH_*`)."""
COMMON: Final = range(424, 470)
"""The numbers shared by all processors, up to the newest that we reviewed."""
CLONE3: Final = 435
"""The number of `clone3`, which is reported as missing.

The filter cannot check its argument, and the C library falls back to `clone`.
"""

_TABLE: Final = """
read 0 63, write 1 64, open 2 -, close 3 57, stat 4 -, fstat 5 80, lstat 6 -, poll 7 -, lseek 8 62, mmap 9 222,
mprotect 10 226, munmap 11 215, brk 12 214, rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigreturn 15 139,
ioctl 16 29, pread64 17 67, pwrite64 18 68, readv 19 65, writev 20 66, access 21 -, pipe 22 -, select 23 -,
sched_yield 24 124, mremap 25 216, msync 26 227, mincore 27 232, madvise 28 233, dup 32 23, dup2 33 -, pause 34 -,
nanosleep 35 101, getitimer 36 102, alarm 37 -, setitimer 38 103, getpid 39 172, sendfile 40 71, socket 41 198,
connect 42 203, sendto 44 206, recvfrom 45 207, sendmsg 46 211, recvmsg 47 212, shutdown 48 210, bind 49 200,
getsockname 51 204, getpeername 52 205, socketpair 53 199, setsockopt 54 208, getsockopt 55 209, clone 56 220,
exit 60 93, kill 62 129, uname 63 160, fcntl 72 25, fsync 74 82, fdatasync 75 83, truncate 76 45, ftruncate 77 46,
getdents 78 -, getcwd 79 17, chdir 80 49, fchdir 81 50, rename 82 -, mkdir 83 -, rmdir 84 -, creat 85 -, link 86 -,
unlink 87 -, symlink 88 -, readlink 89 -, umask 95 166, gettimeofday 96 169, getrlimit 97 163, getrusage 98 165,
sysinfo 99 179, times 100 153, getuid 102 174, getgid 104 176, geteuid 107 175, getegid 108 177, getppid 110 173,
getpgrp 111 -, getgroups 115 158, getresuid 118 148, getresgid 120 150, getpgid 121 155, getsid 124 156,
rt_sigpending 127 136, rt_sigtimedwait 128 137, rt_sigsuspend 130 133, sigaltstack 131 132, statfs 137 43,
fstatfs 138 44, getpriority 140 141, sched_getparam 143 121, sched_getscheduler 145 120,
sched_get_priority_max 146 125, sched_get_priority_min 147 126, sched_rr_get_interval 148 127, prctl 157 167,
arch_prctl 158 -, gettid 186 178, time 201 -, futex 202 98, sched_getaffinity 204 123, epoll_create 213 -,
getdents64 217 61, set_tid_address 218 96, restart_syscall 219 128, fadvise64 221 223, clock_gettime 228 113,
clock_getres 229 114, clock_nanosleep 230 115, exit_group 231 94, epoll_wait 232 -, epoll_ctl 233 21, tgkill 234 131,
openat 257 56, mkdirat 258 34, newfstatat 262 79, unlinkat 263 35, renameat 264 38, linkat 265 37, symlinkat 266 36,
readlinkat 267 78, faccessat 269 48, pselect6 270 72, ppoll 271 73, set_robust_list 273 99, epoll_pwait 281 22,
fallocate 285 47, eventfd2 290 19, epoll_create1 291 20, dup3 292 24, pipe2 293 59, preadv 295 69, pwritev 296 70,
prlimit64 302 261, getcpu 309 168, renameat2 316 276, getrandom 318 278, copy_file_range 326 285, preadv2 327 286,
pwritev2 328 287, statx 332 291, rseq 334 293, close_range 436 436, faccessat2 439 439, epoll_pwait2 441 441,
futex_waitv 449 449, futex_wake 454 454, futex_wait 455 455, futex_requeue 456 456, mseal 462 462
"""
"""The name and the x86-64 and ARM64 numbers of each call; - if there is none."""


@dataclass(frozen=True)
class Processor:
    """A processor that the filter supports.

    Attributes:
        number: The kernel's number for the processor.
        calls: The numbers of the calls in the table, by name.
        own_last: The last number before the range that all processors share.
        seccomp: The number of the call that applies a filter.
    """

    number: int
    calls: Mapping[str, int]
    own_last: int
    seccomp: int


def this_processor() -> Processor | None:
    """Return the processor of this machine, or None if the table does not support it."""
    return _PROCESSORS.get(platform.machine())


def _processor(machine: str, column: int, own_last: int, seccomp: int) -> Processor:
    rows = [row.split() for row in _TABLE.split(",")]
    calls = {row[0]: int(row[column]) for row in rows if row[column] != "-"}
    return Processor(PROCESSOR_OF[machine], calls, own_last, seccomp)


_PROCESSORS: Final = {"x86_64": _processor("x86_64", 1, 334, 317), "aarch64": _processor("aarch64", 2, 293, 277)}


@dataclass(frozen=True)
class Test:
    """A condition on one argument of a system call.

    Attributes:
        argument: The argument's index, from 0.
        values: The allowed values of its low 32 bits, after masking.
        mask: The bits to compare.
        is_wide: Whether the high 32 bits must be zero too; for other arguments the kernel ignores them.
    """

    argument: int
    values: tuple[int, ...]
    mask: int = 0xFFFFFFFF
    is_wide: bool = False


Tests = tuple[Test, ...]
"""Conditions that must all hold."""

# Numbers of <linux/mman.h>, <linux/sched.h>, <linux/fcntl.h>, <linux/prctl.h>, <linux/socket.h>,
# <asm/ioctls.h>

_WRITE, _EXECUTE = 2, 4
_SHARED, _ANONYMOUS = 0x01, 0x20
_PLAIN_MAPPINGS: Final = 0x13D833
"""Flags for shared, private, fixed, anonymous, reserved and prefaulted memory.

Growing, locked and huge memory is excluded, because the limits do not count it.
"""
_THREAD: Final = 0x00010000
_THREAD_FLAGS: Final = 0x007D0F00
"""The flags of `clone` that C libraries use to start threads.

None of them creates a namespace or a process.
"""
_HARMLESS_IOCTLS: Final = (
    *(0x5401, 0x802C542A, 0x5413),  # terminal checks and sizes: TCGETS, TCGETS2, TIOCGWINSZ
    *(0x541B, 0x5421, 0x5450, 0x5451),  # FIONREAD, FIONBIO, FIONCLEX, FIOCLEX
)
_FCNTLS_WITHOUT_LOCKS: Final = (0, 1, 2, 3, 4, 1030, 1032)
"""F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC, F_GETPIPE_SZ."""
_SET_NAME, _GET_NAME = 15, 16
_SIGNALS: Final = tuple(number for number in range(65) if not 18 <= number <= 22)
"""All signals except those that stop and continue a process.

A process must stay stopped between moves."""
_UNIX, _INET, _INET6, _STREAM = 1, 2, 10, 1
_KIND_OF_SOCKET: Final = 0xF

NETWORK: Final = frozenset(
    {
        *("bind", "connect", "getpeername", "getsockname", "getsockopt", "recvmsg", "sendmsg"),
        *("setsockopt", "shutdown", "socket"),
    }
)
"""Calls of a TCP client, which only profiles with a network allow."""


def conditions(own: int, *, executable_memory: bool, network: bool) -> Mapping[str, tuple[Tests, ...]]:
    """Return the calls that are allowed only with certain arguments.

    Each call has a list of alternatives, and is allowed if all tests of one alternative hold.

    Args:
        own: The id of the process itself.
        executable_memory: Whether memory may contain code generated at run time.
        network: Whether TCP connections are allowed.
    """
    itself = (Test(0, (0, own)),)
    not_shared = Test(3, (0, _SHARED, _ANONYMOUS), mask=_SHARED | _ANONYMOUS)
    plain = Test(3, (0,), mask=0xFFFFFFFF & ~_PLAIN_MAPPINGS)
    only_data = Test(2, (0,), mask=_EXECUTE)
    code_of_file = (Test(2, (_EXECUTE,), mask=_EXECUTE | _WRITE), Test(3, (0,), mask=_ANONYMOUS), plain)
    found: dict[str, tuple[Tests, ...]] = {
        "mmap": (((not_shared, plain),) if executable_memory else ((only_data, not_shared, plain), code_of_file)),
        "mprotect": ((),) if executable_memory else ((only_data,),),
        "clone": ((Test(0, (0,), mask=0xFFFFFFFF & ~_THREAD_FLAGS, is_wide=True), Test(0, (_THREAD,), mask=_THREAD)),),
        "ioctl": ((Test(1, _HARMLESS_IOCTLS),),),
        "fcntl": ((Test(1, _FCNTLS_WITHOUT_LOCKS),),),
        "kill": ((Test(0, (own,)), Test(1, _SIGNALS)),),
        "tgkill": ((Test(0, (own,)), Test(2, _SIGNALS)),),
        "prctl": ((Test(0, (_SET_NAME, _GET_NAME)),),),
        "prlimit64": (itself,),  # A limit cannot be raised above its maximum.
        "getpriority": ((Test(0, (0,)), Test(1, (0, own))),),
        "socketpair": ((Test(0, (_UNIX,)), Test(1, (_STREAM,), mask=_KIND_OF_SOCKET)),),
    }
    for name in ("getpgid", "getsid", "sched_getaffinity", "sched_getattr"):
        found[name] = (itself,)
    for name in ("sched_getparam", "sched_getscheduler", "sched_rr_get_interval"):
        found[name] = (itself,)
    if network:
        over_tcp = Test(1, (_STREAM,), mask=_KIND_OF_SOCKET)
        found["socket"] = ((Test(0, (_INET, _INET6)), over_tcp),)
    return found


_libc: Final[Any] = ctypes.CDLL(None, use_errno=True) if IS_LINUX else None
_GET_SECCOMP: Final = 21
_SET_FILTER, _ALL_THREADS = 1, 1

# BPF operations

_LOAD, _AND, _RETURN = 0x20, 0x54, 0x06
_IF_EQUAL, _IF_AT_LEAST = 0x15, 0x35
_ALLOW, _FAIL = 0x7FFF0000, 0x00050000
_CALL_AT, _PROCESSOR_AT, _ARGUMENTS_AT, _ARGUMENT_BYTES = 0, 4, 16, 8
_OTHER_WORD_LENGTH: Final = 0x40000000
"""The bit that marks calls of the x32 interface on x86-64."""

_NEXT: Final = -1
"""A placeholder for a jump to the next alternative at a still unknown distance."""

Step = tuple[int, int, int, int]
"""A BPF instruction: operation, instructions to skip if true and false, operand."""

ALLOW: Final[Step] = (_RETURN, 0, 0, _ALLOW)
REFUSE: Final[Step] = (_RETURN, 0, 0, _FAIL | EPERM)
MISSING: Final[Step] = (_RETURN, 0, 0, _FAIL | ENOSYS)


def is_available() -> bool:
    """Return whether the kernel and our table support filtering system calls."""
    return (
        IS_LINUX
        and ctypes.sizeof(ctypes.c_void_p) == 8
        and this_processor() is not None
        and _libc.prctl(_GET_SECCOMP, 0, 0, 0, 0) >= 0
    )


def filter_calls(*, executable_memory: bool, network: bool) -> bool:
    """Apply the filter to all current and future threads of this process.

    Needs `PR_SET_NO_NEW_PRIVS`.

    Returns:
        Whether the filter is in force.
    """
    processor = this_processor()
    if processor is None or not is_available():
        return False
    on_condition = conditions(os.getpid(), executable_memory=executable_memory, network=network)
    steps = program(processor, processor.calls.keys() - (set() if network else NETWORK), on_condition)
    packed = b"".join(struct.pack("=HBBI", *step) for step in steps)
    buffer = ctypes.create_string_buffer(packed, len(packed))
    described = struct.pack("@HP", len(steps), ctypes.addressof(buffer))
    return bool(_libc.syscall(processor.seccomp, _SET_FILTER, _ALL_THREADS, described) == 0)


def program(processor: Processor, allowed: Set[str], on_condition: Mapping[str, tuple[Tests, ...]]) -> list[Step]:
    """Return the filter as a list of BPF instructions.

    Args:
        processor: The processor that runs the filter.
        allowed: The names of the allowed system calls, which must all be in the processor's table.
        on_condition: The calls that are allowed only with certain arguments, and the conditions on these.
    """
    steps: list[Step] = [
        (_LOAD, 0, 0, _PROCESSOR_AT),
        (_IF_EQUAL, 1, 0, processor.number),
        MISSING,
        (_LOAD, 0, 0, _CALL_AT),
        (_IF_AT_LEAST, 0, 1, _OTHER_WORD_LENGTH),
        MISSING,
        (_IF_EQUAL, 0, 1, CLONE3),
        MISSING,
    ]
    for name in sorted(allowed - on_condition.keys()):
        steps += [(_IF_EQUAL, 0, 1, processor.calls[name]), ALLOW]
    for name in sorted(allowed & on_condition.keys()):
        block = _block(on_condition[name])
        steps += [(_IF_EQUAL, 0, len(block), processor.calls[name]), *block]
    steps += [
        (_IF_AT_LEAST, 0, 1, COMMON.stop),
        MISSING,
        (_IF_AT_LEAST, 2, 0, COMMON.start),
        (_IF_AT_LEAST, 0, 1, processor.own_last + 1),
        MISSING,
        REFUSE,
    ]
    return steps


def _block(alternatives: tuple[Tests, ...]) -> list[Step]:
    """Return the instructions that check the arguments of a call.

    They allow the call if all tests of one alternative hold, and refuse it otherwise.
    """
    steps: list[Step] = []
    for tests in alternatives:
        part = [step for test in tests for step in _steps_of(test)]
        part.append(ALLOW)
        steps += [_with_target(step, len(part) - at - 1) for at, step in enumerate(part)]
    return [*steps, REFUSE]


def _with_target(step: Step, distance: int) -> Step:
    """Resolve a jump to the next alternative, `distance` instructions ahead."""
    operation, if_so, if_not, operand = step
    return operation, if_so, distance if if_not == _NEXT else if_not, operand


def _steps_of(test: Test) -> list[Step]:
    at = _ARGUMENTS_AT + test.argument * _ARGUMENT_BYTES
    steps: list[Step] = []
    if test.is_wide:
        steps += [(_LOAD, 0, 0, at + 4), (_IF_EQUAL, 0, _NEXT, 0)]
    steps.append((_LOAD, 0, 0, at))
    if test.mask != 0xFFFFFFFF:
        steps.append((_AND, 0, 0, test.mask))
    *others, last = test.values
    left = len(others)
    for value in others:
        steps.append((_IF_EQUAL, left, 0, value))
        left -= 1
    steps.append((_IF_EQUAL, 0, _NEXT, last))
    return steps
