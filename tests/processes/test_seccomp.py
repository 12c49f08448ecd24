"""The filter of system calls decides as its table says; a slow interpreter of the kernel's language runs it here."""

from errno import ENOSYS, EPERM

import pytest

from isolarium.processes.seccomp import _PROCESSORS, ALLOW, NETWORK, REFUSE, Processor, Step, conditions, program

OWN = 4711
KILLED_BY_NOTHING = 0x7FFF0000
FAILS = 0x00050000
HIGH = 1 << 32

PROCESSORS = pytest.mark.parametrize("processor", _PROCESSORS.values(), ids=_PROCESSORS.keys())


def decide(steps: list[Step], processor: int, call: int, arguments: tuple[int, ...]) -> int:
    """Return what the filter answers, step by step."""
    data = {0: call, 4: processor}
    for number in range(6):
        value = arguments[number] if number < len(arguments) else 0
        data[16 + 8 * number] = value & 0xFFFFFFFF
        data[20 + 8 * number] = value >> 32 & 0xFFFFFFFF
    accumulator, at = 0, 0
    while True:
        operation, if_so, if_not, operand = steps[at]
        assert 0 <= if_so < 256
        assert 0 <= if_not < 256
        at += 1
        if operation == 0x20:
            accumulator = data[operand]
        elif operation == 0x54:
            accumulator &= operand
        elif operation == 0x15:
            at += if_so if accumulator == operand else if_not
        elif operation == 0x35:
            at += if_so if accumulator >= operand else if_not
        else:
            assert operation == 0x06
            return operand


def outcome(processor: Processor, call: str | int, *arguments: int, jit: bool = False, network: bool = False) -> str:
    """Return `allowed`, or the error that a call fails with."""
    allowed = processor.calls.keys() - (set() if network else NETWORK)
    on_condition = conditions(OWN, executable_memory=jit, network=network)
    number = processor.calls[call] if isinstance(call, str) else call
    found = decide(program(processor, allowed, on_condition), processor.number, number, tuple(arguments))
    errors = {FAILS | EPERM: "EPERM", FAILS | ENOSYS: "ENOSYS", KILLED_BY_NOTHING: "allowed"}
    return errors[found]


READ, WRITE, EXECUTE = 1, 2, 4
SHARED, PRIVATE, ANONYMOUS = 1, 2, 0x20
THREAD = 0x3D0F00
CASES: dict[str, tuple[str, tuple[int, ...], str]] = {
    "read": ("read", (0, 0, 10), "allowed"),
    "kill itself": ("kill", (OWN, 9), "allowed"),
    "continue itself": ("kill", (OWN, 18), "EPERM"),
    "stop itself": ("kill", (OWN, 19), "EPERM"),
    "continue a thread of its own": ("tgkill", (OWN, OWN, 18), "EPERM"),
    "a real-time signal to itself": ("kill", (OWN, 64), "allowed"),
    "kill another": ("kill", (1, 9), "EPERM"),
    "kill everybody": ("kill", (0xFFFFFFFF, 9), "EPERM"),
    "kill its group": ("kill", (0, 9), "EPERM"),
    "a signal to a thread of another": ("tgkill", (1, 1, 9), "EPERM"),
    "start a thread": ("clone", (THREAD,), "allowed"),
    "start a process": ("clone", (17,), "EPERM"),
    "a thread with a namespace": ("clone", (THREAD | 0x00020000,), "EPERM"),
    "a thread with more flags above": ("clone", (THREAD | HIGH,), "EPERM"),
    "is it a terminal": ("ioctl", (0, 0x5401), "allowed"),
    "type into a terminal": ("ioctl", (0, 0x5412), "EPERM"),
    "type, with bits that the kernel ignores": ("ioctl", (0, 0x5412 | HIGH), "EPERM"),
    "paste into a console": ("ioctl", (0, 0x541C), "EPERM"),
    "change a file's flags": ("ioctl", (3, 0x40086602), "EPERM"),
    "take a terminal": ("ioctl", (0, 0x540E), "EPERM"),
    "duplicate a descriptor": ("fcntl", (3, 1030), "allowed"),
    "lock a file": ("fcntl", (3, 6), "EPERM"),
    "wait for a lock": ("fcntl", (3, 7), "EPERM"),
    "lock an open file": ("fcntl", (3, 37), "EPERM"),
    "lease a file": ("fcntl", (3, 1024), "EPERM"),
    "have signals sent": ("fcntl", (3, 8), "EPERM"),
    "memory": ("mmap", (0, 4096, READ | WRITE, PRIVATE | ANONYMOUS), "allowed"),
    "a file in memory": ("mmap", (0, 4096, READ, SHARED), "allowed"),
    "code of a library": ("mmap", (0, 4096, READ | EXECUTE, PRIVATE), "allowed"),
    "code of its own": ("mmap", (0, 4096, READ | EXECUTE, PRIVATE | ANONYMOUS), "EPERM"),
    "code of a file, to be changed": ("mmap", (0, 4096, WRITE | EXECUTE, PRIVATE), "EPERM"),
    "memory that grows like a stack": ("mmap", (0, 4096, WRITE, PRIVATE | ANONYMOUS | 0x100), "EPERM"),
    "locked memory": ("mmap", (0, 4096, WRITE, PRIVATE | ANONYMOUS | 0x2000), "EPERM"),
    "huge pages": ("mmap", (0, 4096, WRITE, PRIVATE | ANONYMOUS | 0x40000), "EPERM"),
    "a thread's stack": ("mmap", (0, 4096, WRITE, PRIVATE | ANONYMOUS | 0x20000 | 0x4000), "allowed"),
    "memory at an address": ("mmap", (0, 4096, WRITE, PRIVATE | ANONYMOUS | 0x100010), "allowed"),
    "memory that no limit counts": ("mmap", (0, 4096, WRITE, SHARED | ANONYMOUS), "EPERM"),
    "the same by another flag": ("mmap", (0, 4096, WRITE, 3 | ANONYMOUS), "EPERM"),
    "make memory readable": ("mprotect", (0, 4096, READ), "allowed"),
    "make memory executable": ("mprotect", (0, 4096, READ | EXECUTE), "EPERM"),
    "its own limits": ("prlimit64", (0, 7), "allowed"),
    "another's limits": ("prlimit64", (1, 7), "EPERM"),
    "its own cores": ("sched_getaffinity", (OWN,), "allowed"),
    "another's cores": ("sched_getaffinity", (1,), "EPERM"),
    "its own priority": ("getpriority", (0, 0), "allowed"),
    "a group's priority": ("getpriority", (1, 0), "EPERM"),
    "a pair of sockets": ("socketpair", (1, 1 | 0o2000000), "allowed"),
    "a pair that can name others": ("socketpair", (1, 2), "EPERM"),
    "a socket": ("socket", (2, 1), "EPERM"),
    "connect": ("connect", (3,), "EPERM"),
    "name itself": ("prctl", (15,), "allowed"),
    "be traced": ("prctl", (0x59616D61,), "EPERM"),
    "keep capabilities": ("prctl", (8,), "EPERM"),
}


