"""Locks, leases and notices on files of others, taken through descriptors that can only read."""

from typing import Final

from tests.course.attacks.attempt import Attempt, Stop
from tests.course.attacks.effects import locked, unfinished

_TAKEN: Final = {
    "flock": ("flock", "fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)"),
    "a record lock (F_SETLK)": (
        "setlk",
        "fcntl.fcntl(fd, fcntl.F_SETLK, struct.pack('hhqqi4x', fcntl.F_RDLCK, 0, 0, 0, 0))",
    ),
    "a lock of the open file (F_OFD_SETLK)": (
        "ofd",
        "fcntl.fcntl(fd, 37, struct.pack('hhqqi4x', fcntl.F_RDLCK, 0, 0, 0, 0))",
    ),
    "a lease (F_SETLEASE)": ("lease", "fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)"),
}


def _outside(file: str) -> str:
    return f"outside/{file}"


LOCKS: Final = (
    *(
        Attempt(
            f"hold {name} on a file outside",
            f"fd = os.open(OUTSIDE + '/lock-{file}', os.O_RDONLY)\n{code}\nhold_lock(fd)",
            Stop.SECCOMP,
            locked(_outside(f"lock-{file}")),
        )
        for name, (file, code) in _TAKEN.items()
    ),
    Attempt(
        "watch a folder outside for changes (F_NOTIFY)",
        """
signal.signal(signal.SIGIO, signal.SIG_IGN)
fcntl.fcntl(os.open(OUTSIDE, os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_MODIFY)
""",
        Stop.SECCOMP,
    ),
    Attempt(
        "watch a folder outside (inotify)",
        "return call('inotify_add_watch', call('inotify_init1', 0), OUTSIDE.encode(), 0xFFF)",
        Stop.SECCOMP,
    ),
    Attempt(
        "watch the file system (fanotify)",
        "return any_of(lambda: call('fanotify_init', 0, 0), lambda: call('fanotify_init', 0x200, 0))",
        Stop.SECCOMP,
    ),
    Attempt(
        "stop the run by a read lock on its database",
        """
held = []
for path in Path(RUNS).glob('*/run.sqlite*'):
    fd = os.open(path, os.O_RDONLY)
    fcntl.fcntl(fd, fcntl.F_SETLK, struct.pack('hhqqi4x', fcntl.F_RDLCK, 0, 0, 0, 0))
    held.append(fd)
hold_lock(held)
if not held:
    raise Stopped('no database in sight')
""",
        Stop.LANDLOCK_READ,
        unfinished,
        alone=True,
    ),
    Attempt(
        "stop the run by locking its database as SQLite does",
        """
import sqlite3
bases = [sqlite3.connect(path, isolation_level=None) for path in Path(RUNS).glob('*/run.sqlite')]
for base in bases:
    base.execute('begin immediate')
hold_lock(bases)
if not bases:
    raise Stopped('no database in sight')
""",
        Stop.LANDLOCK_READ,
        unfinished,
        alone=True,
    ),
)
