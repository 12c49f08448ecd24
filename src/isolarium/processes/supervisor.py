"""The supervisor of a process with third-party code, and of its descendants.

The supervisor is a child of the process of Isolarium that starts it, the owner; the supervised process is a child of
the supervisor. The supervisor becomes the parent of orphaned descendants, whatever their group or session, so all
descendants have ended once it has no children left. It kills them when the supervised process ends, and when the owner
ends, which it detects when a pipe closes.

The supervisor needs Linux. Elsewhere the process ends with the owner, but processes that it started may survive.
"""

import ctypes
import os
import signal
import subprocess
import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from select import select
from typing import Final, NoReturn

from isolarium.compat import IS_LINUX, descriptor_of, resource
from isolarium.removal import remove_tree

SET_PARENT_DEATH_SIGNAL: Final = 1
SET_CHILD_SUBREAPER: Final = 36
SIGNALLED: Final = 128
"""The offset of a signal's number in the supervisor's exit status."""
CANNOT_RUN: Final = 126
"""The exit status if a file is not a program, as in a shell."""
TOO_MUCH_DISK: Final = 125
"""The exit status of a process that was killed because its files grew too large."""
MOST_DISK_BYTES: Final = 256 << 20
MOST_DISK_FILES: Final = 20_000
LOOK_S: Final = 0.5
"""The interval, in seconds, between measurements of a process's folders."""
RESERVE_BYTES: Final = 64 << 20
"""The extra memory that lets a process report that it ran out of memory."""
ADDRESSES: Final = 4
"""The limit on a process's address space, as a multiple of its memory.

The address space includes shared and reserved memory."""


def begin(
    handles: Sequence[int],
    run: str,
    arguments: Sequence[str],
    most_bytes: int,
    scratch: str | None = None,
    measured: Sequence[str] = (),
) -> NoReturn:
    """Run a function, named as `module:function`, in a child process; see `supervise`.

    Args:
        handles: Descriptors, passed as the function's first arguments.
        run: The function.
        arguments: The function's other arguments.
        most_bytes: The memory that each of its processes may use.
        scratch: A folder to remove at the end.
        measured: Folders that the function may write to, up to a size limit.
    """
    module, _, name = run.partition(":")
    supervise(lambda: getattr(import_module(module), name)(*handles, *arguments), most_bytes, scratch, measured)


def supervise(
    run: Callable[[], None], most_bytes: int, scratch: str | None = None, measured: Sequence[str] = ()
) -> NoReturn:
    """Run a function in a separate process and session.

    Exit with its status once all its processes have ended.

    Args:
        run: The function.
        most_bytes: The memory that each of its processes may use.
        scratch: A folder to remove at the end, since its creator may have been killed.
        measured: Folders that the process may write to; it is killed when they grow too large.
    """
    if not can_supervise():
        threading.Thread(target=_end_with_parent, args=[scratch], daemon=True).start()
        _limit(most_bytes)
        run()
        raise SystemExit
    own = os.getpid()
    _prctl(SET_CHILD_SUBREAPER, 1)
    child = os.fork()
    if child == 0:
        _prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != own:
            os._exit(1)
        os.setsid()  # Away from the terminal, which it must neither read nor write
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)  # The process must not inherit this pipe.
        os.close(nothing)
        _limit(most_bytes)
        run()
        raise SystemExit
    os.closerange(3, 1 << 10)  # The process's pipe must close when the process ends.
    ended, disk_is_full = os.pidfd_open(child), False
    while not select([0, ended], [], [], LOOK_S if measured else None)[0]:
        disk_is_full = any(map(_holds_too_much, measured))
        if disk_is_full:
            break
    kill(child)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    _end_the_rest(own)
    if scratch is not None:
        remove_tree(Path(scratch))
    if disk_is_full:
        os._exit(TOO_MUCH_DISK)
    os._exit(status if status >= 0 else SIGNALLED - status)


def can_supervise() -> bool:
    """Return whether this system supports a supervisor.

    A supervisor must be able to adopt orphans, and to open descriptors of processes.
    """
    return IS_LINUX and hasattr(os, "pidfd_open")


def become(incoming: int, outgoing: int, *command: str) -> NoReturn:
    """Replace this process with a program that inherits only the given descriptors.

    The program also inherits stderr.

    Args:
        incoming: The program's stdin.
        outgoing: The program's stdout.
        command: The program's path and arguments.
    """
    if not can_supervise():
        raise SystemExit(_run_below(incoming, outgoing, list(command)))
    os.dup2(incoming, 0)
    os.dup2(outgoing, 1)
    os.closerange(3, 1 << 10)
    try:
        os.execv(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode(errors="replace"))
        os._exit(CANNOT_RUN)


def descendants(parent: int) -> list[int]:
    """Return all current descendants of a process."""
    children = defaultdict[int, list[int]](list)
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # The process has just ended.
            children[int(stat.read_text().rpartition(")")[2].split()[1])].append(int(stat.parent.name))
    found = [parent]
    for process in found:
        found += children[process]
    return found[1:]


def make_room() -> None:
    """Raise the memory limits of this process, which ran out of memory, by a reserve."""
    if resource is None:
        return
    for kind in (resource.RLIMIT_DATA, resource.RLIMIT_AS):
        most = resource.getrlimit(kind)[1]
        resource.setrlimit(kind, (most, most))


def _end_with_parent(scratch: str | None) -> None:
    while os.read(0, 1 << 10):
        pass
    if scratch is not None:
        remove_tree(Path(scratch))
    os._exit(1)


def _run_below(incoming: int, outgoing: int, command: list[str]) -> int:
    """Run a program as a child; it detects this process's exit when its stdin closes."""
    try:
        reader = descriptor_of(incoming, os.O_RDONLY)
        writer = descriptor_of(outgoing, os.O_WRONLY)
        return subprocess.run(command, stdin=reader, stdout=writer, check=False).returncode
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode(errors="replace"))
        return CANNOT_RUN


def _end_the_rest(own: int) -> None:
    """Kill descendants until none is left.

    Orphans become children of this process, so without children there are no descendants.
    """
    with suppress(ChildProcessError):
        while True:
            if os.waitpid(-1, os.WNOHANG)[0]:
                continue
            for process in descendants(own):
                kill(process)
            os.waitpid(-1, 0)


def _holds_too_much(folder: str) -> bool:
    """Return whether a folder contains more bytes or files than a process may write.

    Links are not followed.
    """
    left, files, waiting = MOST_DISK_BYTES, MOST_DISK_FILES, [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as found:
                for entry in found:
                    files -= 1
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        left -= entry.stat(follow_symlinks=False).st_blocks * 512
                    if left < 0 or files < 0:
                        return True
        except FileNotFoundError:  # The file was removed in the meantime.
            continue
        except OSError:  # A path too long or a closed folder; honest code creates neither.
            return True
    return False


def kill(process: int) -> None:
    """Kill a process, if it has not ended."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(process, signal.SIGKILL)


def _limit(most_bytes: int) -> None:
    if resource is None:
        return
    for kind, most in ((resource.RLIMIT_DATA, most_bytes), (resource.RLIMIT_AS, ADDRESSES * most_bytes)):
        allowed = resource.getrlimit(kind)[1]
        hard = most + RESERVE_BYTES
        if allowed != resource.RLIM_INFINITY:
            hard = min(hard, allowed)
        resource.setrlimit(kind, (min(most, hard), hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)
