"""A shell with job control for one command, run as a script: what a user's terminal looks like to the command.

It is the leader of a session on a terminal, runs the command in the foreground, and then writes down what a shell
would find: characters in the input queue, changed terminal modes, another foreground group.
"""

import ctypes
import fcntl
import json
import os
import signal
import struct
import sys
import termios
from pathlib import Path
from typing import Any

NEW_MOUNTS, PRIVATE, BIND = 0x20000, 0x44000, 0x1000


def main(order_file: str) -> None:
    order: dict[str, Any] = json.loads(Path(order_file).read_text())
    terminal = os.open(order["terminal"], os.O_RDWR)  # becomes the controlling terminal
    for stream in range(3):
        os.dup2(terminal, stream)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    if order["user"] is not None:
        become_user(order["user"], order["needs"])
    modes, size = termios.tcgetattr(terminal), window_size(terminal)
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(terminal, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.close(terminal)
        os.chdir(order["folder"])
        os.execve(order["command"][0], order["command"], order["environment"])
    _, status, usage = os.wait4(child, 0)
    foreground = os.tcgetpgrp(terminal)
    os.tcsetpgrp(terminal, os.getpgrp())
    changed = modes != termios.tcgetattr(terminal) or size != window_size(terminal)
    found = {
        "status": os.waitstatus_to_exitcode(status),
        "peak_kib": usage.ru_maxrss,
        "typed": typed(terminal).decode("latin-1"),
        "modes_changed": changed,
        "foreground_changed": foreground not in (child, os.getpgrp()),
    }
    Path(order["found"]).write_text(json.dumps(found))


def become_user(user: int, needs: list[str]) -> None:
    """Give up root, with the folders that the command needs readable where they are.

    An interpreter in root's home folder is out of reach for anybody else: a mount namespace of this process shows the
    folder with nothing but what is needed in it.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    hidden = {top for path in needs if (top := unreadable_above(Path(path))) is not None}
    covered = [path for path in needs if any(Path(path).is_relative_to(top) for top in hidden)]
    if covered:
        check(libc.unshare(NEW_MOUNTS))
        check(libc.mount(b"none", b"/", None, PRIVATE, None))
        opened = [os.open(path, os.O_PATH) for path in covered]
        for folder in hidden:
            check(libc.mount(b"none", os.fsencode(folder), b"tmpfs", 0, b"mode=755"))
        for path, descriptor in zip(covered, opened, strict=True):
            Path(path).mkdir(parents=True)
            source = f"/proc/self/fd/{descriptor}".encode()
            check(libc.mount(source, path.encode(), None, BIND, None))
            os.close(descriptor)
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)


def unreadable_above(path: Path) -> Path | None:
    """The outermost folder above a path that only its owner can enter."""
    closed = [folder for folder in path.parents if not folder.stat().st_mode & 0o001]
    return closed[-1] if closed else None


def check(result: int) -> None:
    """Raise the error of a C function that failed."""
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def window_size(terminal: int) -> bytes:
    return fcntl.ioctl(terminal, termios.TIOCGWINSZ, bytes(8))


def typed(terminal: int) -> bytes:
    """Take what waits in the input queue, as a shell would, and put nothing of it on the screen."""
    modes = termios.tcgetattr(terminal)
    modes[3] &= ~(termios.ICANON | termios.ECHO)
    termios.tcsetattr(terminal, termios.TCSANOW, modes)
    (waiting,) = struct.unpack("i", fcntl.ioctl(terminal, termios.FIONREAD, bytes(4)))
    return os.read(terminal, waiting) if waiting else b""


if __name__ == "__main__":
    main(sys.argv[1])
