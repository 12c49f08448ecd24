"""Machine code of the agent's own, and calls of other processors' kinds."""

from typing import Final

from tests.course.attacks.attempt import AGENTS, HEURISTIC, Attempt, Stop

_RUN: Final = "ctypes.memmove(address, machine_code(), len(machine_code()))\n"
_FILE: Final = """
path = tempfile.mkdtemp() + '/code'
open(path, 'wb').write(machine_code() + bytes(PAGE))
"""


def _code(name: str, code: str, stop: Stop = Stop.ARGUMENT, allowed: str = "") -> Attempt:
    return Attempt(name, code, stop, forms=AGENTS, allowed=allowed)


MACHINE_CODE: Final = (
    _code(
        "run machine code in memory that is writable and executable",
        f"address = map_memory(7)\n{_RUN}return run_at(address)",
    ),
    _code(
        "run machine code in memory made executable (mprotect)",
        f"address = map_memory(3)\n{_RUN}call('mprotect', address, PAGE, 5)\nreturn run_at(address)",
    ),
    _code(
        "run machine code in memory made executable (pkey_mprotect)",
        f"address = map_memory(3)\n{_RUN}call('pkey_mprotect', address, PAGE, 5, -1)\nreturn run_at(address)",
    ),
    _code(
        "run machine code in memory made executable by a 64-bit argument",
        f"address = map_memory(3)\n{_RUN}call('mprotect', address, PAGE, 5 | 1 << 32)\nreturn run_at(address)",
    ),
    _code(
        "run machine code in memory that is readable (personality)",
        f"call('personality', 0x0400000)\naddress = map_memory(3)\n{_RUN}return run_at(address)",
        Stop.SECCOMP,
    ),
    _code(
        "run machine code in a file in memory (memfd)",
        """
fd = os.memfd_create('x')
os.write(fd, machine_code() + bytes(PAGE))
return run_at(map_memory(5, 2, fd))
""",
        Stop.SECCOMP,
    ),
    _code(
        "run machine code in a shared file of its own folder",
        f"{_FILE}return run_at(map_memory(5, 1, os.open(path, os.O_RDWR)))",
        Stop.DISK,
    ),
    _code(
        "run machine code in a private file of its own folder",
        f"{_FILE}return run_at(map_memory(5, 2, os.open(path, os.O_RDONLY)))",
        Stop.DISK,
    ),
    _code(
        "run machine code in a file mapped twice, writable and executable",
        f"""
{_FILE}
fd = os.open(path, os.O_RDWR)
writable, executable = map_memory(3, 1, fd), map_memory(5, 1, fd)
ctypes.memmove(writable, machine_code(), len(machine_code()))
return run_at(executable)
""",
        Stop.DISK,
    ),
    _code(
        "run machine code in System V shared memory (SHM_EXEC)",
        """
libc.shmat.restype = ctypes.c_void_p
number = call('shmget', 0, PAGE, 0o1700)
address = libc.shmat(number, None, 0o100000)
call('shmctl', number, 0, None)
if address == ctypes.c_void_p(-1).value:
    raise Stopped('shmat')
ctypes.memmove(address, machine_code(), len(machine_code()))
return run_at(address)
""",
        Stop.SECCOMP,
    ),
    _code(
        "load a library of its own folder",
        """
import _ctypes, shutil
return ctypes.CDLL(shutil.copy(_ctypes.__file__, tempfile.mkdtemp() + '/own.so'))
""",
    ),
    Attempt(
        "write over code that is there, through /proc/self/mem",
        """
address = ctypes.cast(libc.labs, ctypes.c_void_p).value
memory = os.open('/proc/self/mem', os.O_RDWR)
os.pwrite(memory, machine_code(), address)
libc.labs.restype = ctypes.c_long
if libc.labs(ctypes.c_long(7)) != 42:
    raise Stopped('not changed')
return 'changed labs()'
""",
        Stop.LANDLOCK_WRITE,
        forms=AGENTS,
        alone=True,
    ),
    Attempt(
        "call the kernel as a 32-bit program (int 0x80)",
        """
if os.uname().machine != 'x86_64':
    raise Stopped('another processor')
address = map_memory(7)
# eax: socket; ebx: AF_INET; ecx: SOCK_STREAM; edx: 0; rbx is kept
code = bytes.fromhex('53b867010000bb02000000b90100000031d2cd805bc3')
ctypes.memmove(address, code, len(code))
found = ctypes.CFUNCTYPE(ctypes.c_int)(address)()
if found < 0:
    raise OSError(-found, os.strerror(-found))
return f'socket {found}'
""",
        Stop.SECCOMP,
        forms=HEURISTIC,
        alone=True,
    ),
    Attempt(
        "run compiled code of NumPy, as honest agents do",
        "import numpy\nreturn int(numpy.linalg.det(numpy.eye(3)) + numpy.arange(9).sum())",
        Stop.ALLOWED,
        must_work=True,
    ),
    Attempt(
        "have C call a Python function (ctypes), as libraries do",
        """
kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
numbers = (ctypes.c_int * 3)(3, 1, 2)
libc.qsort(numbers, 3, 4, kind(lambda a, b: a[0] - b[0]))
assert list(numbers) == [1, 2, 3]
""",
        Stop.ALLOWED,
        forms=HEURISTIC,
        must_work=True,
    ),
)
