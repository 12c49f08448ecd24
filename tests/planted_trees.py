"""Folders as hostile code leaves them; the standard library alone, so that an ordinary user's process can run this."""

import os
import socket
from pathlib import Path

NESTED = 1_500
"""Far more folders in folders than a path or Python's stack can hold."""
WIDE = 2_000


def nested(folder: Path, name: str = "d" * 255) -> None:
    """Make folders in folders, a file in each; the names are as long as they may be, so that paths are too long."""
    handle = os.open(folder, os.O_RDONLY)
    for _ in range(NESTED):
        os.close(os.open("file", os.O_WRONLY | os.O_CREAT, dir_fd=handle))
        os.mkdir(name, dir_fd=handle)
        inner = os.open(name, os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = inner
    os.close(handle)


def nested_and_locked(folder: Path) -> None:
    """Make folders in folders that nobody may read, write or enter."""
    handle = os.open(folder, os.O_RDONLY)
    for _ in range(NESTED):
        os.mkdir("locked", dir_fd=handle)
        inner = os.open("locked", os.O_RDONLY, dir_fd=handle)
        os.fchmod(handle, 0)
        os.close(handle)
        handle = inner
    os.fchmod(handle, 0)
    os.close(handle)


def wide(folder: Path) -> None:
    """Make many files, half of them in a folder, and many folders that hold one."""
    (folder / "inner").mkdir()
    for number in range(WIDE // 2):
        (folder / f"file{number}").touch()
        (folder / "inner" / f"file{number}").touch()
    for number in range(WIDE // 20):
        (folder / f"folder{number}" / "below").mkdir(parents=True)


def strange(folder: Path) -> None:
    """Make files of every kind, with names that are hardly any, and modes that forbid everything."""
    os.mkfifo(folder / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "socket"))
    (folder / "loop").symlink_to("loop")
    (folder / "back").symlink_to(folder.parent)
    (folder / "outside").symlink_to("/")
    for name in (b"\xff\xfe", b"new\nline", b"-rf", b" ", b"\x1b[31m", b"*", b"n" * 255):
        os.close(os.open(os.path.join(os.fsencode(folder), name), os.O_CREAT))  # noqa: PTH118 # bytes
    for mode in (0, 0o100, 0o200, 0o400, 0o500):
        inner = folder / f"mode{mode:o}"
        (inner / "below" / "deep").mkdir(parents=True)
        (inner / "file").write_bytes(b"x")
        (inner / "file").chmod(0)
        (inner / "below").chmod(mode)
        inner.chmod(mode)
    with (folder / "sparse").open("wb") as file:
        file.truncate(1 << 40)
    folder.chmod(0)


TREES = {tree.__name__: tree for tree in (nested, nested_and_locked, wide, strange)}