@PROCESSORS
@pytest.mark.parametrize(("call", "arguments", "expected"), CASES.values(), ids=CASES.keys())
def test_each_call_is_decided_by_its_arguments(
    processor: Processor, call: str, arguments: tuple[int, ...], expected: str
) -> None:
    assert outcome(processor, call, *arguments) == expected


@PROCESSORS
def test_calls_that_are_not_in_the_table_are_refused_and_new_ones_are_missing(processor: Processor) -> None:
    calls = set(processor.calls.values()) | {435}
    for call in range(processor.own_last + 1):
        assert call in calls or outcome(processor, call) == "EPERM"
    for call in range(processor.own_last + 1, 424):
        assert outcome(processor, call) == "ENOSYS"
    for call in range(424, 470):
        assert call in calls or outcome(processor, call) == "EPERM"
    for call in (435, 470, 1000, 0x40000000, 0x40000000 | 1, 0xFFFFFFFF):
        assert outcome(processor, call) == "ENOSYS"


@PROCESSORS
def test_another_word_length_is_not_understood(processor: Processor) -> None:
    steps = program(processor, processor.calls.keys(), {})
    assert decide(steps, 0x40000003, 0, ()) == FAILS | ENOSYS


@PROCESSORS
def test_a_compiler_may_make_code(processor: Processor) -> None:
    own_code = (0, 4096, READ | EXECUTE, PRIVATE | ANONYMOUS)
    assert outcome(processor, "mmap", *own_code, jit=True) == "allowed"
    assert outcome(processor, "mprotect", 0, 4096, READ | EXECUTE, jit=True) == "allowed"
    uncounted = (0, 4096, WRITE, SHARED | ANONYMOUS)
    assert outcome(processor, "mmap", *uncounted, jit=True) == "EPERM"


@PROCESSORS
def test_a_network_is_tcp_alone(processor: Processor) -> None:
    assert outcome(processor, "socket", 2, 1 | 0o2000000, network=True) == "allowed"
    assert outcome(processor, "socket", 10, 1, network=True) == "allowed"
    assert outcome(processor, "connect", 3, network=True) == "allowed"
    for family, kind in ((1, 1), (2, 2), (2, 3), (16, 3), (17, 3), (40, 1)):
        assert outcome(processor, "socket", family, kind, network=True) == "EPERM"


def test_a_condition_with_alternatives_goes_on_to_the_next() -> None:
    assert ALLOW != REFUSE
    (x86, _) = _PROCESSORS.values()
    # The first alternative of mmap fails at its first test, the second is reached and holds.
    assert outcome(x86, "mmap", 0, 4096, EXECUTE, PRIVATE) == "allowed"
    assert outcome(x86, "mmap", 0, 4096, EXECUTE | WRITE, PRIVATE) == "EPERM"
