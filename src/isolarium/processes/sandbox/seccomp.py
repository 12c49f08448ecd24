"""A permanent allow-list of the system calls of this process (seccomp).

The filter is a BPF program (`<linux/filter.h>`, `<linux/seccomp.h>`). It compares the number of
each call with the numbers that `syscalls.py` allows, and checks arguments where needed.
"""

import ctypes
import os
import struct
from collections.abc import Mapping, Set
from errno import ENOSYS, EPERM
from typing import Any, Final

from isolarium.compat import IS_LINUX
from isolarium.processes.sandbox.syscalls import (
    CLONE3,
    COMMON,
    NETWORK,
    Processor,
    Test,
    Tests,
    conditions,
    this_processor,
)

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
