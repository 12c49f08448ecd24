"""System V and POSIX objects that outlive a process, and other people's."""

from pathlib import Path
from typing import Final

from tests.course.attacks.attempt import ROOT, Attempt, Stop
from tests.course.attacks.effects import exists, has_posix_queue, has_queue, has_segment, has_semaphore, lacks_segment
from tests.course.attacks.scene import Scene

SHARED_MEMORY: Final = (
    Attempt(
        "leave a System V shared memory segment",
        "return call('shmget', OWN_KEY, 1 << 20, 0o1600)",
        Stop.SECCOMP,
        has_segment,
    ),
    Attempt("leave a System V message queue", "return call('msgget', OWN_KEY, 0o1600)", Stop.SECCOMP, has_queue),
    Attempt("leave System V semaphores", "return call('semget', OWN_KEY, 100, 0o1600)", Stop.SECCOMP, has_semaphore),
    Attempt(
        "read another process's shared memory",
        """
libc.shmat.restype = ctypes.c_void_p
number = call('shmget', SEGMENT_KEY, 0, 0)
address = libc.shmat(number, None, 0o10000)
if address == ctypes.c_void_p(-1).value:
    raise Stopped('shmat')
return ctypes.string_at(address).decode()
""",
        Stop.SECCOMP,
        secret=True,
    ),
    Attempt(
        "remove another process's shared memory",
        "return call('shmctl', call('shmget', SEGMENT_KEY, 0, 0), 0, None)",
        Stop.SECCOMP,
        lacks_segment,
        accounts=ROOT,
        alone=True,
    ),
    Attempt(
        "leave a POSIX message queue",
        "return call('mq_open', TAG.encode(), os.O_CREAT | os.O_RDWR, 0o600, None)",
        Stop.SECCOMP,
        lambda scene: has_posix_queue(str(scene.facts()["tag"]))(scene),
    ),
    Attempt(
        "leave POSIX shared memory in /dev/shm",
        "open(f'/dev/shm/attack-{TAG}', 'w').write('x' * (1 << 20))",
        Stop.LANDLOCK_WRITE,
        lambda scene: _removed(f"/dev/shm/attack-{scene.facts()['tag']}", scene),
    ),
    Attempt("make files in memory (memfd_create)", "return os.write(os.memfd_create('x'), b'x')", Stop.SECCOMP),
    Attempt("make secret memory (memfd_secret)", "return reached('memfd_secret', 0)", Stop.SECCOMP),
    Attempt(
        "share memory by multiprocessing",
        """
from multiprocessing.shared_memory import SharedMemory
memory = SharedMemory(create=True, size=4096)
memory.close()
memory.unlink()
return memory.name
""",
        Stop.LANDLOCK_WRITE,
    ),
)


def _removed(path: str, scene: Scene) -> bool:
    if not exists(path)(scene):
        return False
    Path(path).unlink()
    return True
