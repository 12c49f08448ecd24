"""More memory, files, threads and disk than an agent may have, by every means."""

from typing import Final

from tests.course.attacks.attempt import Attempt, Stop

_ANONYMOUS: Final = """
def take(size):
    pages = mmap.mmap(-1, size, flags=mmap.{flags})
    ctypes.memset(ctypes.addressof(ctypes.c_char.from_buffer(pages)), 1, size)
    return pages
return hoard(take)
"""
MEMORY: Final = (
    Attempt("take memory as Python objects", "return hoard(bytearray)", Stop.LIMIT),
    Attempt("take memory by mmap", _ANONYMOUS.replace("{flags}", "MAP_PRIVATE | mmap.MAP_ANONYMOUS"), Stop.LIMIT),
    Attempt("take shared memory by mmap", _ANONYMOUS.replace("{flags}", "MAP_SHARED | mmap.MAP_ANONYMOUS"), Stop.LIMIT),
    Attempt("take memory that grows like a stack (MAP_GROWSDOWN)", "return str(map_memory(3, 0x122))", Stop.ARGUMENT),
    Attempt(
        "take memory by brk",
        """
libc.sbrk.restype = ctypes.c_void_p
def take(size):
    if libc.sbrk(ctypes.c_long(size)) == ctypes.c_void_p(-1).value:
        raise MemoryError
try:
    return hoard(take)
finally:
    libc.sbrk.argtypes = [ctypes.c_long]
""",
        Stop.LIMIT,
        alone=True,
    ),
    Attempt(
        "take memory in files in memory that are not mapped (memfd)",
        """
text = bytes(1 << 20)
def take(size):
    fd = os.memfd_create('x')
    for at in range(0, size - (1 << 20), 1 << 20):
        os.write(fd, text)
    return open(fd, 'rb')
return hoard(take)
""",
        Stop.SECCOMP,
        alone=True,
    ),
    Attempt(
        "take memory in System V segments, one after another",
        """
libc.shmat.restype = ctypes.c_void_p
numbers = []
def take(size):
    numbers.append(call('shmget', 0, size, 0o1600))
    address = libc.shmat(numbers[-1], None, 0)
    if address == ctypes.c_void_p(-1).value:
        raise MemoryError
    ctypes.memset(address, 1, size)
    libc.shmdt(ctypes.c_void_p(address))
try:
    return hoard(take)
finally:
    for number in numbers:
        call('shmctl', number, 0, None)
""",
        Stop.SECCOMP,
        alone=True,
    ),
    Attempt(
        "take memory in pipes",
        """
held = []
while len(held) < 300:
    incoming, outgoing = os.pipe()
    fcntl.fcntl(outgoing, 1031, 1 << 20)
    os.set_blocking(outgoing, False)
    os.write(outgoing, bytes(1 << 20))
    held.append((open(incoming, 'rb'), open(outgoing, 'wb')))
return f'{len(held)} MiB in pipes'
""",
        Stop.LIMIT,
    ),
    Attempt(
        "take memory in message queues",
        """
numbers = []
try:
    while len(numbers) < 1000:
        numbers.append(call('msgget', 0, 0o1600))
        for _ in range(2):
            call('msgsnd', numbers[-1], struct.pack('q', 1) + bytes(8000), 8000, 0o4000)
finally:
    for number in numbers:
        libc.msgctl(number, 0, None)
return len(numbers)
""",
        Stop.SECCOMP,
    ),
    Attempt(
        "take memory for the stacks of threads",
        """
import _thread
gate, count = threading.Event(), 0
threading.stack_size(1 << 26)
def use():
    gate.wait()
try:
    while count * (1 << 26) < TOO_MUCH:
        _thread.start_new_thread(use, ())
        count += 1
except (RuntimeError, MemoryError):
    raise Stopped(f'{count} threads') from None
finally:
    gate.set()
    threading.stack_size(0)
return f'{count} stacks of 64 MiB'
""",
        Stop.LIMIT,
        alone=True,
    ),
    Attempt(
        "take memory by mremap",
        """
libc.mremap.restype = ctypes.c_void_p
libc.mremap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int]
address = map_memory(3)
if libc.mremap(address, PAGE, TOO_MUCH, 1) == ctypes.c_void_p(-1).value:
    raise Stopped('mremap')
return TOO_MUCH
""",
        Stop.LIMIT,
    ),
    Attempt("open many files", "held = [open('/dev/null') for _ in range(2000)]\nreturn len(held)", Stop.LIMIT),
    Attempt(
        "start many threads",
        """
gate, count = threading.Event(), 0
threading.stack_size(1 << 16)
try:
    while count < 5000:
        _thread.start_new_thread(gate.wait, ())
        count += 1
except RuntimeError:
    raise Stopped(f'{count} threads') from None
finally:
    gate.set()
    threading.stack_size(0)
return f'{count} threads'
""",
        Stop.LIMIT,
        alone=True,
        allowed="threads share the limits of their process; all of them end with it",
    ),
    Attempt(
        "write a file of 128 MiB",
        "return open(tempfile.mkdtemp() + '/large', 'wb').write(bytes(1 << 27))",
        Stop.LIMIT,
        alone=True,
    ),
    Attempt(
        "write many small files",
        """
folder = tempfile.mkdtemp()
for number in range(3000):
    open(f'{folder}/{number}', 'wb').write(bytes(5000))
return '3,000 files'
""",
        Stop.LIMIT,
        alone=True,
        allowed="the agent's own folder has no quota; it is removed with the process",
    ),
    Attempt(
        "write many large files",
        """
folder = tempfile.mkdtemp()
for number in range(8):
    open(f'{folder}/{number}', 'wb').write(bytes(60 << 20))
return '480 MiB'
""",
        Stop.LIMIT,
        alone=True,
        allowed="the agent's own folder has no quota; it is removed with the process",
    ),
    Attempt(
        "queue many signals and timers",
        """
made = 0
timer = ctypes.c_int()
while made < 200_000:
    call('timer_create', 1, struct.pack('QiiQQ', 0, 10, 1, 0, 0) + bytes(32), ctypes.byref(timer))
    made += 1
return made
""",
        Stop.SECCOMP,
        alone=True,
    ),
)
