"""What can be seen of an attack from outside, once the command has ended."""

import array
import ctypes
import fcntl
import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

from isolarium.arena.run_db import Record
from isolarium.errors import InputError
from tests.course.attacks.attempt import Effect
from tests.course.attacks.scene import Scene

GET_FLAGS: Final = 0x80086601
PEAK_KIB: Final = 1 << 20
"""More memory than the command needs."""


def typed(text: str) -> Effect:
    """Characters wait in the terminal's input queue, for the shell to run."""
    return lambda scene: text in scene.found.shell.get("typed", "")


def typed_elsewhere(text: str) -> Effect:
    """Characters wait in another terminal's input queue."""

    def found(scene: Scene) -> bool:
        waiting = array.array("i", [0])
        fcntl.ioctl(scene.second[1], 0x541B, waiting)
        with suppress(OSError):  # it echoes what is typed
            return text.encode() in os.read(scene.second[0], 1 << 12)
        return waiting[0] > 0

    return found


def shown(text: bytes) -> Effect:
    """The terminal has received these bytes."""
    return lambda scene: text in scene.found.output


def shell_found(key: str) -> Effect:
    """The shell found that something has changed."""
    return lambda scene: bool(scene.found.shell.get(key))


def exists(path: str) -> Effect:
    """A file is there, below the scene's folder, or anywhere."""
    return lambda scene: os.path.lexists(_path(scene, path))


def missing(path: str) -> Effect:
    """A file is there no more."""
    return lambda scene: not os.path.lexists(_path(scene, path))


def changed(path: str) -> Effect:
    """A file has not the text that it had."""
    return lambda scene: _path(scene, path).read_text() != "as it was\n"


def written_in(folder: str) -> Effect:
    """A file named by the scene's tag is in a folder; it is removed."""

    def found(scene: Scene) -> bool:
        place = {
            "package": Path(str(scene.facts()["package"])),
            "cache": scene.cache,
            "python": Path(str(scene.facts()["python"])),
        }.get(folder, _path(scene, folder))
        files = list(place.glob(f"*{scene.facts()['tag']}*"))
        for file in files:
            file.unlink()
        return bool(files)

    return found


def code_changed(scene: Scene) -> bool:
    """Compiled code that other processes load has changed or is gone."""
    return not scene.decoy.exists() or scene.decoy.stat().st_size > 0


def left_in(folder: str, beginning: str) -> Effect:
    """Something is left in a folder."""
    return lambda scene: any(path.name.startswith(beginning) for path in _path(scene, folder).iterdir())


def has_mode(path: str, mode: int) -> Effect:
    """A file has this mode."""
    return lambda scene: _path(scene, path).stat().st_mode & 0o777 == mode


def has_time(path: str, seconds: int) -> Effect:
    """A file was changed at this time."""
    return lambda scene: int(_path(scene, path).stat().st_mtime) == seconds


def has_attribute(path: str, name: str) -> Effect:
    """A file has this extended attribute."""
    return lambda scene: name in os.listxattr(_path(scene, path))


def has_flag(path: str, flag: int) -> Effect:
    """A file has this inode flag."""

    def found(scene: Scene) -> bool:
        with _path(scene, path).open("rb") as file:
            flags = array.array("L", [0])
            fcntl.ioctl(file, GET_FLAGS, flags)
            return bool(flags[0] & flag)

    return found


def locked(path: str) -> Effect:
    """A lock or a lease was on a file while the command ran."""
    return lambda scene: _path(scene, path).stat().st_ino in scene.found.locked


def signalled(number: int) -> Effect:
    """The other process has this real-time signal pending, counted from the first."""

    def found(scene: Scene) -> bool:
        bit = 1 << (signal.SIGRTMIN + number - 1)
        return any(int(mask, 16) & bit for mask in _status(scene, "SigPnd", "ShdPnd"))

    return found


def is_nice(scene: Scene) -> bool:
    """The other process has a lower priority than ours, with which it started."""
    return os.getpriority(os.PRIO_PROCESS, scene.victim.pid) > os.getpriority(os.PRIO_PROCESS, 0)


def is_scheduled_otherwise(scene: Scene) -> bool:
    """The other process has another scheduling policy."""
    return os.sched_getscheduler(scene.victim.pid) != os.SCHED_OTHER


def is_pinned(scene: Scene) -> bool:
    """The other process may not use all cores."""
    return os.sched_getaffinity(scene.victim.pid) != os.sched_getaffinity(0)


