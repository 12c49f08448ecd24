"""Landlock: permanent limits on the files that a process may read and write.

Landlock does not need root.

Every right known to the running kernel is revoked, and then granted again for a list of paths
(`<linux/landlock.h>`). Rights belong to files and folders, not to names: everything in an allowed
folder is allowed, but a link from there to a file elsewhere is not.
"""

import ctypes
import os
import struct
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from stat import S_ISDIR
from typing import Any, Final

from isolarium.compat import IS_LINUX

_libc: Final[Any] = ctypes.CDLL(None, use_errno=True) if IS_LINUX else None
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION, _PATH_BENEATH, _NET_PORT = 1, 1, 2

READ_FILE, READ_FOLDER = 1 << 2, 1 << 3
WRITE_FILE, TRUNCATE = 1 << 1, 1 << 14
CHANGE_FOLDER: Final = 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 12 | 1 << 13
"""The rights to remove folders and files, to create folders, files and symbolic links, and to move
entries between folders, but not to create devices or sockets."""
READ: Final = READ_FILE | READ_FOLDER
CHANGE: Final = WRITE_FILE | TRUNCATE | CHANGE_FOLDER
OF_FILES: Final = 1 << 0 | READ_FILE | WRITE_FILE | TRUNCATE | 1 << 15
"""The rights that a rule for a file, rather than a folder, may grant."""
CONNECT_TCP: Final = 1 << 1


def landlock_version() -> int:
    """Return the kernel's version of Landlock, or 0 if it has none."""
    if not IS_LINUX:
        return 0
    found: int = _libc.syscall(_CREATE_RULESET, None, 0, _ASK_VERSION)
    return max(0, found)


def restrict_files(
    readable: Iterable[Path],
    listed: Iterable[Path],
    writable: Iterable[Path],
    devices: Iterable[Path],
    ports: Iterable[int] = (),
) -> bool:
    """Deny this process access to all files except these.

    The process must have a single thread, and needs `PR_SET_NO_NEW_PRIVS`. If the kernel supports
    it, TCP, signals to other processes and abstract sockets are refused too. Paths that do not
    exist are ignored, and links are not followed.

    Args:
        readable: Files and folders that may be read.
        listed: Folders that may only be listed.
        writable: Folders that may be read and changed.
        devices: Files that may be read and written, such as /dev/null.
        ports: TCP ports that may be connected to.

    Returns:
        Whether the restriction is in force.
    """
    version = landlock_version()
    if not version:
        return False
    handled = _known_rights(version)
    fields = [handled, *([0b11] if version >= 4 else []), *([0b11] if version >= 6 else [])]
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    rules: int = _libc.syscall(_CREATE_RULESET, attributes, len(attributes), 0)
    if rules < 0:
        return False
    try:
        for paths, rights in (
            (readable, READ),
            (listed, READ_FOLDER),
            (writable, READ | CHANGE),
            (devices, READ_FILE | WRITE_FILE | TRUNCATE),
        ):
            for path in paths:
                _allow(rules, path, rights & handled)
        for port in ports if version >= 4 else ():
            rule = struct.pack("=QQ", CONNECT_TCP, port)
            _libc.syscall(_ADD_RULE, rules, _NET_PORT, rule, 0)
        return bool(_libc.syscall(_RESTRICT_SELF, rules, 0) == 0)
    finally:
        os.close(rules)


def _known_rights(version: int) -> int:
    """Return all file rights that a version of Landlock knows."""
    newest = 12 + (version >= 2) + (version >= 3) + (version >= 5)
    return (1 << newest + 1) - 1


def _allow(rules: int, path: Path, rights: int) -> None:
    with suppress(OSError):  # A path that does not exist need not be allowed.
        place = os.open(path, os.O_PATH | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            if not S_ISDIR(os.fstat(place).st_mode):
                rights &= OF_FILES
            rule = struct.pack("=Qi", rights, place)
            _libc.syscall(_ADD_RULE, rules, _PATH_BENEATH, rule, 0)
        finally:
            os.close(place)