def has_other_io_priority(scene: Scene) -> bool:
    """The other process has an input-output priority of its own."""
    call = int(scene.facts()["calls"]["ioprio_get"])
    return bool(ctypes.CDLL(None).syscall(call, 1, scene.victim.pid) >> 13)


def is_limited(scene: Scene) -> bool:
    """The other process may open fewer files."""
    limits = Path(f"/proc/{scene.victim.pid}/limits").read_text().splitlines()
    (files,) = (line for line in limits if line.startswith("Max open files"))
    return files.split()[3] == "17"


def is_killed_first(scene: Scene) -> bool:
    """The other process is the first to be killed when memory runs out."""
    return int(Path(f"/proc/{scene.victim.pid}/oom_score_adj").read_text()) > 0


def connected(name: str) -> Effect:
    """The listener of that name has received something."""

    def found(scene: Scene) -> bool:
        listener = scene.listeners[name]
        with suppress(BlockingIOError):
            if isinstance(listener, int):
                return bool(os.read(listener, 100))
            if listener.type == socket.SOCK_DGRAM:
                return bool(listener.recv(100))
            listener.accept()[0].close()
            return True
        return False

    return found


def has_segment(scene: Scene) -> bool:
    """A shared memory segment is left; it is removed."""
    return _left_behind("shm", scene.own_key, lambda libc, it: libc.shmctl(it, 0, None))


def lacks_segment(scene: Scene) -> bool:
    """The segment of another process is gone."""
    return not _left_behind("shm", scene.segment_key, lambda *_: None)


def has_queue(scene: Scene) -> bool:
    """A message queue is left; it is removed."""
    return _left_behind("msg", scene.own_key, lambda libc, it: libc.msgctl(it, 0, None))


def has_semaphore(scene: Scene) -> bool:
    """A semaphore is left; it is removed."""
    return _left_behind("sem", scene.own_key, lambda libc, it: libc.semctl(it, 0, 0))


def _left_behind(kind: str, key: int, remove: Callable[[Any, int], Any]) -> bool:
    libc = ctypes.CDLL(None, use_errno=True)
    for line in Path("/proc/sysvipc", kind).read_text().splitlines()[1:]:
        found, number = line.split()[:2]
        if int(found) == key:
            remove(libc, int(number))
            return True
    return False


def has_posix_queue(name: str) -> Effect:
    """A POSIX message queue is left; it is removed."""
    return lambda _: ctypes.CDLL(None).mq_unlink(f"/{name}".encode()) == 0


def has_process(name: str) -> Effect:
    """A process of that name is still there."""
    return lambda _: name in _names()


def _names() -> Iterator[str]:
    for path in Path("/proc").glob("[0-9]*/comm"):
        with suppress(OSError):
            yield path.read_text().strip()


def is_mounted(path: str) -> Effect:
    """Something is mounted there."""
    return lambda scene: str(_path(scene, path)) in Path("/proc/self/mountinfo").read_text()


def spoiled(scene: Scene) -> bool:
    """The command failed, its run cannot be read, or the attacker did not lose the games."""
    if scene.found.status != 0:
        return True
    (run,) = (path for path in scene.runs.iterdir() if path.is_dir())
    try:
        with closing(Record(run)) as record:
            games = list(record.games())
    except InputError:
        return True
    return len(games) != 2 or any(game.first_won for game in games)


def unfinished(scene: Scene) -> bool:
    """The command failed, or its run cannot be read; whoever won."""
    return scene.found.status != 0 or unreadable(scene)


def unreadable(scene: Scene) -> bool:
    """A run was begun that cannot be read; to refuse the attacker in one line is right."""
    try:
        for run in (path for path in scene.runs.iterdir() if path.is_dir()):
            with closing(Record(run)) as record:
                list(record.games())
    except InputError:
        return True
    return scene.found.status not in (0, 2)


def took_memory(scene: Scene) -> bool:
    """A process of the command has held far more memory than it needs, or crashed."""
    return scene.found.status not in (0, 2) or int(scene.found.shell.get("peak_kib", 0)) > PEAK_KIB


def _path(scene: Scene, path: str) -> Path:
    return scene.folder / path


def _status(scene: Scene, *names: str) -> list[str]:
    lines = Path(f"/proc/{scene.victim.pid}/status").read_text().splitlines()
    return [line.split()[1] for line in lines if line.partition(":")[0] in names]
